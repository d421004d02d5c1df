package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/store/orderedjson"
	"issues-index/store/words"
)

// What a cut text keeps at least, in characters: at first, and after lists were
// shortened, too.
const (
	textAtFirst = 200
	textAtLast  = 40
)

// maxDepth is how deep in an object values are cut. What lies deeper stays or goes whole.
const maxDepth = 8

// SqueezeObject cuts a JSON object until it fits: the longest texts first, then lists
// from their ends, then members that the schema does not require. Strings that identify
// something, and those that the schema gives a list or a form, are never cut. The
// object's note says what is missing, and then the hint, which says how to get it. An
// object that fits is returned as it is, and so is what is no object. An object that
// cannot be made to fit is returned as small as it gets.
func SqueezeObject(object, schema json.RawMessage, hint string, fits func(json.RawMessage) bool) json.RawMessage {
	if fits(object) {
		return object
	}
	object = bytes.TrimSpace(object)
	var s *shape
	if json.Unmarshal(schema, &s) != nil {
		s = nil
	}
	root := parseNode("", object, s, s == nil, 0)
	if root.members == nil {
		return object
	}
	for _, child := range root.children {
		isShort := child.children == nil && len(child.raw) <= textAtFirst
		child.held = child.held || isShort
	}
	var best json.RawMessage
	const all = math.MaxInt32
	kept := cuts{text: all, items: all, members: all}
	for _, step := range []struct {
		limit       *int
		least, most int
	}{
		{&kept.text, textAtFirst, all},
		{&kept.items, 1, all},
		{&kept.text, textAtLast, textAtFirst},
		{&kept.members, 0, all},
		{&kept.items, 0, 1},
		{&kept.text, 0, textAtLast},
	} {
		fitted := largest(step.least, step.most, func(n int) bool {
			*step.limit = n
			w := squeezeWriter{cuts: kept}
			written := w.root(root, hint)
			ok := fits(written)
			if ok || best == nil || len(written) < len(best) {
				best = written
			}
			return ok
		})
		if fitted {
			break
		}
		*step.limit = step.least
	}
	return best
}

// largest calls try with numbers from least to most and ends with the largest for which
// it holds. It reports whether there is one. It searches from least on, so that most of
// what is written is about as long as what fits.
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

// A node is a JSON value that is cut or written as it is.
type node struct {
	key      string // of the member; an element has its list's
	raw      json.RawMessage
	members  orderedjson.Object // nil for anything but an object
	children []*node            // values of the members, or elements of a list

	held bool // a member that is never left out
	kept bool // a string that is never cut

	text  string // of a string, once it was asked for
	runes int
}

// identifying are the members that say which thing an answer is about and how to go on,
// and so do members whose name ends with one of the suffixes.
var (
	identifying = []string{
		"id", "ids", "path", "paths", "cursor", "note", "code", "error", "status", "type", "priority",
		"operation", "phase", "groupBy", "notFound", "url",
	}
	identifyingEnds = []string{"Id", "Ids", "ID", "Path", "Cursor", "At", "Url", "Sha", "Hash"}
)

func identifies(key string, value json.RawMessage) bool {
	const longest = 4096 // bytes, as long as a path may be
	return len(value) <= longest && (slices.Contains(identifying, key) ||
		slices.ContainsFunc(identifyingEnds, func(end string) bool { return strings.HasSuffix(key, end) }))
}

// A shape is the part of a JSON schema that says what an answer must keep.
type shape struct {
	Properties map[string]*shape `json:"properties"`
	Required   []string          `json:"required"`
	Items      *shape            `json:"items"`
	Enum       json.RawMessage   `json:"enum"`
	Const      json.RawMessage   `json:"const"`
	Pattern    string            `json:"pattern"`
	Format     string            `json:"format"`
}

