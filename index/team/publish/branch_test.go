package publish

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
	"issues-index/store"
	"issues-index/store/mirror"
)

func TestOneMachinePublishesTheMainLine(t *testing.T) {
	time := newClock()
	engine := sharetest.NewEngine(time.Now)
	a, b := newSiteIn(t, engine, time.Now, index.ModeVerify), newSiteIn(t, engine, time.Now, index.ModeVerify)
	a.write("ISS-000001.md", document("A"))
	b.write("ISS-000001.md", document("B"))
	b.write("ISS-000002.md", document("B alone"))
	a.must(a.publish())
	b.must(b.publish())
	own := b.Status().Branch

	t.Run("the second one publishes a line of its own", func(t *testing.T) {
		if a.Status().Branch != mirror.Main || own == mirror.Main || !mirror.IsName(own) {
			t.Fatalf("%q and %q", a.Status().Branch, own)
		}
		if b.Status().MainHolder == "" {
			t.Error("it does not say who publishes the main line")
		}
		expect(t, "main", standing(t, engine, mirror.Main), a.files())
		expect(t, "own", standing(t, engine, own), b.files())
	})
	t.Run("and keeps it while the first one shows signs of life", func(t *testing.T) {
		for range 10 {
			time.pass(leaseLasts / 2)
			a.must(a.publish())
			b.must(b.publish())
		}
		if b.Status().Branch != own {
			t.Error("the main line was taken")
		}
	})
	t.Run("it takes the main line over from a dead one, and its own line goes", func(t *testing.T) {
		time.pass(leaseLasts + 1)
		b.must(b.publish())
		if b.Status().Branch != mirror.Main {
			t.Fatalf("it publishes %s", b.Status().Branch)
		}
		expect(t, "main", standing(t, engine, mirror.Main), b.files())
		expect(t, "own", standing(t, engine, own), nil)
	})
	t.Run("who was thought dead publishes nothing on the main line any more", func(t *testing.T) {
		a.write("ISS-000003.md", document("late"))
		a.wire.published()
		a.must(a.publish())
		if a.Status().Branch == mirror.Main {
			t.Fatal("both publish it")
		}
		for _, one := range a.wire.published() {
			if strings.HasPrefix(one, "api ") {
				t.Errorf("it published %s", one)
			}
		}
		expect(t, "main", standing(t, engine, mirror.Main), b.files())
		expect(t, "its own", standing(t, engine, a.Status().Branch), a.files())
	})
}

func TestLostLeaseEndsThePublishingAtOnce(t *testing.T) {
	time := newClock()
	engine := sharetest.NewEngine(time.Now)
	a, b := newSiteIn(t, engine, time.Now, index.ModeVerify), newSiteIn(t, engine, time.Now, index.ModeVerify)
	a.must(a.publish())
	for _, name := range []string{"ISS-000001.md", "ISS-000002.md"} {
		a.write(name, document(name))
	}
	a.machine.Cut()
	if err := a.publish(); !errors.Is(err, share.ErrAway) {
		t.Fatal(err)
	}
	if s := a.Status(); s.Waiting != 2 || s.Connected || s.LastError == "" || s.WaitingSince.IsZero() {
		t.Errorf("%+v", s)
	}
	time.pass(leaseLasts + 1)
	b.must(b.publish())
	a.machine.Mend()
	a.must(a.publish())
	expect(t, "main", standing(t, engine, mirror.Main), b.files())
	expect(t, "its own", standing(t, engine, a.Status().Branch), a.files())
}

func TestAnotherProcessGoesOnWithTheLine(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	a := newSiteIn(t, engine, nil, index.ModeVerify)
	a.write("ISS-000001.md", document("A"))
	a.must(a.publish())
	second := newSite(t, a.root, engine, nil, index.ModeVerify)
	defer second.end()

	var busy *BusyError
	if err := second.publish(); !errors.As(err, &busy) || busy.PID != os.Getpid() {
		t.Fatalf("two processes publish one folder: %v", err)
	}
	a.loop.close() // as the system frees the lock of a process that was killed
	a.loop = nil
	second.must(second.publish())
	if second.Status().Branch != mirror.Main {
		t.Error("the lease of its own folder keeps it from the main line")
	}
	if again := second.wire.published(); len(again) > 0 {
		t.Errorf("published again: %v", again)
	}
}

