package markdown

import "strings"

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
