package search

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestMatch(t *testing.T) {
	doc := Text{
		Title:  "Fix the Cache-Invalidation bug",
		Labels: "Back End\nurgent",
		Body:   "## Größe\n\nSee `src/foo_bar.ts` -> run with --force.\nThe  read\n\tbarrier. 全文検索機能を追加。C++ aa",
	}
	for _, c := range []struct {
		query string
		want  bool
	}{
		{"fix bug", true},
		{"bug fix", true},
		{"bug nowhere", false},
		{"urgent größe", true},
		{"GRÖSSE", false},
		{"GRÖßE", true},
		{"ache-inval", true},
		{"cache invalidation", true},
		{"foo_bar.ts", true},
		{"foo.bar", false},
		{"c++", true},
		{"->", true},
		{"=>", false},
		{"--force", true},
		{"検索", true},
		{"検", true},
		{"索検", false},
		{`"read barrier"`, true},
		{`"the read barrier."`, true},
		{`"barrier read"`, false},
		{`"read run"`, false},
		{`"cache invalidation"`, true},
		{`"cache invalidation bu"`, true},
		{`"cache-invalidation"`, true},
		{`"cache:invalidation"`, false},
		{`"fix cache"`, false},
		{`"run with force the read"`, true},
		{`"run with force. the read"`, false},
		{`description:"with force"`, true},
		{`title:"with force"`, false},
		{`"he cach"`, true},
		{`"back end"`, true},
		{`"end urgent"`, false},
		{"nowhere OR bug", true},
		{"bug nowhere OR nothing", false},
		{"bug -urgent", false},
		{"bug -urge", true},
		{"bug -rgent", true},
		{"bug -rgen", true},
		{"bug -a", true},
		{"bug -aa", false},
		{`bug -"cache invalidation"`, false},
		{`bug -"fix cache"`, true},
		{"bug -foo/bar", false},
		{"bug -検索", false},
		{"bug -検", false},
		{"bug -索検", true},
		{`bug -"->"`, false},
		{`bug -"=>"`, true},
		{"-nowhere", true},
		{"title:bug", true},
		{"title:urgent", false},
		{"label:urgent", true},
		{"labels:end", true},
		{"description:bug", false},
		{"bug -title:größe", true},
		{"bug -description:größe", false},
	} {
		if got := Parse(c.query, nil).Matcher().Match(doc); got != c.want {
			t.Errorf("%s: %v", c.query, got)
		}
	}
}

// A wish is a term of a query as the scan below understands it.
type wish struct {
	typed            string
	phrase, negative bool
	field            string
}

func (w wish) String() string {
	s := w.typed
	if w.phrase {
		s = `"` + s + `"`
	}
	if w.field != "" {
		s = w.field + ":" + s
	}
	if w.negative {
		s = "-" + s
	}
	return s
}

// holds scans the texts for the wish, with nothing done for speed.
func (w wish) holds(t Text) bool {
	texts := map[string][]string{"title": {t.Title}, "label": strings.Split(t.Labels, "\n"), "description": {t.Body}}
	for name, values := range texts {
		if w.field != "" && w.field != name {
			continue
		}
		if w.negative && slowFeed(w.typed) != "" && slices.ContainsFunc(values, func(s string) bool {
			return inWords(slowFeed(s), w.typed)
		}) {
			return false
		}
		if (!w.negative || slowFeed(w.typed) == "") && slices.ContainsFunc(values, func(s string) bool {
			return strings.Contains(slowOneSpaced(Fold(s)), slowOneSpaced(Fold(w.typed))) || w.isRow() && strings.Contains(slowFeed(s), slowOneSpaced(Fold(w.typed)))
		}) {
			return !w.negative
		}
	}
	return w.negative
}

// isRow reports whether the wish is a phrase of words alone, so that it does not
// matter what separates them.
func (w wish) isRow() bool {
	words := strings.Fields(Fold(w.typed))
	return len(words) > 1 && !slices.ContainsFunc(words, func(word string) bool {
		return utf8.RuneCountInString(word) > 33 || strings.ContainsFunc(word, func(r rune) bool { return classOf(r) != letter })
	})
}

// inWords looks for the tokens of a needle in those of a text.
func inWords(words, typed string) bool {
	needle := " " + slowFeed(typed) + " "
	last, all := []rune(needle), []rune(Fold(typed))
	// Of unspaced runes at the end the one that stands alone can be any pair's first.
	end := len(all)
	for end > 0 && classOf(all[end-1]) == separator {
		end--
	}
	if end > 0 && classOf(all[end-1]) == unspaced {
		if end > 1 && classOf(all[end-2]) == unspaced {
			needle = string(last[:len(last)-2])
		} else {
			needle = string(last[:len(last)-1])
		}
	}
	return strings.Contains(" "+words+" ", needle)
}

// slowOneSpaced makes every run of white space one space, at the ends too.
func slowOneSpaced(s string) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		if unicode.IsSpace(r) {
			if !space {
				b.WriteByte(' ')
			}
		} else {
			b.WriteRune(r)
		}
		space = unicode.IsSpace(r)
	}
	return b.String()
}

func wishes() *rapid.Generator[wish] {
	return rapid.Custom(func(t *rapid.T) wish {
		w := wish{
			phrase:   rapid.Bool().Draw(t, "phrase"),
			negative: rapid.IntRange(0, 3).Draw(t, "negative") == 0,
			field:    rapid.SampledFrom([]string{"", "", "", "title", "label", "description"}).Draw(t, "field"),
		}
		w.typed = rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(append(runs, pieces...)), 1, 3).Draw(t, "pieces"), "")
		}).Filter(func(s string) bool {
			if w.phrase {
				return !strings.Contains(s, `"`) && strings.TrimSpace(s) == s
			}
			return !strings.ContainsFunc(s, unicode.IsSpace) && !strings.HasPrefix(s, `"`) && s != "OR" &&
				!startsNegative(s) && (!w.negative || w.field != "" || startsNegative("-"+s))
		}).Draw(t, "typed")
		return w
	})
}

func texts() *rapid.Generator[Text] {
	return rapid.Custom(func(t *rapid.T) Text {
		return Text{text().Draw(t, "title"), text().Draw(t, "labels"), text().Draw(t, "body")}
	})
}

func TestMatchIsWhatAScanFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.SliceOfN(rapid.SliceOfN(wishes(), 1, 3), 1, 3).Draw(t, "groups")
		var alternatives []string
		for _, g := range groups {
			var terms []string
			for _, w := range g {
				terms = append(terms, w.String())
			}
			alternatives = append(alternatives, strings.Join(terms, " "))
		}
		query := strings.Join(alternatives, " OR ")
		matcher := Parse(query, nil).Matcher()
		for _, doc := range rapid.SliceOfN(texts(), 1, 4).Draw(t, "documents") {
			want := slices.ContainsFunc(groups, func(g []wish) bool {
				return !slices.ContainsFunc(g, func(w wish) bool { return !w.holds(doc) })
			})
			if got := matcher.Match(doc); got != want {
				t.Fatalf("%q in %q: %v, the scan says %v", query, doc, got, want)
			}
		}
	})
}
