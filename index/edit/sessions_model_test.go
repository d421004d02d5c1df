package edit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/store/storetest"
)

// Programs of agents start servers in two worktrees, kill and restart them, and end, while
// their agents and a person claim, renew, give back and take what is next, and time passes. No
// document has two holders who are both there, no two servers that run have one name, a
// restarted server has the claims of the one before, no agent gets those of another whose
// program still runs, every grant has a larger fence, and what the dead held is free ten
// minutes after it was seen that they are.
func TestHoldersOutliveTheirServers(t *testing.T) {
	runs := 3
	if storetest.Long() {
		runs = 480
	}
	seen := map[string]int{}
	for seed := range runs {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			m := newSessionModel(t, uint64(seed), seen)
			for range 120 {
				m.step()
			}
			m.finish()
			if t.Failed() {
				t.Log(strings.Join(m.log, "\n"))
			}
		})
	}
	for _, what := range []string{"resumed by its program", "resumed by another program", "kept from another program", "taken from the dead", "taken when it had lapsed", "refused: held", "refused: lapsed"} {
		if seen[what] == 0 {
			t.Errorf("the model has not met what is %s: %v", what, seen)
		}
	}
}

// A modelProgram is one that agents run in. It has one server at a time.
type modelProgram struct {
	name, client, given string
	tree                *modelTree
	server              *claims.HolderSession // nil when none runs
	holder              string                // of its last server
}

// A modelTree is a worktree.
type modelTree struct {
	claimBench
	holders map[string]string        // of documents
	signs   map[string]time.Time     // of life, of the documents' claims
	deaths  map[string]time.Time     // of sessions' servers
	users   map[string]*modelProgram // that have had a session last, by its holder
	fence   int64
}

type sessionModel struct {
	t        *testing.T
	random   *rand.Rand
	trees    []*modelTree
	programs []*modelProgram
	running  map[string]bool // processes
	started  int
	log      []string
	seen     map[string]int
}

const modelDocuments = 6

func newSessionModel(t *testing.T, seed uint64, seen map[string]int) *sessionModel {
	m := &sessionModel{t: t, random: rand.New(rand.NewPCG(seed, 34)), running: map[string]bool{}, seen: seen}
	var ids []string
	for i := range modelDocuments {
		ids = append(ids, fmt.Sprintf("ISS-%06d", i+1))
	}
	for range 2 {
		tree := &modelTree{newClaims(t, ids...), map[string]string{}, map[string]time.Time{}, map[string]time.Time{}, map[string]*modelProgram{}, 0}
		tree.ix.Leases().Runs = func(process string) bool { return m.running[process] }
		m.trees = append(m.trees, tree)
	}
	return m
}

func (m *sessionModel) say(format string, args ...any) {
	m.log = append(m.log, fmt.Sprintf(format, args...))
}

// process is a new one.
func (m *sessionModel) process(kind string) string {
	m.started++
	name := fmt.Sprint(kind, " ", m.started)
	m.running[name] = true
	return name
}

func (m *sessionModel) step() {
	dice := m.random.IntN(20)
	if len(m.programs) == 0 || dice < 2 && len(m.programs) < 6 {
		p := &modelProgram{name: m.process("program"), client: []string{"claude code", "codex"}[m.random.IntN(2)], tree: m.trees[m.random.IntN(2)]}
		if m.random.IntN(4) == 0 {
			p.given = "c" + strings.Fields(p.name)[1]
		}
		m.programs = append(m.programs, p)
		m.start(p)
		return
	}
	i := m.random.IntN(len(m.programs))
	p := m.programs[i]
	switch {
	case dice < 4:
		d := time.Duration(m.random.IntN(9)) * time.Minute
		if m.random.IntN(8) == 0 {
			d = 5*time.Hour + time.Minute
		}
		m.say("%v pass", d)
		for _, tree := range m.trees {
			tree.pass(d)
		}
	case dice < 7 && p.server != nil:
		m.kill(p)
	case dice < 8:
		m.kill(p)
		m.say("%s ends", p.name)
		m.running[p.name] = false
		m.programs = append(m.programs[:i], m.programs[i+1:]...)
	case dice < 9:
		m.act(p.tree, "ann@laptop", claims.HolderSession{})
	case p.server == nil:
		m.start(p)
	default:
		holder := p.server.Holder()
		if m.random.IntN(3) == 0 {
			holder += "/reviewer"
		}
		m.act(p.tree, holder, *p.server)
	}
}

func (m *sessionModel) kill(p *modelProgram) {
	if p.server == nil {
		return
	}
	m.say("the server of %s, %s, is killed", p.name, p.holder)
	m.running[p.server.Process] = false
	p.tree.deaths[p.holder] = *p.tree.clock
	p.server = nil
}

