package frontmatter

import (
	"strings"

	"issues-index/store/pattern"
)

// anyLineEnd also finds the line ends of a text that was converted twice.
var anyLineEnd = pattern.Lazy(`\r+\n`)

// body is the body that an edit makes of the old one, in a document whose frontmatter has a
// line end, and the field that it comes from.
func (e Edit) body(old, eol string) (body, field string) {
	if e.Exact != nil {
		return *e.Exact, "text"
	}
	body, field = old, "note"
	if e.Body != nil && strings.TrimSpace(*e.Body) != "" {
		body, field = replacedBody(old, *e.Body, eol), "description"
	}
	if strings.TrimSpace(e.Append) == "" {
		return body, field
	}
	text := strings.TrimRight(unixLines(strings.ToValidUTF8(e.Append, "\ufffd")), "\n")
	end := "\n"
	if strings.Contains(body, "\r\n") {
		end = "\r\n"
	}
	switch {
	case strings.TrimSpace(body) == "" || strings.HasSuffix(body, end+end):
	case strings.HasSuffix(body, "\n"):
		body += end
	default:
		body += end + end
	}
	return body + strings.ReplaceAll(text, "\n", end) + end, field
}

// replacedBody is a new text in place of the old body: in its line ends, or in the
// frontmatter's where it has none.
func replacedBody(body, text, eol string) string {
	text = anyLineEnd().ReplaceAllLiteralString(strings.ToValidUTF8(text, "\ufffd"), "\n")
	old := unixLines(body)
	if leadingBlankLines(text) == "" {
		text = leadingBlankLines(old) + text
	}
	switch {
	case old != "" && !strings.HasSuffix(old, "\n"):
		text = strings.TrimRight(text, "\n")
	case !strings.HasSuffix(text, "\n"):
		text = strings.TrimRight(text, "\r") + "\n"
	}
	all, dos := strings.Count(body, "\n"), strings.Count(body, "\r\n")
	switch {
	case text == old:
		return body
	case all == 0 && eol == "\r\n", 2*dos > all:
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

func unixLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// leadingBlankLines are the lines of a text before its first that is not blank.
func leadingBlankLines(text string) string {
	blank := text[:len(text)-len(strings.TrimLeft(text, " \t\n"))]
	return blank[:strings.LastIndexByte(blank, '\n')+1]
}
