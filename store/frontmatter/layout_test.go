package frontmatter

import (
	"slices"
	"strings"
	"testing"

	"issues-index/store/layout"
)

func TestTheLayoutOfAnyDocumentJoinsToItsBytes(t *testing.T) {
	cut := 0
	for _, text := range adversarial {
		for _, file := range withFences(text) {
			p := Parse([]byte(file), "", layout.Default())
			m, fence, err := p.Layout()
			if err != nil {
				continue
			}
			cut++
			if got := m.String() + fence + p.Body; got != file {
				t.Errorf("%q is cut into %q", file, got)
			}
			for _, e := range m.Keys {
				alone := Parse([]byte("---\n"+e.Lines+"---\n"), "", layout.Default())
				only, _, err := alone.Layout()
				if err != nil || len(only.Keys) != 1 || string(only.Keys[0].Value) != string(e.Value) {
					t.Errorf("the lines of %s, %q, are not its value %s: %v", e.Key, e.Lines, e.Value, err)
				}
				if e.Below != nil && e.Below.String() != e.Lines {
					t.Errorf("%q is cut into %q", e.Lines, e.Below.String())
				}
			}
		}
	}
	if cut < 60 {
		t.Errorf("only %d documents could be cut", cut)
	}
}

func TestALayoutIsRefusedWhereLinesAreShared(t *testing.T) {
	for name, yaml := range map[string]string{
		"flow style":   "{id: x, title: y}\n",
		"an alias":     "a: &a x\nb: *a\n",
		"a merge key":  "<<: {a: b}\nid: x\n",
		"a list key":   "? [a, b]\n: x\n",
		"a lone CR":    "a: b\rc: d\n",
		"invalid YAML": "a: b: c\n",
	} {
		t.Run(name, func(t *testing.T) {
			if m, _, err := Parse([]byte("---\n"+yaml+"---\n"), "", layout.Default()).Layout(); err == nil {
				t.Errorf("cut into %+v", m)
			}
		})
	}
}

func TestOneKeyOfALayoutIsReplacedOrRemoved(t *testing.T) {
	const document = "---\n# a\na: 1\n# b\nb: 2\n# c\n---\n"
	m, fence, err := Parse([]byte(document), "", layout.Default()).Layout()
	if err != nil {
		t.Fatal(err)
	}
	with := func(key, lines string) string {
		m := m
		m.Keys = slices.Clone(m.Keys)
		m.set(key, lines)
		return m.String()
	}
	for name, c := range map[string]struct{ got, want string }{
		"replaced":         {with("a", "a: 3\n"), "---\n# a\na: 3\n# b\nb: 2\n# c\n"},
		"removed":          {with("a", ""), "---\n# a\n# b\nb: 2\n# c\n"},
		"the last removed": {with("b", ""), "---\n# a\na: 1\n# b\n# c\n"},
		"added":            {with("c", "c: 3\n"), "---\n# a\na: 1\n# b\nb: 2\nc: 3\n# c\n"},
		"not there":        {with("c", ""), "---\n# a\na: 1\n# b\nb: 2\n# c\n"},
		"the old one":      {m.String() + fence, document},
	} {
		t.Run(name, func(t *testing.T) {
			if c.got != c.want {
				t.Errorf("%q, want %q", c.got, c.want)
			}
		})
	}
}

func TestACommentWithQuotesIsNoPartOfTheValueAboveIt(t *testing.T) {
	for name, c := range map[string]struct{ value, comments string }{
		"an alias":              {"a: [*x, 'b']\n", "# it's of b\n"},
		"quotes before the end": {"a: [\"b\n # c\", d]\n", "# it's of b\n"},
		"quotes at the end":     {"a: \"b\n # c\"\n", "# it's of b\n"},
	} {
		t.Run(name, func(t *testing.T) {
			text := "---\nx: &x 1\n" + c.value + c.comments + "b: 2\n---\n"
			e := Edit{Unstamped: true, Set: []Assignment{{Key: "a"}}}
			out, _, err := e.Apply(Parse([]byte(text), "", layout.Default()), editTime)
			if want := "---\nx: &x 1\n" + c.comments + "b: 2\n---\n"; err != nil || string(out) != want {
				t.Errorf("%q, %v, want %q", out, err, want)
			}
		})
	}
}

// TestLinesOfQuotesThatLookLikeCommentsAreReadAFewTimes: each time would be for the length
// of the value, which held the lock for 40 seconds.
func TestLinesOfQuotesThatLookLikeCommentsAreReadAFewTimes(t *testing.T) {
	cost := func(n int) float64 {
		text := "---\na: \"b\n" + strings.Repeat(" #'\n", n) + " #\"\nc: 1\n---\n"
		e := Edit{Unstamped: true, Set: []Assignment{{Key: "c", Value: "2"}}}
		p := Parse([]byte(text), "", layout.Default())
		return testing.AllocsPerRun(1, func() {
			if _, changed, err := e.Apply(p, editTime); err != nil || !changed {
				t.Fatal(changed, err)
			}
		})
	}
	if a, b := cost(100), cost(1000); b > 15*a {
		t.Errorf("100 lines take %.0f allocations, 1000 take %.0f", a, b)
	}
}

// A wrapped value may have a number of an issue at the beginning of a line.
func TestAWrappedTitleIsNoObstacleToOtherKeys(t *testing.T) {
	const text = "---\ntitle: \"see issue\n  #42\"\n---\n"
	e := Edit{Unstamped: true, Set: []Assignment{{Key: "assignee", Value: "ann"}}}
	out, _, err := e.Apply(Parse([]byte(text), "", layout.Default()), editTime)
	if want := "---\ntitle: \"see issue\n  #42\"\nassignee: ann\n---\n"; err != nil || string(out) != want {
		t.Errorf("%q, %v", out, err)
	}
}
