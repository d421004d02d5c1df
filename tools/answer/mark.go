package answer

import (
	"strings"
	"unicode"
)

// A Mark begins the lines of an answer that tell the texts of others, which are
// shown as they are, from what the answer says itself. It is a run of =, longer than
// any run that a line of those texts begins with, as the fence of a Markdown code
// block is longer than the fences inside it. So every line that begins with the mark
// is our own, and no text can pretend to end and go on as the server.
//
// A line with the mark and more, such as a name, begins a document. A line that is
// the mark alone ends the text above it. Text that nothing follows needs no end.
// The zero Mark is that of an answer without such texts.
type Mark string

// usualMark is the mark of nearly every answer, and the shortest.
const usualMark Mark = "==="

// MarkFor returns the mark of an answer that shows these texts.
func MarkFor(texts ...string) Mark {
	longest := len(usualMark) - 1
	for _, text := range texts {
		longest = max(longest, longestRun(text))
	}
	return Mark(strings.Repeat("=", longest+1))
}

// Begin writes the mark before a document.
func (m Mark) Begin(document string) string { return string(m) + " " + document }

// BeginOnly writes the mark before the only document of an answer. The usual mark
// goes without saying there: it would cost a token in most answers.
func (m Mark) BeginOnly(document string) string {
	if m == usualMark {
		return document
	}
	return m.Begin(document)
}

// End ends the text that an answer ends with, if it does, so that our own sentences
// may follow.
func (m Mark) End(answer string) string {
	if m == "" || m.ended(strings.Split(answer, "\n")) >= 0 {
		return answer
	}
	return answer + "\n" + string(m)
}

// ended returns which of the lines is the mark that ends the last text, -1 when that
// text has no end.
func (m Mark) ended(lines []string) int {
	for i := len(lines) - 1; i >= 0; i-- {
		if line, ours := strings.CutPrefix(lines[i], string(m)); ours {
			if line == "" {
				return i
			}
			return -1
		}
	}
	return -1
}

// Field writes a text behind a field's name, between two marks when it has several
// lines.
func (m Mark) Field(name, text string) string {
	if !strings.ContainsFunc(text, isLineEnd) {
		return name + ": " + text
	}
	return name + ":\n" + string(m) + "\n" + text + "\n" + string(m)
}

// RoomInMarks returns how many of the tokens that are left in an answer a chunk of a
// text may take, so that the marks around it fit, too. They are as long as the text
// makes them, and no longer than the chunk does.
func RoomInMarks(text string, tokens int) int {
	run := 0
	for rest := text; ; {
		at := strings.Index(rest, string(usualMark))
		if at < 0 {
			break
		}
		after := strings.TrimLeft(rest[at:], "=")
		run = max(run, len(rest)-at-len(after))
		rest = after
	}
	if run == 0 {
		return tokens
	}
	const beside = 2 // = that a mark has more than the run, and a blank or line end
	return max(tokens-Estimate(2*(run+beside)), tokens/3-Estimate(2*beside))
}

// longestRun returns the length of the longest run of = that a line begins with. It
// counts what a reader may take for one: blanks and invisible characters do not keep
// a run from beginning a line, and what looks like = is one.
func longestRun(text string) int {
	longest, run := 0, 0
	beginning := true // of a line: nothing but a run stands before
	for _, r := range text {
		switch {
		case isLineEnd(r):
			run, beginning = 0, true
		case !beginning:
		case r == '=' || equals[r] > 0:
			run += max(equals[r], 1)
			longest = max(longest, run)
		case run == 0 && unicode.IsSpace(r), isInvisible(r):
		default:
			beginning = false
		}
	}
	return longest
}

// equals are the characters that look like =, with how many they look like:
// compatibility forms and confusables of Unicode.
var equals = map[rune]int{
	'＝': 1, '﹦': 1, '⁼': 1, '₌': 1, '═': 1, '᐀': 1, '゠': 1, '⹀': 1, '꓿': 1, '〓': 1, '🟰': 1, '⩵': 2, '⩶': 3,
}

// isLineEnd reports whether a character ends a line for any of those who may read an
// answer.
func isLineEnd(r rune) bool {
	switch r {
	case '\n', '\v', '\f', '\r', '\x1c', '\x1d', '\x1e', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

// isInvisible reports whether a character shows nothing by itself.
func isInvisible(r rune) bool {
	const brailleBlank = '\u2800'
	return r == brailleBlank || unicode.IsControl(r) ||
		unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me, unicode.Other_Default_Ignorable_Code_Point)
}
