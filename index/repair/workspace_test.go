package repair

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/store"
)

// testTime is the time that mended documents get.
var testTime = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// A bench is a workspace under test.
type bench struct {
	testing.TB
	root string
	ix   *index.Index
}

// newBench makes a workspace of files, by path, whose issues lie in a directory.
func newBench(tb testing.TB, issues string, files map[string]string) *bench {
	tb.Helper()
	root := tb.TempDir()
	for p, text := range files {
		file := filepath.Join(root, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	ws, err := store.Open(store.Options{Root: root, Getenv: func(name string) string {
		if name == "WRANGLER_ISSUES_DIRECTORY" {
			return issues
		}
		return ""
	}})
	if err != nil {
		tb.Fatal(err)
	}
	ix, err := index.Open(context.Background(), ws, index.Options{Mode: index.ModeVerify})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := ix.Close(); err != nil {
			tb.Error(err)
		}
		if err := ws.Close(); err != nil {
			tb.Error(err)
		}
	})
	return &bench{tb, root, ix}
}

func (b *bench) look() *Report {
	b.Helper()
	r, err := Look(context.Background(), b.ix, testTime)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// mend applies what Look chose, all of which has to succeed.
func (b *bench) mend(r *Report) Record {
	b.Helper()
	if len(r.Fixes) == 0 { // the program makes no record of nothing
		return Record{}
	}
	done, err := Apply(context.Background(), b.ix, r.Fixes, testTime)
	if err != nil || done.Behind != nil {
		b.Fatal(err, done.Behind)
	}
	for _, o := range done.Outcomes {
		if o.Err != nil || !o.Done {
			b.Errorf("%s: %v", o.Fix.From, o.Err)
		}
	}
	return b.record(done.Record)
}

func (b *bench) record(p string) Record {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(b.root, filepath.FromSlash(p)))
	if err != nil {
		b.Fatal(err)
	}
	r, err := ReadRecord(data)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// files reads every Markdown file, by path.
func (b *bench) files() map[string]string {
	b.Helper()
	return markdown(b, b.root)
}

func markdown(tb testing.TB, root string) map[string]string {
	tb.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".md") {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, file)
		files[filepath.ToSlash(relative)] = string(data)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

// sameFiles compares two workspaces.
func sameFiles(tb testing.TB, got, want map[string]string) {
	tb.Helper()
	if maps.Equal(got, want) {
		return
	}
	for _, p := range slices.Sorted(maps.Keys(want)) {
		if text, ok := got[p]; !ok {
			tb.Errorf("%s is gone", p)
		} else if text != want[p] {
			tb.Errorf("%s is %q, want %q", p, text, want[p])
		}
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			tb.Errorf("%s is new", p)
		}
	}
}