// parseNode reads a value. Without a schema any member may identify something; with one
// only the members that it names: a document may bring members of any name.
func parseNode(key string, raw json.RawMessage, s *shape, schemaless bool, depth int) *node {
	n := &node{key: key, raw: raw}
	if s == nil {
		s = &shape{}
	}
	var elements []json.RawMessage
	switch {
	case len(raw) == 0 || depth > maxDepth:
	case raw[0] == '"':
		isExact := s.Enum != nil || s.Const != nil || s.Pattern != "" || s.Format != ""
		n.kept = isExact || identifies(key, raw)
	case raw[0] == '{':
		members, err := orderedjson.Parse(raw)
		if err != nil {
			break
		}
		n.members = append(orderedjson.Object{}, members...)
		for _, m := range members {
			property, named := s.Properties[m.Name]
			child := parseNode(m.Name, m.Value, property, schemaless, depth+1)
			child.held = slices.Contains(s.Required, m.Name) ||
				(named || schemaless) && child.members == nil && identifies(m.Name, m.Value)
			n.children = append(n.children, child)
		}
	case raw[0] == '[' && json.Unmarshal(raw, &elements) == nil:
		for _, element := range elements {
			n.children = append(n.children, parseNode(key, element, s.Items, schemaless, depth+1))
		}
	}
	return n
}

// cuts say how much of a text, a list and an object stays.
type cuts struct {
	text    int // characters
	items   int // elements of each list
	members int // of each object, beside those that are held
}

// A squeezeWriter writes an object with its cuts, and counts them.
type squeezeWriter struct {
	cuts
	out     bytes.Buffer
	texts   int // cut
	left    int // elements left out
	dropped int // members left out
	lists   []string
}

// root writes the object, with what was cut in its note.
func (w *squeezeWriter) root(root *node, hint string) json.RawMessage {
	own := ""
	if i := slices.IndexFunc(root.members, func(m orderedjson.Member) bool { return m.Name == "note" }); i >= 0 {
		if json.Unmarshal(root.members[i].Value, &own) == nil {
			own += " "
		}
	}
	w.object(root, "note")
	w.out.Truncate(w.out.Len() - 1) // the closing brace
	if w.out.Len() > 1 {
		w.out.WriteByte(',')
	}
	var cut []string
	if w.texts > 0 {
		cut = append(cut, words.Count(w.texts, "text")+" cut")
	}
	if w.left > 0 {
		cut = append(cut, fmt.Sprintf("%d left out at the end of %s", w.left, strings.Join(w.lists, ", ")))
	}
	if w.dropped > 0 {
		cut = append(cut, words.Count(w.dropped, "member")+" left out")
	}
	note := strings.TrimSpace("Too large: " + strings.Join(cut, ", ") + ". " + hint)
	fmt.Fprintf(&w.out, `"note":%s}`, orderedjson.Text(own+note))
	return w.out.Bytes()
}

func (w *squeezeWriter) value(n *node) {
	switch {
	case n.members != nil:
		w.object(n, "")
	case n.children != nil:
		w.list(n)
	case len(n.raw) > 0 && n.raw[0] == '"':
		w.string(n)
	default:
		w.out.Write(n.raw)
	}
}

// object writes an object without one of its members. Members that are held are written
// whatever the room.
func (w *squeezeWriter) object(n *node, without string) {
	w.out.WriteByte('{')
	first, room := true, w.members
	for i, child := range n.children {
		switch {
		case without != "" && child.key == without:
			continue
		case child.held:
		case room <= 0:
			w.dropped++
			continue
		default:
			room--
		}
		if !first {
			w.out.WriteByte(',')
		}
		first = false
		w.out.Write(orderedjson.Text(n.members[i].Name))
		w.out.WriteByte(':')
		w.value(child)
	}
	w.out.WriteByte('}')
}

func (w *squeezeWriter) list(n *node) {
	shown := n.children[:min(w.items, len(n.children))]
	if left := len(n.children) - len(shown); left > 0 {
		w.left += left
		const most = 3 // names of lists
		name := n.key
		if len(w.lists) == most || len(name) > textAtLast {
			name = "…"
		}
		if !slices.Contains(w.lists, name) && !slices.Contains(w.lists, "…") {
			w.lists = append(w.lists, name)
		}
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

func (w *squeezeWriter) string(n *node) {
	if !n.kept && len(n.raw)-saving > w.text && n.text == "" && json.Unmarshal(n.raw, &n.text) == nil {
		n.runes = utf8.RuneCountInString(n.text)
	}
	if n.kept || n.runes-saving <= w.text {
		w.out.Write(n.raw)
		return
	}
	w.texts++
	w.out.Write(orderedjson.Text(shortened(n.text, n.runes, w.text)))
}

// saving is how many characters a cut must save: to say how much is missing takes as many.
const saving = 32

// shortened returns the beginning of a text and how much more there is.
func shortened(text string, runes, shown int) string {
	end := 0
	for range shown {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return fmt.Sprintf("%s… (%d more characters)", text[:end], runes-shown)
}
