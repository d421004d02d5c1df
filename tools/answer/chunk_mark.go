package answer

import (
	"strconv"
	"strings"
)

// nextLine returns where the line after the one at an offset begins.
func nextLine(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(text)
}

// peek returns the beginning of the line at an offset, without its indentation.
func peek(text string, at int) string {
	const enough = 200 // bytes to tell a row, an underline or a delimiter by
	line := text[at:min(len(text), at+enough)]
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	return strings.TrimLeft(strings.TrimRight(line, "\r"), " \t")
}

// indent returns the column that a line's text begins in, from 0, and its offset.
func indent(line string) (column, at int) {
	const tab = 4
	for ; at < len(line); at++ {
		switch line[at] {
		case ' ':
			column++
		case '\t':
			column += tab - column%tab
		default:
			return column, at
		}
	}
	return column, at
}

// unquote takes the marks of quotes off a line.
func unquote(line string) (depth int, rest string) {
	for rest = line; strings.HasPrefix(rest, ">"); depth++ {
		rest = strings.TrimLeft(rest[1:], " ")
		if depth == maxItems {
			break
		}
	}
	if depth == 0 {
		return 0, line
	}
	return depth, rest
}

func isHeading(line string) bool {
	level := run(line, '#')
	return level >= 1 && level <= 6 && (level == len(line) || line[level] == ' ' || line[level] == '\t')
}

// isUnderline reports whether a line makes the one before it a heading.
func isUnderline(line string) bool {
	line = strings.TrimRight(line, " \t")
	return line != "" && (run(line, '=') == len(line) || run(line, '-') == len(line))
}

// isBreak reports whether a line is a thematic break.
func isBreak(line string) bool {
	if line == "" || !strings.ContainsRune("-*_", rune(line[0])) {
		return false
	}
	marks := 0
	for i := range len(line) {
		switch line[i] {
		case line[0]:
			marks++
		case ' ', '\t':
		default:
			return false
		}
	}
	return marks >= 3
}

// isDelimiter reports whether a line stands between a table's head and rows.
func isDelimiter(line string) bool {
	return strings.Contains(line, "-") && strings.Contains(line, "|") && strings.Trim(line, "|-: \t") == ""
}

// opensFence returns the mark of a fenced block that a line opens and its
// length, 0 when it opens none.
func opensFence(line string) (mark byte, length int) {
	if line == "" || line[0] != '`' && line[0] != '~' {
		return 0, 0
	}
	length = run(line, line[0])
	if length < 3 || line[0] == '`' && strings.Contains(line[length:], "`") {
		return 0, 0
	}
	return line[0], length
}

func closesFence(line string, mark byte, length int) bool {
	n := run(line, mark)
	return n >= length && strings.TrimRight(line[n:], " \t") == ""
}

// closesAhead reports whether the next line that could open or close a fenced
// block closes it. People indent the fences in a list item, and not the code
// between them; then the block goes on although, strictly, the item ended.
func closesAhead(text string, mark byte, length int) bool {
	const far = 4 << 10 // bytes; bounded, since it is asked for each such block
	for line := range strings.Lines(text[:min(len(text), far)]) {
		line = strings.TrimSpace(line)
		if width, _ := listMark(line); width > 0 {
			line = strings.TrimLeft(line[width:], " \t")
		}
		if run(line, mark) >= length {
			return closesFence(line, mark, length)
		}
	}
	return false
}

// listMark returns the length of the mark of a list item that a line begins
// with, 0 when it begins with none, and the item's number, -1 for a bullet.
func listMark(line string) (width, number int) {
	const digits = 9
	number = -1
	switch {
	case line == "":
		return 0, number
	case strings.ContainsRune("-*+", rune(line[0])):
		width = 1
	default:
		for width < len(line) && width < digits && line[width] >= '0' && line[width] <= '9' {
			width++
		}
		if width == 0 || width == len(line) || line[width] != '.' && line[width] != ')' {
			return 0, number
		}
		number, _ = strconv.Atoi(line[:width]) // nothing but digits, and few
		width++
	}
	if width < len(line) && line[width] != ' ' && line[width] != '\t' {
		return 0, number
	}
	return width, number
}

// run counts how often a text begins with a byte.
func run(text string, b byte) int {
	n := 0
	for n < len(text) && text[n] == b {
		n++
	}
	return n
}
