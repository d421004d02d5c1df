package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"issues-index/store/storetest"
)

func TestAFailureAtAnyStepIsAClearErrorAndLeavesNothing(t *testing.T) {
	failures := []error{syscall.ENOSPC, syscall.EACCES, syscall.EROFS, syscall.EMFILE, syscall.EIO}
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			before, after, operations := s.outcome(t)
			t.Logf("%d operations", operations)
			first, step := 1, 1
			if !storetest.Long() { // each run fails at other steps
				first, step = 1+rand.IntN(3), 3
			}
			for n := first; n <= operations; n += step {
				for i, failure := range failures {
					if storetest.Long() || i == n%len(failures) {
						s.failsOnce(t, n, failure, false, before, after)
					}
				}
				if storetest.Long() || n%2 == 0 {
					s.failsOnce(t, n, syscall.EIO, true, before, after)
				}
				if storetest.Long() || n%2 == 1 {
					s.failsForGood(t, n, before, after)
				}
			}
		})
	}
}

// failsOnce lets one operation fail.
func (s scenario) failsOnce(t *testing.T, n int, failure error, late bool, before, after []state) {
	root := s.prepare(t)
	untouched := tree(t, root)
	what := ""
	w, _ := openFaulty(t, root, func(i int, op string) (bool, error) {
		if i != n {
			return false, nil
		}
		what = op
		return late, &fs.PathError{Op: op, Path: "/absolute/path", Err: failure}
	})
	err := s.run(w)
	where := fmt.Sprintf("%v at operation %d, %s, late %v", failure, n, what, late)
	var refused *DiskError
	switch {
	case err == nil: // an attribute that cannot be kept
		if now := observe(t, root); !slices.Equal(now, after) {
			t.Errorf("%s: acknowledged, but left %v", where, now)
		}
	case !errors.As(err, &refused) || !errors.Is(err, failure):
		t.Errorf("%s: %v", where, err)
	case strings.Contains(err.Error(), "/absolute") || strings.Contains(err.Error(), root):
		t.Errorf("%s: the error has a path outside: %v", where, err)
	case !refused.Unsettled && !late:
		if now := tree(t, root); !maps.Equal(now, untouched) {
			t.Errorf("%s: %v left %v", where, err, now)
		}
	}
	s.survives(t, root, before, after)
	if t.Failed() {
		t.Fatal(where, err)
	}
}

// failsForGood lets an operation and all after it fail.
func (s scenario) failsForGood(t *testing.T, n int, before, after []state) {
	root := s.prepare(t)
	what := ""
	w, _ := openFaulty(t, root, func(i int, op string) (bool, error) {
		if i < n {
			return false, nil
		}
		if i == n {
			what = op
		}
		return false, syscall.EIO
	})
	if err := s.run(w); err == nil {
		t.Errorf("no error though everything failed from operation %d on", n)
	}
	s.survives(t, root, before, after)
	if t.Failed() {
		t.Fatalf("everything failed from operation %d, %s", n, what)
	}
}

func TestAProcessKilledAtAnyStepLeavesTheOldDocumentOrTheNew(t *testing.T) {
	for i, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			before, after, operations := s.outcome(t)
			first, step := 1, 1
			if !storetest.Long() { // each run kills at other steps
				first, step = 1+rand.IntN(8), 8
			}
			for n := first; n <= operations; n += step {
				root := s.prepare(t)
				out, err := child(t, "kill", root, strconv.Itoa(i), strconv.Itoa(n)).CombinedOutput()
				if !wasKilled(out, err) {
					t.Fatalf("operation %d: the process was not killed: %v\n%s", n, err, out)
				}
				s.survives(t, root, before, after)
				if t.Failed() {
					t.Fatalf("killed at operation %d: %s", n, out)
				}
			}
		})
	}
}

// runKilled runs a scenario and dies at an operation.
func runKilled(t *testing.T, args []string) {
	i, err := strconv.Atoi(args[1])
	if err != nil {
		t.Fatal(err)
	}
	at, err := strconv.Atoi(args[2])
	if err != nil {
		t.Fatal(err)
	}
	w, _ := openFaulty(t, args[0], func(n int, op string) (bool, error) {
		if n == at {
			fmt.Println(op)
			kill(t)
		}
		return false, nil
	})
	if err := scenarios[i].run(w); err != nil {
		t.Error(err)
	}
}

// wasKilled says whether a process died by kill. On Windows that is an exit with 1, as of a test that
// fails, which says so.
func wasKilled(out []byte, err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Success() {
		return false
	}
	return !exit.Exited() || runtime.GOOS == "windows" && exit.ExitCode() == 1 && !bytes.Contains(out, []byte("FAIL"))
}

func kill(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Kill(); err != nil {
		t.Fatal(err)
	}
	select {}
}
