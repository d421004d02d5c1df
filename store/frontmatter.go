package store

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxFrontmatterSize is the size in bytes from which on frontmatter is not
// parsed: YAML takes far longer to read than to write.
const MaxFrontmatterSize = 64 << 10

// bom is the byte order mark that some Windows editors put in front.
const bom = "\xef\xbb\xbf"

// A frontmatter is the YAML at the head of a file, and where it ends.
type frontmatter struct {
	yaml string // between the fences; its first line is line 2 of the file
	body int    // offset of the first byte after the closing fence's line
	line int    // of the file, from 1, that body is on
	dots bool   // closed by `...`
	// glued is the first line that begins like a fence but goes on, 0 when
	// there is none: the usual cause of a fence that seems to be missing.
	glued     int
	gluedText string
}

// splitFrontmatter finds the fences. found is false for a file without
// frontmatter. With problem set there is frontmatter, but it cannot be read.
//
// Only a first line of exactly `---` opens, and only `---` or `...` alone on a
// line closes; blanks may follow. (In valid YAML neither can stand at the start
// of a line of a value.)
func splitFrontmatter(text string) (fm frontmatter, found bool, problem *Problem) {
	first, rest := cutLine(strings.TrimPrefix(text, bom))
	if strings.HasPrefix(first, "<<<<<<< ") {
		return fm, true, &Problem{ProblemMergeConflict, "git conflict markers around the frontmatter: keep one side and remove the markers", 1}
	}
	if strings.HasPrefix(first, "---\r") {
		return fm, true, &Problem{ProblemUnclosedFence, "its lines end with carriage returns alone: save it with line feeds", 1}
	}
	if !fence(first, "---") {
		return fm, false, nil
	}
	start := len(text) - len(rest)
	conflict := 0
	for line := 2; rest != ""; line++ {
		at := len(text) - len(rest)
		var l string
		l, rest = cutLine(rest)
		switch {
		case fence(l, "---"), fence(l, "..."):
			fm.yaml, fm.body, fm.line, fm.dots = text[start:at], len(text)-len(rest), line+1, l[0] == '.'
			if len(fm.yaml) > MaxFrontmatterSize {
				return fm, true, &Problem{ProblemFrontmatterSize, fmt.Sprintf("frontmatter is %d bytes long, over the limit of %d", len(fm.yaml), MaxFrontmatterSize), 1}
			}
			if conflict > 0 {
				return fm, true, &Problem{ProblemMergeConflict, "git conflict markers in the frontmatter: keep one side and remove the markers", conflict}
			}
			return fm, true, nil
		case conflict == 0 && conflictMarker(l):
			conflict = line
		case fm.glued == 0 && (strings.HasPrefix(l, "---") || strings.HasPrefix(l, "...")) && !strings.HasPrefix(l, "----"):
			fm.glued, fm.gluedText = line, l
		}
	}
	return fm, true, fm.unclosed()
}

// unclosed is the problem of frontmatter without an end.
func (fm frontmatter) unclosed() *Problem {
	if fm.glued > 0 {
		return &Problem{ProblemUnclosedFence, fmt.Sprintf("the closing fence has text glued to it (%q): put --- on a line of its own", shorten(fm.gluedText)), fm.glued}
	}
	return &Problem{ProblemUnclosedFence, "the frontmatter has no closing fence: put --- on a line of its own after the last key", 1}
}

// cutLine splits s after its first line feed; line has no line end.
func cutLine(s string) (line, rest string) {
	line, rest, _ = strings.Cut(s, "\n")
	return strings.TrimSuffix(line, "\r"), rest
}

// fence reports whether line is mark, and blanks at most.
func fence(line, mark string) bool {
	return strings.HasPrefix(line, mark) && strings.Trim(line[len(mark):], " \t") == ""
}

// conflictMarker reports whether line is one that git leaves in a merge.
func conflictMarker(line string) bool {
	for _, mark := range []string{"<<<<<<<", "=======", ">>>>>>>", "|||||||"} {
		if strings.HasPrefix(line, mark) && (len(line) == len(mark) || line[len(mark)] == ' ') {
			return true
		}
	}
	return false
}

// textProblem says why data is not the text that Markdown is.
func textProblem(data []byte) *Problem {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		message := "the file has a NUL byte"
		if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
			message = "the file is UTF-16: save it as UTF-8"
		}
		return &Problem{ProblemNUL, message, lineAt(data, i)}
	}
	if !utf8.Valid(data) {
		i := 0
		for i < len(data) {
			r, size := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			i += size
		}
		return &Problem{ProblemNotUTF8, "the file is not UTF-8: convert it", lineAt(data, i)}
	}
	return nil
}

// lineAt is the line, from 1, that offset is on.
func lineAt(data []byte, offset int) int { return 1 + bytes.Count(data[:offset], []byte{'\n'}) }

// shorten cuts s for a message.
func shorten(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	cut := most
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
