package where

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A term for a field replaces the one that there is, and leaves the rest as it was typed.
func TestCriteriaWithAnotherTerm(t *testing.T) {
	for text, want := range map[string]string{
		"":                                         "status = open",
		"sort title":                               "status = open sort title",
		"label:api parser sort title":              "label:api parser status = open sort title",
		"status = closed and label:api":            "label:api status = open",
		"STATUS in (closed, 'in progress') x":      "x status = open",
		"label:api or parser":                      "(label:api or parser) status = open",
		"(status = closed or x) status:closed":     "(status = closed or x) status = open",
		"not status = closed status != x":          "not status = closed status != x status = open",
		`"a  b"   (x  or y)  and  z sort updated `: `"a  b" (x  or y) z status = open sort updated`,
	} {
		c, err := Parse(text)
		if err != nil {
			t.Fatal(text, err)
		}
		if got := c.With("status", "status = open"); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// With a term, without it and sorted otherwise, criteria can be parsed, and mean what the texts say.
func TestEditedCriteriaCanBeParsed(t *testing.T) {
	parts := []string{"status = open", "label:api", "not x", "(a or b)", "or", "and", `"q r"`, "is:ready", "priority in (low, high)", "-title:z"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 6).Draw(t, "parts"), " ")
		c, err := Parse(text)
		if err != nil {
			return
		}
		more, err := Parse(c.With("status", "status = closed"))
		if err != nil {
			t.Fatal(text, err)
		}
		if last := more.Terms[len(more.Terms)-1]; !slices.Equal(last.Only("status"), []string{"closed"}) {
			t.Fatalf("%q: %+v", text, last)
		}
		for _, edited := range []string{more.With("status", ""), more.SortedBy("sort title desc")} {
			if _, err := Parse(edited); err != nil {
				t.Fatal(text, edited, err)
			}
		}
	})
}

// A value that is written comes back, whatever it is.
func TestValuesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"open", "in progress", "OR", "empty", `a"b\c`, "x,y", "label:x", "-x", "(x)"})).
			Filter(func(s string) bool { return s != "" && len(s) < 100 }).Draw(t, "value")
		c, err := Parse("status = " + Value(value))
		if err != nil {
			t.Fatal(value, err)
		}
		if got := c.Terms[0].Only("status"); !slices.Equal(got, []string{value}) {
			t.Fatalf("%q came back as %q", value, got)
		}
	})
}
