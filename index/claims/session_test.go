package claims

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"issues-index/index/sqlfile"
	"issues-index/store"
)

// A process that is killed is gone at once, also as long as nobody has asked for its exit code,
// and another one with its number is not it.
func TestAProcessIsToldFromAllOthers(t *testing.T) {
	own := ThisProcess()
	if own == "" {
		t.Skip("the system does not say when a process began")
	}
	sleeper := exec.Command(os.Args[0], "-test.run=^TestSleeper$")
	sleeper.Env = append(os.Environ(), "LEASE_TEST_SLEEPS=1")
	in, err := sleeper.StdinPipe()
	if err == nil {
		err = sleeper.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	other := processName(sleeper.Process.Pid)
	if other == "" || other == own || !runs(own) || !runs(other) {
		t.Fatalf("%q and %q run: %v, %v", own, other, runs(own), runs(other))
	}
	if another := "1" + other; runs(another) {
		t.Errorf("%q is said to run", another)
	}
	if elsewhere := other + "-2"; !runs(elsewhere) {
		t.Error("a process of another machine is said to have ended")
	}
	if err := sleeper.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); runs(other) && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond) // the system kills it in its own time
	}
	if runs(other) {
		t.Error("it was killed, and is said to run")
	}
	_ = sleeper.Wait()
	if runs(other) {
		t.Error("it has ended, and is said to run")
	}
}

// TestSleeper is a process of the test above, which waits to be killed.
func TestSleeper(t *testing.T) {
	if os.Getenv("LEASE_TEST_SLEEPS") != "" {
		_, _ = os.Stdin.Read(make([]byte, 1))
	}
}

// A sessionBench is a workspace with a document, whose clock and processes the test has.
type sessionBench struct {
	*Leases
	t     *testing.T
	root  string
	now   time.Time
	ended map[string]bool
}

func sessionsIn(t *testing.T) *sessionBench {
	b := &sessionBench{t: t, root: t.TempDir(), now: time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC), ended: map[string]bool{}}
	ws, err := store.Open(store.Options{Root: b.root, Now: func() time.Time { return b.now }})
	if err != nil {
		t.Fatal(err)
	}
	b.Leases = In(ws, TeamOptions{})
	b.Runs = func(process string) bool { return !b.ended[process] }
	t.Cleanup(func() { _ = b.Close(); _ = ws.Close() })
	return b
}