func TestCopyOfAFolderIsAnotherCheckout(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	a := newSiteIn(t, engine, nil, index.ModeVerify)
	a.write("ISS-000001.md", document("A"))
	a.must(a.publish())
	copied := newSiteIn(t, engine, nil, index.ModeVerify)
	if err := os.CopyFS(filepath.Join(copied.root, "copy"), os.DirFS(filepath.Join(a.root, store.CacheDir))); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(copied.root, "copy"), filepath.Join(copied.root, store.CacheDir)); err != nil {
		t.Fatal(err)
	}
	copied.write("ISS-000001.md", document("A"))
	copied.must(copied.publish())
	if line := copied.Status().Branch; line == mirror.Main || line == a.loop.ownBranch || copied.loop.origin.Epoch == a.loop.origin.Epoch {
		t.Errorf("the copy publishes %s in the epoch %s", line, copied.loop.origin.Epoch)
	}
}

func TestLinesOfBranches(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	engine := sharetest.NewEngine(nil)
	s := newSiteIn(t, engine, nil, index.ModeVerify)
	git := func(args ...string) string {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "maintenance.auto=false", "-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
		c.Dir = s.root
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "--quiet", "--initial-branch=main")
	s.write("ISS-000001.md", document("One"))
	git("add", issues)
	git("commit", "--quiet", "-m", "first")
	s.must(s.publish())
	if s.Status().Branch != mirror.Main {
		t.Fatalf("a checkout of the default branch publishes %q", s.Status().Branch)
	}
	first := s.files()
	if v := s.wire.versions; len(v) == 0 || v[len(v)-1].Commit != git("rev-parse", "HEAD") || v[0].Path != mirror.ManifestPath || v[0].Fence == 0 {
		t.Errorf("%+v", v)
	}

	git("switch", "--quiet", "-c", "work")
	s.write("ISS-000001.md", document("Two"))
	s.must(s.publish())
	own := s.Status().Branch
	if own == mirror.Main {
		t.Fatal("work that is not merged is on the main line")
	}
	expect(t, "main", standing(t, engine, mirror.Main), first)
	expect(t, "own", standing(t, engine, own), s.files())

	t.Run("nothing is published while git changes the files", func(t *testing.T) {
		s.write("ISS-000002.md", document("Half"))
		lock := filepath.Join(s.root, ".git", "index.lock")
		s.wire.published()
		s.wire.before = func() { t.Error("published") }
		s.must(os.WriteFile(lock, nil, 0o666))
		if err := s.publish(); !errors.Is(err, errGitBusy) {
			t.Errorf("%v", err)
		}
		s.wire.before = nil
		s.must(os.Remove(lock))
		s.remove("ISS-000002.md")
	})
	t.Run("back on the default branch the line of work goes", func(t *testing.T) {
		git("commit", "--quiet", "-a", "-m", "second")
		git("switch", "--quiet", "main")
		s.must(s.publish())
		if s.Status().Branch != mirror.Main {
			t.Fatalf("it publishes %s", s.Status().Branch)
		}
		expect(t, "main", standing(t, engine, mirror.Main), s.files())
		expect(t, "own", standing(t, engine, own), nil)
	})
	t.Run("with main alone, a branch publishes nothing", func(t *testing.T) {
		s.MainOnly = true
		git("switch", "--quiet", "work")
		s.wire.published()
		s.must(s.publish())
		if status := s.Status(); status.Branch != "" || status.Idle == "" || len(s.wire.published()) != 0 {
			t.Errorf("%+v", status)
		}
	})
}

