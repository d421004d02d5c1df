package frontmatter

import (
	"strings"

	"issues-index/store/pattern"
)

// anyLineEnd also finds the line ends of a text that was converted twice.
var anyLineEnd = pattern.Lazy(`\r+\n`)

// body is the body that an edit leaves, and whether it is another one.
func (e Edit) body(s *source) (body string, changed bool) {
	if e.Exact != nil {
		return *e.Exact, *e.Exact != s.body
	}
	if strings.TrimSpace(e.Append) == "" {
		return s.newBody(e.Body)
	}
	text := strings.ToValidUTF8(e.Append, "\ufffd")
	if e.Body == nil {
		return appended(s.body, text), true
	}
	replacement := appended(*e.Body, text)
	return s.newBody(&replacement)
}

// appended is body with text as its last paragraph, in body's line endings.
func appended(body, text string) string {
	eol := "\n"
	if strings.Contains(body, "\r\n") {
		eol = "\r\n"
	}
	text = strings.ReplaceAll(strings.TrimRight(unixLines(text), "\n"), "\n", eol)
	switch {
	case strings.TrimSpace(body) == "" || strings.HasSuffix(body, eol+eol):
	case strings.HasSuffix(body, "\n"):
		body += eol
	default:
		body += eol + eol
	}
	return body + text + eol
}

// newBody is the body that an edit leaves, and whether it is another one. Lines
// that are the same from the start or the end on keep their line ends.
func (s *source) newBody(replacement *string) (body string, changed bool) {
	if replacement == nil || strings.TrimSpace(*replacement) == "" {
		return s.body, false
	}
	text := anyLineEnd().ReplaceAllLiteralString(strings.ToValidUTF8(*replacement, "\ufffd"), "\n")
	old := unixLines(s.body)
	if leadingBlankLines(text) == "" {
		text = leadingBlankLines(old) + text
	}
	if old != "" && !strings.HasSuffix(old, "\n") {
		text = strings.TrimRight(text, "\n")
	} else if !strings.HasSuffix(text, "\n") {
		text = strings.TrimRight(text, "\r") + "\n"
	}
	if text == old {
		return s.body, false
	}
	was, is := strings.SplitAfter(s.body, "\n"), strings.SplitAfter(text, "\n")
	head := 0
	for head < min(len(was), len(is)) && unixLines(was[head]) == is[head] {
		head++
	}
	tail := 0
	for tail < min(len(was), len(is))-head && unixLines(was[len(was)-1-tail]) == is[len(is)-1-tail] {
		tail++
	}
	middle := strings.Join(is[head:len(is)-tail], "")
	if s.bodyLineEnd() == "\r\n" {
		middle = strings.ReplaceAll(middle, "\n", "\r\n")
	}
	return strings.Join(was[:head], "") + middle + strings.Join(was[len(was)-tail:], ""), true
}

// bodyLineEnd is how most of the body's lines end, or the frontmatter's when it
// has none.
func (s *source) bodyLineEnd() string {
	all, dos := strings.Count(s.body, "\n"), strings.Count(s.body, "\r\n")
	switch {
	case all == 0:
		return s.eol
	case 2*dos > all:
		return "\r\n"
	}
	return "\n"
}

func unixLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// leadingBlankLines are the lines of a text before its first that is not blank.
func leadingBlankLines(text string) string {
	blank := text[:len(text)-len(strings.TrimLeft(text, " \t\n"))]
	return blank[:strings.LastIndexByte(blank, '\n')+1]
}
