package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"issues-index/store"
	"issues-index/store/session"
	"issues-index/store/storetest"
)

func init() { // after child_test.go's
	store.AddTask("audit", runAudit)
	store.AddTask("session", runSession)
}

func TestTwoProcessesAppendWholeLines(t *testing.T) {
	t.Parallel()
	each := 100
	if storetest.Long() {
		each = 1000
	}
	w := specified(t)
	s := start(t, w)
	var wg sync.WaitGroup
	for _, name := range []string{"one", "two"} {
		c := store.Child(t, "audit", w.Root, s.ID, name, strconv.Itoa(each))
		wg.Go(func() {
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", name, err, out)
			}
		})
	}
	wg.Wait()
	entries, skipped, err := in(w).Audit(t.Context(), s.ID)
	if err != nil || skipped != 0 || len(entries) != 2*each+1 {
		t.Fatalf("%d entries, %d skipped, %v", len(entries), skipped, err)
	}
	next := map[string]int{}
	for _, e := range entries[1:] {
		var rest struct {
			By string
			N  int
		}
		if err := json.Unmarshal(e.Rest, &rest); err != nil {
			t.Fatal(err)
		}
		if rest.N != next[rest.By] {
			t.Fatalf("entry %d of %q after %d", rest.N, rest.By, next[rest.By])
		}
		next[rest.By]++
	}
	found, _, err := in(w).Find(t.Context(), s.ID)
	if err != nil || len(found.Problems) > 0 || !slices.Equal(found.PhasesCompleted, []string{"init", "task"}) {
		t.Errorf("%+v %v", found, err)
	}
}

