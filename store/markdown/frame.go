package markdown

import (
	"regexp"
	"strings"

	"issues-index/store/pattern"
)

// Some programs put a pair of comments around the text of a section, and find the text by
// them again:
//
//	<!-- NOTES:BEGIN -->
//	what was seen
//	<!-- NOTES:END -->
//
// Such a pair is the frame of the section. What an edit makes of the text stays in it.

var (
	frameBegin = pattern.Lazy(`^<!-- ([A-Za-z][A-Za-z0-9_:.-]*):BEGIN -->$`)
	frameEnd   = pattern.Lazy(`^<!-- ([A-Za-z][A-Za-z0-9_:.-]*):END -->$`)
)

// frameName is the name in a line that is one of a frame's comments, "" for another line.
func frameName(line string, comment *regexp.Regexp) string {
	if m := comment.FindStringSubmatch(strings.TrimRight(line, " \t\r\n")); m != nil {
		return m[1]
	}
	return ""
}

// framed returns the lines in the frame around the lines from first to last, blank ones
// aside, which may be none. ok is false where there is no frame around all of them.
func framed(all lineTable, first, last int) (from, to int, ok bool) {
	first, last = all.content(first, last)
	if first >= last {
		return 0, 0, false
	}
	name := frameName(all.line(first), frameBegin())
	return first + 1, last - 1, name != "" && name == frameName(all.line(last), frameEnd())
}

// withoutFrame is a text without a frame around it: a text that was taken from a document
// would be in two frames.
func withoutFrame(text string) string {
	from, to, ok := framed(newLineTable(text), 1, LineCount(text))
	if !ok {
		return text
	}
	return trimBlankLines(Lines(text, from, to))
}
