package markdown

import (
	"fmt"
	"slices"
	"strings"

	"issues-index/store/pattern"
	"issues-index/store/words"
)

// listItem begins an item of a list.
var listItem = pattern.Lazy(`^ {0,3}([-*+]|\d{1,9}[.)])[ \t]`)

// addToText adds a text before or after everything else, with a blank line between.
func (e TextEdit) addToText(text string) (string, TextChange, error) {
	if strings.TrimSpace(e.Text) == "" {
		return "", TextChange{}, &TextError{"the text is empty"}
	}
	all := newLineTable(text)
	last := LineCount(text)
	if line := present(all, 1, last, e.Text); line > 0 {
		return text, TextChange{Says: fmt.Sprintf("already present at line %d", line), Same: true}, nil
	}
	at := last + 1
	if e.Op == Prepend {
		for at = 1; at <= last && all.blank(at); at++ {
		}
		if at > last {
			at = 1
		}
	}
	after, first, added := insert(all, at, e.Text, false)
	if err := sameStructure(text, after, at, at-1, e.Text); err != nil {
		return "", TextChange{}, err
	}
	return after, TextChange{Says: fmt.Sprintf("%s at line %d", words.Count(added, "line"), first)}, nil
}

// editSection changes a section, or what is beside it.
func (e TextEdit) editSection(text string) (string, TextChange, error) {
	headings := Outline(text)
	h, err := Find(headings, e.Section)
	if err != nil {
		return "", TextChange{}, err
	}
	if strings.TrimSpace(e.Text) == "" && e.Op != ReplaceSection {
		return "", TextChange{}, &TextError{"the text is empty"}
	}
	all, note := newLineTable(text), ""
	if e.Op == AppendSection || e.Op == ReplaceSection {
		var stripped bool
		if e.Text, stripped = withoutHeading(e.Text, h); stripped {
			note = "; the text's first line was the section's heading and was left out"
		}
		if err := repeated(e.Text, headings, h); err != nil {
			return "", TextChange{}, err
		}
	}
	from, to := h.TextLine, h.EndLine // the lines that are replaced; none when to < from
	switch e.Op {
	case ReplaceSection:
		if first, last, ok := framed(all, from, to); ok {
			e.Text, h.TextLine, h.EndLine = withoutFrame(e.Text), first, last
		}
		return e.replaceSection(all, h, note)
	case AppendSection:
		to = h.OwnEnd
		if first, last, ok := framed(all, from, to); ok {
			e.Text, from, to = withoutFrame(e.Text), first, last
		}
		if strings.TrimSpace(e.Text) == "" {
			return "", TextChange{}, &TextError{"the text is empty but for the section's heading"}
		}
		if line := present(all, from, to, e.Text); line > 0 {
			return text, TextChange{Says: fmt.Sprintf("already present at line %d", line), Same: true}, nil
		}
		for to >= from && all.blank(to) {
			to--
		}
		from = to + 1
	case InsertBefore:
		from = h.Line
	case InsertAfter:
		for to >= from && all.blank(to) {
			to--
		}
		from = to + 1
	}
	if e.Op == InsertBefore && adjacent(all, 1, h.Line-1, e.Text, false) || e.Op == InsertAfter && adjacent(all, h.EndLine+1, LineCount(text), e.Text, true) {
		return text, TextChange{Says: "already present there", Same: true}, nil
	}
	after, first, added := insert(all, from, e.Text, e.Op == AppendSection && h.TextLine <= to)
	if err := sameStructure(text, after, from, from-1, e.Text); err != nil {
		return "", TextChange{}, err
	}
	return after, TextChange{Says: fmt.Sprintf("%s at line %d, %s%s", words.Count(added, "line"), first, e.beside(h), note)}, nil
}

func (e TextEdit) beside(h Heading) string {
	switch e.Op {
	case InsertBefore:
		return "before " + quoted(h.Text)
	case InsertAfter:
		return "after " + quoted(h.Text)
	}
	return "in " + quoted(h.Text)
}

