package toolstest

import "strings"

// Marked is the text of an answer as a client reads it that goes by the marks alone.
type Marked struct {
	Mark      string
	Documents []MarkedDocument
	Ours      []string // the lines that belong to no document
}

// MarkedDocument is one document: its fields, and its text byte for byte.
type MarkedDocument struct{ Fields, Text string }

// ReadMarked splits the text of an answer at its marks. The mark is the longest run of
// = that a line begins with. A line with the mark and a name begins a document, the
// mark alone ends it. An answer in which no line does is one document, and a first
// line about a chunk belongs to its fields; one that is a note is ours.
func ReadMarked(text string) Marked {
	const usual = "==="
	lines := strings.Split(text, "\n")
	m := Marked{Mark: usual}
	for _, line := range lines {
		if run := line[:len(line)-len(strings.TrimLeft(line, "="))]; len(run) > len(m.Mark) {
			m.Mark = run
		}
	}
	begins := func(line string) bool { return strings.HasPrefix(line, m.Mark+" ") }
	if strings.HasPrefix(lines[0], "Note: ") {
		m.Ours, lines = lines[:1], lines[1:]
	}
	inside := true
	for _, line := range lines {
		inside = inside && !begins(line)
	}
	var document []string
	end := func() {
		if document != nil {
			fields, text, _ := strings.Cut(strings.Join(document, "\n"), "\n\n")
			m.Documents = append(m.Documents, MarkedDocument{fields, text})
		}
		document = nil
	}
	for _, line := range lines {
		switch {
		case begins(line):
			end()
			inside, document = true, []string{strings.TrimPrefix(line, m.Mark+" ")}
		case line == m.Mark:
			end()
			inside = false
		case inside:
			document = append(document, line)
		default:
			m.Ours = append(m.Ours, line)
		}
	}
	end()
	return m
}
