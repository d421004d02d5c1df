package edit

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/agree"
	"issues-index/store"
)

var long = flag.Bool("long", false, "make random tests forty times as long (minutes)")

// Several clones of one team claim, give back, finish and create at random, while their
// connections are cut, their processes are killed and time passes by clocks of their own.
// Among those that are connected no document has two holders whose leases are live, and no
// number is given out twice. What was done without the engine is agreed afterwards, or named.
func TestTeamModel(t *testing.T) {
	runs := 6
	if *long {
		runs *= 40
	}
	var seen modelCounts
	for seed := range runs {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			m := newTeamModel(t, uint64(seed))
			for range 60 {
				m.step()
				m.check()
			}
			m.finish()
			seen.lost += m.seen.lost
			seen.doubles += m.seen.doubles
			seen.killed += m.seen.killed
			seen.refused += m.seen.refused
		})
	}
	if seen.lost == 0 || seen.doubles == 0 || seen.killed == 0 || seen.refused == 0 {
		t.Errorf("the model has not met everything: %+v", seen)
	}
}

// modelCounts are what a run has met.
type modelCounts struct{ lost, doubles, killed, refused int }

type teamModel struct {
	*teamBench
	t      *testing.T
	random *rand.Rand
	clones []*cloneBench
	cut    map[*cloneBench]bool
	agreed map[string]string // the title of the document by each id that was agreed
	titles int
	log    []string
	seen   modelCounts
}

func newTeamModel(t *testing.T, seed uint64) *teamModel {
	m := &teamModel{
		teamBench: newTeam(t, one, two, three), t: t, random: rand.New(rand.NewPCG(seed, 21)),
		cut: map[*cloneBench]bool{}, agreed: map[string]string{},
	}
	for i := range 3 {
		m.clones = append(m.clones, m.clone(agree.Auto, time.Duration(i-1)*17*time.Hour))
	}
	return m
}

// holder is one of the holders of a clone.
func (m *teamModel) holder(clone int) string { return fmt.Sprintf("h%d-%d", clone, m.random.IntN(2)) }

func (m *teamModel) say(format string, args ...any) {
	m.log = append(m.log, fmt.Sprintf(format, args...))
}

func (m *teamModel) step() {
	i := m.random.IntN(len(m.clones))
	c := m.clones[i]
	switch m.random.IntN(12) {
	case 0:
		m.say("clone %d is cut", i)
		c.machine.Cut()
		m.cut[c] = true
	case 1, 2:
		m.say("clone %d is mended", i)
		m.mend(c)
	case 3, 4:
		d := time.Duration(m.random.IntN(180)) * time.Minute
		m.say("%v pass", d)
		m.pass(d)
	default:
		m.act(i, c)
	}
}

func (m *teamModel) mend(c *cloneBench) {
	c.machine.Mend()
	m.cut[c] = false
	c.mustAgree()
}

// act makes one change at a clone, which may be killed before or after one of the next things
// that it asks of the engine.
func (m *teamModel) act(i int, c *cloneBench) {
	holder, id := m.holder(i), m.ids[m.random.IntN(len(m.ids))]
	at := 0
	if m.random.IntN(4) == 0 {
		at = 2*c.engine.asked + 2 + m.random.IntN(4)
		c.engine.die = func(asked int) {
			if asked == at {
				runtime.Goexit()
			}
		}
	}
	change, say := m.change(c, holder, id)
	m.say("clone %d: %s %s by %s, killed at %d", i, say, id, holder, at)
	killed := true
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := change(); err != nil && !m.expected(err) {
			m.t.Errorf("%s: %v", say, err)
		}
		killed = false
	}()
	<-done
	c.engine.die = nil
	if !killed {
		return
	}
	m.seen.killed++
	m.say("and was killed")
	c.close()
	c.start()
	if !m.cut[c] {
		c.mustAgree()
	}
}

// change chooses what to do.
func (m *teamModel) change(c *cloneBench, holder, id string) (change func() error, say string) {
	ctx := As(m.t.Context(), holder)
	ref := DocumentRef{ID: id}
	switch m.random.IntN(8) {
	case 0, 1:
		return func() error { _, err := c.Claim(ctx, ref, ClaimRequest{Holder: holder}); return err }, "claim"
	case 2:
		return func() error { _, err := c.Next(ctx, index.Filter{}, ClaimRequest{Holder: holder}); return err }, "next"
	case 3:
		return func() error { _, err := c.Release(ctx, ref, holder, 0, ""); return err }, "release"
	case 4:
		return func() error { _, err := c.Renew(ctx, ref, ClaimRequest{Holder: holder}, 0); return err }, "renew"
	case 5:
		return func() error {
			status, nobody := []string{"open", "closed"}[m.random.IntN(2)], ""
			_, err := c.Update(ctx, ref, func(*store.Document) (store.Fields, error) {
				return store.Fields{Status: &status, Assignee: &nobody}, nil
			})
			return err
		}, "set the status of"
	}
	m.titles++
	title := fmt.Sprint("Title ", m.titles)
	return func() error {
		done, err := c.Create(ctx, store.NewDocument{Title: title, Status: "closed"}, false)
		if err != nil || done.Note != "" {
			return err
		}
		if other := m.agreed[done.After.ID]; other != "" {
			m.fail("%s is the id of %q and %q", done.After.ID, other, title)
		}
		m.agreed[done.After.ID] = title
		return nil
	}, "create " + title + " beside"
}

