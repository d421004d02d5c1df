package publish

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
	"issues-index/store"
	"issues-index/store/cachedir"
	"issues-index/store/mirror"
)

// What other processes read is noted with each change of it.
func TestStatusIsKept(t *testing.T) {
	now := newClock()
	s := newSiteIn(t, sharetest.NewEngine(now.Now), now.Now, index.ModeVerify)
	s.write("ISS-000001.md", document("One"))
	s.must(s.publish())
	now.pass(time.Second)
	s.must(s.publish())
	got := s.elsewhere()
	if again := got.Process.Noted; !again.Equal(now.Now().Add(-time.Second)) || got.Position != s.Status().Position {
		t.Errorf("nothing has changed, and it was noted again at %s: %+v", again, got)
	}
	s.machine.Cut()
	s.write("ISS-000002.md", document("Waits"))
	if err := s.publish(); !errors.Is(err, share.ErrAway) && err != nil {
		t.Fatal(err)
	}
	if away := s.elsewhere(); !away.Process.Noted.Equal(now.Now()) {
		t.Error("the engine went away, and it was not noted at once")
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
	if got := s.elsewhere(); got.Branch != mirror.Main || !got.Process.Running {
		t.Errorf("%+v", got)
	}
}
