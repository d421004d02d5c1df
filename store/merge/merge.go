// Package merge merges two versions of a document that were made from one base.
//
// It knows documents as bytes: no files, no locks, no git. The frontmatter is merged key
// by key, the text line by line and its boxes one by one. Its invariants: a merge never
// fails and never drops a side: what both sides changed in different ways stands between
// conflict markers, each side complete; whatever only one side changed is in the result;
// all other bytes are ours. A document that cannot be taken apart with certainty is merged
// by lines alone, as git does it.
package merge

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"issues-index/store/frontmatter"
	"issues-index/store/layout"
)

// Labels name the three versions in conflict markers.
type Labels struct {
	Base, Ours, Theirs string // "base", "ours" and "theirs" when empty
	MarkerSize         int    // in characters; 7 when 0
}

// Merged is the result of a merge.
type Merged struct {
	Data []byte
	// Conflicts is how many places have conflict markers.
	Conflicts int
	// Conflicted names where they are, each once: a key of the frontmatter, which stands
	// for the comments above it as well, or Text.
	Conflicted []string
	// Notes say, each in one sentence, which decisions a person may want to know of.
	Notes []string
}

// Text is the name in Merged.Conflicted of everything but the frontmatter's keys.
const Text = "text"

// Documents merges, for a workspace of this layout, what ours and theirs changed of base. Without a base, which is empty
// then, both were made independently of each other.
func Documents(workspace *layout.Layout, base, ours, theirs []byte, labels Labels) Merged {
	if data, ok := oneSided(base, ours, theirs); ok {
		return Merged{Data: data}
	}
	labels = labels.complete()
	endings := lineEndsOf(ours)
	b, t := endings.in(base), endings.in(theirs)
	if data, ok := oneSided(b, ours, t); ok {
		return Merged{Data: data}
	}
	m, err := takeApart(workspace, b, ours, t, labels)
	if err == nil {
		if err = m.merge(); err == nil {
			return render(m.pieces, m.notes, labels, endings)
		}
	}
	notes := []string{"The documents were merged line by line: " + err.Error() + "."}
	return render(byLines(string(base), string(ours), string(theirs)), notes, labels, endings)
}

// oneSided is the result where at most one side has changed, or both in the same way.
func oneSided(base, ours, theirs []byte) ([]byte, bool) {
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(base, theirs):
		return bytes.Clone(ours), true
	case bytes.Equal(base, ours):
		return bytes.Clone(theirs), true
	}
	return nil, false
}

func (l Labels) complete() Labels {
	return Labels{
		Base: cmp.Or(l.Base, "base"), Ours: cmp.Or(l.Ours, "ours"), Theirs: cmp.Or(l.Theirs, "theirs"),
		MarkerSize: cmp.Or(max(l.MarkerSize, 0), 7),
	}
}

// A piece is a part of the result: a text, or a conflict.
type piece struct {
	text               string // ours where there is a conflict
	conflict           bool
	in                 string // a key of the frontmatter, or Text
	base, ours, theirs string
}

// conflict is the piece that asks a person to decide.
func conflict(in, base, ours, theirs string) piece {
	return piece{text: ours, conflict: true, in: in, base: base, ours: ours, theirs: theirs}
}

// render writes the pieces, with markers around conflicts.
func render(pieces []piece, notes []string, labels Labels, endings lineEnds) Merged {
	m := Merged{Notes: notes}
	var out strings.Builder
	marker := func(sign byte, label string) {
		out.WriteString(strings.Repeat(string(sign), labels.MarkerSize))
		if label != "" {
			out.WriteString(" " + label)
		}
		out.WriteString(endings.mark())
	}
	lines := func(text string) {
		out.WriteString(text)
		if text != "" && !strings.HasSuffix(text, "\n") {
			out.WriteString(endings.mark())
		}
	}
	for _, p := range pieces {
		if !p.conflict {
			out.WriteString(p.text)
			continue
		}
		m.Conflicts++
		if !slices.Contains(m.Conflicted, p.in) {
			m.Conflicted = append(m.Conflicted, p.in)
		}
		marker('<', labels.Ours)
		lines(p.ours)
		marker('|', labels.Base)
		lines(p.base)
		marker('=', "")
		lines(p.theirs)
		marker('>', labels.Theirs)
	}
	m.Data = []byte(out.String())
	return m
}

// lineEnds are how the lines of a document end: "\n", "\r\n", or "" where they differ or
// there are none.
type lineEnds string

func lineEndsOf(data []byte) lineEnds {
	switch all, dos := bytes.Count(data, []byte("\n")), bytes.Count(data, []byte("\r\n")); {
	case all == 0:
		return ""
	case dos == all:
		return "\r\n"
	case dos == 0:
		return "\n"
	}
	return ""
}

// mark ends the line of a conflict marker.
func (e lineEnds) mark() string { return cmp.Or(string(e), "\n") }

// in is a document with these line ends, so that only what its lines say is compared.
func (e lineEnds) in(data []byte) []byte {
	if e == "" || lineEndsOf(data) == e {
		return data
	}
	unix := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(unix, []byte("\n"), []byte(e))
}

// pick is the three-way merge of a value that only one side may change; ours wins.
func pick[T comparable](base, ours, theirs T) T {
	if ours == base {
		return theirs
	}
	return ours
}

// hasMarkers reports whether a text has conflict markers already. A line of equal signs
// alone underlines a heading.
func hasMarkers(text string) bool {
	for _, marker := range []string{"<<<<<<< ", "||||||| ", ">>>>>>> "} {
		if strings.HasPrefix(text, marker) || strings.Contains(text, "\n"+marker) {
			return true
		}
	}
	return false
}

// parse reads a document whose type and values do not matter.
func parse(data []byte) frontmatter.Parsed { return frontmatter.Parse(data, "", layout.Default()) }
