package publish

import (
	"testing"

	"issues-index/index"
	"issues-index/index/sqlfile"
	"issues-index/index/team/sharetest"
	"issues-index/store/mirror"
)

// What a machine publishes while it loses the main line does not stand for long: the machine that has
// the line compares it again a minute after it got it.
func TestWhatAMachinePublishesThatHasLostTheLineGoesSoon(t *testing.T) {
	clock := newClock()
	engine := sharetest.NewEngine(clock.Now)
	slow, next := newSiteIn(t, engine, clock.Now, index.ModeVerify), newSiteIn(t, engine, clock.Now, index.ModeVerify)
	slow.write("ISS-000001.md", document("Old"))
	slow.must(slow.publish())
	next.write("ISS-000001.md", document("Old"))
	slow.write("ISS-000001.md", document("Stale"))
	slow.write("ISS-000002.md", document("Stale, too"))
	slow.wire.before = func() {
		clock.pass(2 * leaseLasts)
		next.must(next.publish())
		if next.Status().Branch != mirror.Main {
			t.Error("it does not have the main line")
		}
	}
	slow.must(slow.publish())
	if len(standing(t, engine, mirror.Main)) != 2 {
		t.Fatal("nothing stale was published")
	}
	for range 4 { // it renews its lease meanwhile
		clock.pass(leaseLasts / 4)
		next.must(next.publish())
	}
	expect(t, "main", standing(t, engine, mirror.Main), next.files())
}

// What was published is noted later where the database could not be written to.
func TestWhatCouldNotBeNotedIsNotedLater(t *testing.T) {
	s := newSiteIn(t, sharetest.NewEngine(nil), nil, index.ModeVerify)
	s.write("ISS-000001.md", document("One"))
	s.must(s.publish())
	run := func(statement string) {
		s.must(s.loop.db.Use(t.Context(), func(f *sqlfile.OpenFile) error {
			_, err := f.ExecContext(t.Context(), statement)
			return err
		}))
	}
	run(`CREATE TRIGGER broken BEFORE INSERT ON published BEGIN SELECT raise(FAIL, 'broken'); END`)
	s.write("ISS-000002.md", document("Two"))
	s.must(s.publish())
	run(`DROP TRIGGER broken`)
	s.must(s.publish())
	noted, err := s.loop.db.heads(t.Context())
	if s.must(err); noted[issues+"ISS-000002.md"].gone() {
		t.Errorf("%v", noted)
	}
}
