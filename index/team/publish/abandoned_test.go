package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"issues-index/index"
	"issues-index/index/team/natstest"
	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
	"issues-index/store/mirror"
	"issues-index/store/storetest"
)

const day = 24 * time.Hour

// anything reports whether anything stands on a line of the workspace, the manifest included.
func anything(t tb, engine *sharetest.Engine, line string) bool {
	t.Helper()
	for h, err := range engine.Connect().Heads(context.Background(), share.BranchSelection{Workspaces: []string{"api"}, Branches: []string{line}}) {
		if err != nil {
			t.Fatal(err)
		}
		if !h.Gone {
			return true
		}
	}
	return false
}

// compared is what happens hourly.
func (s *site) compared() {
	s.Helper()
	compareAll(s)
	s.must(s.publish())
}

// newLineSite is a site that publishes a line of a name.
func newLineSite(t *testing.T, engine *sharetest.Engine, now func() time.Time, line string) *site {
	t.Helper()
	s := newSiteIn(t, engine, now, index.ModeVerify)
	s.Branch = line
	return s
}

func TestLinesThatNeverComeBackAreRemoved(t *testing.T) {
	clock := newClock()
	engine := sharetest.NewEngine(clock.Now)
	main, own := newSiteIn(t, engine, clock.Now, index.ModeVerify), newSiteIn(t, engine, clock.Now, index.ModeVerify)
	named := newLineSite(t, engine, clock.Now, "feature")
	for i, s := range []*site{main, own, named} {
		s.write("ISS-000001.md", document(fmt.Sprint("Of ", i)))
		s.must(s.publish())
	}
	ownLine := own.Status().Branch
	if isMain(ownLine) {
		t.Fatal("two checkouts publish the main line")
	}

	t.Run("not within 14 days", func(t *testing.T) {
		for range 14 {
			clock.pass(day)
			main.compared()
		}
		expect(t, "own", standing(t, engine, ownLine), own.files())
		expect(t, "named", standing(t, engine, "feature"), named.files())
	})
	t.Run("not when they have shown a sign of life since", func(t *testing.T) {
		named.compared()
		clock.pass(2 * time.Hour)
		main.compared()
		expect(t, "named", standing(t, engine, "feature"), named.files())
	})
	t.Run("but after that, without a trace", func(t *testing.T) {
		if anything(t, engine, ownLine) {
			t.Error("something stands on the line")
		}
		for _, key := range []string{share.BranchLeaseKey(ownLine), heartbeatKey(ownLine)} {
			if l, err := engine.Connect().Lease(t.Context(), "api", key); err != nil || l.Fence != 0 {
				t.Errorf("%s is kept: %+v, %v", key, l, err)
			}
		}
		expect(t, "main", standing(t, engine, mirror.Main), main.files())
	})
	t.Run("and one that comes back is published whole", func(t *testing.T) {
		own.must(own.publish())
		expect(t, "own", standing(t, engine, ownLine), own.files())
		clock.pass(13 * day)
		main.compared()
		expect(t, "own, 13 days later", standing(t, engine, ownLine), own.files())
	})
	t.Run("also by a program that runs once, for one that ran once", func(t *testing.T) {
		once := newLineSite(t, engine, clock.Now, "once")
		if _, err := once.Once(t.Context()); err != nil {
			t.Fatal(err)
		}
		clock.pass(13 * day)
		main.loop.close()
		main.loop = nil
		for range 2 {
			if _, err := main.Once(t.Context()); err != nil {
				t.Fatal(err)
			}
			if stands, young := anything(t, engine, "once"), clock.Now().Before(newClock().Now().Add(40*day+4*time.Hour)); stands != young {
				t.Errorf("it stands: %v, and is young: %v", stands, young)
			}
			clock.pass(day + 2*time.Hour)
		}
	})
}

// publishedWithoutASign publishes a line as an older program does, and returns what it has published.
func publishedWithoutASign(t *testing.T, engine *sharetest.Engine, line string) (versions []share.DocumentVersion) {
	t.Helper()
	for i := range maxBatch + 1 {
		path := fmt.Sprintf("%sISS-%06d.md", issues, i+1)
		if i == 0 {
			path = mirror.ManifestPath
		}
		versions = append(versions, share.DocumentVersion{Branch: mirror.Branch{Workspace: "api", Name: line}, Path: path, Data: []byte(path), Origin: share.Origin{Epoch: line, Rev: uint64(i)}})
	}
	for _, ack := range engine.Connect().Publish(t.Context(), versions) {
		if ack.Err != nil {
			t.Fatal(ack.Err)
		}
	}
	return versions
}

