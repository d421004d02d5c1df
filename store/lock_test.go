package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// held starts an update that stays in its change function, with the lock, until
// release is called.
func held(t *testing.T, w *Workspace, p string) (release func()) {
	t.Helper()
	entered, leave, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		_, err := w.Update(context.Background(), p, func(*Document) (Fields, error) {
			close(entered)
			<-leave
			return Fields{}, nil
		})
		done <- err
	}()
	<-entered
	return func() {
		close(leave)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// soon is a context that a wait for a lock does not outlast.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

func project(name string) func(*Document) (Fields, error) {
	return func(*Document) (Fields, error) { return Fields{Project: &name}, nil }
}

const aPath = ".wrangler/issues/a.md"

func TestLock(t *testing.T) {
	t.Run("a wait ends at its deadline, in the same process and between workspaces", func(t *testing.T) {
		w := newWorkspace(t, map[string]string{aPath: openIssue})
		release := held(t, w, aPath)
		for _, waiting := range []*Workspace{w, openWorkspace(t, w.Root, nil)} {
			if _, err := waiting.Update(soon(t), aPath, project("P")); !errors.Is(err, ErrLocked) {
				t.Errorf("update: %v", err)
			}
			if _, err := waiting.Delete(soon(t), aPath, nil); !errors.Is(err, ErrLocked) {
				t.Errorf("delete: %v", err)
			}
			if _, err := waiting.Create(soon(t), NewDocument{Title: "T"}, CreateOptions{}); !errors.Is(err, ErrLocked) {
				t.Errorf("create: %v", err)
			}
		}
		release()
		if _, err := w.Update(context.Background(), aPath, project("P")); err != nil {
			t.Errorf("after the release: %v", err)
		}
	})

	t.Run("a wait that nobody wants any more ends at once", func(t *testing.T) {
		w := newWorkspace(t, map[string]string{aPath: openIssue})
		defer held(t, w, aPath)()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := w.Update(ctx, aPath, project("P")); !errors.Is(err, context.Canceled) || errors.Is(err, ErrLocked) {
			t.Error(err)
		}
	})

	t.Run("a change that panics frees the lock", func(t *testing.T) {
		w := newWorkspace(t, map[string]string{aPath: openIssue})
		func() {
			defer func() { _ = recover() }()
			_, _ = w.Update(context.Background(), aPath, func(*Document) (Fields, error) { panic("a bug") })
		}()
		if _, err := w.Update(context.Background(), aPath, project("P")); err != nil {
			t.Error(err)
		}
	})

	t.Run("the cache folder ignores itself in git, and may be deleted at any time", func(t *testing.T) {
		w := newWorkspace(t, map[string]string{aPath: openIssue})
		for i := range 3 {
			if _, err := w.Update(context.Background(), aPath, project(fmt.Sprint(i))); err != nil {
				t.Fatal(err)
			}
			ignore, err := os.ReadFile(filepath.Join(w.Root, CacheDir, ".gitignore"))
			if err != nil || string(ignore) != "*\n" {
				t.Errorf("%q, %v", ignore, err)
			}
			if err := os.RemoveAll(filepath.Join(w.Root, CacheDir)); err != nil {
				t.Fatal(err)
			}
		}
	})

	t.Run("who locked a file that was deleted meanwhile has no lock", func(t *testing.T) {
		w := newWorkspace(t, map[string]string{"lock": ""})
		unlock, err := w.disk.tryLock("lock")
		if err != nil || unlock == nil {
			t.Fatal("not locked:", err)
		}
		if err := unlock(); err != nil {
			t.Fatal(err)
		}
		w.root.Remove("lock")
		if _, err := w.disk.tryLock("lock"); !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	})
}

func TestTheLockOfAKilledProcessIsFree(t *testing.T) {
	w := newWorkspace(t, map[string]string{aPath: openIssue})
	holder := child(t, "hold", w.Root)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "held\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if _, err := w.Update(soon(t), aPath, project("P")); !errors.Is(err, ErrLocked) {
		t.Errorf("while it lives: %v", err)
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := holder.Wait(); err == nil {
		t.Fatal("the holder was not killed")
	}
	if _, err := w.Update(context.Background(), aPath, project("P")); err != nil {
		t.Errorf("after its death: %v", err)
	}
}

// runHold takes the lock and says so, and keeps it until its input ends.
func runHold(t *testing.T, args []string) {
	w := openWorkspace(t, args[0], nil)
	_, err := w.Update(context.Background(), aPath, func(*Document) (Fields, error) {
		fmt.Println("held")
		_, err := bufio.NewReader(os.Stdin).ReadString('\n')
		return Fields{}, err
	})
	if err != nil {
		t.Log(err)
	}
}

func TestLocksStayInsideTheWorkspace(t *testing.T) {
	for _, link := range []string{CacheDir, CacheDir + "/" + turnFile, CacheDir + "/" + queueFile} {
		t.Run(link, func(t *testing.T) {
			w := newWorkspace(t, map[string]string{aPath: openIssue})
			outside := t.TempDir()
			target := outside
			if link != CacheDir {
				target = filepath.Join(outside, "made")
			}
			symlink(t, target, filepath.Join(w.Root, link))
			_, err := w.Update(context.Background(), aPath, project("P"))
			if err == nil || strings.Contains(err.Error(), outside) {
				t.Error(err)
			}
			if made := tree(t, outside); len(made) > 1 {
				t.Errorf("made outside: %v", made)
			}
		})
	}
}

func TestAWaitForALockTriesSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), lockWait)
		defer cancel()
		tries := 0
		_, err := await(ctx, func() (func() error, error) {
			tries++
			return nil, nil
		})
		if most := int(lockWait/lastRetry) + 10; !errors.Is(err, ErrLocked) || tries > most {
			t.Errorf("%d tries in %s, %v; want %d at most", tries, lockWait, err, most)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		started, tries := time.Now(), 0
		_, err := await(t.Context(), func() (func() error, error) {
			if tries++; tries < 3 {
				return nil, nil
			}
			return func() error { return nil }, nil
		})
		if took := time.Since(started); err != nil || took > 5*time.Millisecond {
			t.Errorf("a lock that is free soon is had after %s, %v", took, err)
		}
	})
}

// Who waits for another writer can say so, and knows when the wait is over.
func TestAWaitForAnotherWriterIsAnnounced(t *testing.T) {
	root := t.TempDir()
	writeFiles(t, root, map[string]string{".wrangler/issues/a.md": openIssue})
	first := openWorkspace(t, root, nil)
	begun, over := make(chan struct{}), make(chan struct{})
	second, err := Open(Options{Root: root, Waiting: func() func() {
		close(begun)
		return func() { close(over) }
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = second.Close() })
	changed := make(chan error)
	err = first.Mutate(t.Context(), func(*Mutation) error {
		go func() {
			changed <- second.Mutate(context.Background(), func(*Mutation) error {
				<-over // before the change begins
				return nil
			})
		}()
		<-begun
		return nil
	})
	if err = errors.Join(err, <-changed); err != nil {
		t.Error(err)
	}
}
