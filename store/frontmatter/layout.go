package frontmatter

import (
	"encoding/json"
	"slices"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"

	"issues-index/store/yamlfile"
)

// A Mapping is a text of `key: value` lines, cut by its keys: Head, then Above and Lines
// of every key, then Tail, are the text byte for byte.
type Mapping struct {
	Head string // the opening fence, or the line of the mapping's own key
	Keys []KeyLines
	Tail string // comments and blank lines after the last key
}

// KeyLines are the lines of one key of a Mapping.
type KeyLines struct {
	Key   string
	Above string          // comments and blank lines between it and the key before
	Lines string          // from the name to the end of the value
	Value json.RawMessage // the value as JSON, where Layout has cut the lines
	// Below are the keys of wranglerContext, where they are on lines of their own.
	Below *Mapping

	name, value *yaml.Node
}

// Find returns the lines of a key, nil when there are none.
func (m Mapping) Find(key string) *KeyLines {
	i := slices.IndexFunc(m.Keys, func(k KeyLines) bool { return k.Key == key })
	if i < 0 {
		return nil
	}
	return &m.Keys[i]
}

// String is the text that the mapping was cut from, with the lines that its keys have now.
func (m Mapping) String() string {
	var text strings.Builder
	text.WriteString(m.Head)
	for _, k := range m.Keys {
		text.WriteString(k.Above)
		text.WriteString(k.Lines)
	}
	text.WriteString(m.Tail)
	return text.String()
}

// set gives a key other lines, at its place or else after the last key; "" removes it. The
// comments above it stay.
func (m *Mapping) set(key, lines string) {
	if k := m.Find(key); k != nil {
		k.Lines = lines
		return
	}
	k := KeyLines{Key: key, Lines: lines}
	if len(m.Keys) == 0 { // comments alone
		k.Above, m.Tail = m.Tail, ""
	}
	m.Keys = append(m.Keys, k)
}

// errLines says that a document's frontmatter cannot be cut.
var errLines = &UneditableError{Reason: "the keys of the frontmatter do not stand on lines of their own: " +
	"write each one as `key: value` on a line, without braces and question marks"}

// Layout cuts a document: its frontmatter, whose Head includes the opening fence, and the
// line of the closing fence. Body follows. Both are empty, but for a byte order mark,
// without frontmatter. The error is an *UneditableError where the lines of one key cannot
// be moved without touching those of another.
func (p Parsed) Layout() (m Mapping, fence string, err error) {
	if err := Editable(p.Problems); err != nil {
		return m, "", err
	}
	if m, err = p.cut(); err == nil {
		err = m.readValues()
	}
	if err != nil {
		return Mapping{}, "", err
	}
	m.Head, fence, _ = p.around()
	return m, fence, nil
}

// readValues gives each key its Value.
func (m *Mapping) readValues() (err error) {
	for i := range m.Keys {
		k := &m.Keys[i]
		if k.Key == "<<" || shared(k.name) || shared(k.value) {
			return errLines
		}
		if k.Value, err = appendJSON(nil, k.value, 0); err != nil {
			return errLines
		}
		if k.Below != nil {
			if err := k.Below.readValues(); err != nil {
				return err
			}
		}
	}
	return nil
}

// WithItems is the key with a list of values, each as JSON, in place of its own. ok is false when
// there are no lines of the key, or it cannot have them.
func (k KeyLines) WithItems(items []string) (edited KeyLines, ok bool) {
	c, err := Assignment{k.Key, json.RawMessage("[" + strings.Join(items, ",") + "]")}.change(false)
	if err != nil || k.name == nil {
		return k, false
	}
	form := c.inFormOf(k.value)
	k.Lines = k.replaced(form)
	k.Value, err = appendJSON(nil, form, 0)
	return k, err == nil
}

// isBlockList reports whether the value has items, on lines of their own.
func (k KeyLines) isBlockList() bool {
	v := k.value
	return v != nil && v.Kind == yaml.SequenceNode && v.Style&yaml.FlowStyle == 0 && len(v.Content) > 0
}

