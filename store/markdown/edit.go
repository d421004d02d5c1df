package markdown

import (
	"fmt"
	"slices"
	"strings"

	"issues-index/store/words"
)

// An Op is what an edit does.
type Op string

// The operations, with what an edit needs for them besides.
const (
	Append         Op = "append"          // text, after everything
	Prepend        Op = "prepend"         // text, before everything
	AppendSection  Op = "append_section"  // text, at the end of the section's own text
	ReplaceSection Op = "replace_section" // text, in place of all under the heading
	InsertBefore   Op = "insert_before"   // text, before the heading
	InsertAfter    Op = "insert_after"    // text, after the whole section
	Replace        Op = "replace"         // text, in place of find
	Check          Op = "check"           // boxes
	Uncheck        Op = "uncheck"         // boxes
)

// Ops are all operations.
var Ops = []Op{Append, Prepend, AppendSection, ReplaceSection, InsertBefore, InsertAfter, Replace, Check, Uncheck}

// TakesText reports whether an operation puts a text in.
func (op Op) TakesText() bool { return op != Check && op != Uncheck }

// NeedsSection reports whether an operation is about one section.
func (op Op) NeedsSection() bool {
	return op == AppendSection || op == ReplaceSection || op == InsertBefore || op == InsertAfter
}

// A TextEdit is one change of a text.
type TextEdit struct {
	Op      Op
	Section string // the name of a heading, as Find takes it
	Text    string
	Find    string // exact, its line feeds standing for any line end
	// Count is how often Find must occur. 0 changes nothing and asserts absence.
	Count int
	Boxes []BoxRef
}

// A TextChange is what an edit did.
type TextChange struct {
	Op   Op
	Says string // for people, without the name of the operation
	// Same reports that the text was as wanted already.
	Same bool
}

// A TextEditError says which edit of several failed, from 0. Nothing was changed.
type TextEditError struct {
	Index int
	Err   error
}

func (e *TextEditError) Error() string { return fmt.Sprintf("apply edit %d: %v", e.Index+1, e.Err) }
func (e *TextEditError) Unwrap() error { return e.Err }

// A FindError says that a string does not occur as often as an edit needs it.
type FindError struct {
	Find        string
	Want, Found int
	Lines       []int // where it is found, from 1; at most maxLines
}

func (e *FindError) Error() string {
	return fmt.Sprintf("find %q: it occurs %s, not %d", words.Cut(e.Find, 60), words.Count(e.Found, "time"), e.Want)
}

// A TextError says why a text cannot be put where it was to go.
type TextError struct{ Reason string }

func (e *TextError) Error() string { return e.Reason }

// Apply applies edits in order, each to what the one before left. It returns the text and
// a TextChange for each edit. Its error is an *TextEditError; then nothing is changed.
func Apply(text string, edits []TextEdit) (string, []TextChange, error) {
	changes := make([]TextChange, len(edits))
	for i, e := range edits {
		after, change, err := e.apply(text)
		if err != nil {
			return "", nil, &TextEditError{i, err}
		}
		change.Op = e.Op
		text, changes[i] = after, change
	}
	return text, changes, nil
}

func (e TextEdit) apply(text string) (string, TextChange, error) {
	if e.Op.TakesText() && e.Op != Replace {
		e.Text = trimBlankLines(withLineEnds(e.Text, "\n"))
	}
	switch {
	case e.Op == Replace:
		return e.replace(text)
	case !e.Op.TakesText():
		return e.setBoxes(text)
	case slices.Contains(Ops, e.Op):
		return e.place(newLineTable(text))
	}
	return "", TextChange{}, fmt.Errorf("unknown operation %q", e.Op)
}

// setBoxes writes one byte for each box.
func (e TextEdit) setBoxes(text string) (string, TextChange, error) {
	boxes, headings, where := Boxes(text), Outline(text), ""
	if e.Section != "" {
		h, err := Find(headings, e.Section)
		if err != nil {
			return "", TextChange{}, err
		}
		boxes, where = within(boxes, h.TextLine, h.EndLine), " of "+quoted(h.Text)
	}
	out, wanted := []byte(text), byte('x')
	if e.Op == Uncheck {
		wanted = ' '
	}
	var says []string
	same := true
	for _, ref := range e.Boxes {
		box, err := ref.find(boxes, headings)
		if err != nil {
			return "", TextChange{}, err
		}
		is := box.Checked == (e.Op == Check)
		said := fmt.Sprintf("box %d%s, line %d: %s", box.N, where, box.Line, words.Cut(words.OneLine(box.Text), maxShown))
		if is {
			said += " (no change)"
		} else {
			out[box.At], same = wanted, false
		}
		says = append(says, said)
	}
	return string(out), TextChange{Says: strings.Join(says, "; "), Same: same}, nil
}

// maxShown is how many characters of a text a change repeats.
const maxShown = 60

func quoted(text string) string { return "'" + words.Cut(words.OneLine(text), maxShown) + "'" }

func span(first, last int) string {
	if first >= last {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d-%d", first, last)
}