// replaceSection replaces what stands under a heading. The blank lines behind the heading
// and before the next one stay.
func (e TextEdit) replaceSection(all lineTable, h Heading, note string) (string, TextChange, error) {
	text := all.text
	from, to := h.TextLine, h.EndLine
	for from <= to && all.blank(from) {
		from++
	}
	for to >= from && all.blank(to) {
		to--
	}
	end := lineEnd(text)
	body := strings.Trim(trimBlankLines(withLineEnds(e.Text, "\n")), "\n")
	empty := from > to
	if empty && body == "" || !empty && body == trimBlankLines(withLineEnds(text[all.start(from):all.start(to+1)], "\n")) {
		return text, TextChange{Says: quoted(h.Text) + " has this text already" + note, Same: true}, nil
	}
	var out strings.Builder
	before := text[:all.start(from)]
	rest := text[all.start(to+1):]
	if empty { // nothing but blank lines: the text goes behind the first of them
		before, rest = text[:all.start(h.TextLine)], text[all.start(h.TextLine):]
		if h.TextLine <= h.EndLine {
			before, rest = text[:all.start(h.TextLine+1)], text[all.start(h.TextLine+1):]
		}
	}
	out.WriteString(before)
	if body != "" {
		if empty {
			if !strings.HasSuffix(before, "\n") && before != "" {
				out.WriteString(end)
			}
			if h.TextLine > h.EndLine {
				out.WriteString(end)
			}
		}
		out.WriteString(withLineEnds(body, end))
		if rest != "" || strings.HasSuffix(text, "\n") {
			out.WriteString(end)
		}
		if empty && rest != "" && strings.TrimSpace(firstLine(rest)) != "" {
			out.WriteString(end)
		}
	}
	out.WriteString(rest)
	after := out.String()
	if body == "" && rest == "" && !strings.HasSuffix(text, "\n") {
		after = strings.TrimRight(after, "\r\n")
	}
	if err := sameStructure(text, after, from, max(to, from-1), e.Text); err != nil {
		return "", TextChange{}, err
	}
	now := max(1, strings.Count(body, "\n")+1)
	if body == "" {
		now = 0
	}
	says := fmt.Sprintf("%s, %s are now %s%s", quoted(h.Text), span(from, max(to, from)), words.Count(now, "line"), note)
	if empty {
		says = fmt.Sprintf("%s, which was empty, has %s%s", quoted(h.Text), words.Count(now, "line"), note)
	}
	return after, TextChange{Says: says}, nil
}

// insert puts a text before a line as a block of its own, with a blank line on each side
// where there is none, or directly below a list that it continues when list is set. It
// returns the line that it begins at and how many lines it has.
func insert(all lineTable, at int, added string, list bool) (after string, first, count int) {
	text, end := all.text, lineEnd(all.text)
	body := trimBlankLines(withLineEnds(added, "\n"))
	count = strings.Count(body, "\n") + 1
	before, rest := text[:all.start(at)], text[all.start(at):]
	var out strings.Builder
	out.WriteString(before)
	if strings.TrimSpace(before) != "" {
		if !strings.HasSuffix(before, "\n") {
			out.WriteString(end)
		}
		joins := list && listItem().MatchString(body) && continuesList(all, at-1) || frameName(all.line(at-1), frameBegin()) != ""
		if !joins && !all.blank(at-1) {
			out.WriteString(end)
		}
	}
	first = strings.Count(out.String(), "\n") + 1
	out.WriteString(withLineEnds(body, end))
	if rest != "" || strings.HasSuffix(text, "\n") || text == "" {
		out.WriteString(end)
	}
	if next := firstLine(rest); strings.TrimSpace(next) != "" && frameName(next, frameEnd()) == "" {
		out.WriteString(end)
	}
	out.WriteString(rest)
	return out.String(), first, count
}

