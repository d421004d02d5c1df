package config_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"issues-index/tools/config"
)

// hangs ends a test of something that never happens; nothing waits for it
// otherwise.
const hangs = 2 * time.Minute

// lines is a log whose lines a test waits for.
type lines chan string

func (l lines) Enabled(context.Context, slog.Level) bool { return true }
func (l lines) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l lines) WithGroup(string) slog.Handler            { return l }

func (l lines) Handle(_ context.Context, record slog.Record) error {
	text := record.Level.String() + " " + record.Message
	record.Attrs(func(a slog.Attr) bool {
		text += " " + a.Key + "=" + a.Value.String()
		return true
	})
	l <- text
	return nil
}

// A followed is a configuration that a test changes and waits for.
type followed struct {
	*config.Live
	log     lines
	changes chan *config.Config
}

func follow(t *testing.T, o config.LiveOptions) *followed {
	t.Helper()
	f := &followed{log: make(lines, 100), changes: make(chan *config.Config, 100)}
	o.Tools = theTools
	o.Log = slog.New(f.log)
	o.Changed = func(c *config.Config) { f.changes <- c }
	live, err := config.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	f.Live = live
	f.change(t)
	return f
}

// change takes the next change that was told.
func (f *followed) change(t *testing.T) *config.Config {
	t.Helper()
	select {
	case c := <-f.changes:
		return c
	case <-time.After(hangs):
		t.Fatal("no change")
	}
	return nil
}

// holds checks that whoever asks now is told this budget.
func (f *followed) holds(t *testing.T, threshold int) {
	t.Helper()
	if got := f.Settings().Threshold; got != threshold {
		t.Fatalf("the next call has a budget of %d, want %d", got, threshold)
	}
}

// logged checks that a call, if none before it, has a line with this logged.
func (f *followed) logged(t *testing.T, want string) {
	t.Helper()
	f.Config()
	deadline := time.After(hangs)
	for {
		select {
		case line := <-f.log:
			if strings.Contains(line, "hunter") {
				t.Fatalf("a secret is logged: %s", line)
			}
			if strings.Contains(line, want) {
				return
			}
		case <-deadline:
			t.Fatalf("never logged: %s", want)
		}
	}
}

// save replaces a file as editors do.
func save(t testing.TB, file, contents string) {
	t.Helper()
	write(t, file+".new", contents)
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
}

const (
	low  = "tokenBudgetThreshold: 1000\n"
	high = "tokenBudgetThreshold: 2000\n"
)