// A line without a sign of life stays while a machine publishes it.
func TestLinesWithoutASignAreRemoved(t *testing.T) {
	clock := newClock()
	engine := sharetest.NewEngine(clock.Now)
	main := newSiteIn(t, engine, clock.Now, index.ModeVerify)
	versions := publishedWithoutASign(t, engine, "old")
	held := share.TeamLease{Workspace: "api", Key: share.BranchLeaseKey("old"), Nonce: "old"}
	if _, err := engine.Connect().Take(t.Context(), held, leaseLasts); err != nil {
		t.Fatal(err)
	}
	main.compared()
	if !anything(t, engine, "old") {
		t.Fatal("it is removed")
	}
	main.wire.versions = nil
	clock.pass(2 * leaseLasts)
	main.compared()
	if anything(t, engine, "old") {
		t.Error("it stands")
	}
	if removed := main.wire.versions; len(removed) != len(versions) || removed[len(removed)-1].Path != mirror.ManifestPath || removed[0].Fence == 0 {
		t.Errorf("%d versions were removed, and the manifest was not the last", len(removed))
	}
	if s := main.Status(); s.Branch != mirror.Main || s.LastError != "" || len(s.Problems) > 0 {
		t.Errorf("%+v", s)
	}
}

// A slowTeam does something before it looks whether a line has shown a sign of life.
type slowTeam struct {
	share.Team
	meanwhile func()
}

func (s *slowTeam) Take(ctx context.Context, l share.TeamLease, lasts time.Duration) (share.TeamLease, error) {
	if do := s.meanwhile; do != nil && l.Key == heartbeatKey("feature") {
		s.meanwhile = nil
		do()
	}
	return s.Team.Take(ctx, l, lasts)
}

func TestLinesThatComeBackAtTheLastMomentStay(t *testing.T) {
	for name, comeBack := range map[string]func(s *site) error{
		"for once": func(s *site) error { _, err := s.Once(context.Background()); return err },
		"to stay":  func(s *site) error { return s.publish() },
	} {
		t.Run(name, func(t *testing.T) {
			clock := newClock()
			engine := sharetest.NewEngine(clock.Now)
			team := &slowTeam{Team: engine.Connect()}
			main := newSiteOn(t, t.TempDir(), team, clock.Now, index.ModeVerify)
			t.Cleanup(main.end)
			feature := newLineSite(t, engine, clock.Now, "feature")
			feature.write("ISS-000001.md", document("One"))
			if _, err := feature.Once(t.Context()); err != nil {
				t.Fatal(err)
			}
			clock.pass(15 * day)
			team.meanwhile = func() { feature.must(comeBack(feature)) }
			main.must(main.publish())
			if team.meanwhile != nil {
				t.Fatal("nobody has looked at the leases")
			}
			expect(t, "feature", standing(t, engine, "feature"), feature.files())
		})
	}
}

