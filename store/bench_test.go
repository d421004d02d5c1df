package store

import (
	"context"
	"fmt"
	"issues-index/store/markdown"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bigWorkspace is a workspace of n documents of about 5.5 KB, or the one that
// STORE_BENCH_WORKSPACE names.
func bigWorkspace(b *testing.B, n int) *Workspace {
	b.Helper()
	root := os.Getenv("STORE_BENCH_WORKSPACE")
	if root == "" {
		root = b.TempDir()
		dir := filepath.Join(root, ".wrangler", "issues")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		body := strings.Repeat("## Steps\n\n- run `make test` and read what it says, then write it down\n\n", 75)
		for i := range n {
			id := fmt.Sprintf("ISS-%06d", i+1)
			text := "---\nid: " + id + "\ntitle: 'Number the documents: all of them'\ntype: issue\nstatus: open\npriority: medium\n" +
				"labels:\n  - one\n  - two\ncreatedAt: '2026-01-21T22:19:45.466Z'\nupdatedAt: '2026-01-21T22:19:45.466Z'\n---\n" + body
			if err := os.WriteFile(filepath.Join(dir, id+"-number.md"), []byte(text), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	w, err := Open(Options{Root: root, Getenv: func(string) string { return "" }})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { w.Close() })
	return w
}

func listAll(b *testing.B, w *Workspace) []File {
	b.Helper()
	l, err := w.List(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	return l.Files
}

// BenchmarkList walks the workspace once per iteration.
func BenchmarkList(b *testing.B) {
	w := bigWorkspace(b, 10_000)
	n := len(listAll(b, w))
	for b.Loop() {
		listAll(b, w)
	}
	b.ReportMetric(float64(n), "files")
}

// BenchmarkRead reads one file per iteration.
func BenchmarkRead(b *testing.B) {
	w := bigWorkspace(b, 1_000)
	files := listAll(b, w)
	for i := 0; b.Loop(); i++ {
		if _, _, err := w.Read(files[i%len(files)].Path); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkParse parses one document per iteration.
func BenchmarkParse(b *testing.B) {
	w := bigWorkspace(b, 1_000)
	files := listAll(b, w)
	data := make([][]byte, len(files))
	var total int64
	for i, f := range files {
		var err error
		if data[i], _, err = w.Read(f.Path); err != nil {
			b.Fatal(err)
		}
		total += int64(len(data[i]))
	}
	b.SetBytes(total / int64(len(files)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		w.Parse(files[i%len(files)], data[i%len(files)], nil)
	}
}

// BenchmarkOutline outlines one body of about 5.5 KB per iteration.
func BenchmarkOutline(b *testing.B) {
	w := bigWorkspace(b, 10)
	doc, _, err := w.Load(listAll(b, w)[0].Path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(doc.Body)))
	for b.Loop() {
		markdown.Outline(doc.Body)
	}
}
