package markdown

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"issues-index/store/pattern"
	"issues-index/store/words"
)

// listItem begins an item of a list, and ofItem each line of one but a lazy one.
var (
	listItem = pattern.Lazy(`^ {0,3}([-*+]|\d{1,9}[.)])[ \t]`)
	ofItem   = pattern.Lazy(`^[ \t]|^([-*+]|\d{1,9}[.)])[ \t]`)
	// lineEnds are the ends of lines with the blanks before them.
	lineEnds = pattern.Lazy(`[ \t\r]*\n`)
)

// place puts the text into the whole text, or into or beside a section.
func (e TextEdit) place(all lineTable) (string, TextChange, error) {
	last := LineCount(all.text)
	h, headings, note := Heading{Line: 1, TextLine: 1, OwnEnd: last, EndLine: last}, Outline(all.text), ""
	if e.Op.NeedsSection() {
		var err error
		if h, err = Find(headings, e.Section); err != nil {
			return "", TextChange{}, err
		}
	}
	from, to := h.TextLine, h.EndLine
	if e.Op == AppendSection || e.Op == ReplaceSection {
		var stripped bool
		if e.Text, stripped = withoutHeading(e.Text, h); stripped {
			note = "; the text's first line was the section's heading and was left out"
		}
		if err := repeated(e.Text, headings, h); err != nil {
			return "", TextChange{}, err
		}
		if e.Op == AppendSection {
			to = h.OwnEnd
		}
		if first, last, ok := framed(all, from, to); ok {
			e.Text, from, to = withoutFrame(e.Text), first, last
		}
	}
	from, to = all.content(from, to)
	lines := LineCount(e.Text)
	if e.Op == ReplaceSection {
		return e.replaceSection(all, h, from, to, note)
	}
	if strings.TrimSpace(e.Text) == "" {
		return "", TextChange{}, &TextError{"the text is empty" + note}
	}
	at, seenFrom, seenTo := to+1, from, to // where it goes, and where it may stand already
	switch e.Op {
	case Prepend:
		if at = from; from > to {
			at = 1
		}
	case InsertBefore:
		at = h.Line
		seenFrom, seenTo = all.content(1, h.Line-1)
		seenFrom = max(seenFrom, seenTo+1-lines)
	case InsertAfter:
		seenFrom, seenTo = all.content(h.EndLine+1, last)
		seenTo = min(seenTo, seenFrom-1+lines)
	}
	if line := present(all, seenFrom, seenTo, e.Text); line > 0 {
		return all.text, TextChange{Says: fmt.Sprintf("already present at line %d", line), Same: true}, nil
	}
	after, first, err := e.put(all, at, at-1, e.Op == AppendSection && from <= to)
	says := fmt.Sprintf("%s at line %d", words.Count(lines, "line"), first)
	if beside := map[Op]string{AppendSection: "in", InsertBefore: "before", InsertAfter: "after"}[e.Op]; beside != "" {
		says += ", " + beside + " " + quoted(h.Text) + note
	}
	return after, TextChange{Says: says}, err
}

// replaceSection replaces the lines under a heading. The blank lines around them stay.
func (e TextEdit) replaceSection(all lineTable, h Heading, from, to int, note string) (string, TextChange, error) {
	if trimBlankLines(withLineEnds(all.lines(from, to), "\n")) == e.Text {
		return all.text, TextChange{Says: quoted(h.Text) + " has this text already" + note, Same: true}, nil
	}
	says := ", which was empty, has "
	if from <= to {
		says = fmt.Sprintf(", %s are now ", span(from, to))
	}
	after, _, err := e.put(all, from, to, false)
	return after, TextChange{Says: quoted(h.Text) + says + words.Count(LineCount(e.Text), "line") + note}, err
}