// Checkouts come and go, and the machine with the main line is killed at any moment. No document
// goes of a line that has shown a sign of life within 14 days, and none stays of a line that has
// shown none, an hour more allowed, once the main line was compared.
func TestLinesAreKeptAsLongAsTheyShowSignsOfLife(t *testing.T) {
	modelChecks(t)
	rapid.Check(t, func(r *rapid.T) {
		root, err := os.MkdirTemp("", "publish")
		if err != nil {
			r.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(root) }()
		clock := newClock()
		engine := sharetest.NewEngine(clock.Now)
		main := newSite(r, filepath.Join(root, "main"), engine, clock.Now, index.ModeVerify)
		defer main.end()
		type lineState struct {
			*site
			alive time.Time         // when it was compared last
			sign  time.Time         // when it gave a sign of life last, even if it could not publish then
			files map[string]string // that it has published
		}
		lines := map[string]*lineState{}
		defer func() {
			for _, s := range lines {
				s.end()
			}
		}()
		for _, name := range []string{"one", "two"} {
			lines[name] = &lineState{site: newSite(r, filepath.Join(root, name), engine, clock.Now, index.ModeVerify)}
			lines[name].Branch = name
		}
		var killed time.Time
		made := 0
		r.Repeat(map[string]func(*rapid.T){
			"a checkout publishes": func(r *rapid.T) {
				s := lines[rapid.SampledFrom(slices.Sorted(maps.Keys(lines))).Draw(r, "line")]
				made++
				s.write(fmt.Sprintf("ISS-%06d.md", rapid.IntRange(1, 3).Draw(r, "document")), document(fmt.Sprint("About ", made)))
				compareAll(s.site)
				err := s.publish()
				if rapid.Bool().Draw(r, "and ends") && s.loop != nil {
					s.loop.leaveBranch(context.Background(), "")
					s.loop.close()
					s.loop = nil
				}
				if broken := errors.Is(err, errAgain) || errors.As(err, new(*HeldBranchError)); broken && clock.Now().Sub(killed) < leaseLasts {
					s.sign = clock.Now()
					return // what was killed has begun to remove the line
				}
				s.must(err)
				s.alive, s.sign, s.files = clock.Now(), clock.Now(), s.site.files()
			},
			"the main line is compared": func(r *rapid.T) {
				main.compared()
				for name, s := range lines {
					if clock.Now().Sub(s.sign) > usual.abandoned+usual.reconcile && anything(r, engine, name) {
						r.Errorf("%s stands, and was alive at %s", name, s.sign)
					}
				}
			},
			"the machine with the main line is killed": func(r *rapid.T) {
				main.wire.killAt = rapid.IntRange(1, 8).Draw(r, "operations")
				main.wire.partly = rapid.IntRange(0, 3).Draw(r, "versions")
				compareAll(main)
				main.must(main.publishUntilKilled())
				main.wire.killAt, killed = 0, clock.Now()
			},
			"a minute passes": func(*rapid.T) { clock.pass(leaseLasts + time.Second) },
			"days pass":       func(r *rapid.T) { clock.pass(time.Duration(rapid.IntRange(1, 16*24).Draw(r, "hours")) * time.Hour) },
			"": func(r *rapid.T) {
				for name, s := range lines {
					if clock.Now().Sub(s.alive) < usual.abandoned {
						expect(r, name, standing(r, engine, name), s.files)
					}
				}
			},
		})
	})
}

// A machine has rights for its own workspace, by which it reads one branch at a time.
func TestAMachinePublishesABranchWithItsRights(t *testing.T) {
	cluster := natstest.Start(t, 1)
	s := newSiteOn(t, t.TempDir(), cluster.Connect(natstest.API), nil, index.ModeVerify)
	t.Cleanup(s.end)
	s.Branch = "feature"
	s.write("ISS-000001.md", document("Of a branch"))
	for range 2 {
		if _, err := s.Once(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for _, err := range cluster.Connect(natstest.Hub).Heads(t.Context(), share.BranchSelection{Branches: []string{"feature"}}) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n == 0 {
		t.Error("nothing is published")
	}
}

// The server of a cluster counts the time of a sign, with the rights of a machine.
func TestAbandonedLinesWithARealEngine(t *testing.T) {
	if !storetest.Long() {
		t.Skip("waits for a sign of life to lapse: -long")
	}
	cluster := natstest.Start(t, 1)
	sites := map[string]*site{}
	for _, line := range []string{mirror.Main, "feature"} {
		s := newSiteOn(t, t.TempDir(), cluster.Connect(natstest.API), nil, index.ModeVerify)
		t.Cleanup(s.end)
		s.Branch, s.intervals.abandoned, s.intervals.reconcile = line, 2*time.Second, 0
		s.write("ISS-000001.md", document("Of "+line))
		sites[line] = s
	}
	main, feature := sites[mirror.Main], sites["feature"]
	stands := func(line string) (n int) {
		for h, err := range cluster.Connect(natstest.Hub).Heads(t.Context(), share.BranchSelection{Branches: []string{line}}) {
			if err == nil && !h.Gone {
				n++
			}
		}
		return n
	}
	if _, err := feature.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	main.compared()
	if n := stands("feature"); n != 2 {
		t.Fatalf("%d documents stand before its time is over", n)
	}
	watch, free := cluster.Connect(natstest.API), share.TeamLease{Workspace: "api", Key: heartbeatKey("feature"), Nonce: "test"}
	eventually(t, "its sign of life lapses", func() bool {
		taken, err := watch.Take(t.Context(), free, time.Second)
		free.Fence = taken.Fence
		return err == nil
	})
	main.must(watch.Release(t.Context(), free))
	main.compared()
	if n := stands("feature"); n != 0 {
		t.Fatalf("%d documents stand after that", n)
	}
	if _, err := feature.Once(t.Context()); err != nil || stands("feature") != 2 || stands(mirror.Main) != 2 {
		t.Errorf("%d and %d documents stand: %v", stands("feature"), stands(mirror.Main), err)
	}
}
