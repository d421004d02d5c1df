package publish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
	"issues-index/store"
	"issues-index/store/cachedir"
	"issues-index/store/mirror"
)

// What other processes read costs a publication no further write.
func TestStatusIsKeptOnceATick(t *testing.T) {
	now := newClock()
	s := newSiteIn(t, sharetest.NewEngine(now.Now), now.Now, index.ModeVerify)
	s.must(s.publish())
	noted := s.elsewhere().Process.Noted
	publish := func(title string) PublisherStatus {
		t.Helper()
		s.write("ISS-000001.md", document(title))
		s.must(s.publish())
		return s.elsewhere()
	}
	now.pass(s.rhythm.tick - time.Second)
	if got := publish("One"); !got.Process.Noted.Equal(noted) {
		t.Errorf("one publication was noted at %s", got.Process.Noted)
	}
	now.pass(time.Second)
	got := publish("Two")
	if !got.Process.Noted.Equal(now.Now()) || got.Position != s.Status().Position {
		t.Errorf("a tick later: %+v", got)
	}
	now.pass(s.rhythm.tick)
	s.must(s.publish())
	if again := s.elsewhere(); !again.Process.Noted.Equal(got.Process.Noted) {
		t.Error("nothing has changed, and it was noted again")
	}
	now.pass(time.Second)
	s.machine.Cut()
	s.write("ISS-000002.md", document("Waits"))
	if err := s.publish(); !errors.Is(err, share.ErrAway) && err != nil {
		t.Fatal(err)
	}
	if away := s.elsewhere(); !away.Process.Noted.Equal(now.Now()) {
		t.Error("the engine went away, and it was not noted at once")
	}
}

// While many documents are published, what is left of them is noted once a tick.
func TestLongPublicationIsKeptOnceATick(t *testing.T) {
	now := newClock()
	s := newSiteIn(t, sharetest.NewEngine(now.Now), now.Now, index.ModeVerify)
	const documents = 2*maxBatch + 5
	for i := range documents {
		s.write(fmt.Sprintf("ISS-%06d.md", i), document("Many"))
	}
	var waiting []int
	var look func()
	look = func() {
		waiting = append(waiting, s.elsewhere().Waiting)
		now.pass(time.Second)
		s.wire.before = look
	}
	s.wire.before = look
	s.must(s.publish())
	s.wire.before = nil
	afterFirst := documents + 1 - maxBatch // with the manifest
	if want := []int{0, afterFirst, afterFirst}; !slices.Equal(waiting, want) || s.elsewhere().Waiting != 0 {
		t.Errorf("%v wait, want %v", waiting, want)
	}
}

// A strayingMachine is cut off for another reason each time.
type strayingMachine struct {
	*sharetest.Machine
	tries int
}

func (m *strayingMachine) Connection() share.ConnectionState {
	m.tries++
	state := m.Machine.Connection()
	state.Reason = fmt.Sprint("try ", m.tries)
	return state
}

func (m *strayingMachine) Take(context.Context, share.TeamLease, time.Duration) (share.TeamLease, error) {
	return share.TeamLease{}, fmt.Errorf("%w: try %d", share.ErrAway, m.tries)
}

func TestFurtherTriesAreNotKeptEach(t *testing.T) {
	now := newClock()
	machine := &strayingMachine{Machine: sharetest.NewEngine(now.Now).Connect()}
	machine.Cut()
	s := newSiteOn(t, t.TempDir(), machine, now.Now, index.ModeVerify)
	t.Cleanup(s.end)
	kept := func() time.Time {
		t.Helper()
		now.pass(time.Second)
		if err := s.publish(); !errors.Is(err, share.ErrAway) {
			t.Fatal(err)
		}
		return s.elsewhere().Process.Noted
	}
	if first := kept(); first.IsZero() || !kept().Equal(first) {
		t.Error("each try is kept")
	}
}

// What the process knows is noted again when the file was deleted.
func TestDeletedFileIsWrittenAgain(t *testing.T) {
	now := newClock()
	s := newSiteIn(t, sharetest.NewEngine(now.Now), now.Now, index.ModeVerify)
	s.must(s.publish())
	for _, suffix := range append([]string{""}, cachedir.Suffixes...) {
		_ = os.Remove(filepath.Join(s.root, store.CacheDir, databaseName+suffix))
	}
	s.write("ISS-000001.md", document("One"))
	s.must(s.publish())
	if got := s.elsewhere(); got.Line != mirror.Main || !got.Process.Running {
		t.Errorf("%+v", got)
	}
}
