package where

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// withoutColumns is the criteria as they are when nobody has typed them.
func withoutColumns(c *Criteria) *Criteria {
	bare := &Criteria{Where: bareExpr(c.Where)}
	for _, s := range c.Sort {
		bare.Sort = append(bare.Sort, SortField{Field: s.Field, Desc: s.Desc})
	}
	return bare
}

func bareExpr(x Expr) Expr {
	switch x := x.(type) {
	case And:
		return conjunction(bareAll(x))
	case Or:
		return disjunction(bareAll(x))
	case Not:
		return Not{bareExpr(x.Expr)}
	case Compare:
		bare := Compare{Field: x.Field, Op: x.Op}
		for _, v := range x.Values {
			bare.Values = append(bare.Values, bareOperand(v))
		}
		return bare
	case Predicate:
		return Predicate{Name: x.Name, Arg: x.Arg}
	case Search:
		var bare Search
		for _, w := range x {
			bare = append(bare, SearchWord{Text: w.Text, Phrase: w.Phrase, Lead: w.Lead})
		}
		return bare
	}
	return x
}

// bareOperand is a value in the one form in which it is compared.
func bareOperand(v Operand) Operand {
	switch {
	case v.Empty():
		return Operand{Text: emptyText}
	case special(v.Text) && !v.Quoted:
		v.Text = strings.ToLower(v.Text)
	case !special(v.Text):
		v.Quoted = false
	}
	return Operand{Text: v.Text, Quoted: v.Quoted}
}

func bareAll(parts []Expr) []Expr {
	bare := make([]Expr, len(parts))
	for i, part := range parts {
		bare[i] = bareExpr(part)
	}
	return bare
}

// checkRoundTrip holds that what is written is read as the same tree. It is written without the
// parentheses that change nothing: words beside them join.
func checkRoundTrip(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, c *Criteria) {
	t.Helper()
	written := canonical(withoutColumns(c))
	again, err := Parse(written)
	if err != nil {
		t.Fatalf("%s cannot be read: %v", written, err)
	}
	if !reflect.DeepEqual(withoutColumns(again), withoutColumns(c)) {
		t.Fatalf("%s is read as\n%#v, want\n%#v", written, withoutColumns(again), withoutColumns(c))
	}
	if canonical(again) != written {
		t.Fatalf("%s is written again as %s", written, canonical(again))
	}
}

var (
	hardTexts = rapid.OneOf(
		rapid.SampledFrom([]string{"open", "and", "EMPTY", "@me", "-7d", "Today", "3", "1.10", "2026-01-02", "two words", `"`, `'`, `\`, `\"`, "a:b", "a:", "-", "(", "a,b", "!", "!=", "検索", "in", "sort", "é\u00a0x", ""}),
		rapid.StringMatching(`[a-zA-Z0-9:'"\\ =~!<>(),@-]{0,8}`),
		rapid.String(),
	)
	plainWords = rapid.SampledFrom([]string{"fix", "cache", "-draft", "title:x", "foo:bar", "in", "don't", "検索", "a\"b", "-", "#1", "@me", "3", "today"})
	operators  = rapid.SampledFrom([]Operator{Equal, NotEqual, Less, AtMost, Greater, AtLeast, Contains, Lacks})
)

// exprs makes trees in the form that the parser gives them.
func exprs(depth int) *rapid.Generator[Expr] {
	return rapid.Custom(func(t *rapid.T) Expr {
		kinds := 3
		if depth > 0 {
			kinds = 6
		}
		inner := func() []Expr { return rapid.SliceOfN(exprs(depth-1), 1, 4).Draw(t, "parts") }
		switch rapid.IntRange(0, kinds).Draw(t, "kind") {
		case 0:
			c := Compare{Field: hardTexts.Draw(t, "field"), Op: operators.Draw(t, "op")}
			v := Operand{Text: hardTexts.Draw(t, "value"), Quoted: true}
			if v.Empty() {
				c.Op = Equal
			}
			c.Values = []Operand{v}
			return c
		case 1:
			c := Compare{Field: "status", Op: In}
			for _, text := range rapid.SliceOfN(hardTexts, 1, 3).Draw(t, "values") {
				c.Values = append(c.Values, Operand{Text: text, Quoted: rapid.Bool().Draw(t, "quoted") || !plain(text)})
			}
			return c
		case 2:
			name, arg := rapid.SampledFrom(predicates).Draw(t, "predicate"), hardTexts.Filter(func(s string) bool { return s != "" }).Draw(t, "arg")
			if name == "is" || name == "has" {
				arg = strings.ToLower(arg)
			}
			return Predicate{Name: name, Arg: arg}
		case 3:
			return rapid.Custom(func(t *rapid.T) Search {
				words := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) SearchWord {
					if rapid.Bool().Draw(t, "plain") {
						return SearchWord{Text: plainWords.Draw(t, "word")}
					}
					return SearchWord{Text: hardTexts.Draw(t, "phrase"), Phrase: true, Lead: rapid.SampledFrom([]string{"", "-", "title:", "-description:"}).Draw(t, "lead")}
				}), 1, 3).Draw(t, "words")
				return words
			}).Draw(t, "search")
		case 4:
			return conjunction(inner())
		case 5:
			return disjunction(inner())
		}
		return Not{exprs(depth-1).Draw(t, "negated")}
	})
}

