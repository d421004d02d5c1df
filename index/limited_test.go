package index

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"issues-index/index/db"
	"issues-index/index/search"
	"issues-index/store/storetest"
)

// dump is a body of as many different words, line by line.
func dump(prefix string, words int) string {
	var b strings.Builder
	for n := range words {
		fmt.Fprintf(&b, "%s%06d", prefix, n)
		if n%10 == 9 {
			b.WriteString("\n")
		} else {
			b.WriteString(" ")
		}
	}
	return b.String()
}

// foundPaths are the files that a search finds, in its order.
func (k *kit) foundPaths(ix *Index, q Query) []string {
	k.Helper()
	q.Search, q.Limit = true, 100
	return rowPaths(k.find(ix, q).Rows)
}

// openWords makes the words of the full-text table a table, words.
func (k *kit) openWords(ix *Index) *sql.DB {
	k.Helper()
	k.find(ix, Query{Limit: 1}) // the index is open, and follows the files
	db := ix.db.Write
	if _, err := db.ExecContext(context.Background(), `CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab(main, search, instance)`); err != nil {
		k.Fatal(err)
	}
	return db
}

// count runs a query for one number.
func (k *kit) count(db *sql.DB, query string) (n int) {
	k.Helper()
	if err := db.QueryRowContext(context.Background(), query).Scan(&n); err != nil {
		k.Fatal(err)
	}
	return n
}

// postings is what the full-text table has: a line for each place of a word.
func (k *kit) postings(ix *Index) (lines []string) {
	k.Helper()
	rows, err := k.openWords(ix).QueryContext(context.Background(), `SELECT path || ' ' || col || ' ' || "offset" || ' ' || term
		FROM temp.words v JOIN document d ON d.doc = v.doc`)
	if err != nil {
		k.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			k.Fatal(err)
		}
		lines = append(lines, line)
	}
	if err := rows.Err(); err != nil {
		k.Fatal(err)
	}
	slices.Sort(lines)
	return lines
}

const wide, narrow, plainOne = ".wrangler/issues/wide.md", ".wrangler/issues/narrow.md", ".wrangler/issues/plain.md"

// limitedKit has one document with more words than the index takes, one with as
// many as it takes, and a short one. The last words of the first are omitted.
func limitedKit(t *testing.T) *kit {
	k := newKit(t)
	// The word common is omitted from the first, and a word of the others.
	k.add(paper{path: wide, id: "WIDE", title: "Core memory", status: "open", body: dump("ab", search.MaxWords+100) + "\ncommon tail-end CamelCaseWord ab000001 last\n"})
	k.add(paper{path: narrow, id: "NARROW", title: "Narrow", status: "closed", body: dump("ab", search.MaxWords-10) + "\ncommon\n"})
	k.add(paper{path: plainOne, id: "PLAIN", title: "Plain", status: "open", body: "A common word, camelcase.\n"})
	return k
}