// expected reports whether a change was refused as it may be.
func (m *teamModel) expected(err error) bool {
	var refused *ClaimError
	if errors.As(err, &refused) && refused.Elsewhere {
		m.seen.refused++
	}
	return refused != nil
}

func (m *teamModel) fail(format string, args ...any) {
	m.t.Helper()
	m.t.Fatalf("%s, after\n%s", fmt.Sprintf(format, args...), strings.Join(m.log, "\n"))
}

// check holds that no document has live holders in two clones that are connected.
func (m *teamModel) check() {
	m.t.Helper()
	holders := map[string]string{}
	for i, c := range m.clones {
		if m.cut[c] {
			continue
		}
		leases := c.ix.Leases()
		all, err := leases.All(m.t.Context())
		if err != nil {
			m.t.Fatal(err)
		}
		for _, one := range all {
			if !one.Live(c.ix.Workspace().Now()) || !leases.Counts(one) {
				continue
			}
			if other := holders[one.ID]; other != "" {
				m.fail("%s is held by %s and by %s of clone %d", one.ID, other, one.Holder, i)
			}
			holders[one.ID] = one.Holder
		}
	}
}

// finish connects all, and holds that each claim is the engine's or named, and that each number
// of two documents is named.
func (m *teamModel) finish() {
	m.t.Helper()
	for _, c := range m.clones {
		m.mend(c)
	}
	m.check()
	for i, c := range m.clones {
		c.mustAgree() // as check does: the others have taken theirs since
		m.checkClaims(i, c)
		c.publish(fmt.Sprint("line-", i))
	}
	documents := map[string]int{} // by id
	named := map[string]int{}
	for _, c := range m.clones {
		c.mustAgree()
		listing, err := c.ix.Workspace().List(m.t.Context())
		if err != nil {
			m.t.Fatal(err)
		}
		for _, f := range listing.Files {
			documents[idIn(f.Path)]++
		}
		conflicts, err := c.ix.Agreement().NumberConflicts(m.t.Context())
		if err != nil {
			m.t.Fatal(err)
		}
		for _, conflict := range conflicts {
			if conflict.Path == conflict.Other || idIn(conflict.Path) != idIn(conflict.Other) {
				m.fail("%+v is no conflict", conflict)
			}
			named[idIn(conflict.Path)]++
		}
	}
	for _, id := range m.ids { // which every clone has
		delete(documents, id)
	}
	for id, n := range documents {
		m.seen.doubles += n - 1
		if named[id] < n-1 || n == 1 && named[id] > 0 {
			m.fail("%d documents have the id %s, and %d are named", n, id, named[id])
		}
	}
}

// idIn is the id in a file's name.
func idIn(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	return name[:len("ISS-000000")]
}

// checkClaims holds that the engine has each claim that counts at a clone, and that each one
// that another clone has ended is named as long as that one has it.
func (m *teamModel) checkClaims(i int, c *cloneBench) {
	m.t.Helper()
	ctx, leases := m.t.Context(), c.ix.Leases()
	own, others, err := c.ix.Agreement().Held(ctx)
	if err != nil {
		m.t.Fatal(err)
	}
	all, err := leases.All(ctx)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, one := range all {
		key := store.FoldID(one.ID)
		if one.Live(c.ix.Workspace().Now()) && leases.Counts(one) && own[key].Holder != one.Holder {
			m.fail("the engine has not the claim of %s on %s", one.Holder, one.ID)
		}
		doc, _, err := c.ix.Workspace().Load(one.Path)
		if err != nil {
			continue // it was moved, and is no longer in progress
		}
		mine := strings.HasPrefix(one.EndedBy, fmt.Sprintf("h%d-", i))
		if _, held := others[key]; one.EndedBy == "" || mine || !held || doc.Assignee != one.Holder || !leases.InProgress(doc.Status) {
			continue
		}
		m.seen.lost++
		if lost, named, err := c.ix.Agreement().LostClaim(ctx, one.ID); err != nil || !named || lost.Holder != one.Holder {
			m.fail("that %s has lost %s is not named: %+v, %v", one.Holder, one.ID, lost, err)
		}
	}
}
