package frontmatter

import (
	"strings"

	"issues-index/store/pattern"
)

// anyLineEnd also finds the line ends of a text that was converted twice.
var anyLineEnd = pattern.Lazy(`\r+\n`)

// body is the body that an edit makes of the old one, in its line ends or else in those of the
// frontmatter, and the field that it comes from.
func (e Edit) body(old, end string) (body, field string) {
	if e.Exact != nil {
		return *e.Exact, "text"
	}
	if strings.Contains(old, "\n") {
		end = lineEndOf(old)
	}
	body, field = old, "note"
	if e.Body != nil && strings.TrimSpace(*e.Body) != "" {
		body, field = replacedBody(old, *e.Body, end), "description"
	}
	if strings.TrimSpace(e.Append) == "" {
		return body, field
	}
	switch {
	case strings.TrimSpace(body) == "" || strings.HasSuffix(body, end+end):
	case strings.HasSuffix(body, "\n"):
		body += end
	default:
		body += end + end
	}
	text := strings.TrimRight(unixLines(e.Append), "\n") + "\n"
	return body + strings.ReplaceAll(text, "\n", end), field
}

// replacedBody is a new text in place of the old body, which is returned where it says the same.
func replacedBody(body, text, end string) string {
	text, old := unixLines(text), unixLines(body)
	if leadingBlankLines(text) == "" {
		text = leadingBlankLines(old) + text
	}
	switch {
	case old != "" && !strings.HasSuffix(old, "\n"):
		text = strings.TrimRight(text, "\n")
	case !strings.HasSuffix(text, "\n"):
		text = strings.TrimRight(text, "\r") + "\n"
	}
	if text == old {
		return body
	}
	return strings.ReplaceAll(text, "\n", end)
}

// unixLines is a text with line feeds alone, also where its line ends were converted twice.
func unixLines(text string) string {
	return anyLineEnd().ReplaceAllLiteralString(strings.ToValidUTF8(text, "\ufffd"), "\n")
}

// leadingBlankLines are the lines of a text before its first that is not blank.
func leadingBlankLines(text string) string {
	blank := text[:len(text)-len(strings.TrimLeft(text, " \t\n"))]
	return blank[:strings.LastIndexByte(blank, '\n')+1]
}
