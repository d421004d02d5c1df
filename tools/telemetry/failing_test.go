package telemetry

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/index/sqlfile"
	"issues-index/store/cachedir"
)

func TestFileErrorsNeverReachTheCaller(t *testing.T) {
	t.Run("a read-only file is warned about once, and tried again a minute later", func(t *testing.T) {
		b := newBench(t)
		r := b.record()
		r.Record(b.call("issues_list"))
		b.end(r)
		b.markReadOnly(true)

		r = b.record()
		for range 3 {
			r.Record(b.call("issues_list"))
			b.flush(r)
		}
		b.warnedOnce("not recorded")

		b.markReadOnly(false)
		b.clock.advance(restTime)
		r.Record(b.call("issues_list"))
		b.flush(r)
		if s := b.summary(CallFilter{}, ByTool); s.Total.Calls != 5 {
			t.Errorf("%d calls are on record", s.Total.Calls)
		}
	})

	t.Run("a folder that cannot exist", func(t *testing.T) {
		b := newBench(t)
		if err := os.WriteFile(b.path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		b.path = filepath.Join(b.path, "telemetry.db")
		r := b.record()
		r.Record(b.call("issues_list"))
		b.flush(r)
		r.Record(b.call("issues_list"))
		b.flush(r)
		b.warnedOnce("not recorded")
	})

	t.Run("a path that is unknown", func(t *testing.T) {
		b := newBench(t)
		r := b.record(func(o *Options) {
			o.Place = func(context.Context) (*cachedir.Dir, string, error) { return nil, "", errors.New("find it") }
		})
		r.Record(b.call("issues_list"))
		b.flush(r)
		b.warnedOnce("find it")
	})

	t.Run("a full disk keeps what is written", func(t *testing.T) {
		b := newBench(t)
		r := b.record(func(o *Options) { o.pragmas = []string{"max_page_count(20)"} })
		for n := range 5000 {
			r.Record(b.call("issues_list"))
			if n%100 == 99 {
				b.flush(r)
			}
		}
		b.warnedOnce("not recorded")
		if calls := b.summary(CallFilter{}, ByTool).Total.Calls; calls == 0 || calls == 5000 {
			t.Errorf("%d calls are on record", calls)
		}
	})

	t.Run("a locked file gets the calls when it is unlocked", func(t *testing.T) {
		b := newBench(t)
		r := b.record()
		r.Record(b.call("issues_list"))
		b.flush(r)
		free := b.lock()
		for range busyTries {
			r.Record(b.call("issues_list"))
			b.flush(r)
		}
		b.warnedOnce("not recorded")
		free()
		b.flush(r)
		if calls := b.summary(CallFilter{}, ByTool).Total.Calls; calls != 1+busyTries {
			t.Errorf("when it is free, %d calls are on record", calls)
		}
	})

	t.Run("a file that stays locked: the queue is bounded, and closing ends", func(t *testing.T) {
		b := newBench(t)
		r := b.record()
		r.Record(b.call("issues_list"))
		b.flush(r)
		free := b.lock()
		for range 3 {
			for range queueSize {
				r.Record(b.call("issues_list"))
			}
			b.flush(r)
		}
		free()
		b.flush(r)
		if calls := b.summary(CallFilter{}, ByTool).Total.Calls; calls > 1+queueSize {
			t.Errorf("%d calls waited", calls)
		}
		defer b.lock()()
		r.Record(b.call("issues_list"))
		r.Close()
		<-r.done
	})

	t.Run("a deleted file is created again", func(t *testing.T) {
		b := newBench(t)
		r := b.record()
		r.Record(b.call("issues_list"))
		b.flush(r)
		for _, suffix := range append([]string{""}, cachedir.Suffixes...) {
			if err := os.Remove(b.path + suffix); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
		r.Record(b.call("issues_list"))
		b.flush(r)
		if s := b.summary(CallFilter{}, ByTool); s.Total.Calls != 1 {
			t.Errorf("%d calls are on record", s.Total.Calls)
		}
	})

	t.Run("an open that never returns: recording and closing do not wait", func(t *testing.T) {
		b := newBench(t)
		opening := make(chan struct{})
		r := b.record(func(o *Options) {
			o.Place = func(ctx context.Context) (*cachedir.Dir, string, error) {
				close(opening)
				<-ctx.Done()
				return nil, "", ctx.Err()
			}
		})
		for range 2*queueSize + maxBatch {
			r.Record(b.call("issues_list"))
		}
		<-opening
		r.Close()
		<-r.done
	})

	t.Run("a panic", func(t *testing.T) {
		b := newBench(t)
		r := b.record(func(o *Options) { o.Place = func(context.Context) (*cachedir.Dir, string, error) { panic("no path") } })
		r.Record(b.call("issues_list"))
		b.flush(r)
		b.warnedOnce("no path")
	})
}

func TestDamagedFileIsMovedAside(t *testing.T) {
	damage := map[string]func(b *bench){
		"a broken page": func(b *bench) { b.overwrite(4096, bytes.Repeat([]byte{0xff}, 12*4096)) },
		"a lost table":  func(b *bench) { b.exec(`DROP TABLE call`) },
	}
	for name, harm := range damage {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			for n := range 2 { // the second one takes the place of the first
				r := b.record()
				r.Record(b.call("issues_list"))
				b.flush(r)
				b.end(r)
				harm(b)
				if _, err := (&Log{Paths: []string{b.path}}).Summary(t.Context(), CallFilter{}, ByTool); name != "a broken page" {
					var damaged *DamagedError
					if !errors.As(err, &damaged) {
						t.Errorf("whoever asks it gets %v", err)
					}
				}

				r = b.record()
				r.Record(b.call("issues_search"))
				b.flush(r)
				b.end(r)
				if s := b.summary(CallFilter{}, ByTool); s.Total.Calls != 1 || s.Groups[0].Key != "issues_search" {
					t.Errorf("the new file has %+v", s)
				}
				if lines := b.log.lines("was damaged"); len(lines) != n+1 {
					t.Errorf("warnings: %q", lines)
				}
			}
			kept, err := filepath.Glob(b.path + "*" + sqlfile.CorruptSuffix + "*")
			if err != nil || len(kept) != 1 {
				t.Errorf("kept are %v, %v", kept, err)
			}
		})
	}

	t.Run("while others write to it", func(t *testing.T) {
		b := newBench(t)
		first, second := b.record(), b.record()
		for _, r := range []*Recorder{first, second} {
			r.Record(b.call("issues_list"))
			b.flush(r)
		}
		b.overwrite(0, bytes.Repeat([]byte("not a database. "), 4000))
		for range 3 {
			for _, r := range []*Recorder{first, second} {
				r.Record(b.call("issues_search"))
				b.flush(r)
			}
			b.clock.advance(restTime)
		}
		s := b.summary(CallFilter{Tool: "issues_search"}, ByTool)
		if s.Total.Calls < 4 {
			t.Errorf("%d calls on record of 6", s.Total.Calls)
		}
	})
}

