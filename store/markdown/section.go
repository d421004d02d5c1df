package markdown

import (
	"errors"
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

// Section returns the section under a heading, the heading's own line included. The
// heading is named as Find takes it, or by the beginning of one heading only, or by a part
// of one only. Otherwise the error is a *SectionError.
func Section(body, name string) (string, Heading, error) {
	outline := Outline(body)
	h, err := Find(outline, name)
	lower := strings.ToLower(clean(name))
	for _, fits := range []func(text, part string) bool{strings.HasPrefix, strings.Contains} {
		if err == nil || lower == "" {
			break
		}
		if failed := (*SectionError)(nil); errors.As(err, &failed) && failed.Ambiguous {
			break
		}
		found := slices.DeleteFunc(slices.Clone(outline), func(h Heading) bool { return !fits(strings.ToLower(words.OneLine(h.Text)), lower) })
		if len(found) > 0 {
			h, err = one(name, found)
		}
	}
	if err != nil {
		return "", Heading{}, err
	}
	return Lines(body, h.Line, h.EndLine), h, nil
}

// one is the only heading of those found under a name.
func one(name string, found []Heading) (Heading, error) {
	if len(found) > 1 {
		return Heading{}, &SectionError{name, found, true}
	}
	return found[0], nil
}

// ordinal is the end of a name that counts headings of one text.
var ordinal = pattern.Lazy(`^(.*\S)\s*#(\d{1,4})$`)

// Find returns the one heading with a name: its text, a path such as "Goals > Later"
// whose parts are headings inside one another, or "Notes#2" for the second of several
// with one text. Letter case matters only where headings differ in nothing else. The
// error is a *SectionError.
func Find(outline []Heading, name string) (Heading, error) {
	wanted := clean(name)
	if found := called(outline, wanted); len(found) > 0 {
		return one(name, found)
	}
	if part := ordinal().FindStringSubmatch(wanted); part != nil {
		found := called(outline, clean(part[1]))
		if n, err := strconv.Atoi(part[2]); err == nil && n >= 1 && n <= len(found) {
			return found[n-1], nil
		}
	}
	return Heading{}, &SectionError{Heading: name, Candidates: bySimilarity(outline, wanted)}
}

// called are the headings with a text, or else those at the end of a path.
func called(outline []Heading, name string) []Heading {
	if found := titled(outline, name); len(found) > 0 || !strings.Contains(name, ">") {
		return found
	}
	return atPath(outline, strings.Split(name, ">"))
}

// clean is a name without the marks of a heading and the space that nobody sees.
func clean(name string) string {
	name = words.OneLine(name)
	if marks := strings.TrimLeft(name, "#"); marks != name && (strings.HasPrefix(marks, " ") || marks == "") {
		name = strings.TrimSpace(strings.TrimRight(marks, "#"))
	}
	return name
}

// titled are the headings with a text, those that differ in letter case only where no
// other has it.
func titled(outline []Heading, text string) (found []Heading) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for _, h := range outline {
			if same(words.OneLine(h.Text), text) {
				found = append(found, h)
			}
		}
		if len(found) > 0 {
			break
		}
	}
	return found
}

// atPath are the headings at the end of a path: each part is a heading somewhere inside
// the section of the part before.
func atPath(outline []Heading, path []string) (found []Heading) {
	first, rest := clean(path[0]), path[1:]
	if len(rest) == 0 {
		return titled(outline, first)
	}
	for _, outer := range titled(outline, first) {
		inside := slices.DeleteFunc(slices.Clone(outline), func(h Heading) bool { return h.Line <= outer.Line || h.Line > outer.EndLine })
		for _, h := range atPath(inside, rest) {
			if !slices.ContainsFunc(found, func(f Heading) bool { return f.Line == h.Line }) {
				found = append(found, h)
			}
		}
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
