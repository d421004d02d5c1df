package index

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"issues-index/index/db"
	"issues-index/store/storetest"
)

// titles names the documents of rows.
func titles(rows []Row) []string {
	all := make([]string, 0, len(rows))
	for _, row := range rows {
		all = append(all, row.Title)
	}
	return all
}

// same reports whether two lists have the same elements, in any order.
func same(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

const filler = "Some sentences that say nothing of it, and go on for a while, as texts do. "

func TestSearchRanks(t *testing.T) {
	for name, c := range map[string]struct {
		papers []paper // in the order in which they are to be found
		query  string
	}{
		"the title above labels above the body": {
			query: "cursor",
			papers: []paper{
				{title: "A cursor of some kind"}, {title: "In the labels", labels: []string{"cursor"}}, {title: "In the body", body: "The cursor."},
			},
		},
		"the title above labels above the body, however often the body says it and whichever is newer": {
			query: "cursor",
			papers: []paper{
				{title: "A cursor", body: strings.Repeat(filler, 5), updated: day(1)},
				{title: "In the labels", labels: []string{"cursor"}, body: strings.Repeat(filler, 5), updated: day(2)},
				{title: "In the body", body: strings.Repeat("cursor cursor. "+filler, 5), updated: day(3)},
			},
		},
		"words above parts of words, wherever these stand": {
			query: "cache",
			papers: []paper{
				{title: "The word in the body", body: filler + "cache", updated: day(1)},
				{title: "Part of a word: memcached", updated: day(9)},
				{title: "Part of a word in the body", body: "uncacheable", updated: day(8)},
			},
		},
		"both words above one word and one part of a word": {
			query: "page cache",
			papers: []paper{
				{title: "Both in the body", body: "The cache of a page.", updated: day(1)},
				{title: "One and a part", body: "The cache of homepages.", updated: day(9)},
			},
		},
		"the rarer word's document first": {
			query: "common OR rare",
			papers: []paper{
				{title: "One", body: "rare"}, {title: "Two", body: "common", updated: day(3)}, {title: "Three", body: "common", updated: day(2), path: ".wrangler/issues/z.md"},
			},
		},
		"the document that says little else first": {
			query:  "cursor",
			papers: []paper{{title: "Short", body: "The cursor."}, {title: "Long", body: "The cursor. " + strings.Repeat(filler, 20)}},
		},
		"of equally good matches the one that came last": {
			query: "cursor",
			papers: []paper{
				{title: "First", path: ".wrangler/ideas/a.md", body: "cursor", updated: day(1)},
				{title: "Other", path: ".wrangler/issues/a.md", body: "cursor", updated: day(3)},
				{title: "Third", path: ".wrangler/issues/b.md", body: "cursor", updated: day(2)},
			},
		},
		"parts of words by their last update, newest first": {
			query: "ach",
			papers: []paper{
				{title: "New", body: "cached", updated: day(9)}, {title: "Middle", body: "teacher", updated: day(5)}, {title: "Old", body: "reaches", updated: day(1)},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKit(t)
			var want []string
			for _, p := range c.papers {
				want = append(want, p.title)
			}
			for range 20 { // so that words are not in all documents
				k.add(paper{title: "Nothing of the kind", body: filler})
			}
			ix := k.open(Options{})
			// Indexed one by one and the other way round, so that the order of rows is
			// no help.
			for n, p := range slices.Backward(c.papers) {
				if p.path == "" {
					p.path = fmt.Sprintf(".wrangler/issues/%d.md", n)
				}
				k.add(p)
				k.find(ix, Query{Limit: 1})
			}
			if got := titles(k.find(ix, Query{Search: true, Text: c.query, Limit: 10}).Rows); !slices.Equal(got, want) {
				t.Errorf("%q finds %q, want %q", c.query, got, want)
			}
			slices.Reverse(want)
			if got := titles(k.find(ix, Query{Search: true, Text: c.query, Sort: Sort{Key: SortRelevance}, Limit: 10}).Rows); !slices.Equal(got, want) {
				t.Errorf("%q finds, worst match first, %q, want %q", c.query, got, want)
			}
		})
	}
}

func TestSearchQueries(t *testing.T) {
	k := newKit(t)
	for _, p := range []paper{
		{title: "Fix the cache", labels: []string{"bug", "good first issue"}, body: "It forgets\nthe   first page.", status: "open"},
		{title: "Cached pages", labels: []string{"docs"}, body: "See `src/cache/Page.go` and Page.Next(), kebab-case-name -> C++.", status: "closed"},
		{title: "Release", labels: []string{"fix"}, body: "Nothing to fix: the page first, then the cache. --no-cache", status: "open"},
		{title: "検索機能", labels: []string{"日本"}, body: "サーバーの検索が遅い。ABC検索API", status: "closed"},
		{title: "OR AND NOT NEAR", body: `title:x "quoted" a^b* (c)`},
	} {
		k.add(p)
	}
	ix := k.open(Options{})
	const fixing, pages, release, japanese, operators = "Fix the cache", "Cached pages", "Release", "検索機能", "OR AND NOT NEAR"
	everyTitle := []string{fixing, pages, release, japanese, operators}

	for _, c := range []struct {
		says, query string
		fields      []string
		filter      Filter
		want        []string
	}{
		{says: "one word, in any case, and parts of words", query: "CACHE", want: []string{fixing, pages, release}},
		{says: "all words, in any order", query: "page fix", want: []string{fixing, release}},
		{says: "the last word as a beginning", query: "the pag", want: []string{fixing, release}},
		{says: "words from different fields", query: "bug forgets", want: []string{fixing}},
		{says: "a phrase, over line breaks and runs of blanks", query: `"the first page"`, want: []string{fixing}},
		{says: "a phrase in its order only", query: `"page first"`, want: []string{release}},
		{says: "a label of several words", query: `"good first issue"`, want: []string{fixing}},
		{says: "a phrase that is not closed", query: `"the first page`, want: []string{fixing}},
		{says: "either side of OR", query: "forgets OR kebab", want: []string{fixing, pages}},
		{says: "OR between groups of words", query: "fix forgets OR kebab src", want: []string{fixing, pages}},
		{says: "no word that a minus excludes", query: "cache -forgets", want: []string{pages, release}},
		{says: "a minus that excludes whole words only", query: "cache -cache", want: []string{}},
		{says: "a phrase that a minus excludes", query: `page -"the page"`, want: []string{fixing, pages}},
		{says: "nothing but exclusions", query: "-cache -検索", want: []string{operators}},
		{says: "a word in the title", query: "title:fix", want: []string{fixing}},
		{says: "a word in a label", query: "label:fix", want: []string{release}},
		{says: "a word in a label, by its other name", query: "labels:fix", want: []string{release}},
		{says: "a word in the description", query: "description:fix", want: []string{release}},
		{says: "a phrase in the description", query: `description:"first page"`, want: []string{fixing}},
		{says: "a prefix for one word, the others anywhere", query: "title:cache fix", want: []string{fixing}},
		{says: "no document with the word in its title", query: "cache -title:cache", want: []string{pages, release}},
		{says: "any other prefix as it is", query: "foo:bar", want: []string{}},
		{says: "the fields that the caller names", query: "cache", fields: []string{"title"}, want: []string{fixing, pages}},
		{says: "several fields", query: "fix", fields: []string{"labels", "description"}, want: []string{release}},
		{says: "fields and a prefix that exclude each other", query: "title:fix", fields: []string{"labels"}, want: []string{}},
		{says: "kebab-case, whole", query: "kebab-case-name", want: []string{pages}},
		{says: "kebab-case, a part across the dash", query: "bab-ca", want: []string{pages}},
		{says: "a path", query: "src/cache/page.go", want: []string{pages}},
		{says: "code with punctuation", query: "Page.Next()", want: []string{pages}},
		{says: "punctuation alone", query: "->", want: []string{pages}},
		{says: "C++", query: "c++", want: []string{pages}},
		{says: "a flag", query: "--no-cache", want: []string{release}},
		{says: "two characters of Japanese", query: "検索", want: []string{japanese}},
		{says: "one character of Japanese", query: "遅", want: []string{japanese}},
		{says: "Japanese beside Latin", query: "c検索a", want: []string{japanese}},
		{says: "Japanese in the title only", query: "title:機能", want: []string{japanese}},
		{says: "lower-case or as a word", query: "or not", want: []string{operators}},
		{says: "OR with nothing beside it as a word", query: "OR", want: []string{fixing, operators}},
		{says: "FTS operators as words", query: "NEAR AND NOT", want: []string{operators}},
		{says: "FTS punctuation as it is", query: `a^b* (c)`, want: []string{operators}},
		{says: "everything for nothing", query: "", want: everyTitle},
		{says: "everything for blanks", query: " \t\n", want: everyTitle},
		{says: "everything for an empty phrase", query: `""`, want: everyTitle},
		{says: "only what the filter lets through", query: "cache", filter: Filter{Statuses: []string{"open"}}, want: []string{fixing, release}},
		{says: "filter, parts of words and punctuation at once", query: "ache/pag", filter: Filter{Labels: []string{"docs"}}, want: []string{pages}},
		{says: "nothing where punctuation decides against it", query: "cache/forgets", want: []string{}},
	} {
		t.Run(fmt.Sprintf("%s: %s", c.says, c.query), func(t *testing.T) {
			page := k.find(ix, Query{Search: true, Text: c.query, Fields: c.fields, Filter: c.filter, Limit: 100})
			if got := titles(page.Rows); !same(got, c.want) || page.Total != len(c.want) {
				t.Errorf("found %q of %d, want %q", got, page.Total, c.want)
			}
			for _, s := range listSorts { // the same documents in every order
				var want []string
				for _, p := range k.matching(c.filter, s) {
					if slices.Contains(c.want, p.title) {
						want = append(want, p.title)
					}
				}
				got := titles(k.find(ix, Query{Search: true, Text: c.query, Fields: c.fields, Filter: c.filter, Sort: s, Limit: 100}).Rows)
				if s.Key != "" && !slices.Equal(got, want) {
					t.Errorf("by %+v: %q, want %q", s, got, want)
				}
			}
		})
	}
}

func TestSearchOrderIsTotal(t *testing.T) {
	k := newKit(t)
	r := rand.New(rand.NewPCG(5, 5))
	for n := range 120 {
		k.random(r, n)
	}
	ix, other := k.open(Options{}), k.open(Options{})
	for range 20 {
		q := Query{Search: true, Text: strings.Join(some(r, kitWords, 2), pick(r, []string{" ", " OR "})), Sort: pick(r, append(sorts(SortRelevance), listSorts...))}
		q.Limit = 1000
		whole := k.find(ix, q)
		q.Limit = 1 + r.IntN(30)
		paged := k.everything(pick(r, []*Index{ix, other}), q)
		if !slices.Equal(rowPaths(paged), rowPaths(whole.Rows)) || whole.Total != len(whole.Rows) {
			t.Fatalf("%+v\nby pages   %q\nall at once %q", q, rowPaths(paged), rowPaths(whole.Rows))
		}
	}
}

func TestSnippets(t *testing.T) {
	k := newKit(t)
	k.add(paper{body: strings.Repeat(filler, 20) + "\n\nHere the needle\nlies. " + strings.Repeat(filler, 20)})
	k.add(paper{title: "The needle in the title", body: filler})
	k.add(paper{title: "The needle in an empty body"})
	ix := k.open(Options{})

	t.Run("show the place of the match, on one line, cut at both ends", func(t *testing.T) {
		rows := k.find(ix, Query{Search: true, Text: "needle lies", Snippets: true, Limit: 10}).Rows
		if len(rows) != 1 || !strings.Contains(rows[0].Snippet, "Here the needle lies.") || !strings.HasPrefix(rows[0].Snippet, "…") ||
			!strings.HasSuffix(rows[0].Snippet, "…") || utf8.RuneCountInString(rows[0].Snippet) > snippetSize {
			t.Errorf("%+v", rows)
		}
	})
	t.Run("show the beginning of a body without a match", func(t *testing.T) {
		for _, row := range k.find(ix, Query{Search: true, Text: "title:needle", Snippets: true, Limit: 10}).Rows {
			if want := strings.TrimSpace(k.at(row.Path).body); row.Snippet != want {
				t.Errorf("%q, want %q", row.Snippet, want)
			}
		}
	})
	t.Run("come only when asked for", func(t *testing.T) {
		for _, row := range k.find(ix, Query{Search: true, Text: "needle", Limit: 10}).Rows {
			if row.Snippet != "" {
				t.Errorf("%q", row.Snippet)
			}
		}
	})
}

// hostile is a query that somebody might type, paste or send to break things.
func hostile(r *rand.Rand) string {
	bits := []string{
		"a", "cache", "検索", "\"", "'", "`", "*", "^", "(", ")", "{", "}", "[", "]", ":", "-", "--", "->", "+", "\\", "/", ".", ",", ";", "%", "_", "?", "|", "&", "!", "#", "@", "$", "~", "<", ">", "=",
		" ", "  ", "\t", "\n", "\r\n", "\x00", "\x1a", "\x7f", "\u00a0", "\u200b", "\u202e", "\ufeff", "\ufffd", "\xff", "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80",
		"AND", "OR", "NOT", "NEAR", "NEAR(a b, 2)", " OR ", " AND ", " NOT ", "title:", "label:", "labels:", "description:", "body:", "rowid:", "search:", "-title:", "title : x", "{title body} : x",
		"🙂", "👩\u200d💻", "e\u0301", "\u0301", "\u0301\u0301\u0301", "ﷺ", "ß", "İ", "ſ", "ǅ", "ﬁ", "𠮷", "𝔘", "葛\U000e0100",
		"' OR 1=1 --", "'; DROP TABLE document; --", "%s%d%n", "${x}", "../../etc/passwd", "NULL", "0", "-1", "1e999", "\"\"", "\"\"\"",
	}
	var b strings.Builder
	for range 1 + r.IntN(12) {
		b.WriteString(pick(r, bits))
		if r.IntN(3) == 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func TestNoQueryIsAnError(t *testing.T) {
	k := newKit(t)
	r := rand.New(rand.NewPCG(6, 6))
	for n := range 40 {
		k.random(r, n)
	}
	for range 20 {
		k.add(paper{body: hostile(r) + hostile(r)})
	}
	ix := k.open(Options{Mode: ModePoll}) // nothing changes

	queries := 40
	if storetest.Long() {
		queries = 2500
	}
	for seed := range uint64(4) {
		t.Run(fmt.Sprintf("of many made of operators, quotes and odd characters, seed %d", seed), func(t *testing.T) {
			t.Parallel()
			k, r := k.within(t), rand.New(rand.NewPCG(seed, 6))
			for range queries {
				q := Query{Search: true, Text: hostile(r), Limit: pick(r, []int{1, 5, 100}), Snippets: r.IntN(4) == 0}
				if r.IntN(4) == 0 {
					q.Fields = some(r, []string{"title", "description", "labels", "nothing", ""}, 3)
				}
				if r.IntN(4) == 0 {
					q.Sort = pick(r, listSorts)
				}
				if page := k.find(ix, q); len(page.Rows) > page.Total {
					t.Fatalf("%q: %d rows of %d", q.Text, len(page.Rows), page.Total)
				}
			}
		})
	}
	for name, query := range map[string]string{
		"of a megabyte in one word":           strings.Repeat("a", 1<<20),
		"of a megabyte of one character":      strings.Repeat("検", 1<<18),
		"of a megabyte of quotes":             strings.Repeat(`"`, 1<<20),
		"of a hundred thousand OR":            strings.Repeat("a OR ", 100_000),
		"of a thousand exclusions":            strings.Repeat("-cache ", 1000) + "x",
		"of a thousand words of one document": strings.Repeat("cache cursor ", 500),
		"of many different words":             manyWords(maxTerms, " "),
		"of many alternatives":                manyWords(maxTerms, " OR "),
		"of many exclusions":                  manyWords(maxTerms, " -"),
		"of a word of thousands of parts":     manyWords(5000, "-"),
		"of a phrase of thousands of words":   `"` + manyWords(5000, " ") + `"`,
		"of combining marks":                  "e" + strings.Repeat("\u0301", 10_000),
		"of open brackets":                    strings.Repeat("(", 100_000),
		"of one letter":                       "a",
		"of NUL":                              "\x00",
	} {
		t.Run(name, func(t *testing.T) {
			k.within(t).find(ix, Query{Search: true, Text: query, Limit: 10, Snippets: true})
		})
	}
}

func TestSearchesForTooManyWordsAreRefused(t *testing.T) {
	k := newKit(t)
	k.add(paper{title: "One", body: "word0"})
	for between, documents := range map[string]int{" ": 0, " -": 0, " OR ": 1} {
		query := manyWords(maxTerms, between)
		if between == " -" {
			query = "-" + query
		}
		page, err := k.open(Options{}).Find(t.Context(), Query{Search: true, Text: query, Limit: 1})
		if err != nil || page.Total != documents {
			t.Errorf("%d words with %q between: %d documents, %v", maxTerms, between, page.Total, err)
		}
		_, err = k.open(Options{}).Find(t.Context(), Query{Search: true, Text: query + between + "more", Limit: 1})
		var refused *TermsError
		if !errors.As(err, &refused) || refused.Terms != maxTerms+1 || refused.Most != maxTerms {
			t.Errorf("%d words with %q between: %v", maxTerms+1, between, err)
		}
	}
	t.Run("but not when they are the same ones again", func(t *testing.T) {
		page, err := k.open(Options{}).Find(t.Context(), Query{Search: true, Text: strings.Repeat("word0 OR ", 5000) + "One", Limit: 1})
		if err != nil || page.Total != 1 {
			t.Errorf("%d documents, %v", page.Total, err)
		}
	})
}

// Searches may take long. However many there are, other calls find a connection.
func TestManySearchesAtOnceLeaveRoomForOtherReads(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.add(paper{title: "One", body: "word"})
	ix := k.open(Options{})
	if _, err := ix.Find(t.Context(), Query{Limit: 1}); err != nil {
		t.Fatal(err)
	}
	var most, now atomic.Int64
	inside, goOn := make(chan struct{}, 100), make(chan struct{})
	var searches sync.WaitGroup
	for range 5 * db.MaxReaders {
		searches.Go(func() {
			held := false
			ctx := Observed(t.Context(), func(query string) {
				if held || !strings.Contains(query, "MATCH") {
					return
				}
				held = true
				for n := now.Add(1); n > most.Load(); {
					most.Store(n)
				}
				inside <- struct{}{}
				<-goOn
				now.Add(-1)
			})
			if _, err := ix.Find(ctx, Query{Search: true, Text: "word", Limit: 1}); err != nil {
				t.Error(err)
			}
		})
	}
	for range maxSearches {
		<-inside
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // for the case that the test fails
	defer cancel()
	for range db.MaxReaders - maxSearches {
		if _, err := ix.Find(ctx, Query{Limit: 1}); err != nil {
			t.Errorf("a list beside them: %v", err)
		}
	}
	close(goOn)
	searches.Wait()
	if most.Load() > maxSearches {
		t.Errorf("%d searches ran at once", most.Load())
	}
}

func manyWords(n int, between string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("word%d", i)
	}
	return strings.Join(all, between)
}
