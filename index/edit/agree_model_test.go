package edit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/storetest"
)

// Several clones of one team claim, give back, finish and create at random, while their
// connections are cut, their processes are killed and time passes by clocks of their own.
// No document has two holders whose leases are live, but for those that claim it locally, and the
// engine gives no number out twice.
func TestTeamModel(t *testing.T) {
	runs := 3
	if storetest.Long() {
		runs = 240
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
			seen.local += m.seen.local
			seen.away += m.seen.away
			seen.killed += m.seen.killed
			seen.refused += m.seen.refused
		})
	}
	if seen.local == 0 || seen.away == 0 || seen.killed == 0 || seen.refused == 0 {
		t.Errorf("the model has not met everything: %+v", seen)
	}
}

// modelCounts are what a run has met.
type modelCounts struct{ local, away, killed, refused int }

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
		m.clones = append(m.clones, m.clone(time.Duration(i-1)*17*time.Hour))
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
}

// change chooses what to do.
func (m *teamModel) change(c *cloneBench, holder, id string) (change func() error, say string) {
	ctx := As(m.t.Context(), holder)
	ref := DocumentRef{ID: id}
	switch m.random.IntN(8) {
	case 0, 1:
		r := ClaimRequest{Holder: holder, Local: m.random.IntN(5) == 0}
		return func() error { _, err := c.Claim(ctx, ref, r); return err }, fmt.Sprintf("claim (local: %t)", r.Local)
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
	var unagreed *UnagreedClaimError
	if errors.As(err, &refused) && refused.Elsewhere {
		m.seen.refused++
	}
	if errors.As(err, &unagreed) {
		m.seen.away++
	}
	return refused != nil || unagreed != nil
}

func (m *teamModel) fail(format string, args ...any) {
	m.t.Helper()
	m.t.Fatalf("%s, after\n%s", fmt.Sprintf(format, args...), strings.Join(m.log, "\n"))
}

// check holds that no document has live holders in two clones, and that the engine has each of
// their claims; local ones are counted.
func (m *teamModel) check() {
	m.t.Helper()
	holder := func(id string) string {
		l, err := m.engine.Connect().Lease(m.t.Context(), "api", store.FoldID(id))
		if err != nil {
			m.t.Fatal(err)
		}
		return l.Holder
	}
	for i, c := range m.clones {
		leases := c.ix.Leases()
		all, err := leases.All(m.t.Context())
		if err != nil {
			m.t.Fatal(err)
		}
		for _, one := range all {
			switch {
			case !one.Live(c.ix.Workspace().Now()) || !leases.Counts(one):
			case one.Local:
				m.seen.local++
			case holder(one.ID) != one.Holder:
				m.fail("%s is held by %s of clone %d, and at the engine by %q", one.ID, one.Holder, i, holder(one.ID))
			}
		}
	}
}

// finish holds that a release ends what was left at the engine.
func (m *teamModel) finish() {
	m.t.Helper()
	for _, c := range m.clones {
		m.mend(c)
	}
	m.check()
	for i, c := range m.clones {
		for _, id := range m.ids {
			for n := range 2 {
				if _, err := c.Release(m.t.Context(), DocumentRef{ID: id}, fmt.Sprintf("h%d-%d", i, n), 0, ""); err != nil && !m.expected(err) {
					m.t.Error(err)
				}
			}
		}
	}
	for _, id := range m.ids {
		if l, err := m.engine.Connect().Lease(m.t.Context(), "api", store.FoldID(id)); err != nil || l.Fence != 0 {
			m.fail("the engine still has %+v, %v", l, err)
		}
	}
}