func TestSearchFindsTheWordsThatTheIndexOmits(t *testing.T) {
	k := limitedKit(t)
	ix := k.open(Options{Path: db.MemoryPath})
	omitted := fmt.Sprintf("ab%06d", search.MaxWords+50)
	for _, c := range []struct {
		name string
		q    Query
		want []string // in any order
	}{
		{"a whole word", Query{Text: omitted}, []string{wide}},
		{"the beginning of one", Query{Text: omitted[:7] + " Core"}, []string{wide}},
		{"a part in the middle of one", Query{Text: `"elCaseWo"`}, []string{wide}},
		{"the end of one", Query{Text: omitted[3:]}, []string{wide}},
		{"a word that others have, too", Query{Text: "common"}, []string{wide, narrow, plainOne}},
		{"words with a sign between them", Query{Text: "tail-end"}, []string{wide}},
		{"a phrase of a kept and an omitted word", Query{Text: `"CamelCaseWord ab000001 last"`}, []string{wide}},
		{"no phrase across what is omitted", Query{Text: `"ab000001 ab000003"`}, nil},
		{"a word of the title and an omitted one", Query{Text: "memory common"}, []string{wide}},
		{"one of two words", Query{Text: "nowhere OR CamelCaseWord"}, []string{wide}},
		{"without an omitted word", Query{Text: "ab000001 -common"}, nil},
		{"without a word that only the others have", Query{Text: "common -plain -narrow -camelcase"}, []string{wide}},
		{"nothing but an excluded word", Query{Text: "-common"}, nil},
		{"among the open ones", Query{Text: "common", Filter: Filter{Statuses: []string{"open"}}}, []string{wide, plainOne}},
		{"among the closed ones", Query{Text: "common", Filter: Filter{Statuses: []string{"closed"}}}, []string{narrow}},
		{"in titles", Query{Text: "common", Fields: []string{"title"}}, nil},
		{"sorted by another key", Query{Text: "common", Sort: Sort{Key: SortUpdated, Desc: true}}, []string{wide, narrow, plainOne}},
		{"a word of nobody", Query{Text: "nowhere"}, nil},
		{"a part of a word of nobody", Query{Text: "zzzz", Sort: Sort{Key: SortUpdated}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := k.within(t)
			got := k.foundPaths(ix, c.q)
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

func TestTitleRanksALimitedDocumentFirst(t *testing.T) {
	k := limitedKit(t)
	k.add(paper{path: ".wrangler/issues/other.md", id: "OTHER", title: "Other", body: "It says core, core and core.\n"})
	ix := k.open(Options{Path: db.MemoryPath})
	if got := k.foundPaths(ix, Query{Text: "core"}); len(got) != 2 || got[0] != wide {
		t.Errorf("found %q", got)
	}
}

func TestDocumentAddsABoundedNumberOfWords(t *testing.T) {
	k := newKit(t)
	k.put(wide, "---\ntitle: Core memory\nlabels: [one, two]\n---\n"+dump("ab", 2*search.MaxWords))
	ix := k.open(Options{Path: db.MemoryPath})
	db := k.openWords(ix)
	for name, query := range map[string]string{
		"the vocabulary":      `SELECT count(*) FROM vocabulary`,
		"the full-text table": `SELECT count(DISTINCT term) FROM temp.words`,
	} {
		if got := k.count(db, query); got != search.MaxWords {
			t.Errorf("%s has %d words of it", name, got)
		}
	}
}

func TestTooManyWordsAreAProblem(t *testing.T) {
	k := limitedKit(t)
	ix := k.open(Options{Path: db.MemoryPath})
	want := func(when string, paths ...string) {
		t.Helper()
		var found []string
		for path, codes := range k.problems(ix) {
			if slices.Contains(codes, "too-many-words") {
				found = append(found, ".wrangler/issues/"+path)
			}
		}
		slices.Sort(found)
		if !slices.Equal(found, paths) {
			t.Errorf("%s: %q have too many words", when, found)
		}
	}
	want("at first", wide)
	text := "---\ntitle: Core memory\npriority: high\n---\n" + dump("ab", search.MaxWords+100)
	k.put(wide, text)
	want("after a change of its text", wide)
	k.put(wide, strings.Replace(text, "high", "low", 1))
	want("after a change of a field", wide)
	summary, err := ix.Rebuild(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := ix.ProblemDocuments(t.Context()); err != nil || summary.Problems != n {
		t.Errorf("a rebuild counts %d documents with problems, the index has %d: %v", summary.Problems, n, err)
	}
	want("after a rebuild", wide)
	k.put(wide, "Few words.\n")
	want("without its words")
}

// TestLimitedDocumentsDoNotDependOnTheirOrder holds that which words are omitted
// depends on the document alone.
func TestLimitedDocumentsDoNotDependOnTheirOrder(t *testing.T) {
	texts := map[string]string{
		"a.md": dump("ab", search.MaxWords+100),
		"b.md": dump("ab", search.MaxWords) + dump("cd", 100),
		"c.md": dump("cd", search.MaxWords+100),
	}
	index := func(names ...string) []string {
		k := newKit(t)
		ix := k.open(Options{Path: db.MemoryPath})
		for _, name := range names {
			k.put(".wrangler/issues/"+name, texts[name])
			k.foundPaths(ix, Query{Text: "ab"}) // the index follows
		}
		return k.postings(ix)
	}
	if !storetest.Long() { // each document has more words than all others of the tests together
		delete(texts, "c.md")
	}
	names := slices.Sorted(maps.Keys(texts))
	forth := index(names...)
	if storetest.Long() {
		slices.Reverse(names)
		if back := index(names...); !slices.Equal(back, forth) {
			t.Errorf("indexed in another order, the words are others: %d places and %d", len(back), len(forth))
		}
	}
	k := newKit(t)
	for name, text := range texts {
		k.put(".wrangler/issues/"+name, text)
	}
	if built := k.postings(k.open(Options{Path: db.MemoryPath})); !slices.Equal(built, forth) {
		t.Errorf("built at once, the words are others: %d places and %d", len(built), len(forth))
	}
}
