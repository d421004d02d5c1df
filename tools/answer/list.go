package answer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

// repeatAfter is the size of a text, in bytes, from which it says at its end too how to
// go on: hosts cut the middle out of long answers.
const repeatAfter = 2000

// A List is an answer of rows. Fit finds how many rows there is room for, and narrows the
// wide ones; Write writes them. A row is rendered once, and again only when it is narrowed.
type List struct {
	Member string // of the object, in which the rows stand
	Rows   []Row
	Unread int // bytes of rows that were never rendered, since they cannot fit
	Wide   int // bytes: a row that takes more in a channel is narrowed before rows are left out
	// Asked says that the caller has named each row, so that rows are narrowed, from the last on,
	// before any is left out.
	Asked bool

	// Around returns what an answer with the first n rows has beside them.
	Around func(n int) Around
	// Narrow leaves out the next thing that a row can do without, and reports false when there
	// is no such thing. nil narrows nothing.
	Narrow func(row int) (Row, bool)
}

// A Row is one row in both channels.
type Row struct {
	Text    string          // one line, or the fields of a document
	Block   bool            // it is a document, which begins below a mark
	Body    *string         // the text of a document below its fields, nil for none
	Object  json.RawMessage // nil for a row that is not shown, such as a document that is gone
	Omitted string          // names of what the row leaves out to fit, with commas
	Member  string          // of the object, in which the row stands; "" is that of the list

	mark int // bytes of the mark that a document needs
}

// Around is what stands around the rows of a list.
type Around struct {
	Head   string          // the first lines
	More   string          // the sentence of the head that says how to go on, "" for the last page
	Object json.RawMessage // the whole object, with an empty list in place of the rows
}

// A Fitted is an answer that keeps to its budget as far as its view can.
type Fitted struct {
	Text     string
	Object   json.RawMessage
	Mark     Mark
	Rows     int  // that are shown
	Narrowed bool // something says less than it could
	Chunked  bool // the text is a chunk
	Original int  // bytes of the larger channel without a budget, 0 where the budget changed nothing
}

// Fit narrows rows and returns how many to show: all where rows may not be left out, and always
// one. whole is what the list takes before, with what was never rendered.
func (l *List) Fit(room Space, may Flags) (n int, whole Space) {
	all := len(l.Rows)
	whole = l.total(all, room).Plus(Space{Text: l.Unread, Object: l.Unread})
	if whole.In(room) || all == 0 || !may.Pagination && !may.Summarization {
		return all, whole
	}
	if may.Summarization {
		l.narrowWide(room, may.Pagination)
	}
	if !may.Pagination {
		return all, whole
	}
	if l.Asked && may.Summarization {
		l.narrowFromEnd(room)
	}
	for may.Summarization && !l.total(1, room).In(room) && l.narrow(0) {
	}
	if l.total(all, room).In(room) {
		return all, whole
	}
	return max(1, sort.Search(all, func(i int) bool { return !l.total(i+1, room).In(room) })), whole
}

// narrowWide narrows the rows that are wide: wider than Wide or, when none may be left out, than
// their share of the room.
func (l *List) narrowWide(room Space, mayLeaveOut bool) {
	wide := l.Wide
	if !mayLeaveOut {
		widths := make([]int, len(l.Rows))
		for i := range l.Rows {
			widths[i] = l.Taken(i)
		}
		a := l.Around(len(l.Rows))
		wide = Share(widths, room.Bytes()-SpaceOf(a.Head, a.Object).Larger())
	}
	for i := range l.Rows {
		for l.Taken(i) > wide && l.narrow(i) {
		}
	}
}

// narrowFromEnd narrows all rows by one thing after the other, the last row first, until they fit.
// What they take together is measured once for each thing: that takes time for every row.
func (l *List) narrowFromEnd(room Space) {
	for narrowed := true; narrowed; {
		narrowed = false
		total := l.total(len(l.Rows), room)
		for i := len(l.Rows) - 1; i >= 0 && !total.In(room); i-- {
			before := l.Rows[i].size()
			narrowed = l.narrow(i) || narrowed
			now := l.Rows[i].size()
			total = total.Plus(Space{now.Text - before.Text, now.Lines - before.Lines, now.Object - before.Object})
		}
	}
}

func (l *List) narrow(i int) bool {
	if l.Narrow == nil {
		return false
	}
	row, ok := l.Narrow(i)
	if ok {
		l.Rows[i] = row
	}
	return ok
}

// Taken returns the bytes that a row takes in the larger channel.
func (l *List) Taken(row int) int { return l.Rows[row].size().Larger() }