// shared reports whether a value, or a part of it, is an alias or has an anchor.
func shared(n *yaml.Node) bool {
	return n.Kind == yaml.AliasNode || n.Anchor != "" || slices.ContainsFunc(n.Content, shared)
}

// cut cuts the YAML by its keys. The error is an *UneditableError.
func (p *Parsed) cut() (Mapping, error) {
	text := p.block.YAML
	switch {
	case strings.ContainsAny(text, "\u0085\u2028\u2029"), strings.Contains(strings.ReplaceAll(text, "\r\n", ""), "\r"):
		const reason = "the frontmatter has a line break that only YAML knows, such as U+2028: remove it"
		return Mapping{}, &UneditableError{Reason: reason}
	case p.root == nil && onlyComments(text):
		return Mapping{Tail: text}, nil
	case p.root == nil: // a lone null
		return Mapping{}, errLines
	}
	c := cutter(strings.SplitAfter(text, "\n"))
	return c.mapping(p.root, 0, len(c)-1)
}

// A cutter has the lines of a text, numbered from 0, with their ends.
type cutter []string

func (c cutter) lines(from, to int) string { return strings.Join(c[from:to], "") }

// mapping cuts the lines of a mapping, which has those between two.
func (c cutter) mapping(n *yaml.Node, from, to int) (m Mapping, err error) {
	if n.Kind != yaml.MappingNode || n.Style&yaml.FlowStyle != 0 || len(n.Content) == 0 {
		return m, errLines
	}
	m.Keys = make([]KeyLines, 0, len(n.Content)/2)
	for i := 0; i < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		start, next := name.Line-1, to
		if i+2 < len(n.Content) {
			next = n.Content[i+2].Line - 1
		}
		if name.Kind != yaml.ScalarNode || start < from || next <= start || !onlyComments(c.lines(from, start)) ||
			strings.Trim(c[start][:name.Column-1], " ") != "" {
			return m, errLines
		}
		end := c.valueEnd(value, start, next, name.Column-1)
		k := KeyLines{Key: name.Value, Above: c.lines(from, start), Lines: c.lines(start, end), name: name, value: value}
		if k.Key == ContextKey && start+1 < end && len(value.Content) > 0 && value.Content[0].Line > name.Line {
			if below, err := c.mapping(value, start+1, end); err == nil {
				below.Head = c[start]
				k.Below = &below
			}
		}
		m.Keys, from = append(m.Keys, k), end
	}
	m.Tail = c.lines(from, to)
	return m, nil
}

// valueEnd is the line behind the value of a key on line start, which has indent blanks
// before it. The comments and blank lines before the next key are no part of the value,
// but where it ends in a block of text, or in quotes that such a line closes.
func (c cutter) valueEnd(value *yaml.Node, start, next, indent int) int {
	last := value
	for len(last.Content) > 0 {
		last = last.Content[len(last.Content)-1]
	}
	block := last.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
	keepsBlank := block && (strings.HasSuffix(last.Value, "\n\n") || last.Value == "\n")
	end := next
	for ; end > start+1; end-- {
		line := c[end-1]
		text := strings.TrimLeft(line, " \t")
		blank := strings.TrimSpace(text) == ""
		if blank && keepsBlank || !blank && (text[0] != '#' || block && len(line)-len(text) > indent) {
			break
		}
	}
	if strings.ContainsAny(c.lines(start, end), `'"`) && strings.ContainsAny(c.lines(end, next), `'"`) {
		// Lines behind the end of the quotes are comments: they make no difference.
		more := sort.Search(next-end+1, func(n int) bool {
			_, err := yamlfile.Decode([]byte(c.lines(start, end+n)))
			return err == nil
		})
		if end+more <= next { // else it has an alias, which cannot be read without its anchor
			end += more
		}
	}
	return end
}

// onlyComments reports whether lines hold comments and blanks alone.
func onlyComments(lines string) bool {
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return false
		}
	}
	return true
}