func TestNamesOfLines(t *testing.T) {
	for _, host := range []string{"", "Mac.local", "büro PC", "---", strings.Repeat("x", 300), "api-1"} {
		name := ownBranchName(host, "born 1")
		if !mirror.IsName(name) || isMain(name) || name != ownBranchName(host, "born 1") || name == ownBranchName(host, "born 2") {
			t.Errorf("%q gives %q", host, name)
		}
	}
	if name := ownBranchName("Mac.local", "born 1"); !strings.HasPrefix(name, "mac-") || len(name) != len("mac-")+4 {
		t.Errorf("%q", name)
	}
}

func TestProblemsKeepNothingElseBack(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	s := newSiteIn(t, engine, nil, index.ModeVerify)
	s.write("ISS-000001.md", "")
	s.must(os.Truncate(filepath.Join(s.root, issues, "ISS-000001.md"), store.MaxFileSize+1))
	s.write("ISS-000002.md", document("Fine"))
	s.must(s.publish())
	if p := s.Status().Problems; len(p) != 1 || p[0].Path != issues+"ISS-000001.md" {
		t.Errorf("%+v", p)
	}
	if got := s.wire.published(); !slices.Equal(got, []string{"api ISS-000002.md"}) {
		t.Errorf("%v", got)
	}
	s.remove("ISS-000001.md")
	s.must(s.publish())
	if p := s.Status().Problems; len(p) != 0 {
		t.Errorf("%+v", p)
	}
}

func TestFileThatChangesMeanwhileIsPublishedAgain(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	s := newSiteIn(t, engine, nil, index.ModeVerify)
	s.write("ISS-000001.md", document("One"))
	s.must(s.publish())
	s.write("ISS-000001.md", document("Two"))
	s.wire.before = func() { s.write("ISS-000001.md", document("Three, and longer")) }
	s.must(s.publish())
	s.must(s.publish())
	expect(t, "main", standing(t, engine, mirror.Main), s.files())
}

func TestConflicts(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	s := newSiteIn(t, engine, nil, index.ModeVerify)
	s.write("ISS-000001.md", document("Ours"))
	s.must(s.publish())
	t.Run("the holder of the lease goes over a version of another machine", func(t *testing.T) {
		intrude(t, engine, "ISS-000001.md")
		s.write("ISS-000001.md", document("Ours again"))
		s.must(s.publish())
		expect(t, "main", standing(t, engine, mirror.Main), s.files())
	})
	t.Run("what is no version is replaced", func(t *testing.T) {
		main := mirror.Branch{Workspace: "api", Name: mirror.Main}
		engine.Spoil(main, issues+"ISS-000001.md")
		engine.Spoil(main, mirror.ManifestPath)
		s.write("ISS-000001.md", document("Ours over it"))
		s.must(s.publish())
		expect(t, "main", standing(t, engine, mirror.Main), s.files())
	})
	t.Run("one that comes back each time is left to people", func(t *testing.T) {
		s.write("ISS-000001.md", document("Ours once more"))
		s.write("ISS-000002.md", document("Another"))
		var again func()
		again = func() { intrude(t, engine, "ISS-000001.md"); s.wire.before = again }
		s.wire.before = again
		s.must(s.publish())
		s.wire.before = nil
		if p := s.Status().Problems; len(p) != 1 || !p[0].Conflict || p[0].Path != issues+"ISS-000001.md" {
			t.Errorf("%+v", p)
		}
		if got := standing(t, engine, mirror.Main); got[issues+"ISS-000002.md"] == "" || got[issues+"ISS-000001.md"] != "theirs" {
			t.Errorf("%v", got)
		}
		s.loop.reconcileAt = farPast
		s.must(s.publish())
		expect(t, "an hour later", standing(t, engine, mirror.Main), s.files())
	})
}

func TestARepositoryWithoutACommitHasTheMainLine(t *testing.T) {
	s := newSiteIn(t, sharetest.NewEngine(nil), nil, index.ModeVerify)
	init := exec.Command("git", "init", "--quiet", "--initial-branch=trunk")
	init.Dir = s.root
	s.must(init.Run())
	s.write("ISS-000001.md", document("One"))
	s.must(s.publish())
	if s.Status().Branch != mirror.Main {
		t.Errorf("it publishes %q", s.Status().Branch)
	}
}