func TestWhatIsWrittenIsReadAsTheSameTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &Criteria{}
		if rapid.IntRange(0, 9).Draw(t, "where") > 0 {
			c.Where = exprs(3).Draw(t, "expr")
		}
		for range rapid.IntRange(0, 2).Draw(t, "sort") {
			c.Sort = append(c.Sort, SortField{Field: hardTexts.Draw(t, "sorted"), Desc: rapid.Bool().Draw(t, "desc")})
		}
		if len(canonical(c)) > MaxLength {
			t.Skip("longer than a text may be")
		}
		checkRoundTrip(t, c)
	})
}

// sqlWords are all the words that conditions and orders are written in.
var sqlWords = strings.Fields(`AND AS BY CAST DESC FROM IN INTEGER IS LAST LIMIT NOT NULL NULLS OR ORDER SELECT WHERE coalesce false iif instr nullif true
	issues_index_fold document document_label field label_tally tally above boxes_checked boxes_total found ready
	assignee closed created doc id id_fold id_number item key label labels number parent parent_fold priority priority_rank project
	status status_rank text time title type undated updated`)

// ownText reports whether SQL has words or characters of its own alone.
func ownText(sql string) bool {
	for _, word := range strings.FieldsFunc(sql, func(r rune) bool { return strings.ContainsRune(" ()?,.'|<>=%[]01", r) }) {
		if !slices.Contains(sqlWords, word) {
			return false
		}
	}
	return true
}

// FuzzParse holds that no text makes the parser or the compiler panic, that what is
// read can be written, and that no text gets into SQL but as an argument.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "status = open", `a!~"x\"" or not (b in (1, '2', empty) -title:"y z")`, "is:ready sort updated desc, priority", "-label:and",
		"updated > -7d closed = 2026-01-02T10:00Z", strings.Repeat("(", 60), strings.Repeat("not ", 60), "0 (0 0 > 0)", "\xff = \x00", `x:"`, "fix in parser",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse(text)
		if err != nil {
			wrong, ok := err.(*SyntaxError) //nolint:errorlint // it is returned as it is
			if !ok || wrong.Column < 1 || wrong.Column > len(text)+1 {
				t.Errorf("%q: %#v", text, err)
			}
			return
		}
		if len(canonical(c)) <= MaxLength {
			checkRoundTrip(t, c)
		}
		for _, compile := range []func(*Criteria, *Env) (Condition, error){Compile, OrderBy} {
			made, _ := compile(c, testEnv())
			if strings.Count(made.SQL, "?") != len(made.Args) || !ownText(made.SQL) {
				t.Errorf("%q is %s with %d arguments", text, made.SQL, len(made.Args))
			}
		}
	})
}
