package frontmatter

import (
	"strings"
	"testing"

	"issues-index/store/layout"
)

// BenchmarkEdit applies one edit to a document of about 5 KB per iteration.
func BenchmarkEdit(b *testing.B) {
	data := []byte("---\nid: ISS-000041\ntitle: 'Number the documents: all of them'\ntype: issue\nstatus: open\npriority: medium\n" +
		"labels:\n  - one\n  - two\ncreatedAt: '2026-01-21T22:19:45.466Z'\nupdatedAt: '2026-01-21T22:19:45.466Z'\n" +
		"wranglerContext:\n  agentId: claude\n  parentTaskId: ISS-000001\n---\n\n" +
		strings.Repeat("## Steps\n\n- run `make test` and read what it says, then write it down\n\n", 68))
	for _, c := range []struct {
		name string
		edit Edit
	}{
		{"status", set("status", "in_progress")},
		{"close", set("status", "closed")},
		{"label", set("labels", []string{"one", "two", "three"})},
		{"context", setContext("estimatedEffort", "2 days")},
		{"unchanged", set("status", "open")},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, changed, err := c.edit.Apply(Parse(data, "", layout.Default()), editTime); err != nil || changed == (c.name == "unchanged") {
					b.Fatal(changed, err)
				}
			}
		})
	}
}