// continuesList reports whether a line belongs to a list item at the margin.
func continuesList(all lineTable, line int) bool {
	for ; line >= 1 && !all.blank(line); line-- {
		text := all.text[all.start(line):all.start(line+1)]
		if listItem().MatchString(text) {
			return true
		}
		if text[0] != ' ' && text[0] != '\t' {
			return false
		}
	}
	return false
}

// sameStructure refuses an edit after which the headings around it are others: a text with
// an open code fence, say, takes in all that follows. From and to are the lines that were
// replaced, none when to < from.
func sameStructure(before, after string, from, to int, added string) error {
	was, is := Outline(before), Outline(after)
	head, tail := 0, 0
	for _, h := range was {
		switch {
		case h.Line < from:
			head++
		case h.Line > to:
			tail++
		}
	}
	same := func(a, b Heading) bool { return a.Level == b.Level && a.Text == b.Text }
	if head+tail <= len(is) && slices.EqualFunc(was[:head], is[:head], same) && slices.EqualFunc(was[len(was)-tail:], is[len(is)-tail:], same) &&
		head+tail+len(Outline(added)) == len(is) {
		return nil
	}
	return &TextError{"the text would change which headings there are around it: close its code fences and HTML comments, and leave a blank line before headings"}
}

// withoutHeading is a text without a first line that repeats the section's own heading.
func withoutHeading(text string, h Heading) (string, bool) {
	trimmed := trimBlankLines(withLineEnds(text, "\n"))
	own := Outline(trimmed)
	if len(own) == 0 || own[0].Line != 1 || !strings.EqualFold(words.OneLine(own[0].Text), words.OneLine(h.Text)) {
		return text, false
	}
	all := newLineTable(trimmed)
	return trimmed[all.start(own[0].TextLine):], true
}

// repeated refuses a text with a heading that follows in the document already: it was
// taken from there together with the section, and would stand there twice.
func repeated(text string, headings []Heading, h Heading) error {
	for _, own := range Outline(text) {
		for _, later := range headings {
			if later.Line > h.EndLine && later.Level == own.Level && strings.EqualFold(later.Text, own.Text) {
				return &TextError{fmt.Sprintf("the text has the heading %s, which follows at line %d already: leave it out of the text, with what is under it", quoted(own.Text), later.Line)}
			}
		}
	}
	return nil
}

// present is the line at which a text stands already between two lines, as whole lines, 0
// when it does not.
func present(all lineTable, from, to int, text string) int {
	wanted := strings.Split(trimBlankLines(withLineEnds(text, "\n")), "\n")
	for line := from; line+len(wanted)-1 <= to; line++ {
		if matches(all, line, wanted) {
			return line
		}
	}
	return 0
}

// adjacent reports whether a text stands at the beginning, or else at the end, of some
// lines, blank lines aside.
func adjacent(all lineTable, from, to int, text string, beginning bool) bool {
	for from <= to && all.blank(from) {
		from++
	}
	for to >= from && all.blank(to) {
		to--
	}
	wanted := strings.Split(trimBlankLines(withLineEnds(text, "\n")), "\n")
	if to-from+1 < len(wanted) {
		return false
	}
	if beginning {
		return matches(all, from, wanted)
	}
	return matches(all, to-len(wanted)+1, wanted)
}

func matches(all lineTable, line int, wanted []string) bool {
	for i, w := range wanted {
		if strings.TrimRight(all.text[all.start(line+i):all.start(line+i+1)], " \t\r\n") != strings.TrimRight(w, " \t") {
			return false
		}
	}
	return true
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// trimBlankLines is a text without blank lines at its beginning and end. The spaces before
// its first character stay: they may mean code or a nested list.
func trimBlankLines(text string) string {
	for {
		line, rest, more := strings.Cut(text, "\n")
		if strings.TrimSpace(line) != "" || !more {
			break
		}
		text = rest
	}
	return strings.TrimRight(text, " \t\n")
}
