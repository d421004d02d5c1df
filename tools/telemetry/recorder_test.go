package telemetry

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"issues-index/index/sqlfile"
	"issues-index/store/cachedir"
	"issues-index/tools"
)

// A clock stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// A logBuffer keeps what is logged.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBuffer) lines(having string) (lines []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		if strings.Contains(line, having) {
			lines = append(lines, line)
		}
	}
	return lines
}

// A bench is a telemetry file under test, with its clock and its log.
type bench struct {
	*testing.T
	clock    *clock
	log      *logBuffer
	path     string
	settings RecorderSettings // of its recorders; they sample nothing unless told
}

func defaultSettings() RecorderSettings {
	return RecorderSettings{Enabled: true, MaxAge: 30 * 24 * time.Hour, MaxSize: 50_000_000, SampleRate: 0.01}
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{
		settings: defaultSettings(),
		T:        t, clock: &clock{now: time.Date(2026, 3, 10, 12, 34, 56, 0, time.UTC)}, log: &logBuffer{},
		path: filepath.Join(t.TempDir(), "telemetry.db"),
	}
	b.settings.SampleRate = 0
	return b
}

// placeOf opens the folder of a file.
func placeOf(path string) (*cachedir.Dir, string, error) {
	dir, err := cachedir.Open(filepath.Dir(path), 0o777)
	return dir, filepath.Base(path), err
}

// databaseOf is the telemetry file at a path, for the time of a test.
func databaseOf(tb testing.TB, path string) cachedir.Database {
	tb.Helper()
	dir, name, err := placeOf(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = dir.Close() })
	return format.Database(dir, name)
}

// openCalls opens a telemetry file for writing.
func openCalls(ctx context.Context, at cachedir.Database) (callFile, error) {
	f, err := format.Open(ctx, at)
	return callFile{f}, err
}

// record starts a recorder.
func (b *bench) record(change ...func(*Options)) *Recorder {
	b.Helper()
	options := Options{
		Place: func(context.Context) (*cachedir.Dir, string, error) { return placeOf(b.path) }, Settings: func() RecorderSettings { return b.settings },
		Log: slog.New(slog.NewTextHandler(b.log, nil)), Now: b.clock.Now,
	}
	for _, c := range change {
		c(&options)
	}
	r := New(options)
	b.Cleanup(r.Close)
	return r
}

func (b *bench) flush(r *Recorder) {
	b.Helper()
	if err := r.Flush(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// end is Close without a bound: a slow machine may take longer.
func (b *bench) end(r *Recorder) {
	r.once.Do(func() { close(r.closing) })
	<-r.done
}

func (b *bench) call(tool string) tools.Call {
	return tools.Call{
		Time: b.clock.Now(), Tool: tool, Client: "tester 1", Tokens: 300, Bytes: 1000, Original: 4000,
		Budget: 4000, Items: 10, Latency: 2 * time.Millisecond, Variant: "on",
	}
}

func (b *bench) summary(filter CallFilter, by Grouping) CallSummary {
	b.Helper()
	s, err := (&Log{Paths: []string{b.path}}).Summary(b.Context(), filter, by)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// count asks the file itself.
func (b *bench) count(query string) (n int64) {
	b.Helper()
	db, err := sql.Open("sqlite", sqlfile.DSN(b.path, nil))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow(query).Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}

func TestEveryCallIsCountedOnce(t *testing.T) {
	t.Run("of several goroutines and recorders on one file", func(t *testing.T) {
		b := newBench(t)
		const recorders, goroutines, calls = 3, 4, 100
		var all sync.WaitGroup
		var started []*Recorder
		for range recorders {
			r := b.record()
			started = append(started, r)
			all.Go(func() {
				var mine sync.WaitGroup
				for g := range goroutines {
					mine.Go(func() {
						for i := range calls {
							call := b.call(fmt.Sprintf("tool_%d", g))
							if i%4 == 0 {
								call.Outcome = tools.OutcomePaginated
							}
							if i%10 == 0 {
								call.Outcome, call.Failed = "NOT_FOUND", true
							}
							call.Over = i%20 == 0
							r.Record(call)
						}
					})
				}
				mine.Wait()
				if err := r.Flush(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		const total = recorders * goroutines * calls
		for range 100 { // a recorder was in the way of another
			for _, r := range started {
				b.flush(r)
			}
			if b.count(`SELECT count(*) FROM call`) == total {
				break
			}
		}
		s := b.summary(CallFilter{}, ByTool)
		want := Figures{
			Calls: total, Errors: total / 10, Paginated: total / 5, Oversized: total / 20, SentOversized: total / 20, Items: total * 10,
			Bytes: total * 1000, Original: total * 4000, Tokens: total * 300,
			TokensP50: 300, TokensP95: 300, LatencyP50: 2, LatencyP95: 2, BytesP50: 1000, BytesP95: 1000,
			MeanBytes: 1000, Reduction: 0.75, PaginationShare: 0.2, ErrorShare: 0.1, OversizedShare: 0.05,
		}
		if got := s.Total; got != want {
			t.Errorf("the total is\n%+v, want\n%+v", got, want)
		}
		if len(s.Groups) != goroutines || s.Groups[0].Calls != total/goroutines {
			t.Errorf("groups: %+v", s.Groups)
		}
		if n := b.count(`SELECT count(*) FROM calls`); n != total {
			t.Errorf("%d calls one by one", n)
		}
	})
	t.Run("and those that are still queued are written at the end", func(t *testing.T) {
		b := newBench(t)
		r := b.record()
		for range 1000 {
			r.Record(b.call("issues_list"))
		}
		b.end(r)
		if s := b.summary(CallFilter{}, ByTool); s.Total.Calls != 1000 {
			t.Errorf("%d calls", s.Total.Calls)
		}
		r.Record(b.call("issues_list")) // is no harm
		r.Close()
	})
}

func TestPathFor(t *testing.T) {
	for index, want := range map[string]string{
		"/w/.wrangler/cache/issues-index.db": "/w/.wrangler/cache/telemetry.db",
		"/home/cache/3f2a.db":                "/home/cache/3f2a.telemetry.db", // where several workspaces have theirs
		"/w/my.index":                        "/w/my.index.telemetry.db",
	} {
		if got := filepath.ToSlash(PathFor(filepath.FromSlash(index))); got != want {
			t.Errorf("beside %s it is %s", index, got)
		}
	}
}

// Another process may look at the file before its log is moved into it.
func TestNewFileHasItsApplicationIDBeforeTheWAL(t *testing.T) {
	path := filepath.Join(t.TempDir(), "telemetry.db")
	at := databaseOf(t, path)
	f, err := openCalls(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	head, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !at.Ours(head) {
		t.Errorf("the file of %d bytes is not ours", len(head))
	}
}
