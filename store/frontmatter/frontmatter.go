// Package frontmatter reads and edits Markdown files with YAML frontmatter.
//
// It knows the fields of a document, and nothing about files, folders or workspaces.
// Package store imports it. Its invariants: parsing never fails, whatever the bytes, and
// what is wrong is a Problem; an edit writes the lines of the changed keys anew and leaves
// every other byte, reads back as it was meant, and is refused where it cannot be made so.
package frontmatter

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"issues-index/store/words"
)

// MaxFrontmatterSize is the most bytes of frontmatter that are parsed: YAML takes far longer to
// read than to write.
const MaxFrontmatterSize = 64 << 10

// MaxFileSize is the most bytes of a file that are read; a larger file is listed by name and size.
// The largest of some thousand real documents has 90 KB.
const MaxFileSize = 16 << 20

// BOM is the byte order mark that some Windows editors put in front.
const BOM = "\xef\xbb\xbf"

// A Block is the YAML at the head of a file, and where it ends.
type Block struct {
	YAML     string // between the fences; its first line is line 2 of the file
	End      int    // offset of the first byte after the closing fence's line; 0 when it has none
	BodyLine int    // of the file, from 1, that the body begins on
	Dots     bool   // closed by `...`
}

// keepOneSide is what to do about conflict markers.
const keepOneSide = ": keep one side and remove the markers"

// Split finds the fences. found is false for a file without
// frontmatter. With problem set there is frontmatter, but it cannot be read.
//
// Only a first line of exactly `---` opens, and only `---` or `...` alone on a
// line closes; blanks may follow. (In valid YAML neither can stand at the start
// of a line of a value.)
func Split(text string) (b Block, found bool, problem *Problem) {
	first, rest := cutLine(strings.TrimPrefix(text, BOM))
	if mark, _, _ := ConflictMarker(first); mark == '<' {
		return b, true, &Problem{ProblemMergeConflict, "git conflict markers around the frontmatter" + keepOneSide, 1}
	}
	if strings.HasPrefix(first, "---\r") {
		const message = "its lines end with carriage returns alone: save it with line feeds"
		return b, true, &Problem{ProblemUnclosedFence, message, 1}
	}
	if !fence(first, "---") {
		return b, false, nil
	}
	start := len(text) - len(rest)
	conflict := 0
	for line := 2; rest != ""; line++ {
		at := len(text) - len(rest)
		var l string
		l, rest = cutLine(rest)
		mark, _, _ := ConflictMarker(l)
		switch {
		case fence(l, "---"), fence(l, "..."):
			b.YAML, b.End, b.BodyLine, b.Dots = text[start:at], len(text)-len(rest), line+1, l[0] == '.'
			if len(b.YAML) > MaxFrontmatterSize {
				message := fmt.Sprintf("frontmatter is %d bytes long, over the limit of %d", len(b.YAML), MaxFrontmatterSize)
				return b, true, &Problem{ProblemFrontmatterSize, message, 1}
			}
			if conflict > 0 {
				return b, true, &Problem{ProblemMergeConflict, "git conflict markers in the frontmatter" + keepOneSide, conflict}
			}
			return b, true, nil
		case conflict == 0 && mark != 0:
			conflict = line
		}
	}
	const message = "the frontmatter has no closing fence: put --- on a line of its own after the last key"
	return b, true, &Problem{ProblemUnclosedFence, message, 1}
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

// textProblem says why text is not the text that Markdown is.
func textProblem(text string) *Problem {
	if i := strings.IndexByte(text, 0); i >= 0 {
		message := "the file has a NUL byte"
		if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
			message = "the file is UTF-16: save it as UTF-8"
		}
		return &Problem{ProblemNUL, message, lineAt(text, i)}
	}
	if !utf8.ValidString(text) {
		valid := strings.ToValidUTF8(text, "\x00")
		return &Problem{ProblemNotUTF8, "the file is not UTF-8: convert it", lineAt(valid, strings.IndexByte(valid, 0))}
	}
	return nil
}

// lineAt is the line, from 1, that offset is on.
func lineAt(text string, offset int) int { return 1 + strings.Count(text[:offset], "\n") }

// shorten cuts a value for an error.
func shorten(s string) string { return words.CutBytes(s, 40) }
