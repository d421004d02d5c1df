package markdown

import (
	"fmt"
	"slices"
	"sort"
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
	from, to, where := 0, len(text), ""
	if e.Section != "" {
		h, err := Find(Outline(text), e.Section)
		if err != nil {
			return "", TextChange{}, err
		}
		lines := newLineTable(text)
		from, to, where = lines.start(h.Line), lines.start(h.EndLine+1), " in "+quoted(h.Text)
	}
	part := text[from:to]
	found := occurrences(part, e.Find)
	lineOf := func(at int) int { return 1 + strings.Count(text[:from+at], "\n") }
	if e.Count == 0 {
		if len(found) > 0 {
			return "", TextChange{}, e.notFound(found, lineOf)
		}
		return text, TextChange{Says: quoted(e.Find) + " does not occur" + where, Same: true}, nil
	}
	// What a call that was sent twice has done already stands there as its text. It may
	// hold the string itself, which must not be replaced in it again.
	there := wholeWords(part, occurrences(part, e.Text))
	if len(there) > 0 && strings.TrimSpace(e.Text) != "" && allWithin(found, there) {
		return text, TextChange{Says: fmt.Sprintf("already present at line %d", lineOf(there[0][0])), Same: true}, nil
	}
	if len(found) != e.Count {
		return "", TextChange{}, e.notFound(found, lineOf)
	}
	var out strings.Builder
	out.WriteString(text[:from])
	at := 0
	for _, f := range found {
		out.WriteString(part[at:f[0]])
		out.WriteString(withLineEnds(e.Text, lineEnd(text)))
		at = f[1]
	}
	out.WriteString(part[at:])
	out.WriteString(text[to:])
	if out.String() == text {
		return text, TextChange{Says: "no change", Same: true}, nil
	}
	places := make([]string, 0, len(found))
	for _, f := range found[:min(len(found), maxLines)] {
		places = append(places, fmt.Sprint(lineOf(f[0])))
	}
	says := fmt.Sprintf("%s%s at line %s", words.Count(len(found), "occurrence"), where, strings.Join(places, ", "))
	return out.String(), TextChange{Says: says + words.AndMore(len(found)-maxLines)}, nil
}

// allWithin reports whether each of some places lies within one of others.
func allWithin(places, others [][]int) bool {
	for _, p := range places {
		if !slices.ContainsFunc(others, func(o []int) bool { return o[0] <= p[0] && p[1] <= o[1] }) {
			return false
		}
	}
	return true
}

func (e TextEdit) notFound(found [][]int, lineOf func(at int) int) error {
	failed := &FindError{Find: e.Find, Want: e.Count, Found: len(found)}
	for _, f := range found[:min(len(found), maxLines)] {
		failed.Lines = append(failed.Lines, lineOf(f[0]))
	}
	return failed
}

// occurrences are the places of a string in a text, from left to right without overlaps.
// A line feed of the string stands for any line end.
func occurrences(text, wanted string) (found [][]int) {
	if wanted = strings.ReplaceAll(wanted, "\r\n", "\n"); wanted == "" {
		return nil
	}
	// The string is looked for in the text without the \r of its line ends: removed has the
	// places of those, in the text without them.
	plain, removed := text, []int(nil)
	if strings.Contains(wanted, "\n") {
		for at := 0; ; {
			i := strings.Index(text[at:], "\r\n")
			if i < 0 {
				break
			}
			removed = append(removed, at+i-len(removed))
			at += i + len("\r\n")
		}
		plain = strings.ReplaceAll(text, "\r\n", "\n")
	}
	for at := 0; ; at += len(wanted) {
		i := strings.Index(plain[at:], wanted)
		if i < 0 {
			return found
		}
		at += i
		found = append(found, []int{at + sort.SearchInts(removed, at), at + len(wanted) + sort.SearchInts(removed, at+len(wanted))})
	}
}

// wholeWords are the places that do not begin or end within a word.
func wholeWords(text string, places [][]int) (whole [][]int) {
	isWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for _, p := range places {
		before, _ := utf8.DecodeLastRuneInString(text[:p[0]])
		first, _ := utf8.DecodeRuneInString(text[p[0]:])
		last, _ := utf8.DecodeLastRuneInString(text[:p[1]])
		after, _ := utf8.DecodeRuneInString(text[p[1]:])
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
