package markdown

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"issues-index/store/words"
)

// maxLines is how many places of a string an error lists.
const maxLines = 20

// replace puts a text in place of each occurrence of a string.
func (e TextEdit) replace(text string) (string, TextChange, error) {
	if e.Find == "" {
		return "", TextChange{}, &TextError{"find is empty"}
	}
	all, from, to, where := newLineTable(text), 0, len(text), ""
	if e.Section != "" {
		h, err := Find(Outline(text), e.Section)
		if err != nil {
			return "", TextChange{}, err
		}
		from, to, where = all.start(h.Line), all.start(h.EndLine+1), " in "+quoted(h.Text)
	}
	part := text[from:to]
	found := occurrences(part, e.Find)
	failed := &FindError{Find: e.Find, Want: e.Count, Found: len(found)}
	for _, f := range found[:min(len(found), maxLines)] {
		failed.Lines = append(failed.Lines, all.number(from+f.start))
	}
	if e.Count == 0 && len(found) == 0 {
		return text, TextChange{Says: quoted(e.Find) + " does not occur" + where, Same: true}, nil
	}
	// What a call that was sent twice has done already stands there as its text. It may
	// hold the string itself, which must not be replaced in it again.
	there := wholeWords(part, occurrences(part, e.Text))
	if e.Count > 0 && len(there) > 0 && strings.TrimSpace(e.Text) != "" && allWithin(found, there) {
		says := fmt.Sprintf("already present at line %d", all.number(from+there[0].start))
		return text, TextChange{Says: says, Same: true}, nil
	}
	if len(found) != e.Count {
		return "", TextChange{}, failed
	}
	var out strings.Builder
	at := 0
	for _, f := range found {
		out.WriteString(text[at : from+f.start])
		out.WriteString(withLineEnds(e.Text, lineEnd(text)))
		at = from + f.end
	}
	out.WriteString(text[at:])
	if out.String() == text {
		return text, TextChange{Says: "no change", Same: true}, nil
	}
	lines := strings.Join(strings.Fields(strings.Trim(fmt.Sprint(failed.Lines), "[]")), ", ")
	says := fmt.Sprintf("%s%s at line %s", words.Count(len(found), "occurrence"), where, lines)
	return out.String(), TextChange{Says: says + words.AndMore(len(found)-maxLines)}, nil
}

// A stretch is the bytes of a text from start up to end.
type stretch struct{ start, end int }

// allWithin reports whether each of some stretches lies within one of others, both in order.
func allWithin(stretches, others []stretch) bool {
	for _, s := range stretches {
		for len(others) > 0 && others[0].end < s.end {
			others = others[1:]
		}
		if len(others) == 0 || others[0].start > s.start {
			return false
		}
	}
	return true
}

// occurrences are the places of a string in a text, from left to right without overlaps.
// A line feed of the string stands for the line end that most lines have, or for itself.
func occurrences(text, wanted string) (found []stretch) {
	for _, end := range []string{lineEnd(text), "\n"} {
		wanted = withLineEnds(wanted, end)
		for at := 0; wanted != "" && strings.Contains(text[at:], wanted); at += len(wanted) {
			at += strings.Index(text[at:], wanted)
			found = append(found, stretch{at, at + len(wanted)})
		}
		if found != nil {
			break
		}
	}
	return found
}

// wholeWords are the places that do not begin or end within a word.
func wholeWords(text string, places []stretch) (whole []stretch) {
	isWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for _, p := range places {
		before, _ := utf8.DecodeLastRuneInString(text[:p.start])
		first, _ := utf8.DecodeRuneInString(text[p.start:])
		last, _ := utf8.DecodeLastRuneInString(text[:p.end])
		after, _ := utf8.DecodeRuneInString(text[p.end:])
		if !(isWord(before) && isWord(first) || isWord(last) && isWord(after)) {
			whole = append(whole, p)
		}
	}
	return whole
}

// lineEnd is how most lines of a text end.
func lineEnd(text string) string {
	if dos := strings.Count(text, "\r\n"); 2*dos > strings.Count(text, "\n") {
		return "\r\n"
	}
	return "\n"
}

// withLineEnds is a text whose lines end so.
func withLineEnds(text, end string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if end == "\n" {
		return text
	}
	return strings.ReplaceAll(text, "\n", end)
}