// runAudit is one of the processes.
func runAudit(t *testing.T, args []string) {
	w, _ := store.OpenFaulty(t, args[0], store.Never)
	each, err := strconv.Atoi(args[3])
	if err != nil {
		t.Fatal(err)
	}
	for n := range each {
		metadata, err := json.Marshal(map[string]any{"by": args[2], "n": n, "text": strings.Repeat("line\n", n%100)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in(w).RecordPhase(context.Background(), args[1], "task", "complete", metadata); err != nil {
			t.Fatal(err)
		}
	}
}

const specPath = ".wrangler/specifications/SPEC-000007-big-feature.md"

// in are the sessions of a workspace.
func in(w *store.Workspace) session.Sessions { return session.In(w) }

// specified is a workspace with a specification and no git.
func specified(t *testing.T) *store.Workspace {
	t.Helper()
	root := t.TempDir()
	storetest.WriteFiles(t, root, map[string]string{specPath: "x"})
	w, _ := store.OpenFaulty(t, root, store.Never)
	return w
}

func start(t *testing.T, w *store.Workspace) session.Started {
	t.Helper()
	s, err := in(w).Start(t.Context(), session.StartOptions{SpecFile: specPath})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// life is a session from its start to its end.
func life(w *store.Workspace) error {
	ctx := context.Background()
	s, err := in(w).Start(ctx, session.StartOptions{SpecFile: specPath})
	if err != nil {
		return err
	}
	if _, err := in(w).RecordPhase(ctx, s.ID, "plan", "complete", nil); err != nil {
		return err
	}
	for _, last := range []string{"one", "two"} {
		if _, _, err := in(w).SaveCheckpoint(ctx, s.ID, session.Checkpoint{LastAction: last, TasksCompleted: []string{last}}); err != nil {
			return err
		}
	}
	_, _, err = in(w).Complete(ctx, s.ID, "completed", "", 0, "")
	return err
}

// survivesSession holds what must be true after any failure: what is there can
// be read, whole, and goes on; a new session can start; and then no temporary file is left.
func survivesSession(t *testing.T, root, where string) {
	t.Helper()
	w, _ := store.OpenFaulty(t, root, store.Never)
	ctx := t.Context()
	all, err := in(w).All(ctx)
	if err != nil || len(all) > 1 {
		t.Fatalf("%s: %+v %v", where, all, err)
	}
	for _, s := range all {
		if len(s.Problems) > 0 && !slices.Equal(s.Problems, []string{"context.json is missing"}) {
			t.Errorf("%s: %q", where, s.Problems)
		}
		if len(s.Problems) > 0 || s.Status == "completed" {
			continue
		}
		found, _, err := in(w).Find(ctx, "")
		if err != nil || found.ID != s.ID {
			t.Errorf("%s: %+v %v", where, found, err)
		}
		if _, _, err := in(w).SaveCheckpoint(ctx, s.ID, session.Checkpoint{LastAction: "again"}); err != nil {
			t.Errorf("%s: going on: %v", where, err)
		}
	}
	if _, err := in(w).Start(ctx, session.StartOptions{SpecFile: specPath}); err != nil {
		t.Errorf("%s: a new session: %v", where, err)
	}
	if _, err := w.RemoveStaleTempFiles(ctx, store.List(t, w)); err != nil {
		t.Error(err)
	}
	if left := store.Temporaries(storetest.Tree(t, root)); len(left) > 0 {
		t.Errorf("%s: temporary files: %v", where, left)
	}
}

// stride is how many operations apart a life is struck.
func stride() int {
	if storetest.Long() {
		return 1
	}
	return 4
}

// lifeOperations is how many operations of the disk a life takes.
func lifeOperations(t *testing.T) int {
	t.Helper()
	w, d := store.OpenFaulty(t, specified(t).Root, store.Never)
	if err := life(w); err != nil {
		t.Fatal(err)
	}
	return store.Operations(d)
}

func TestASessionWhoseServerIsKilledAtAnyStepCanBeRead(t *testing.T) {
	t.Setenv("PATH", "") // without git
	operations := lifeOperations(t)
	t.Logf("%d operations", operations)
	var wg sync.WaitGroup
	for from := range 2 {
		wg.Go(func() {
			for n := 1 + from*stride(); n <= operations; n += 2 * stride() {
				root := t.TempDir()
				storetest.WriteFiles(t, root, map[string]string{specPath: "x"})
				out, err := store.Child(t, "session", root, strconv.Itoa(n)).CombinedOutput()
				if !store.WasKilled(out, err) {
					t.Errorf("operation %d: the process was not killed: %v\n%s", n, err, out)
					return
				}
				survivesSession(t, root, "killed at operation "+strconv.Itoa(n))
			}
		})
	}
	wg.Wait()
}

// runSession lives and dies at an operation.
func runSession(t *testing.T, args []string) {
	at, err := strconv.Atoi(args[1])
	if err != nil {
		t.Fatal(err)
	}
	w, _ := store.OpenFaulty(t, args[0], func(n int, _ string) (bool, error) {
		if n == at {
			store.Kill(t)
		}
		return false, nil
	})
	if err := life(w); err != nil {
		t.Error(err)
	}
}

func TestAFailureAtAnyStepOfASessionIsAClearError(t *testing.T) {
	t.Setenv("PATH", "") // without git
	failures := []error{syscall.ENOSPC, syscall.EACCES, syscall.EROFS}
	for n := 1; n <= lifeOperations(t); n += stride() {
		failure := failures[n%len(failures)]
		root := t.TempDir()
		storetest.WriteFiles(t, root, map[string]string{specPath: "x"})
		what := ""
		w, _ := store.OpenFaulty(t, root, func(i int, op string) (bool, error) {
			if i != n {
				return false, nil
			}
			what = op
			return false, &fs.PathError{Op: op, Path: "/absolute/path", Err: failure}
		})
		err := life(w)
		where := failure.Error() + " at operation " + strconv.Itoa(n) + ", " + what
		var refused *store.DiskError
		var conflict *store.ConflictError
		switch {
		case err == nil: // a step that is not needed
		case errors.As(err, &conflict) && what == "read": // the session's own file
		case !errors.As(err, &refused) || !errors.Is(err, failure):
			t.Errorf("%s: %v", where, err)
		case strings.Contains(err.Error(), "/absolute"):
			t.Errorf("%s: the error has a path outside: %v", where, err)
		}
		survivesSession(t, root, where)
	}
}

func TestAnAuditFileThatIsNoFileIsRefused(t *testing.T) {
	w := specified(t)
	s := start(t, w)
	file := s.AuditPath
	if err := errors.Join(os.Remove(file), os.Mkdir(file, 0o777)); err != nil {
		t.Fatal(err)
	}
	_, err := in(w).RecordPhase(t.Context(), s.ID, "plan", "started", nil)
	var refused *store.DiskError
	if !errors.As(err, &refused) || refused.Unsettled { // the audit comes first
		t.Error(err)
	}
}