func TestFileChangesHoldForTheNextCall(t *testing.T) {
	move := func(t *testing.T, from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	for name, change := range map[string]func(t *testing.T, root, file string){
		"it is written in place":     func(t *testing.T, _, file string) { write(t, file, high) },
		"it is replaced by a rename": func(t *testing.T, _, file string) { save(t, file, high) },
		"it is removed and written": func(t *testing.T, _, file string) {
			move(t, file, file+"~")
			write(t, file, high)
		},
		"its folder is replaced": func(t *testing.T, _, file string) {
			dir := filepath.Dir(file)
			move(t, dir, dir+".old")
			makeFolder(t, dir)
			write(t, file, high)
		},
		"its folder is renamed away and back at once": func(t *testing.T, _, file string) {
			dir := filepath.Dir(file)
			move(t, dir, dir+".old")
			move(t, dir+".old", dir)
			save(t, file, high)
		},
		"the folder above is replaced": func(t *testing.T, root, file string) {
			move(t, filepath.Join(root, ".wrangler"), filepath.Join(root, "old"))
			makeFolder(t, filepath.Dir(file))
			write(t, file, high)
		},
	} {
		t.Run(name, func(t *testing.T) {
			root, file := workspace(t, low)
			f := follow(t, config.LiveOptions{Options: config.Options{Root: root}})
			f.holds(t, 1000)
			change(t, root, file)
			f.holds(t, 2000)
			save(t, file, "tokenBudgetThreshold: 3000\n") // and it goes on
			f.holds(t, 3000)
		})
	}
	t.Run("it is removed: the defaults hold", func(t *testing.T) {
		root, file := workspace(t, low)
		f := follow(t, config.LiveOptions{Options: config.Options{Root: root}})
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		f.holds(t, 4000)
	})
	t.Run("it is made after all, and the folders on the way", func(t *testing.T) {
		root := t.TempDir()
		f := follow(t, config.LiveOptions{Options: config.Options{Root: root}})
		file := filepath.Join(root, filepath.FromSlash(config.DefaultFile))
		makeFolder(t, filepath.Dir(file))
		save(t, file, high)
		f.holds(t, 2000)
	})
}

// Kubernetes mounts a configuration as a link to a link, and swaps the latter.
func TestSwappedLinksHoldForTheNextCall(t *testing.T) {
	dir := t.TempDir()
	for version, contents := range map[string]string{"v1": low, "v2": high} {
		makeFolder(t, filepath.Join(dir, version))
		write(t, filepath.Join(dir, version, "c.yaml"), contents)
	}
	link(t, "v1", filepath.Join(dir, "..data"))
	file := filepath.Join(dir, "c.yaml")
	link(t, filepath.Join("..data", "c.yaml"), file)
	f := follow(t, config.LiveOptions{Options: config.Options{File: file}})

	link(t, "v2", filepath.Join(dir, "..tmp"))
	if err := os.Rename(filepath.Join(dir, "..tmp"), filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
	f.holds(t, 2000)
	save(t, filepath.Join(dir, "v2", "c.yaml"), "tokenBudgetThreshold: 3000\n")
	f.holds(t, 3000)
}

func TestChangesAreLogged(t *testing.T) {
	root, file := workspace(t, low)
	f := follow(t, config.LiveOptions{Options: config.Options{Root: root, File: file}})

	save(t, file, "# moved down\n"+high+"wagtail: {apiKey: hunter2}\n")
	f.logged(t, "INFO configuration changed key=tokenBudgetThreshold old=1000 new=2000 from="+file+":2")
	f.logged(t, "WARN configuration change needs a restart of the server key=wagtail.apiKey now=not set then=set")
	if f.Config().Wagtail.APIKey != "" {
		t.Error("the key holds without a restart")
	}
	save(t, file, high+"wagtail: {apiKey: hunter3}\n")
	f.logged(t, "key=wagtail.apiKey now=not set then=set")

	save(t, file, high+"output: text\n")
	f.logged(t, "WARN configuration change needs a restart of the server key=output now=auto then=text")
	if got := f.Config().Output; got != "auto" {
		t.Errorf("output is %s without a restart", got)
	}
	save(t, file, high)
	f.logged(t, "INFO configuration is again what the server was started with key=output value=auto")
}

func TestInvalidFileChangesNothing(t *testing.T) {
	root, file := workspace(t, low)
	f := follow(t, config.LiveOptions{Options: config.Options{Root: root}})
	before := f.Config()

	save(t, file, "# a comment\n"+high+"defaultPageSize: 500\nchunkSize: none\n")
	const refused = "ERROR configuration is refused and the last good one stays file=" + config.DefaultFile
	f.logged(t, refused+` line=3 reason=invalid defaultPageSize "500": must be a whole number from 1 to 100`)
	f.logged(t, refused+` line=4 reason=invalid chunkSize "none": must be a whole number from 100 to 1000000`)
	if f.Config() != before {
		t.Error("something changed")
	}
	save(t, file, "output: [")
	f.logged(t, refused+" line=1 reason=not valid YAML: ")

	save(t, file, high)
	f.logged(t, "key=tokenBudgetThreshold old=1000 new=2000")
}

func TestRemovedFileThatWasNamedStaysInForce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	write(t, file, low)
	f := follow(t, config.LiveOptions{Options: config.Options{File: file}})
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	f.logged(t, "the last good one stays file="+file+" reason=there is no such file")
	if got := f.Settings().Threshold; got != 1000 {
		t.Errorf("got %d", got)
	}
	save(t, file, high)
	f.holds(t, 2000)
}

func TestReread(t *testing.T) {
	root, _ := workspace(t, low)
	f := follow(t, config.LiveOptions{Options: config.Options{Root: root}})
	f.Reread()
	f.logged(t, "INFO configuration is read again, as asked")
	if got := f.change(t).TokenBudgetThreshold; got != 1000 {
		t.Errorf("got %d", got)
	}
}

// Two changes may fall into one tick of a file system's clock.
func TestChangesWithTheSameTimeAndSizeAreSeen(t *testing.T) {
	root, file := workspace(t, low)
	f := follow(t, config.LiveOptions{Options: config.Options{Root: root}})
	moment := time.Now().Add(time.Second)
	for _, threshold := range []int{2001, 2002, 2003} {
		write(t, file, fmt.Sprintf("tokenBudgetThreshold: %d\n", threshold))
		if err := os.Chtimes(file, moment, moment); err != nil {
			t.Fatal(err)
		}
		f.holds(t, threshold)
	}
}

func TestInvalidFileIsRefusedAtTheStart(t *testing.T) {
	root, _ := workspace(t, "output: loud\n")
	if _, err := config.Open(config.LiveOptions{Options: config.Options{Root: root}}); err == nil {
		t.Error("it starts")
	}
}
