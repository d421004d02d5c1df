package search

import (
	"fmt"
	"strings"
	"testing"
)

// String writes a query as the tests below read it.
func (q SearchQuery) String() string {
	var groups []string
	for _, g := range q.groups {
		var terms []string
		for _, t := range g {
			var s strings.Builder
			if t.negative {
				s.WriteString("not ")
			}
			if t.fields != everywhere {
				for f, name := range columns {
					if t.fields.has(searchedField(f)) {
						s.WriteString(name + " ")
					}
				}
			}
			fmt.Fprintf(&s, "[%s]", t.needle)
			if t.prefix {
				s.WriteString("*")
			}
			terms = append(terms, s.String())
		}
		groups = append(groups, strings.Join(terms, " & "))
	}
	return strings.Join(groups, " | ")
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, input, want string }{
		{"nothing", "", ""},
		{"white space", " \t\n\u3000", ""},
		{"an empty phrase", `""`, ""},
		{"a phrase of white space", `"  "`, ""},
		{"words, the last of which may go on", "Fix the CACHE", "[fix] & [the] & [cache]*"},
		{"ideographic space separates too", "検索\u3000機能", "[検索] & [機能]*"},
		{"a phrase's white space is one space", "\"fix  the\tcache \"", "[fix the cache]"},
		{"a word before a phrase does not go on", `fix "the cache"`, "[fix] & [the cache]"},
		{"a quote that is not closed reaches to the end", `fix "the cache`, "[fix] & [the cache]"},
		{"a quote inside a word is a character", `5" disk"`, `[5"] & [disk"]*`},
		{"a phrase ends where its quote does", `"a b"c`, "[a b] & [c]*"},
		{"OR binds weaker than standing together", "a b OR c", "[a] & [b] | [c]*"},
		{"several ORs", "a OR b OR c", "[a] | [b] | [c]*"},
		{"or in lower case is a word", "a or b", "[a] & [or] & [b]*"},
		{"OR in quotes is a word", `a "OR" b`, "[a] & [or] & [b]*"},
		{"OR alone is a word", "OR", "[or]*"},
		{"OR in front is a word", "OR a", "[or] & [a]*"},
		{"OR at the end is a word", "a OR", "[a] & [or]*"},
		{"of two ORs one is a word", "a OR OR b", "[a] & [or] | [b]*"},
		{"three ORs are a word between words", "OR OR OR", "[or]*"},
		{"what is said again counts once, where it was said last", `a b -c "a" title:a -c b -"c"`, "[a] & title [a] & [b] & not [c]"},
		{"in each alternative", "a a OR a a b", "[a] | [a] & [b]*"},
		{"AND, NOT and NEAR are words", "a AND NOT NEAR b", "[a] & [and] & [not] & [near] & [b]*"},
		{"a minus excludes", "a -b", "[a] & not [b]"},
		{"a minus excludes a phrase", `-"a b" c`, "not [a b] & [c]*"},
		{"a minus excludes in a field", "-title:a -label:\"b c\"", "not title [a] & not labels [b c]"},
		{"a minus excludes within an alternative", "a -b OR c", "[a] & not [b] | [c]*"},
		{"a flag is a word", "--verbose", "[--verbose]*"},
		{"a lone minus is a word", "a - b", "[a] & [-] & [b]*"},
		{"an arrow is a word", "a -> b", "[a] & [->] & [b]*"},
		{"a minus before a sign is a word", "-.5 -_x", "[-.5] & [-_x]*"},
		{"a minus inside a word is a character", "kebab-case", "[kebab-case]*"},
		{"a minus after a phrase is a character", `"a"-b`, "[a] & [-b]*"},
		{"fields", `title:a label:b labels:c description:"d e"`, "title [a] & labels [b] & labels [c] & body [d e]"},
		{"other names are words", "foo:bar http://x", "[foo:bar] & [http://x]*"},
		{"a field's name is in lower case", "Title:a", "[title:a]*"},
		{"a field without a term is a word", "label: a title:", "[label:] & [a] & [title:]*"},
		{"a field of a field is a word", "title:label:a", "title [label:a]*"},
		{"a minus after a field is a character", "title:-a", "title [-a]*"},
		{"an OR in a field is a word", "a title:OR b", "[a] & title [or] & [b]*"},
		{"FTS5's signs are characters", `a* ^b (c) NEAR(d,2) {e}:f +g`, "[a*] & [^b] & [(c)] & [near(d,2)] & [{e}:f] & [+g]*"},
		{"bytes that are not UTF-8 are the replacement character", "a\xff", "[a\ufffd]*"},
		{"an empty phrase among words asks for nothing", `a "" b`, "[a] & [b]*"},
		{"an empty exclusion excludes nothing", `a -""`, "[a]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Parse(c.input, nil).String(); got != c.want {
				t.Errorf("Parse(%q)\n got %s\nwant %s", c.input, got, c.want)
			}
		})
	}
}

func TestParseRestrictsToFields(t *testing.T) {
	for _, c := range []struct {
		name   string
		input  string
		fields []string
		want   string
	}{
		{"one", "a", []string{"title"}, "title [a]*"},
		{"several", "a", []string{"description", "title"}, "title body [a]*"},
		{"all", "a", []string{"description", "title", "labels"}, "[a]*"},
		{"unknown ones are no restriction", "a", []string{"status"}, "[a]*"},
		{"a term's own field restricts it further", "title:a b", []string{"title", "labels"}, "title [a] & title labels [b]*"},
		{"an exclusion from a field that is not searched excludes nothing", "a -title:b", []string{"labels"}, "labels [a]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Parse(c.input, c.fields).String(); got != c.want {
				t.Errorf("Parse(%q, %q)\n got %s\nwant %s", c.input, c.fields, got, c.want)
			}
		})
	}
	t.Run("a term in a field that is not searched matches nothing", func(t *testing.T) {
		q := Parse("title:a", []string{"labels"})
		if q.Matcher().Match(Text{"a", "a", "a"}) {
			t.Error("it matches")
		}
		if plan := q.Candidates(new(Vocabulary), 10); !plan.None || !plan.Exact || q.Ranked(&Vocabulary{}) != "" {
			t.Errorf("planned %+v, ranked %q", plan, q.Ranked(&Vocabulary{}))
		}
	})
}

func TestMatchesAll(t *testing.T) {
	for input, want := range map[string]bool{
		"": true, " ": true, `""`: true, `-""`: true, `a OR ""`: true,
		"a": false, "-a": false, `a ""`: false, "->": false,
	} {
		q := Parse(input, nil)
		if got := q.MatchesAll(); got != want {
			t.Errorf("%q: MatchesAll() = %v", input, got)
		}
		if want && !q.Matcher().Match(Text{}) {
			t.Errorf("%q does not match an empty document", input)
		}
		if want && q.Candidates(new(Vocabulary), 10) != (Plan{Exact: true}) {
			t.Errorf("%q does not take every document for a match", input)
		}
	}
	if !(SearchQuery{}).MatchesAll() {
		t.Error("the zero Query excludes documents")
	}
}
