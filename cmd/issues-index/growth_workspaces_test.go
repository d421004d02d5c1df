//go:build !windows

package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"issues-index/tools/toolstest"
)

// growthShapes are workspaces of which one thing grows, by name: each adds the files of a size from 1
// to 1,000 parts of the full one, which is a document of 2 MiB, or 5,000 documents.
var growthShapes = map[string]func(w *growthFiles, part int){
	// Frontmatter, whose limit is 64 KiB: 30 documents of it.
	"labels":      func(w *growthFiles, part int) { w.headers(part, "labels: [", "l%[1]dx%[2]d, ", "]\n") },
	"former ids":  func(w *growthFiles, part int) { w.headers(part, "formerIds: [", "ISS-%[1]d%05[2]d, ", "]\n") },
	"one's links": func(w *growthFiles, part int) { w.headers(part, "dependsOn: [", "ISS-%[1]d%05[2]d, ", "]\n") },
	"many keys":   func(w *growthFiles, part int) { w.headers(part, "", "k%[1]dx%[2]d: 1\n", "") },
	"deep keys":   func(w *growthFiles, part int) { w.headers(part, "deep: ", "{a: ", "1\n") },
	"list keys":   func(w *growthFiles, part int) { w.headers(part, "list:\n", "  - {a: %[2]d, b: [1, 2]}\n", "") },
	"context":     func(w *growthFiles, part int) { w.headers(part, "wranglerContext:\n", "  k%[2]d: v\n", "") },
	// Texts.
	"mentions":       func(w *growthFiles, part int) { w.text(part, "ISS-%06d and ") },
	"one mention":    func(w *growthFiles, part int) { w.text(part, "ISS-000002 and ") },
	"wiki links":     func(w *growthFiles, part int) { w.text(part, "[[page %d]] ") },
	"file links":     func(w *growthFiles, part int) { w.text(part, "[a](ISS-%06d-doc.md) ") },
	"boxes":          func(w *growthFiles, part int) { w.text(part, "- [ ] box %d\n") },
	"equal headings": func(w *growthFiles, part int) { w.text(part, "# h\n") },
	"headings":       func(w *growthFiles, part int) { w.text(part, "## heading %d\n") },
	"words":          func(w *growthFiles, part int) { w.text(part, "word%d ") },
	"lists":          func(w *growthFiles, part int) { w.text(part, "- key%d: value\n") },
	"open brackets":  func(w *growthFiles, part int) { w.text(part, "[a](") },
	"quotes":         func(w *growthFiles, part int) { w.text(part, "> ") },
	"stars":          func(w *growthFiles, part int) { w.text(part, "*a **b ") },
	"code":           func(w *growthFiles, part int) { w.text(part, "`a ``b ") },
	"tables":         func(w *growthFiles, part int) { w.text(part, "|a|%d|\n|-|-|\n") },
	"markup":         func(w *growthFiles, part int) { w.text(part, "<a%d ") },
	"conflicts":      func(w *growthFiles, part int) { w.text(part, "<<<<<<< a\n%d\n=======\nb\n>>>>>>> c\n") },
	// Documents.
	"chain": func(w *growthFiles, part int) {
		w.documents(part, func(i, n int) (string, string) { return fmt.Sprintf("dependsOn: [ISS-%06d]\n", i+1), "" })
	},
	"ring": func(w *growthFiles, part int) {
		w.documents(part, func(i, n int) (string, string) { return fmt.Sprintf("dependsOn: [ISS-%06d]\n", i%n+1), "" })
	},
	"parents": func(w *growthFiles, part int) {
		w.documents(part, func(i, n int) (string, string) { return fmt.Sprintf("parent: ISS-%06d\n", i+1), "" })
	},
	"parents in a ring": func(w *growthFiles, part int) {
		w.documents(part, func(i, n int) (string, string) { return fmt.Sprintf("parent: ISS-%06d\n", i%n+1), "" })
	},
	"children": func(w *growthFiles, part int) {
		w.documents(part, func(i, n int) (string, string) {
			if i == 1 {
				return "", ""
			}
			return "parent: ISS-000001\n", ""
		})
	},
	"fan": func(w *growthFiles, part int) {
		w.documents(part, func(i, n int) (string, string) { return "blocks: [ISS-000001]\n", "see ISS-000001" })
	},
	"star": func(w *growthFiles, part int) {
		w.documents(part, func(i, n int) (string, string) {
			if i > 1 {
				return "", ""
			}
			return "dependsOn: [" + growthIDs(2, min(n, 4000)) + "]\n", ""
		})
	},
	"related": func(w *growthFiles, part int) {
		w.documents(part, func(i, n int) (string, string) { return "relatesTo: [" + growthIDs(i+1, min(n, i+10)) + "]\n", "" })
	},
	"one id": func(w *growthFiles, part int) {
		w.documents(part, func(i, n int) (string, string) { return "id: ISS-000001\n", "ISS-000001" })
	},
	"one former id": func(w *growthFiles, part int) {
		w.documents(part, func(i, n int) (string, string) { return "formerIds: [ISS-000001]\n", "" })
	},
	"one title": func(w *growthFiles, part int) {
		w.documents(part, func(i, n int) (string, string) { return "title: Same\n", "[[Same]]" })
	},
	// All wait for all later ones: as many links as a chain of 5,000 documents has words.
	"clique": func(w *growthFiles, part int) {
		w.documents(int(2*math.Sqrt(float64(part))), func(i, n int) (string, string) { return "dependsOn: [" + growthIDs(i+1, n) + "]\n", "" })
	},
	"boards": func(w *growthFiles, part int) {
		w.documents(max(part/5, 1), func(i, n int) (string, string) { return "", "" })
		var b strings.Builder
		b.WriteString("boards:\n")
		for board := range max(20*part/1000, 1) {
			fmt.Fprintf(&b, "  board%d:\n    columns:\n", board)
			for column := range max(50*part/1000, 1) {
				fmt.Fprintf(&b, "      - {name: c%d, where: 'status = open and title = t%d'}\n", column, column)
			}
		}
		w.write("views.yaml", b.String())
	},
}