// put puts the text in place of the lines from one to another, or before a line when to is
// the line before it: as a block with a blank line on each side where there is none, or
// directly below a list that it continues when list is set. It returns the line that the
// text begins at.
func (e TextEdit) put(all lineTable, from, to int, list bool) (after string, first int, err error) {
	end, replaces := lineEnd(all.text), from <= to
	before, rest := all.text[:all.start(from)], all.text[all.start(to+1):]
	var out strings.Builder
	out.WriteString(before)
	if e.Text != "" {
		if strings.TrimSpace(before) != "" {
			if !strings.HasSuffix(before, "\n") {
				out.WriteString(end)
			}
			joins := replaces || frameName(all.line(from-1), frameBegin()) != "" ||
				list && listItem().MatchString(e.Text) && ofItem().MatchString(all.line(from-1))
			if !joins && !all.blank(from-1) {
				out.WriteString(end)
			}
		}
		first = strings.Count(out.String(), "\n") + 1
		out.WriteString(withLineEnds(e.Text, end))
		if rest != "" || strings.HasSuffix(all.text, "\n") || all.text == "" {
			out.WriteString(end)
		}
		next, _, _ := strings.Cut(rest, "\n")
		if !replaces && strings.TrimSpace(next) != "" && frameName(next, frameEnd()) == "" {
			out.WriteString(end)
		}
	}
	out.WriteString(rest)
	after = out.String()
	if e.Text == "" && rest == "" && !strings.HasSuffix(all.text, "\n") {
		after = strings.TrimRight(after, "\r\n")
	}
	if err := sameStructure(all.text, after, from, to, e.Text); err != nil {
		return "", 0, err
	}
	return after, first, nil
}

// sameStructure refuses an edit after which the headings are others than those around it and
// its own: a text with an open code fence, say, takes in all that follows. From and to are the
// lines that were replaced, none when to < from.
func sameStructure(before, after string, from, to int, added string) error {
	var head, tail []Heading
	for _, h := range Outline(before) {
		switch {
		case h.Line < from:
			head = append(head, h)
		case h.Line > to:
			tail = append(tail, h)
		}
	}
	same := func(a, b Heading) bool { return a.Level == b.Level && a.Text == b.Text }
	if slices.EqualFunc(slices.Concat(head, Outline(added), tail), Outline(after), same) {
		return nil
	}
	return &TextError{"the text would change which headings there are around it: " +
		"close its code fences and HTML comments, and leave a blank line before headings"}
}

// withoutHeading is a text without a first line that repeats the section's own heading.
func withoutHeading(text string, h Heading) (string, bool) {
	own := Outline(text)
	if len(own) == 0 || own[0].Line != 1 || !strings.EqualFold(words.OneLine(own[0].Text), words.OneLine(h.Text)) {
		return text, false
	}
	return trimBlankLines(Lines(text, own[0].TextLine, LineCount(text))), true
}

// repeated refuses a text with a heading that follows in the document already: it was
// taken from there together with the section, and would stand there twice.
func repeated(text string, headings []Heading, h Heading) error {
	for _, own := range Outline(text) {
		for _, later := range headings {
			if later.Line > h.EndLine && later.Level == own.Level && strings.EqualFold(later.Text, own.Text) {
				const message = "the text has the heading %s, which follows at line %d already: " +
					"leave it out of the text, with what is under it"
				return &TextError{fmt.Sprintf(message, quoted(own.Text), later.Line)}
			}
		}
	}
	return nil
}

// present is the line at which a text stands already between two lines, as whole lines
// but for blanks at their ends, 0 when it does not.
func present(all lineTable, from, to int, text string) int {
	lines := func(text string) string { return "\n" + lineEnds().ReplaceAllString(text+"\n", "\n") }
	before, _, found := strings.Cut(lines(all.lines(from, to)), lines(text))
	if !found {
		return 0
	}
	return from + strings.Count(before, "\n")
}

// trimBlankLines is a text without blank lines at its beginning and end. The spaces before
// its first character stay: they may mean code or a nested list.
func trimBlankLines(text string) string {
	blank := text[:len(text)-len(strings.TrimLeftFunc(text, unicode.IsSpace))]
	return strings.TrimRight(text[strings.LastIndexByte(blank, '\n')+1:], " \t\r\n")
}