func TestForeignFileIsNeverChanged(t *testing.T) {
	for name, is := range map[string]struct{ statement, said string }{
		"another program's":             {`CREATE TABLE theirs (x); PRAGMA user_version = 7`, "not made by this program"},
		"a later version's of this one": {`CREATE TABLE call (x); PRAGMA application_id = 0x6969746c; PRAGMA user_version = 4`, "a later version's"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.exec(is.statement)
			before, err := os.ReadFile(b.path)
			if err != nil {
				t.Fatal(err)
			}
			r := b.record()
			r.Record(b.call("issues_list"))
			b.flush(r)
			r.Close()
			b.warnedOnce(is.said)
			after, err := os.ReadFile(b.path)
			if err != nil || !bytes.Equal(before, after) {
				t.Errorf("it was changed, %v", err)
			}
		})
	}
}

func (b *bench) warnedOnce(about string) {
	b.Helper()
	if all, lines := b.log.lines("WARN"), b.log.lines(about); len(all) != 1 || len(lines) != 1 {
		b.Errorf("warnings: %q", all)
	}
}

// markReadOnly writes into the file's header that only later versions of SQLite
// may write to it: unlike permissions, that binds the superuser, too.
func (b *bench) markReadOnly(on bool) {
	mark := byte(2) // a write-ahead log
	if on {
		mark = 3
	}
	b.overwrite(18, []byte{mark})
}

func (b *bench) overwrite(at int64, with []byte) {
	b.Helper()
	f, err := os.OpenFile(b.path, os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := f.WriteAt(with, at); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) exec(statement string) {
	b.Helper()
	db, err := sql.Open("sqlite", sqlfile.DSN(b.path, nil))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		b.Fatal(err)
	}
}

// lock has somebody write to the file until they are told to stop.
func (b *bench) lock() (free func()) {
	b.Helper()
	db, err := sql.Open("sqlite", sqlfile.DSN(b.path, map[string][]string{"_txlock": {"immediate"}}))
	if err != nil {
		b.Fatal(err)
	}
	tx, err := db.Begin()
	if err != nil {
		b.Fatal(err)
	}
	return func() {
		tx.Rollback()
		db.Close()
	}
}

func TestLinkOrTextInPlaceOfTheFileIsNeverChanged(t *testing.T) {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		for name, put := range map[string]func(path string) error{
			"a text":            func(path string) error { return os.WriteFile(path, []byte("My thesis.\n"), 0o600) },
			"a link to a file":  func(path string) error { return os.Symlink("../outside", path) },
			"a link to nowhere": func(path string) error { return os.Symlink("../nowhere", path) },
			"a folder":          func(path string) error { return os.Mkdir(path, 0o755) },
			"another program's": func(path string) error {
				return os.WriteFile(path, []byte("SQLite format 3\x00"+strings.Repeat("x", 4080)), 0o600)
			},
		} {
			if regular := name == "a text" || name == "another program's"; regular && suffix != "" {
				continue // what SQLite keeps beside the file is the file's own, whatever it holds
			}
			t.Run(name+" at "+suffix, func(t *testing.T) {
				b := newBench(t)
				outside := filepath.Join(filepath.Dir(filepath.Dir(b.path)), "outside")
				for _, err := range []error{os.WriteFile(outside, []byte("Not yours.\n"), 0o600), put(b.path + suffix)} {
					if err != nil {
						t.Fatal(err)
					}
				}
				before := describe(t, b.path+suffix, outside)
				r := b.record()
				r.Record(b.call("issues_list"))
				b.flush(r)
				b.warnedOnce(b.path + suffix)
				b.end(r)
				_, _ = (&Log{Paths: []string{b.path}}).Summary(t.Context(), CallFilter{}, ByTool) // it may be refused, and must change nothing
				if after := describe(t, b.path+suffix, outside); after != before {
					t.Errorf("it was\n%s\nand is\n%s", before, after)
				}
				if _, err := os.Stat(filepath.Join(filepath.Dir(outside), "nowhere")); err == nil {
					t.Error("a file was made outside")
				}
			})
		}
	}
}

// describe says what some files are and have.
func describe(t *testing.T, paths ...string) string {
	t.Helper()
	var all strings.Builder
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&all, info.Mode(), info.ModTime(), info.Size())
		if data, err := os.ReadFile(path); err == nil {
			all.Write(data)
		}
	}
	return all.String()
}