// join is the session that a process gets, of a program that calls itself so.
func (b *sessionBench) join(process, parent, client, given string) HolderSession {
	b.t.Helper()
	s, err := b.Join(b.t.Context(), HolderSession{Client: client, Given: given, Token: "t-" + process, Process: process, Parent: parent})
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// claim claims a document.
func (b *sessionBench) claim(s HolderSession, id string) {
	b.t.Helper()
	err := b.Register(b.t.Context(), s)
	if err == nil {
		doc := &store.Document{Path: id + ".md"}
		doc.ID = id
		_, err = b.Grant(b.t.Context(), doc, s.Holder(), DefaultLength, false, b.now)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

func TestSessionsOfServers(t *testing.T) {
	const program, other = "program", "another program"
	for name, c := range map[string]struct {
		given, then string // ids
		ended       []string
		parent      string
		client      string
		again       bool // the second has the session of the first
	}{
		"a restarted one has its claims again":                 {ended: []string{"one"}, parent: program, client: "x", again: true},
		"so does that of a restarted program":                  {ended: []string{"one", program}, parent: other, client: "x", again: true},
		"two that run have two":                                {parent: program, client: "x"},
		"another client has its own":                           {ended: []string{"one", program}, parent: other, client: "y"},
		"the program that runs starts its server again":        {ended: []string{"one"}, parent: other, client: "x"},
		"an id is the session":                                 {given: "a", then: "a", ended: []string{"one"}, parent: other, client: "x", again: true},
		"another id is another":                                {given: "a", then: "b", ended: []string{"one", program}, parent: other, client: "x"},
		"whoever gives no id does not get that of who did":     {given: "a", ended: []string{"one", program}, parent: other, client: "x"},
		"whoever gives one does not get that of who gave none": {then: "b", ended: []string{"one", program}, parent: other, client: "x"},
		"two that run have two, also by an inherited id":       {given: "a", then: "a", parent: other, client: "x"},
	} {
		t.Run(name, func(t *testing.T) {
			b := sessionsIn(t)
			first := b.join("one", program, "x", c.given)
			if _, err := b.ws.Lstat(Path); err == nil {
				t.Error("a server without claims has made a file")
			}
			b.claim(first, "ISS-000001")
			for _, process := range c.ended {
				b.ended[process] = true
			}
			if second := b.join("two", c.parent, c.client, c.then); (second.Holder() == first.Holder()) != c.again {
				t.Errorf("%s, and then %s", first.Holder(), second.Holder())
			}
		})
	}
}

// What the dead held is stale at once, and free when its client has had time to start another
// server, or when it had lapsed anyway. A claim without a session lives by its lease.
func TestClaimsOfADeadServer(t *testing.T) {
	b := sessionsIn(t)
	s := b.join("one", "program", "x", "")
	b.claim(s, "ISS-000001")
	b.claim(HolderSession{Client: "ann@laptop"}, "ISS-000002")
	b.now = b.now.Add(time.Hour)
	b.ended["one"] = true
	look := func(live, free bool) {
		t.Helper()
		lapsed, err := b.Lapsed(t.Context(), b.now)
		if err != nil || len(lapsed) == 0 == !live {
			t.Errorf("%d have lapsed, %v", len(lapsed), err)
		}
		all, err := b.All(t.Context())
		if err != nil || len(all) != 2 || all[0].Live(b.now) != live || all[0].Free(b.now) != free || !all[1].Live(b.now) {
			t.Fatalf("live %v, free %v: %+v, %v", live, free, all, err)
		}
	}
	look(false, false)
	b.now = b.now.Add(RestartTime - time.Second)
	look(false, false)
	b.now = b.now.Add(time.Second)
	look(false, true)
	if again := b.join("two", "program", "x", ""); again.Holder() != s.Holder() {
		t.Errorf("it is %s, and was %s", again.Holder(), s.Holder())
	}
	look(true, false)
	b.ended["two"] = true
	look(false, false)
}

// Sessions without claims are forgotten with the next start, so that they do not pile up.
func TestSessionsWithoutClaimsAreForgotten(t *testing.T) {
	b := sessionsIn(t)
	b.claim(HolderSession{Client: "ann"}, "ISS-000001")
	for i := range 50 {
		process := string(rune('a' + i))
		b.join(process, process, "x", process)
		b.ended[process] = true
	}
	b.join("last", "last", "x", "")
	var n int
	if err := b.db.Use(t.Context(), func(f *sqlfile.OpenFile) error {
		return f.QueryRowContext(t.Context(), `SELECT count(*) FROM session`).Scan(&n)
	}); err != nil || n != 1 {
		t.Errorf("%d sessions, %v", n, err)
	}
}

// Programs that know no sessions make and use the file without them, before, between and after
// those that do: claims live by their leases there, and fences go on growing.
func TestLeasesAreSharedWithOlderPrograms(t *testing.T) {
	b := sessionsIn(t)
	b.claim(HolderSession{Client: "ann"}, "ISS-000001")
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(b.root, filepath.FromSlash(Path))
	older, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = older.Close() }()
	if _, err := older.Exec(`DROP TABLE session`); err != nil {
		t.Fatal(err)
	}
	s := b.join("one", "program", "x", "")
	b.claim(s, "ISS-000002")
	old := format
	old.Always = ""
	dir, err := b.ws.OpenOwnCache()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = dir.Close() }()
	f, err := old.Open(t.Context(), old.Database(dir, name))
	if err != nil {
		t.Fatalf("an older program cannot open the file: %v", err)
	}
	defer func() { _ = f.Close() }()
	var version, leases int
	if err := f.QueryRow(`SELECT (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM lease WHERE expires > ?)`, b.now.UnixMilli()).Scan(&version, &leases); err != nil || version != 2 || leases != 2 {
		t.Errorf("version %d, %d live leases, %v", version, leases, err)
	}
}

func TestASessionThatWasTakenForEndedLivesWhenItClaims(t *testing.T) {
	b := sessionsIn(t)
	s := b.join("one", "program", "x", "")
	b.claim(s, "ISS-000001")
	b.ended["one"] = true
	if all, err := b.All(t.Context()); err != nil || len(all) != 1 || all[0].Live(b.now) {
		t.Fatalf("%+v %v", all, err)
	}
	b.ended["one"] = false
	b.claim(s, "ISS-000002")
	all, err := b.All(t.Context())
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v %v", all, err)
	}
	for _, one := range all {
		if !one.Live(b.now) {
			t.Errorf("%s is stale while its process runs", one.ID)
		}
	}
}
