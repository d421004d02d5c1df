package markdown

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"issues-index/store/pattern"
	"issues-index/store/words"
)

// A SectionError says that a name fits no heading, or several.
type SectionError struct {
	Heading string // as it was given
	// Candidates are the headings that fit when the name is Ambiguous, else those that
	// there are, the similar ones first.
	Candidates []Heading
	Ambiguous  bool
}

func (e *SectionError) Error() string {
	names := make([]string, len(e.Candidates))
	for i, h := range e.Candidates {
		names[i] = fmt.Sprintf("%q (lines %d-%d)", h.Text, h.Line, h.EndLine)
	}
	list := strings.Join(names, ", ")
	switch {
	case e.Ambiguous:
		return fmt.Sprintf("several sections fit %q: %s", e.Heading, list)
	case len(names) == 0:
		return fmt.Sprintf("no section %q: the document has no headings", e.Heading)
	}
	return fmt.Sprintf("no section %q; there are %s", e.Heading, list)
}

// ordinal is the end of a name that counts headings of one text.
var ordinal = pattern.Lazy(`^(.*\S)\s*#(\d{1,4})$`)

// Find returns the one heading with a name: its text, a path such as "Goals > Later"
// whose parts are headings inside one another, or "Notes#2" for the second of several
// with one text. Letter case matters only where headings differ in nothing else. The
// error is a *SectionError.
func Find(outline []Heading, name string) (Heading, error) {
	wanted := clean(name)
	found := called(outline, wanted)
	if part := ordinal().FindStringSubmatch(wanted); part != nil && len(found) == 0 {
		counted := called(outline, clean(part[1]))
		if n, err := strconv.Atoi(part[2]); err == nil && n >= 1 && n <= len(counted) {
			return counted[n-1], nil
		}
	}
	switch len(found) {
	case 0:
		return Heading{}, &SectionError{Heading: name, Candidates: bySimilarity(outline, wanted)}
	case 1:
		return found[0], nil
	}
	return Heading{}, &SectionError{name, found, true}
}

// those are the headings for which a condition holds.
func those(outline []Heading, holds func(Heading) bool) []Heading {
	return slices.DeleteFunc(slices.Clone(outline), func(h Heading) bool { return !holds(h) })
}

// called are the headings with a text, or else those at the end of a path: each part is a
// heading somewhere inside the section of the part before.
func called(outline []Heading, name string) []Heading {
	found := titled(outline, name)
	outer, inner, isPath := strings.Cut(name, ">")
	if len(found) > 0 || !isPath {
		return found
	}
	for _, h := range titled(outline, clean(outer)) {
		inside := those(outline, func(o Heading) bool { return o.Line > h.Line && o.Line <= h.EndLine })
		for _, h := range called(inside, clean(inner)) {
			if !slices.Contains(found, h) {
				found = append(found, h)
			}
		}
	}
	return found
}

// clean is a name without the marks of a heading and the space that is not shown.
func clean(name string) string {
	name = words.OneLine(name)
	if marks := strings.TrimLeft(name, "#"); marks != name && (strings.HasPrefix(marks, " ") || marks == "") {
		name = strings.TrimSpace(strings.TrimRight(marks, "#"))
	}
	return name
}

// titled are the headings with a text, those that differ in letter case only where no
// other has it.
func titled(outline []Heading, text string) []Heading {
	found := those(outline, func(h Heading) bool { return words.OneLine(h.Text) == text })
	if len(found) == 0 {
		found = those(outline, func(h Heading) bool { return strings.EqualFold(words.OneLine(h.Text), text) })
	}
	return found
}

// bySimilarity sorts headings by how likely it is that a name meant them: a misspelling
// first, then those that share a part of the name, then the others.
func bySimilarity(outline []Heading, name string) []Heading {
	texts := make([]string, len(outline))
	for i, h := range outline {
		texts[i] = h.Text
	}
	nearest := words.Nearest(name, texts)
	lower := strings.ToLower(name)
	distance := func(h Heading) int {
		text := strings.ToLower(h.Text)
		switch {
		case h.Text == nearest && nearest != "":
			return 0
		case lower != "" && text != "" && (strings.Contains(text, lower) || strings.Contains(lower, text)):
			return 1
		}
		return 2
	}
	sorted := slices.Clone(outline)
	slices.SortStableFunc(sorted, func(a, b Heading) int { return distance(a) - distance(b) })
	return sorted
}