// size returns what a row takes, with what stands between it and the next, but for marks.
func (r Row) size() Space {
	if r.Object == nil {
		return Space{}
	}
	size := SpaceOf(r.Text, r.Object).Plus(Space{Text: 1, Object: 1})
	if r.Body != nil {
		size.Text += len("\n\n") + len(*r.Body)
		size.Lines += 2 + strings.Count(*r.Body, "\n")
	}
	return size
}

// markOf returns the bytes of the mark that the texts of a row need. It looks at them once.
func (l *List) markOf(row int) int {
	r := &l.Rows[row]
	if r.mark == 0 && r.Body != nil {
		r.mark = len(MarkFor(r.Text, *r.Body))
	} else if r.mark == 0 {
		r.mark = len(MarkFor(r.Text))
	}
	return r.mark
}

// total returns what the answer with the first n rows takes. One mark is good for all documents: it
// stands before each and, where something follows, behind it.
func (l *List) total(n int, room Space) Space {
	a := l.Around(n)
	total := SpaceOf(a.Head, a.Object)
	if a.More != "" && room.Text > repeatAfter {
		total = total.Plus(Space{Text: len(a.More) + 1, Lines: 1})
	}
	documents, mark := 0, 0
	for i := range n {
		total = total.Plus(l.Rows[i].size())
		if l.Rows[i].Block {
			documents, mark = documents+1, max(mark, l.markOf(i))
		}
	}
	if documents > 0 {
		mark = max(mark, len(MarkFor(a.Head)))
	}
	return total.Plus(Space{Text: documents * (2*mark + len("\n \n")), Lines: 2 * documents})
}

// Write writes the first n rows.
func (l *List) Write(n int) Fitted {
	a := l.Around(n)
	f := Fitted{Rows: n}
	objects := map[string][][]byte{}
	longest := len(MarkFor(a.Head))
	hasBlocks := false
	for i := range l.Rows[:n] {
		r := &l.Rows[i]
		if r.Object == nil {
			continue
		}
		f.Narrowed = f.Narrowed || r.Omitted != ""
		member := cmp.Or(r.Member, l.Member)
		objects[member] = append(objects[member], r.Object)
		if r.Block {
			hasBlocks, longest = true, max(longest, l.markOf(i))
		}
	}
	if hasBlocks {
		f.Mark = Mark(strings.Repeat("=", longest))
	}
	f.Text = f.Mark.rows(a.Head, l.Rows[:n])
	if a.More != "" && len(f.Text) > repeatAfter {
		f.Text = f.Mark.End(f.Text) + "\n" + a.More
	}
	f.Object = withRows(a.Object, objects)
	return f
}

// rows writes rows below a head. The mark begins each document, and ends it before anything else.
func (m Mark) rows(head string, rows []Row) string {
	var b strings.Builder
	b.WriteString(head)
	var above Row
	for _, r := range rows {
		switch {
		case r.Object == nil:
			continue
		case above.Body != nil, above.Block && !r.Block:
			b.WriteString("\n" + string(m))
		case above.Block:
			b.WriteString("\n")
		}
		if b.WriteString("\n"); r.Block {
			b.WriteString(m.Begin(""))
		}
		b.WriteString(r.Text)
		if r.Body != nil {
			b.WriteString("\n\n" + *r.Body)
		}
		above = r
	}
	return b.String()
}

// withRows puts rows, which are JSON already, into the empty lists of an object.
func withRows(object json.RawMessage, rows map[string][][]byte) json.RawMessage {
	end := func(member string) int {
		empty := `"` + member + `":[`
		return bytes.Index(object, []byte(empty+"]")) + len(empty)
	}
	members := slices.SortedFunc(maps.Keys(rows), func(a, b string) int { return end(b) - end(a) })
	ends := make([]int, len(members))
	for i, member := range members {
		ends[i] = end(member)
	}
	for i, member := range members { // the last first, so that the others stay where they are
		object = slices.Concat(object[:ends[i]], bytes.Join(rows[member], []byte(",")), object[ends[i]:])
	}
	return object
}

// Omissions says what rows leave out to fit, and in how many of them, "" for nothing.
func Omissions(rows []Row) string {
	counts := make(map[string]int)
	for _, r := range rows {
		if r.Omitted == "" {
			continue
		}
		for thing := range strings.SplitSeq(r.Omitted, ", ") {
			thing, _, _ = strings.Cut(thing, " (")
			counts[thing]++
		}
	}
	var things []string
	for _, thing := range slices.Sorted(maps.Keys(counts)) {
		things = append(things, fmt.Sprintf("%s (%d)", thing, counts[thing]))
	}
	return strings.Join(things, ", ")
}
