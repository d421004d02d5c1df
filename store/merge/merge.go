// Package merge merges two versions of a document that were made from one base.
//
// It knows documents as bytes, and nothing of the files they are from or of locks. The
// frontmatter is merged key by key. The text is merged by git, line by line, after the boxes of
// the three versions were merged one by one. Its invariants:
//   - a merge never drops a side: what both sides changed in different ways stands between
//     conflict markers, each side complete;
//   - whatever only one side changed is in the result; all other bytes are ours;
//   - a document that cannot be taken apart with certainty is merged by lines alone.
package merge

import (
	"bytes"
	"cmp"
	"context"
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

// Documents merges, for a workspace of this layout, what ours and theirs changed of base.
// Without a base, which is empty then, both were made independently of each other. The error
// says that git, which merges the lines of texts, cannot be run.
func Documents(
	ctx context.Context, workspace *layout.Layout, base, ours, theirs []byte, labels Labels,
) (Merged, error) {
	endings := lineEndsOf(ours)
	b, o, t := endings.in(base), string(ours), endings.in(theirs)
	if bytes.Equal(base, ours) { // without a change of the line ends
		return Merged{Data: bytes.Clone(theirs)}, nil
	}
	if one, ok := oneSided(b, o, t); ok {
		return Merged{Data: []byte(one)}, nil
	}
	labels = labels.complete()
	m, err := mergeFrontmatter(workspace, b, o, t, labels)
	if err != nil {
		notes := []string{"The documents were merged line by line: " + err.Error() + "."}
		pieces, err := mergeLines(ctx, b, o, t, endings, false)
		return render(pieces, notes, labels, endings), err
	}
	baseText, text, theirText := mergeBoxes(m.base.parsed.Body, m.ours.parsed.Body, m.theirs.parsed.Body)
	body, err := mergeLines(ctx, baseText, text, theirText, endings, b != "")
	isThere := func(p piece) bool { return p.conflict || p.text != "" }
	if last := len(m.pieces) - 1; slices.ContainsFunc(body, isThere) && m.pieces[last].text != "" {
		m.pieces[last].text = endings.ended(m.pieces[last].text) // the closing fence
	}
	return render(append(m.pieces, body...), m.notes, labels, endings), err
}

// oneSided is the merge of a text that at most one side has changed, or both in the same way.
func oneSided(base, ours, theirs string) (merged string, ok bool) {
	switch {
	case ours == theirs || base == theirs:
		return ours, true
	case base == ours:
		return theirs, true
	}
	return "", false
}

func (l Labels) complete() Labels {
	return Labels{
		Base: cmp.Or(l.Base, "base"), Ours: cmp.Or(l.Ours, "ours"), Theirs: cmp.Or(l.Theirs, "theirs"),
		MarkerSize: cmp.Or(max(l.MarkerSize, 0), markerSize),
	}
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

// in is a document with these line ends, so that only what its lines say is compared.
func (e lineEnds) in(data []byte) string {
	if e == "" || lineEndsOf(data) == e {
		return string(data)
	}
	unix := strings.ReplaceAll(string(data), "\r\n", "\n")
	return strings.ReplaceAll(unix, "\n", string(e))
}

// ended is a text whose last line has an end.
func (e lineEnds) ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + cmp.Or(string(e), "\n")
}

// pick is the three-way merge of a value that only one side may change; ours wins.
func pick[T comparable](base, ours, theirs T) T {
	if ours == base {
		return theirs
	}
	return ours
}

// parse reads a document whose type and values do not matter.
func parse(text string) frontmatter.Parsed {
	return frontmatter.Parse([]byte(text), "", layout.Default())
}
