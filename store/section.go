package store

import (
	"fmt"
	"strings"
)

// LineCount is the number of lines of a body. A last line without a line feed
// counts; the empty body has none.
func LineCount(body string) int {
	n := strings.Count(body, "\n")
	if body != "" && !strings.HasSuffix(body, "\n") {
		n++
	}
	return n
}

// Lines returns the lines from start to end of a body, both included and
// counted from 1, byte for byte with their line ends. Lines that do not exist
// are left out.
func Lines(body string, start, end int) string {
	from := lineOffset(body, start-1)
	return body[from : from+lineOffset(body[from:], end-max(start, 1)+1)]
}

// lineOffset is the offset at which n lines of s end, or len(s).
func lineOffset(s string, n int) int {
	at := 0
	for ; n > 0 && at < len(s); n-- {
		i := strings.IndexByte(s[at:], '\n')
		if i < 0 {
			return len(s)
		}
		at += i + 1
	}
	return at
}

// A SectionError says that a heading names no section, or several.
type SectionError struct {
	Heading string
	// Candidates are the headings that fit; when none does, all there are.
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

// Section returns the section under a heading, the heading's own line included.
// The heading's text is taken exactly, else ignoring case, else as the
// beginning of one heading only, else as a part of one only. Otherwise the
// error is a *SectionError.
func Section(body, heading string) (string, Heading, error) {
	outline := Outline(body)
	want := strings.Join(strings.Fields(strings.Trim(strings.TrimSpace(heading), "#")), " ")
	lower := strings.ToLower(want)
	if want != "" {
		for _, fits := range []func(text string) bool{
			func(text string) bool { return text == want },
			func(text string) bool { return strings.EqualFold(text, want) },
			func(text string) bool { return strings.HasPrefix(strings.ToLower(text), lower) },
			func(text string) bool { return strings.Contains(strings.ToLower(text), lower) },
		} {
			var found []Heading
			for _, h := range outline {
				if fits(strings.Join(strings.Fields(h.Text), " ")) {
					found = append(found, h)
				}
			}
			switch len(found) {
			case 0:
				continue
			case 1:
				return Lines(body, found[0].Line, found[0].EndLine), found[0], nil
			}
			return "", Heading{}, &SectionError{heading, found, true}
		}
	}
	return "", Heading{}, &SectionError{Heading: heading, Candidates: outline}
}