// start starts a server of a program, and looks at the name that it gets.
func (m *sessionModel) start(p *modelProgram) {
	t := p.tree
	got, err := t.ix.Leases().Join(m.t.Context(), claims.HolderSession{Client: p.client, Given: p.given, Token: fmt.Sprint("t", m.started), Process: m.process("server"), Parent: p.name})
	if err != nil {
		m.t.Fatal(err)
	}
	holder, before := got.Holder(), p.holder
	m.say("a server of %s starts: %s", p.name, holder)
	for _, other := range m.programs {
		if other != p && other.tree == t && other.server != nil && other.holder == holder {
			m.t.Errorf("%s is the name of servers of %s and %s", holder, p.name, other.name)
		}
	}
	user := t.users[holder]
	switch {
	case p.given != "" && holder != claims.HolderName(p.client, p.given):
		m.t.Errorf("%s gives the id %s, and its server is %s", p.name, p.given, holder)
	case user == p && t.holds(holder):
		m.seen["resumed by its program"]++
	case user != nil && user != p && m.running[user.name]:
		m.t.Errorf("%s has the session %s of %s, which runs", p.name, holder, user.name)
	case user != nil && user != p:
		m.seen["resumed by another program"]++
	}
	if before != "" && before != holder && t.holds(before) {
		m.t.Errorf("%s had claims as %s, and is %s now", p.name, before, holder)
	}
	for other, user := range t.users {
		if user != p && m.running[user.name] && user.server == nil && t.holds(other) && user.client == p.client {
			m.seen["kept from another program"]++
		}
	}
	p.server, p.holder, t.users[holder] = &got, holder, p
	delete(t.deaths, holder)
}

// holds reports whether a session has claims.
func (t *modelTree) holds(session string) bool {
	for _, holder := range t.holders {
		if (claims.Lease{Holder: holder}).IsOf(session) {
			return true
		}
	}
	return false
}

// act makes one call of a holder.
func (m *sessionModel) act(t *modelTree, holder string, session claims.HolderSession) {
	ctx, id := m.t.Context(), fmt.Sprintf("ISS-%06d", 1+m.random.IntN(modelDocuments))
	request := ClaimRequest{Holder: holder, Session: session}
	var done Claimed
	var err error
	var did string
	switch m.random.IntN(6) {
	case 0, 1:
		did = "claims " + id
		done, err = t.Claim(ctx, DocumentRef{ID: id}, request)
	case 2, 3:
		var next NextClaim
		next, err = t.Next(ctx, index.Filter{}, request)
		if done, did = next.Claimed, "takes the next, "; next.Found {
			id = done.After.ID
			did += id
		} else if did += "none"; err == nil {
			m.say("%s %s", holder, did)
			return
		}
	case 4:
		did = "renews " + id
		done, err = t.Renew(ctx, DocumentRef{ID: id}, request, 0)
	default:
		did = "gives back " + id
		if _, err = t.Release(ctx, DocumentRef{ID: id}, holder, 0, ""); err == nil && t.holders[id] == holder {
			delete(t.holders, id)
		}
	}
	m.say("%s %s: %v", holder, did, err)
	var no *ClaimError
	if errors.As(err, &no) {
		m.seen["refused: "+string(no.Reason)]++
		if former := t.holders[id]; former == holder && no.Reason != ClaimOutdated {
			m.t.Errorf("%s %s: %v", holder, did, err)
		}
		return
	}
	if err != nil {
		m.t.Fatalf("%s %s: %v", holder, did, err)
	}
	if done.After == nil {
		return
	}
	m.granted(t, id, holder, done)
}

// granted looks at a claim.
func (m *sessionModel) granted(t *modelTree, id, holder string, done Claimed) {
	now, former := *t.clock, t.holders[id]
	if !done.Again {
		if done.Lease.Fence <= t.fence {
			m.t.Errorf("%s has the fence %d after %d", id, done.Lease.Fence, t.fence)
		}
		t.fence = done.Lease.Fence
	}
	if former != "" && former != holder {
		free := t.signs[id].Add(claims.DefaultLength * 5 / 4)
		what := "taken when it had lapsed"
		parts := strings.Split(former, "/")
		if died := t.deaths[strings.Join(parts[:min(len(parts), 2)], "/")]; !died.IsZero() && died.Add(claims.RestartTime).Before(free) {
			free, what = died.Add(claims.RestartTime), "taken from the dead"
		}
		if now.Before(free) {
			m.t.Errorf("%s went from %s to %s at %v, and is free from %v", id, former, holder, now, free)
		}
		m.seen[what]++
	}
	t.holders[id], t.signs[id] = holder, now
}

// finish has everybody die. What is not a person's is stale at once, and handed out ten minutes
// later.
func (m *sessionModel) finish() {
	for _, p := range m.programs {
		m.kill(p)
	}
	for _, t := range m.trees {
		want := 0
		all, err := t.ix.Leases().All(m.t.Context())
		for _, one := range all {
			if t.ix.Leases().Counts(one) && one.Holder != "ann@laptop" {
				if want++; one.Live(*t.clock) {
					m.t.Errorf("%s of %s is not stale", one.ID, one.Holder)
				}
			}
		}
		if err != nil {
			m.t.Fatal(err)
		}
		t.pass(claims.RestartTime)
		got := 0
		for {
			next, err := t.Next(m.t.Context(), index.Filter{}, ClaimRequest{Holder: "last"})
			if err != nil {
				m.t.Fatal(err)
			}
			if !next.Found {
				break
			}
			if next.Former != "" && next.Former != "ann@laptop" {
				got++
			}
		}
		if got != want {
			m.t.Errorf("%d of %d documents of the dead were handed out", got, want)
		}
	}
}
