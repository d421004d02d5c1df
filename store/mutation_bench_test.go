package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/store/storetest"
)

// populated is a workspace with n issues of the usual size.
func populated(b *testing.B, n int) *Workspace {
	b.Helper()
	body := strings.Repeat("A line of a body, as long as lines of prose usually are.\n", 95) // 5.4 KB
	root := b.TempDir()
	dir := filepath.Join(root, ".wrangler", "issues")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	for i := range n {
		text := fmt.Sprintf("---\nid: ISS-%06d\ntitle: Title %d\ntype: issue\nstatus: open\npriority: medium\nlabels:\n  - a\ncreatedAt: '2026-01-01T00:00:00.000Z'\nupdatedAt: '2026-01-01T00:00:00.000Z'\n---\n%s", i+1, i+1, body)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("ISS-%06d-title-%d.md", i+1, i+1)), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return openWorkspace(b, root, nil)
}

// sizes are numbers of documents: what a mutation costs must not depend on them.
func sizes() []int {
	if storetest.Long() {
		return []int{100, 10_000, 100_000}
	}
	return []int{100, 10_000}
}

// BenchmarkBareWrite is the measure of the others: the least that makes a file
// durable.
func BenchmarkBareWrite(b *testing.B) {
	dir := b.TempDir()
	data := []byte(strings.Repeat("A line of a body, as long as lines of prose usually are.\n", 98))
	for b.Loop() {
		temporary := filepath.Join(dir, ".temporary")
		f, err := os.Create(temporary)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := f.Write(data); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
		f.Close()
		if err := os.Rename(temporary, filepath.Join(dir, "a.md")); err != nil {
			b.Fatal(err)
		}
		d, err := os.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		if err := d.Sync(); err != nil {
			b.Fatal(err)
		}
		d.Close()
	}
}

func BenchmarkUpdate(b *testing.B) {
	for _, n := range sizes() {
		b.Run(fmt.Sprintf("documents=%d", n), func(b *testing.B) { benchmarkUpdate(b, populated(b, n)) })
	}
	b.Run("without fsync", func(b *testing.B) {
		w := populated(b, 100)
		w.disk = &faultyDisk{disk: w.disk, strike: never}
		benchmarkUpdate(b, w)
	})
}

func benchmarkUpdate(b *testing.B, w *Workspace) {
	p := ".wrangler/issues/ISS-000050-title-50.md"
	i := 0
	for b.Loop() {
		i++
		project := fmt.Sprint(i)
		done, err := w.Update(context.Background(), p, func(*Document) (Fields, error) { return Fields{Project: &project}, nil })
		if err != nil || !done.Changed {
			b.Fatal(done, err)
		}
	}
}

func BenchmarkCreate(b *testing.B) {
	for _, n := range sizes() {
		b.Run(fmt.Sprintf("documents=%d", n), func(b *testing.B) { benchmarkCreate(b, populated(b, n), n) })
	}
	b.Run("without fsync", func(b *testing.B) {
		w := populated(b, 100)
		w.disk = &faultyDisk{disk: w.disk, strike: never}
		benchmarkCreate(b, w, 100)
	})
}

func benchmarkCreate(b *testing.B, w *Workspace, n int) {
	body := strings.Repeat("A line of a body, as long as lines of prose usually are.\n", 95)
	floor := func(string) (int, error) { return n, nil }
	for b.Loop() {
		if _, err := w.Create(context.Background(), NewDocument{Title: "A new one", Description: body, Labels: []string{"a"}}, CreateOptions{Floor: floor}); err != nil {
			b.Fatal(err)
		}
	}
}
