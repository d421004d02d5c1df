package issues

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/storetest"
	"issues-index/tools"
	"issues-index/tools/toolstest"
)

// BenchmarkWrite measures changes through the server, answers written, in
// workspaces of several sizes, and beside them what any durable replacement of
// a file takes on the same disk. The medians are what to compare.
func BenchmarkWrite(b *testing.B) {
	sizes := []int{100, 10_000}
	if storetest.Long() {
		sizes = append(sizes, 100_000)
	}
	for _, size := range sizes {
		root := workspaceOf(b, size)
		call := caller(b, root)
		call(b, "issues_stats", `{"groupBy":"type"}`) // has the index built
		n := 0
		b.Run(fmt.Sprintf("update/%d", size), func(b *testing.B) {
			medianOf(b, func() {
				n++
				call(b, "issues_update", fmt.Sprintf(`{"id":"ISS-%06d","assignee":"agent %d"}`, 1+n%size, n))
			})
		})
		b.Run(fmt.Sprintf("close and reopen/%d", size), func(b *testing.B) {
			medianOf(b, func() {
				n++
				call(b, "issues_update", fmt.Sprintf(`{"id":"ISS-000001","status":%q}`, []string{"open", "closed"}[n%2]))
			})
		})
		b.Run(fmt.Sprintf("create/%d", size), func(b *testing.B) {
			medianOf(b, func() {
				n++
				call(b, "issues_create", fmt.Sprintf(`{"title":"New %d","description":"Body of the new one.","labels":["bench"]}`, n))
			})
		})
		b.Run(fmt.Sprintf("batch of 50/%d", size), func(b *testing.B) {
			medianOf(b, func() {
				n++
				items := make([]string, 50)
				for i := range items {
					items[i] = fmt.Sprintf(`{"id":"ISS-%06d","assignee":"batch %d"}`, 1+i, n)
				}
				call(b, "issues_update_batch", `{"updates":[`+strings.Join(items, ",")+`]}`)
			})
		})
		dir := filepath.Join(root, ".wrangler", "issues")
		data, err := os.ReadFile(filepath.Join(dir, "ISS-000002-issue.md"))
		if err != nil {
			b.Fatal(err)
		}
		for _, durable := range []bool{true, false} {
			b.Run(fmt.Sprintf("bare replacement, durable %t/%d", durable, size), func(b *testing.B) {
				medianOf(b, func() { replaceFile(b, dir, data, durable) })
			})
		}
	}
}

// replaceFile does what a durable change of a file takes at least: write,
// fsync, rename, fsync of the directory.
func replaceFile(b *testing.B, dir string, data []byte, durable bool) {
	b.Helper()
	temporary := filepath.Join(dir, ".bare.tmp")
	f, err := os.Create(temporary)
	check(b, err)
	_, err = f.Write(data)
	check(b, err)
	if durable {
		check(b, f.Sync())
	}
	check(b, f.Close())
	check(b, os.Rename(temporary, filepath.Join(dir, ".bare")))
	if durable {
		folder, err := os.Open(dir)
		check(b, err)
		check(b, folder.Sync())
		check(b, folder.Close())
	}
}

func check(b *testing.B, err error) {
	if err != nil {
		b.Helper()
		b.Fatal(err)
	}
}

// medianOf reports the median besides the mean.
func medianOf(b *testing.B, do func()) {
	b.Helper()
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		do()
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
}

// caller serves a workspace as the program does, and returns what calls a tool.
func caller(b *testing.B, root string) func(b *testing.B, tool, arguments string) {
	b.Helper()
	ws, err := store.Open(store.Options{Root: root})
	check(b, err)
	ix, err := index.Open(b.Context(), ws, index.Options{Mode: index.ModeWatch})
	check(b, err)
	b.Cleanup(func() {
		check(b, ix.Close())
		check(b, ws.Close())
	})
	server, err := tools.NewServer(tools.Config{Name: "bench", Version: "0", Toolsets: []tools.Toolset{Toolset(ix)}})
	check(b, err)
	return func(b *testing.B, tool, arguments string) {
		message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)
		answer, err := json.Marshal(toolstest.Send(b.Context(), server, json.RawMessage(message)))
		check(b, err)
		if strings.Contains(string(answer), `"isError":true`) {
			b.Fatalf("%s %s: %s", tool, arguments, answer)
		}
	}
}

// workspaceOf makes a workspace of so many issues, each of some kilobytes.
func workspaceOf(t testing.TB, documents int) string {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, ".wrangler", "issues")
	// With the folder that documents move to: a new one has all files compared.
	if err := os.MkdirAll(filepath.Join(dir, "archived"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= documents; i++ {
		text := fmt.Sprintf("---\nid: ISS-%06d\ntitle: Issue number %d\ntype: issue\nstatus: open\npriority: medium\nlabels: [l%d]\n"+
			"createdAt: '2026-01-10T09:00:00.000Z'\nupdatedAt: '2026-02-15T10:30:00.000Z'\n---\n", i, i, i%50)
		for j := range 60 {
			text += fmt.Sprintf("Line %d says that word%d goes before word%d, and that is all.\n", j, (i*j)%997, (i+j)%991)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("ISS-%06d-issue.md", i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}
