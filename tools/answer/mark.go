package answer

import (
	"strings"
	"unicode"
)

// A Mark separates documents, which an answer shows as they are, from what the server
// says itself. It is a run of =, longer than any run that a line of the documents begins
// with, as the fence of a Markdown code block is longer than the fences inside it. So
// every line that begins with the mark is the server's, and no document can pretend to
// end and go on as the server.
//
// A line with the mark and a name begins a document. A line with only the mark ends the
// text above it; a text at the end of an answer needs none unless it has a line that looks
// like a mark. The zero Mark is for an answer without documents.
type Mark string

// usualMark is the shortest mark, and that of nearly every answer.
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

// BeginOnly writes the mark before the only document of an answer. The usual mark is left
// out there: it would cost a token in most answers.
func (m Mark) BeginOnly(document string) string {
	if m == usualMark {
		return document
	}
	return m.Begin(document)
}

// End ends the document that an answer ends with, if there is one, so that sentences of
// the server can follow.
func (m Mark) End(answer string) string {
	if m == "" || m.ended(strings.Split(answer, "\n")) >= 0 {
		return answer
	}
	return answer + "\n" + string(m)
}

// EndOnly ends the document that an answer ends with though nothing follows. The usual mark is
// left out there: without a line that looks like a mark, nobody takes a text to have ended.
func (m Mark) EndOnly(answer string) string {
	if m == usualMark {
		return answer
	}
	return m.End(answer)
}

// ended returns the index of the line whose mark ends the last text, -1 when there is
// none.
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

// Field writes a field with its name. A text of several lines stands between two marks.
func (m Mark) Field(name, text string) string {
	if !strings.ContainsFunc(text, isLineEnd) {
		return name + ": " + text
	}
	return name + ":\n" + string(m) + "\n" + text + "\n" + string(m)
}

// RoomInMarks returns how many of the given tokens a chunk of the text may take so that
// the marks around it fit, too. A mark is at most as long as the runs of = in the chunk
// make it.
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

// longestRun returns the length of the longest run of = that a line begins with, as a
// reader sees it: blanks and invisible characters may stand before it, and characters
// that look like = count.
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

// equals are the characters that look like one or more =: compatibility forms and
// confusables of Unicode.
var equals = map[rune]int{
	'＝': 1, '﹦': 1, '⁼': 1, '₌': 1, '═': 1, '᐀': 1, '゠': 1, '⹀': 1, '꓿': 1, '〓': 1, '🟰': 1, '⩵': 2, '⩶': 3,
}

// isLineEnd reports whether any reader of an answer may take a character for a line end.
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
