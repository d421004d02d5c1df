package search

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"
	"pgregory.net/rapid"

	"issues-index/store/storetest"
)

// A table is a real FTS5 table in memory, as package index has it, and what is
// needed to check its answers.
type table struct {
	db         *sql.DB
	docs       []Text // of row 1 on
	vocabulary *Vocabulary
}

// testing.TB and *rapid.T.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func newTable(t testing.TB) *table {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatalf("open a database: %v", err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1) // each would have a database of its own
	_, err = db.Exec(`CREATE VIRTUAL TABLE fts USING fts5(body, title, labels, tokenize='ascii', content='', contentless_delete=1)`)
	if err != nil {
		t.Fatalf("create the table: %v", err)
	}
	return &table{db: db}
}

// fill replaces the documents.
func (tab *table) fill(t failer, docs []Text) {
	t.Helper()
	tab.docs, tab.vocabulary = docs, new(Vocabulary)
	tx, err := tab.db.Begin()
	if err != nil {
		t.Fatalf("begin: %v", err)
	}
	if _, err := tx.Exec(`DELETE FROM fts`); err != nil {
		t.Fatalf("empty the table: %v", err)
	}
	for i, doc := range docs {
		title, labels, body := string(Feed(nil, doc.Title)), string(FeedLines(nil, doc.Labels)), string(Feed(nil, doc.Body))
		if _, err := tx.Exec(`INSERT INTO fts(rowid, title, labels, body) VALUES (?, ?, ?, ?)`, i+1, title, labels, body); err != nil {
			t.Fatalf("insert %q: %v", doc, err)
		}
		for _, feed := range []string{title, labels, body} {
			tab.vocabulary.Add(strings.Split(feed, " ")...)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatalf("commit: %v", err)
	}
}

// rows returns the numbers of the documents that an expression finds.
func (tab *table) rows(t failer, expr string) []int {
	t.Helper()
	rows, err := tab.db.Query(`SELECT rowid FROM fts WHERE fts MATCH ? ORDER BY rowid`, expr)
	if err != nil {
		t.Fatalf("MATCH %s: %v", expr, err)
	}
	defer rows.Close()
	var found []int
	for rows.Next() {
		var row int
		if err := rows.Scan(&row); err != nil {
			t.Fatalf("MATCH %s: %v", expr, err)
		}
		found = append(found, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("MATCH %s: %v", expr, err)
	}
	return found
}

// check holds what a query is planned to find to what matches it.
func (tab *table) check(t failer, input string, fields []string, maxTerms int) (matches int) {
	t.Helper()
	q := Parse(input, fields)
	matcher := q.Matcher()
	var want []int
	for i, doc := range tab.docs {
		if matcher.Match(doc) {
			want = append(want, i+1)
		}
	}
	lacks := func(rows, of []int) bool {
		return slices.ContainsFunc(of, func(row int) bool { return !slices.Contains(rows, row) })
	}

	plan := q.Candidates(tab.vocabulary, maxTerms)
	switch {
	case plan.None && (plan.Expr != "" || !plan.Exact || len(want) > 0):
		t.Fatalf("%q %q: %+v, but %v match", input, fields, plan, want)
	case plan.None:
	case plan.Expr == "" && plan.Exact && len(want) < len(tab.docs):
		t.Fatalf("%q %q: every document is a match, but %v are", input, fields, want)
	case plan.Expr != "":
		rows := tab.rows(t, plan.Expr)
		if lacks(rows, want) || plan.Exact && lacks(want, rows) {
			t.Fatalf("%q %q: %+v finds %v, but %v match", input, fields, plan, rows, want)
		}
	}

	if ranked := q.Ranked(tab.vocabulary); ranked != "" {
		tab.rows(t, ranked) // FTS5 takes it
	}
	return len(want)
}

func TestPlansFindEveryMatch(t *testing.T) {
	tab := newTable(t)
	fields := rapid.SampledFrom([][]string{nil, {"title"}, {"labels"}, {"description", "title"}})
	rapid.Check(t, func(t *rapid.T) {
		tab.fill(t, rapid.SliceOfN(texts(), 1, 12).Draw(t, "documents"))
		for _, g := range rapid.SliceOfN(rapid.SliceOfN(wishes(), 1, 3), 1, 8).Draw(t, "queries") {
			query := strings.Trim(fmt.Sprint(g), "[]")
			tab.check(t, query, fields.Draw(t, "fields"), rapid.SampledFrom([]int{0, 1, 3, 1000}).Draw(t, "maxTerms"))
		}
	})
}

// signs are what a query language might stumble over.
var signs = []string{
	"OR", " OR ", "AND", "NOT", "NEAR(", "title:", "labels:", "description:", "-title:", `"`, `""`, `-"`, `\"`, "''", "--", "-", "->",
	` -"->"`, ` -"` + strings.Repeat("a ", 17) + `"`, "*", "^", "(", ")", "{title}", "{body} :", "+", ",", ";", "/*", "%", "_", "?1", "\x00", "\x1b[0m", "\r\n",
	"col:", "fts MATCH", "'; DROP TABLE fts; --", strings.Repeat("(", 300), strings.Repeat(`"`, 301),
	strings.Repeat("a ", 300), strings.Repeat("a OR ", 300), strings.Repeat("-a ", 300), strings.Repeat("a-", 300),
	strings.Repeat("検", 300), strings.Repeat("e\u0301", 300),
}

func TestTenThousandHostileQueries(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	alphabet := slices.Concat(pieces, pieces, pieces, runs, signs)
	several := func(n int) string {
		var b strings.Builder
		for range random.IntN(n) {
			b.WriteString(alphabet[random.IntN(len(alphabet))])
		}
		return b.String()
	}
	var docs []Text
	for range 40 {
		docs = append(docs, Text{several(4), several(4), several(40)})
	}
	tab := newTable(t)
	tab.fill(t, docs)
	fields := [][]string{nil, nil, {"title"}, {"labels", "description"}}
	matches := 0
	queries := 3000
	if storetest.Long() {
		queries = 10_000
	}
	for i := range queries {
		matches += tab.check(t, several(9), fields[i%len(fields)], []int{1000, 5, 1}[i%3])
	}
	if matches < queries {
		t.Errorf("the queries found %d documents only: they are not worth asking", matches)
	}
}

// Long runs are cut into windows and pairs: every part of one is found, and none
// that differs in its last rune.
func TestPlansFindEveryPartOfALongRun(t *testing.T) {
	step := 61 // few of the places where a part can begin
	if storetest.Long() {
		step = 7
	}
	tab := newTable(t)
	random := rand.New(rand.NewPCG(3, 4))
	for _, alphabet := range []string{"abcdefghijklmnopqrstuvwxyz0123456789", "ジョブの検索機能を追加する全文한국어", "жуки"} {
		runes := []rune(alphabet)
		run := func(length int) []rune {
			var s []rune
			for range length {
				s = append(s, runes[random.IntN(len(runes))])
			}
			return s
		}
		long := run(200)
		// The second has the windows of 65 runes as words of their own.
		docs := []Text{{Body: string(long)}, {Body: string(long[:64]) + " " + string(long[32:65])}}
		for _, length := range []int{2, 17, 18, 33, 34, 63, 64, 65, 97} {
			docs = append(docs, Text{Title: string(long[:length]), Body: "before " + string(long[3:3+length]) + ", after"})
		}
		tab.fill(t, docs)
		for start := 0; start < len(long); start += 1 + random.IntN(step) {
			for _, length := range []int{1, 2, 3, 17, 18, 19, 32, 33, 34, 40, 64, 65, 66, 97, 130} {
				if start+length > len(long) {
					break
				}
				part := string(long[start : start+length])
				for _, query := range []string{part, part + "!", "before " + part, `"before ` + part + `"`, part + "Ж", "other OR " + part} {
					tab.check(t, query, nil, 1000)
				}
				if tab.check(t, part, nil, 1000) == 0 {
					t.Errorf("%q is not found", part)
				}
			}
		}
	}
}

func TestLargeExpressionsAreAccepted(t *testing.T) {
	tab := newTable(t)
	var words []string
	for i := range 2000 {
		words = append(words, fmt.Sprintf("x%da y%db z%dc", i, i, i))
	}
	tab.fill(t, []Text{{Body: strings.Join(words, " ")}, {Body: "other"}})
	for _, query := range []string{
		"a",
		"a b c",
		"a OR b OR c",
		strings.Repeat("0a OR 1b ", 20),
		strings.Repeat("a-b-c-d-e.f/g ", 20) + strings.Repeat("-q ", 20),
	} {
		tab.check(t, query, nil, 5000)
	}
}

func FuzzQuery(f *testing.F) {
	for _, s := range slices.Concat(pieces, runs, signs) {
		f.Add("a "+s+" b", "b foo "+s)
	}
	tab := newTable(f)
	f.Fuzz(func(t *testing.T, query, text string) {
		tab.fill(t, []Text{{Title: text}, {Labels: text}, {Body: text}, {}})
		tab.check(t, query, nil, 100)
		Parse(query, nil).Snippet(text, 20)
	})
}

func TestPlansFindEveryPairOfManyWords(t *testing.T) {
	tab := newTable(t)
	random := rand.New(rand.NewPCG(5, 6))
	var docs []Text
	for range 300 {
		first := []string{"", "x", "yy", "zz", "v", "ww", "u", "tt"}[random.IntN(8)] + "ca"
		final := "fe" + []string{"", "x", "yy", "zz", "v", "ww", "u", "tt"}[random.IntN(8)]
		docs = append(docs, Text{Body: first + []string{"-", " ", "-of-", "-", " - "}[random.IntN(5)] + final + []string{"", " ca", " fe"}[random.IntN(3)]})
	}
	tab.fill(t, docs)
	for _, query := range []string{"ca-fe", `"ca fe"`, "ca-of-fe", "-ca ca-fe", "ca-fe OR zz-fe", "title:ca-fe", ".ca-fe", "ca-fe.", "a-f"} {
		if tab.check(t, query, nil, 1000) == 0 && !strings.ContainsAny(query, ".:") && !strings.HasPrefix(query, "-") {
			t.Errorf("%q finds nothing: it is not worth asking", query)
		}
	}
}

// The words of two labels follow each other in the text of all labels, and are no phrase.
func TestPhrasesEndWithTheirLabel(t *testing.T) {
	tab := newTable(t)
	tab.fill(t, []Text{{Labels: "back end\nurgent"}, {Labels: "back\nend urgent"}, {Labels: "\nend-urgent\n"}, {Body: "the end\nurgent"}})
	for query, found := range map[string]int{`"end urgent"`: 3, `"back end"`: 1, `label:"end urg"`: 2, `back -"end urgent"`: 1, `-"back end"`: 3} {
		if n := tab.check(t, query, nil, 1000); n != found {
			t.Errorf("%s finds %d", query, n)
		}
	}
}
