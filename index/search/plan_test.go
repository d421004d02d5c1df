package search

import (
	"fmt"
	"strings"
	"testing"
)

func TestPlans(t *testing.T) {
	var v Vocabulary
	v.Add("cache", "cached", "caching", "uncached", "foo", "prefoo", "bar", "barn", "ts", "tsx", "nuts", "u1", "u2", "u3", "u4", "fix", "prefix")
	many := strings.TrimSpace(strings.Repeat("bar ", 17))
	var unlike []string
	for i := range 17 {
		unlike = append(unlike, fmt.Sprintf("w%02d", i))
	}
	v.Add(unlike...)
	for _, c := range []struct{ name, query, candidates, ranked string }{
		{"a part of words becomes the words",
			"cached", `"cached" OR "uncached"`, `"cached"`},
		{"what has an excluded word is taken out",
			"cach -x", `("cache" OR "cached" OR "caching" OR "uncached") NOT ("x")`, `"cach"`},
		{"all words must be there",
			"fix bar", `("fix" OR "prefix") AND ("bar" OR "barn")`, `("fix") AND ("bar")`},
		{"a word of several segments asks for them in a row and leaves the rest to Match",
			"foo-bar.ts", `~"foo bar ts" OR "foo bar tsx" OR "prefoo bar ts" OR "prefoo bar tsx"`, `"foo bar ts"`},
		{"a phrase of words leaves nothing",
			`"foo bar ts"`, `"foo bar ts" OR "foo bar tsx" OR "prefoo bar ts" OR "prefoo bar tsx"`, `"foo bar ts"`},
		{"a phrase with a sign likewise",
			`"foo bar.ts"`, `~"foo bar ts" OR "foo bar tsx" OR "prefoo bar ts" OR "prefoo bar tsx"`, `"foo bar ts"`},
		{"what ends with a sign ends there",
			"foo-", `~"foo" OR "prefoo"`, `"foo"`},
		{"what begins with a sign begins there",
			".cach", `~"cache" OR "cached" OR "caching"`, `"cach" *`},
		{"the beginning of too many words is left to Match",
			".u", `~`, `"u" *`},
		{"what ends a word and is one",
			"tsx-", `~"tsx"`, `"tsx"`},
		{"a script without spaces is a phrase of pairs",
			"検索機能", `"検索 索機 機能"`, `"検索 索機 機能"`},
		{"one rune of it begins a pair",
			"検", `"検" *`, `"検" *`},
		{"a long run of it is looked up by its beginning",
			strings.Repeat("検", 20), `~"` + strings.TrimSpace(strings.Repeat("検検 ", 16)) + `"`, `"` + strings.TrimSpace(strings.Repeat("検検 ", 16)) + `"`},
		{"a change of script is a boundary",
			"foo検", `~("foo" OR "prefoo") AND ("検" *)`, `"foo 検" *`},
		{"alternatives",
			"fix OR bar -foo", `("fix" OR "prefix") OR (("bar" OR "barn") NOT ("foo"))`, `("fix") OR ("bar")`},
		{"an alternative that no word has is dropped",
			"zzz OR bar", `"bar" OR "barn"`, `("zzz") OR ("bar")`},
		{"what no word has is found nowhere",
			"zzz bar", `none`, `("zzz") AND ("bar")`},
		{"fields restrict to columns",
			"title:bar label:fix -description:foo", `(({title} : ("bar" OR "barn")) AND ({labels} : ("fix" OR "prefix"))) NOT ({body} : ("foo"))`,
			`({title} : ("bar")) AND ({labels} : ("fix"))`},
		{"signs alone leave all to Match",
			"->", `~`, ``},
		{"signs beside words leave the rest to Match",
			"bar ->", `~"bar" OR "barn"`, `"bar"`},
		{"exclusions alone leave all to Match",
			"-foo", `~`, ``},
		{"an exclusion of signs is left to Match",
			`-"->" bar`, `~"bar" OR "barn"`, `"bar"`},
		{"a long exclusion is left to Match",
			`-"` + many + `" bar`, `~"bar" OR "barn"`, `"bar"`},
		{"more words than fit are left to Match",
			strings.Join(unlike, " "), `~("` + strings.Join(unlike[:16], `") AND ("`) + `")`, `("` + strings.Join(unlike[:16], `") AND ("`) + `")`},
		{"more alternatives than fit are left to Match",
			strings.Join(unlike[:17], " OR "), `~`, `("` + strings.Join(unlike[:16], `") OR ("`) + `")`},
		{"an alternative that comes again is one",
			strings.Repeat("foo OR ", 50) + "bar", `("foo" OR "prefoo") OR ("bar" OR "barn")`, `("foo") OR ("bar")`},
		{"a part of too many words is left to Match",
			"a", `~`, `"a" *`},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := Parse(c.query, nil)
			if got := planned(q.Candidates(&v, 4)); got != c.candidates {
				t.Errorf("candidates of %s\n got %s\nwant %s", c.query, got, c.candidates)
			}
			if got := q.Ranked(&v); got != c.ranked {
				t.Errorf("ranked %s\n got %s\nwant %s", c.query, got, c.ranked)
			}
		})
	}
}

func TestTheLastWordMayGoOn(t *testing.T) {
	var v Vocabulary
	v.Add("fix", "bar", "ts")
	for _, c := range []struct{ name, query, ranked string }{
		{"but not one that there is", "fix bar", `("fix") AND ("bar")`},
		{"where there is none such", "bar fi", `("bar") AND ("fi" *)`},
		{"of several segments the last counts", "foo.ts", `"foo ts"`},
		{"of several groups too", "x OR bar", `("x") OR ("bar")`},
		{"but not that of a phrase", `"fi"`, `"fi"`},
		{"nothing stays nothing", "", ``},
		{"so do signs", "->", ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Parse(c.query, nil).Ranked(&v); got != c.ranked {
				t.Errorf("got %s, want %s", got, c.ranked)
			}
		})
	}
}

// planned writes a plan; ~ marks one that needs Match.
func planned(p Plan) string {
	switch {
	case p.None:
		return "none"
	case p.Exact:
		return p.Expr
	}
	return "~" + p.Expr
}
