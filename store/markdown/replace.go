package markdown

import (
	"fmt"
	"slices"
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
		failed.Lines = append(failed.Lines, all.number(from+f[0]))
	}
	if e.Count == 0 && len(found) == 0 {
		return text, TextChange{Says: quoted(e.Find) + " does not occur" + where, Same: true}, nil
	}
	// What a call that was sent twice has done already stands there as its text. It may
	// hold the string itself, which must not be replaced in it again.
	there := wholeWords(part, occurrences(part, e.Text))
	within := len(there) * len(occurrences(e.Text, e.Find))
	if e.Count > 0 && len(there) > 0 && strings.TrimSpace(e.Text) != "" && len(found) == within {
		says := fmt.Sprintf("already present at line %d", all.number(from+there[0][0]))
		return text, TextChange{Says: says, Same: true}, nil
	}
	if len(found) != e.Count {
		return "", TextChange{}, failed
	}
	var out strings.Builder
	at := 0
	for _, f := range found {
		out.WriteString(text[at : from+f[0]])
		out.WriteString(withLineEnds(e.Text, lineEnd(text)))
		at = from + f[1]
	}
	out.WriteString(text[at:])
	if out.String() == text {
		return text, TextChange{Says: "no change", Same: true}, nil
	}
	lines := strings.Join(strings.Fields(strings.Trim(fmt.Sprint(failed.Lines), "[]")), ", ")
	says := fmt.Sprintf("%s%s at line %s", words.Count(len(found), "occurrence"), where, lines)
	return out.String(), TextChange{Says: says + words.AndMore(len(found)-maxLines)}, nil
}

// occurrences are where a string begins and ends in a text, from left to right without
// overlaps. A line feed of the string stands for the line end that most lines have, or for itself.
func occurrences(text, wanted string) (found [][]int) {
	for _, end := range []string{lineEnd(text), "\n"} {
		wanted = withLineEnds(wanted, end)
		for at := 0; wanted != "" && strings.Contains(text[at:], wanted); at += len(wanted) {
			at += strings.Index(text[at:], wanted)
			found = append(found, []int{at, at + len(wanted)})
		}
		if found != nil {
			break
		}
	}
	return found
}

// wholeWords are the places that do not begin or end within a word.
func wholeWords(text string, places [][]int) [][]int {
	isWord := func(r rune, _ int) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	isInWord := func(at int) bool {
		return isWord(utf8.DecodeLastRuneInString(text[:at])) && isWord(utf8.DecodeRuneInString(text[at:]))
	}
	return slices.DeleteFunc(places, func(p []int) bool { return isInWord(p[0]) || isInWord(p[1]) })
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
