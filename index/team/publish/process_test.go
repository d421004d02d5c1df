package publish

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/sqlfile"
	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
	"issues-index/store"
	"issues-index/store/mirror"
)

// elsewhere is the status as another process reads it.
func (s *site) elsewhere() PublisherStatus {
	s.Helper()
	return s.elsewhereAs("api")
}

// elsewhereAs is elsewhere where the workspace has a name.
func (s *site) elsewhereAs(name string) PublisherStatus {
	s.Helper()
	ix, release, err := s.index.Acquire(context.Background())
	s.must(err)
	defer release()
	status, err := StatusOf(context.Background(), ix, name)
	s.must(err)
	if status.Process == nil || status.Workspace != name {
		s.Fatalf("%+v", status)
	}
	return status
}

// ended ends the process that publishes.
func (s *site) ended() {
	s.loop.close()
	s.loop = nil
}

func TestAnotherProcessReadsTheStatus(t *testing.T) {
	now := newClock()
	engine := sharetest.NewEngine(now.Now)
	s := newSiteIn(t, engine, now.Now, index.ModeVerify)
	s.write("ISS-000001.md", document("One"))
	t.Run("before anything was published all documents wait, and no file is made", func(t *testing.T) {
		got := s.elsewhere()
		if got.Process.Running || got.Waiting != 1 || got.LastError != "" || got.Branch != "" {
			t.Errorf("%+v", got)
		}
		for _, name := range []string{databaseName, lockName} {
			if _, err := os.Lstat(filepath.Join(s.root, store.CacheDir, name)); err == nil {
				t.Errorf("%s was made", name)
			}
		}
	})
	t.Run("of the process that publishes", func(t *testing.T) {
		s.must(s.publish())
		got := s.elsewhere()
		if !got.Process.Running || got.Process.PID != os.Getpid() || !got.Process.Noted.Equal(now.Now()) {
			t.Errorf("%+v", got.Process)
		}
		if got.Branch != mirror.Main || !got.Connected || got.Waiting != 0 || !got.Published.Equal(now.Now()) {
			t.Errorf("%+v", got)
		}
	})
	t.Run("how many documents wait and since when, while the engine is away", func(t *testing.T) {
		now.pass(time.Second)
		s.machine.Cut()
		s.write("ISS-000001.md", document("One more"))
		s.write("ISS-000002.md", document("Two"))
		if err := s.publish(); !errors.Is(err, share.ErrAway) {
			t.Fatal(err)
		}
		got := s.elsewhere()
		if got.Connected || got.Reason == "" || got.Waiting != 2 || !got.WaitingSince.Equal(now.Now()) || got.Refused {
			t.Errorf("%+v", got)
		}
	})
	t.Run("what waits when the process has ended, by the files", func(t *testing.T) {
		s.ended()
		s.write("ISS-000003.md", document("Three"))
		got := s.elsewhere()
		if got.Process.Running || got.Process.PID != os.Getpid() || got.Connected || got.Waiting != 3 || got.WaitingSince.IsZero() || got.LastError == "" {
			t.Errorf("%+v, %+v", got, got.Process)
		}
		s.write("ISS-000001.md", document("One"))
		s.remove("ISS-000002.md")
		s.remove("ISS-000003.md")
		if got := s.elsewhere(); got.Waiting != 0 || !got.WaitingSince.IsZero() || got.LastError != "" {
			t.Errorf("%+v", got)
		}
		s.remove("ISS-000001.md")
		if got := s.elsewhere(); got.Waiting != 1 {
			t.Errorf("a document that is gone: %+v", got)
		}
	})
	t.Run("nothing that was published under another name", func(t *testing.T) {
		s.write("ISS-000004.md", document("Four"))
		if got := s.elsewhereAs("web"); got.Waiting != 1 || got.Branch != "" || !got.Published.IsZero() {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a process that has just begun says nothing of the one before", func(t *testing.T) {
		opened, err := s.open(t.Context())
		s.must(err)
		defer opened.close()
		if got := s.elsewhere(); !got.Process.Running || !got.Process.Noted.IsZero() || got.LastError != "" {
			t.Errorf("%+v, %+v", got, got.Process)
		}
	})
	t.Run("nothing of a folder that this one is a copy of", func(t *testing.T) {
		copied := newSiteIn(t, engine, now.Now, index.ModeVerify)
		s.must(os.CopyFS(filepath.Join(copied.root, store.CacheDir), os.DirFS(filepath.Join(s.root, store.CacheDir))))
		copied.write("ISS-000001.md", document("One"))
		if got := copied.elsewhere(); got.Process.PID != 0 || got.Branch != "" || got.Waiting != 1 {
			t.Errorf("%+v, %+v", got, got.Process)
		}
	})
}

func TestProblemsAreKnownAfterTheProcess(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	s := newSiteIn(t, engine, nil, index.ModeVerify)
	s.write("ISS-000001.md", "")
	s.must(os.Truncate(filepath.Join(s.root, issues, "ISS-000001.md"), store.MaxFileSize+1))
	s.write("ISS-000002.md", document("Ours"))
	s.must(s.publish())
	s.write("ISS-000002.md", document("Ours again"))
	var again func()
	again = func() { intrude(t, engine, "ISS-000002.md"); s.wire.before = again }
	s.wire.before = again
	s.must(s.publish())
	s.wire.before = nil
	want := func(when string, paths ...string) {
		t.Helper()
		got := s.elsewhere()
		var all []string
		for _, p := range got.Problems {
			all = append(all, strings.TrimPrefix(p.Path, issues))
			if p.Reason == "" || p.Conflict != strings.HasSuffix(p.Path, "2.md") {
				t.Errorf("%s: %+v", when, p)
			}
		}
		if !slices.Equal(all, paths) || got.Waiting != 0 {
			t.Errorf("%s: %v are not published, and %d wait", when, all, got.Waiting)
		}
	}
	want("while it publishes", "ISS-000001.md", "ISS-000002.md")
	s.ended()
	want("afterwards", "ISS-000001.md", "ISS-000002.md")
	s.write("ISS-000002.md", "theirs")
	want("when the files are the same", "ISS-000001.md")
	s.remove("ISS-000001.md")
	want("when the other one is gone")
}

// A strangerMachine may take no lease with its credentials.
type strangerMachine struct{ *sharetest.Machine }

func (strangerMachine) Take(context.Context, share.TeamLease, time.Duration) (share.TeamLease, error) {
	return share.TeamLease{}, share.ErrForbidden
}

func TestRefusalStaysUntilSomebodyEndsIt(t *testing.T) {
	root, engine := t.TempDir(), sharetest.NewEngine(nil)
	s := newSiteOn(t, root, strangerMachine{engine.Connect()}, nil, index.ModeVerify)
	t.Cleanup(s.end)
	s.write("ISS-000001.md", document("One"))
	if err := s.publish(); !errors.Is(err, share.ErrForbidden) {
		t.Fatal(err)
	}
	if got := s.elsewhere(); !got.Refused || got.LastError == "" || got.Waiting != 1 || got.Branch != "" {
		t.Errorf("%+v", got)
	}
	s.ended()
	if got := s.elsewhere(); !got.Refused || got.Waiting != 1 {
		t.Errorf("after the process: %+v", got)
	}
	s.remove("ISS-000001.md")
	if got := s.elsewhere(); !got.Refused || got.LastError == "" || got.Waiting != 0 {
		t.Errorf("with nothing to publish: %+v", got)
	}
	allowed := newSite(t, root, engine, nil, index.ModeVerify)
	defer allowed.end()
	allowed.must(allowed.publish())
	if got := allowed.elsewhere(); got.Refused || got.Waiting != 0 {
		t.Errorf("with other credentials: %+v", got)
	}
}

func TestFileThatCannotBeReadIsSaid(t *testing.T) {
	s := newSiteIn(t, sharetest.NewEngine(nil), nil, index.ModeVerify)
	s.must(os.MkdirAll(filepath.Join(s.root, store.CacheDir, databaseName), 0o777))
	if got := s.elsewhere(); !got.Refused || !strings.Contains(got.LastError, databaseName) {
		t.Errorf("%+v", got)
	}
}

// Where another machine has the line that alone is to be published, nothing waits.
func TestNothingWaitsForTheLineOfAnother(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	first, second := newSiteIn(t, engine, nil, index.ModeVerify), newSiteIn(t, engine, nil, index.ModeVerify)
	first.must(first.publish())
	second.Branch = mirror.Main
	second.write("ISS-000001.md", document("One"))
	if err := second.publish(); !errors.As(err, new(*HeldBranchError)) {
		t.Fatal(err)
	}
	second.ended()
	if got := second.elsewhere(); got.Idle == "" || got.Waiting != 0 || got.Refused {
		t.Errorf("%+v", got)
	}
}

// What an older program has published, and noted in a file of its own, is known.
func TestWhatAnOlderProgramHasPublishedIsTakenOver(t *testing.T) {
	s := newSiteIn(t, sharetest.NewEngine(nil), nil, index.ModeVerify)
	s.write("ISS-000001.md", document("One"))
	s.write("ISS-000002.md", document("Two"))
	ix, release, err := s.index.Acquire(t.Context())
	s.must(err)
	defer release()
	identity, err := ix.Workspace().RootIdentity()
	s.must(err)
	dir, err := ix.Workspace().OpenOwnCache()
	s.must(err)
	defer dir.Close()
	old := sqlfile.Format{Application: 0x69697062, Version: 2, Tables: []string{"checkout", "published"}, Schema: `
		CREATE TABLE checkout (
		  only INTEGER PRIMARY KEY CHECK (only = 1), folder TEXT NOT NULL, epoch TEXT NOT NULL, rev INTEGER NOT NULL,
		  line TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, status TEXT NOT NULL DEFAULT '',
		  noted INTEGER NOT NULL DEFAULT 0);
		CREATE TABLE published (
		  line TEXT NOT NULL, path TEXT NOT NULL, bucket INTEGER NOT NULL, hash BLOB NOT NULL,
		  position INTEGER NOT NULL, gone INTEGER NOT NULL, PRIMARY KEY (line, path)) WITHOUT ROWID;`}
	f, err := old.Open(t.Context(), old.Database(dir, "published.db"))
	s.must(err)
	hash := share.HashOf([]byte(document("One")))
	_, err = f.ExecContext(t.Context(), `INSERT INTO checkout VALUES (1, ?, 'e', 7, 'mac-abcd', 'mac', 12, '', 0)`, identity)
	s.must(err)
	_, err = f.ExecContext(t.Context(), `INSERT INTO published VALUES ('main', ?, 0, ?, 3, 0)`, issues+"ISS-000001.md", hash[:])
	s.must(err)
	s.must(f.Close())
	db := openDatabase(ix.Workspace())
	_ = db.publisher(t.Context()) // takes it over
	s.must(db.Close())
	if got := s.elsewhere(); got.LastError != "" || got.Waiting != 1 || got.Process.PID != 12 {
		t.Errorf("%+v, %+v", got, got.Process)
	}
	s.must(s.publish())
	if got := s.elsewhere(); got.Branch != mirror.Main || got.Waiting != 0 {
		t.Errorf("%+v", got)
	}
}
