package index

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"issues-index/store/storetest"
)

// fieldRows are the rows of the table field, without the document's number.
func (w *tree) fieldRows(ix *Index) []string {
	w.Helper()
	rows, err := readRows[string](w.Context(), ix.db.Read, "fields",
		`SELECT concat_ws(' ', key, item, text, ifnull(number, '-'), ifnull(time, '-')) FROM field ORDER BY key, doc, item`)
	w.must(err)
	return rows
}

func TestKeysOfTheFrontmatterAreFields(t *testing.T) {
	w := newTree(t, 1)
	ix, _ := w.open(Options{Mode: ModeVerify})
	defer w.close(ix)
	const path = ".wrangler/issues/ISS-000777.md"
	for _, c := range []struct {
		name, frontmatter string
		rows              []string
	}{
		{"none has a column of its own", "title: A\nstatus: open\nlabels: [a]\nassignee: ann\nupdatedAt: 2026-01-02", nil},
		{"text, as written and on one line", "component: Über\nnote: |\n  a\n  b", []string{"component 0 Über - -", "note 0 a b - -"}},
		{"numbers", "estimate: 3\ncost: -1.50\ncode: 007\nhash: 12345678901234567890\nsize: 1e3", []string{
			"code 0 007 7.0 -", "cost 0 -1.50 -1.5 -", "estimate 0 3 3.0 -", "hash 0 12345678901234567890 - -", "size 0 1e3 - -",
		}},
		{"days and times", "due: 1970-01-02\nat: '1970-01-01T01:00:01+01:00'", []string{"at 0 1970-01-01T01:00:01+01:00 - 1000", "due 0 1970-01-02 - 86400000"}},
		{"booleans", "done: true", []string{"done 0 true - -"}},
		{"every item of a list", "tags: [b, a, 3]", []string{"tags 0 b - -", "tags 1 a - -", "tags 2 3 3.0 -"}},
		{"what is within another key", "sprint: {goal: x, of: {year: 2026}}\nsteps: [{name: a}, {name: b}]", []string{
			"sprint.goal 0 x - -", "sprint.of.year 0 2026 2026.0 -", "steps.name 0 a - -", "steps.name 1 b - -",
		}},
		{"the context", "wranglerContext: {agentId: a1, files: [x, y]}", []string{"wranglerContext.agentId 0 a1 - -", "wranglerContext.files 0 x - -", "wranglerContext.files 1 y - -"}},
		{"no key without a value", "a:\nb: ''\nc: []\nd: {}\ne: [null]", nil},
		{"no key that is too deep or too long", "a: {b: {c: {d: 1, e: {f: 2}}}}\n" + strings.Repeat("k", 201) + ": {x: 1}", []string{"a.b.c.d 0 1 1.0 -"}},
		{"nothing of frontmatter that cannot be read", "estimate: 3\nestimate: 4", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.write(path, "---\nid: ISS-000777\n"+c.frontmatter+"\n---\nText\n")
			w.must(ix.Refresh(t.Context(), path))
			if got := w.fieldRows(ix); !slices.Equal(got, c.rows) {
				t.Errorf("the rows are %q, want %q", got, c.rows)
			}
			if storetest.Long() || rand.IntN(4) == 0 {
				w.asRebuilt(ix)
			}
			sound(t, ix)
		})
	}
	t.Run("a thousand values of a document, and a problem that says so", func(t *testing.T) {
		list := func(values int) string { return "[" + strings.Repeat("x, ", values) + "]" }
		codes := func() (codes []string) {
			problems, err := ix.Problems(t.Context())
			w.must(err)
			for _, p := range problems {
				if p.Path == path {
					codes = append(codes, string(p.Problem.Code))
				}
			}
			return codes
		}
		for _, c := range []struct {
			frontmatter string
			rows        int
			codes       []string
		}{
			{"tags: " + list(1000), 1000, nil},
			{"tags: " + list(1001), 1000, []string{"too-many-values"}},
			{"tags: &a " + list(900) + "\nmore: *a\nfurther: *a\nwranglerContext: {agentId: a1}", 1000, []string{"too-many-values"}},
			{"tags: [x]", 1, nil},
		} {
			w.write(path, "---\nid: ISS-000777\n"+c.frontmatter+"\n---\nText\n")
			w.must(ix.Refresh(t.Context(), path))
			if got := w.fieldRows(ix); len(got) != c.rows || !slices.Equal(codes(), c.codes) {
				t.Errorf("%.40s has %d rows and the problems %q, want %d and %q", c.frontmatter, len(got), codes(), c.rows, c.codes)
			}
			if storetest.Long() || rand.IntN(4) == 0 {
				w.asRebuilt(ix)
			}
		}
	})
	t.Run("a document that is gone leaves none behind", func(t *testing.T) {
		w.write(path, "---\nestimate: 3\n---\nText\n")
		w.must(ix.Refresh(t.Context(), path))
		w.remove(path)
		w.must(ix.Refresh(t.Context(), path))
		if got := w.fieldRows(ix); len(got) > 0 {
			t.Errorf("the rows are %q", got)
		}
	})
}
