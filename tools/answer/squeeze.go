package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// What a cut text is left with at least, in characters: at first, when lists had
// to be shortened too, and when that was not enough either.
const (
	textAtFirst = 200
	textAtLast  = 40
)

// SqueezeObject cuts a JSON object until it fits: the longest texts first, then
// lists from their ends, then members that the schema does not require. Strings
// that identify, and those that the schema has a list or a form for, are never
// cut. The object's note says what is missing, and the hint after it how to get
// it. What fits is returned as it is, and so is what is no object; what cannot
// be made to fit comes back as small as it gets.
func SqueezeObject(object, schema json.RawMessage, hint string, fits func(json.RawMessage) bool) json.RawMessage {
	if fits(object) {
		return object
	}
	if object = bytes.TrimSpace(object); len(object) == 0 || object[0] != '{' || !json.Valid(object) {
		return object
	}
	var s *shape
	if json.Unmarshal(schema, &s) != nil {
		s = nil
	}
	root := (&parser{json: object, shapeless: s == nil}).value("", s)
	for _, child := range root.children {
		child.held = child.held || child.kind != '{' && child.kind != '[' && len(child.raw) <= textAtFirst
	}
	return (&squeezer{root: root, hint: hint, fits: fits}).squeeze()
}

// A squeezer looks for the mildest cuts with which its object fits.
type squeezer struct {
	root *node
	hint string
	fits func(json.RawMessage) bool

	cuts   cuts
	best   []byte
	fitted bool
}

// squeeze tightens one limit after the other. The steps are searched from their
// tight end, so that most of what is written is about as long as what fits.
func (s *squeezer) squeeze() json.RawMessage {
	const all = math.MaxInt32
	s.cuts = cuts{text: all, items: all, members: all}
	for _, step := range []struct {
		limit       *int
		least, most int
	}{
		{&s.cuts.text, textAtFirst, all},
		{&s.cuts.items, 1, all},
		{&s.cuts.text, textAtLast, textAtFirst},
		{&s.cuts.members, 0, all},
		{&s.cuts.items, 0, 1},
		{&s.cuts.text, 0, textAtLast},
	} {
		if largest(step.least, step.most, func(n int) bool { *step.limit = n; return s.try() }) {
			break
		}
		*step.limit = step.least
	}
	return s.best
}

// try writes the object with the cuts of the moment. It keeps what it wrote when
// it fits, and until something does, the smallest of all.
func (s *squeezer) try() bool {
	w := writer{cuts: s.cuts}
	object := w.object(s.root, s.hint)
	fits := s.fits(object)
	if fits || !s.fitted && (s.best == nil || len(object) < len(s.best)) {
		s.best, s.fitted = object, fits
	}
	return fits
}

// largest calls try with the numbers between least and most that lead to the
// largest for which it holds, and reports whether there is one. A number that
// held is never followed by a smaller one that did.
func largest(least, most int, try func(int) bool) bool {
	if !try(least) {
		return false
	}
	step := 1
	for least+step < most && try(least+step) {
		least += step
		step *= 2
	}
	for end := min(least+step, most+1); end-least > 1; {
		if middle := least + (end-least)/2; try(middle) {
			least = middle
		} else {
			end = middle
		}
	}
	return true
}

// cuts are how much of a text, a list and an object stays.
type cuts struct {
	text    int // characters
	items   int // elements of each list
	members int // of each object, beside those that must stay
}

// A writer writes an object with its cuts, and counts them.
type writer struct {
	cuts
	out     bytes.Buffer
	texts   int
	left    int // elements left out
	dropped int // members left out
	lists   []string
}

// object writes the root, and into its note what was cut.
func (w *writer) object(root *node, hint string) []byte {
	own := ""
	w.out.WriteByte('{')
	room := w.members
	for i, child := range root.children {
		if child.key == "note" && child.kind == '"' {
			own = plainText(child.raw) + " "
		} else {
			w.member(root.names[i], child, &room)
		}
	}
	if w.out.Len() > 1 {
		w.out.WriteByte(',')
	}
	w.out.WriteString(`"note":`)
	quote(&w.out, own+w.note(hint))
	w.out.WriteByte('}')
	return w.out.Bytes()
}

func (w *writer) note(hint string) string {
	var cut []string
	if w.texts > 0 {
		cut = append(cut, count(w.texts, "text")+" cut")
	}
	if w.left > 0 {
		cut = append(cut, fmt.Sprintf("%d left out at the end of %s", w.left, strings.Join(w.lists, ", ")))
	}
	if w.dropped > 0 {
		cut = append(cut, count(w.dropped, "member")+" left out")
	}
	return strings.TrimSpace("Too large: " + strings.Join(cut, ", ") + ". " + hint)
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// member writes a member if it must stay or if there is room for it.
func (w *writer) member(name []byte, child *node, room *int) {
	if !child.held {
		if *room <= 0 {
			w.dropped++
			return
		}
		*room--
	}
	if end := w.out.Len() - 1; w.out.Bytes()[end] != '{' {
		w.out.WriteByte(',')
	}
	w.out.Write(name)
	w.out.WriteByte(':')
	w.value(child)
}

func (w *writer) value(n *node) {
	switch n.kind {
	case '{':
		w.out.WriteByte('{')
		room := w.members
		for i, child := range n.children {
			w.member(n.names[i], child, &room)
		}
		w.out.WriteByte('}')
	case '[':
		w.list(n)
	case '"':
		w.string(n)
	default:
		w.out.Write(n.raw)
	}
}

func (w *writer) list(n *node) {
	shown := n.children[:min(w.items, len(n.children))]
	if left := len(n.children) - len(shown); left > 0 {
		w.left += left
		w.named(n.key)
	}
	w.out.WriteByte('[')
	for i, child := range shown {
		if i > 0 {
			w.out.WriteByte(',')
		}
		w.value(child)
	}
	w.out.WriteByte(']')
}

// named remembers the name of a shortened list, if there are not many yet.
func (w *writer) named(key string) {
	const most = 3
	if len(w.lists) == most || len(key) > textAtLast {
		key = "…"
	}
	if !slices.Contains(w.lists, key) && !slices.Contains(w.lists, "…") {
		w.lists = append(w.lists, key)
	}
}

func (w *writer) string(n *node) {
	const saving = 32 // bytes that saying how much is missing takes
	if n.kept || len(n.raw) <= saving || len(n.raw)-saving <= w.text {
		w.out.Write(n.raw)
		return
	}
	if n.text == "" {
		n.text = plainText(n.raw)
		n.runes = utf8.RuneCountInString(n.text)
	}
	if n.runes-saving <= w.text {
		w.out.Write(n.raw)
		return
	}
	w.texts++
	quote(&w.out, shortened(n.text, n.runes, w.text))
}

// shortened is the beginning of a text, and how much there is more of it.
func shortened(text string, runes, shown int) string {
	end := 0
	for range shown {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return fmt.Sprintf("%s… (%d more characters)", text[:end], runes-shown)
}