// growthIDs are the ids with the numbers of a range.
func growthIDs(from, to int) string {
	var ids []string
	for n := from; n <= to; n++ {
		ids = append(ids, fmt.Sprintf("ISS-%06d", n))
	}
	return strings.Join(ids, ", ")
}

// growthFiles writes the files of a workspace.
type growthFiles struct {
	*testing.T
	root string
}

func newGrowthWorkspace(t *testing.T, shape string, part int) string {
	t.Helper()
	w := &growthFiles{t, t.TempDir()}
	growthShapes[shape](w, part)
	return w.root
}

func (w *growthFiles) write(file, text string) {
	w.Helper()
	toolstest.Write(w.T, w.root, ".wrangler/"+file, text)
}

// document writes one, and an id and a title where its keys have none.
func (w *growthFiles) document(n int, keys, body string) {
	w.Helper()
	if !strings.Contains(keys, "id: ISS-000001\n") {
		keys += fmt.Sprintf("id: ISS-%06d\n", n)
	}
	if !strings.Contains(keys, "title:") {
		keys += fmt.Sprintf("title: t%d\n", n)
	}
	head := "---\nstatus: open\ncreatedAt: 2026-01-01T00:00:00Z\nupdatedAt: 2026-01-02T00:00:00Z\n"
	w.write(fmt.Sprintf("issues/ISS-%06d-doc.md", n), head+keys+"---\n"+body+"\n")
}

// repeated has the words of a pattern, of which the last number is how often it came, up to a size in
// bytes.
func repeated(pattern string, size int, numbers ...any) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		if strings.Contains(pattern, "%") {
			fmt.Fprintf(&b, pattern, append(numbers, i)...)
			continue
		}
		b.WriteString(pattern)
	}
	return b.String()
}

// headers writes 30 documents with one key that is as long as it may be.
func (w *growthFiles) headers(part int, begin, item, end string) {
	for n := range 30 {
		items := repeated(item, 60_000*part/1000, n+1)
		if closing := strings.Count(items, "{a: "); closing > 0 && end != "" {
			items = strings.Repeat("{a: ", min(closing, 5000)) + "1" + strings.Repeat("}", min(closing, 5000))
			w.document(n+1, begin+items+"\n", "")
			continue
		}
		w.document(n+1, begin+items+end, "")
	}
}

// text writes one document with a long text, and one that it may mean.
func (w *growthFiles) text(part int, item string) {
	w.document(1, "", repeated(item, 2_000_000*part/1000))
	w.document(2, "", "- [ ] a box\n")
}

func (w *growthFiles) documents(part int, form func(i, n int) (keys, body string)) {
	n := max(5*part, 1)
	for i := 1; i <= n; i++ {
		keys, body := form(i, n)
		w.document(i, keys, body)
	}
}
