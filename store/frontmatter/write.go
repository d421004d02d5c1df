package frontmatter

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"issues-index/store/yamlfile"
)

// around is what a document has before the YAML, and after it the line of the closing fence
// and the body.
func (p *Parsed) around() (head, fence, body string) {
	if p.block.End == 0 {
		body = strings.TrimPrefix(p.raw, BOM)
		return p.raw[:len(p.raw)-len(body)], "", body
	}
	start := strings.IndexByte(p.raw, '\n') + 1
	return p.raw[:start], p.raw[start+len(p.block.YAML) : p.block.End], p.Body
}

// lineEndOf is how the first line of text ends.
func lineEndOf(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// write is the document with these changes and this body, which comes from a field. It is read
// again and held against the one before: every change reads as it was meant, and everything
// else is what it was.
func (p *Parsed) write(changes []change, body, bodyField string) ([]byte, error) {
	eol, text := lineEndOf(p.raw), p.block.YAML
	if len(changes) > 0 {
		top, err := p.cut()
		if err != nil {
			return nil, err
		}
		if err := top.changeAll(changes, eol); err != nil {
			return nil, err
		}
		text = top.String()
	}
	head, fence, _ := p.around()
	if fence == "" {
		head, fence = head+"---"+eol, "---"+eol
	}
	if body != "" && !strings.HasSuffix(fence, "\n") { // the file ended with the fence
		fence += eol
	}
	edited := Parsed{raw: head + text + fence + body}
	if err := tooLong(len(edited.raw), len(text), bodyField, changes); err != nil {
		return nil, err
	}
	edited.read()
	switch err := Editable(edited.Problems); {
	case err != nil:
		return nil, unsafe(edited.Problems[0].Message)
	case edited.block.YAML != text || edited.Body != body:
		return nil, unsafe("it would end elsewhere")
	}
	return []byte(edited.raw), verify(p.root, edited.root, changes)
}

// changeAll makes changes of a mapping's keys.
func (m *Mapping) changeAll(changes []change, eol string) error {
	indent := ""
	if len(m.Keys) > 0 {
		indent = strings.Repeat(" ", m.Keys[0].name.Column-1)
	}
	for _, c := range changes {
		old := m.Find(c.key)
		if old != nil && old.name == nil { // one that was added just now
			old = nil
		}
		var err error
		if c.below != nil {
			if old != nil && old.Below != nil {
				below := *old.Below
				below.Keys = slices.Clone(below.Keys)
				if err := below.changeAll(c.below, eol); err != nil {
					return err
				}
				if slices.ContainsFunc(below.Keys, func(k KeyLines) bool { return k.Lines != "" }) {
					old.Lines = below.String()
					continue
				}
				c.value = mapNode()
			} else if c.value, err = contextWith(old, c.below); err != nil {
				return err
			}
		}
		switch {
		case c.value == nil:
			m.set(c.key, "")
		case old != nil:
			like := *old
			isEmpty := old.value.Kind == yaml.SequenceNode && len(old.value.Content) == 0
			if v := *old.value; isEmpty && slices.ContainsFunc(m.Keys, KeyLines.isBlockList) {
				v.Style &^= yaml.FlowStyle // empty brackets show no style where other lists do
				like.value = &v
			}
			m.set(c.key, like.replaced(c.inFormOf(old.value)))
		default:
			m.set(c.key, strings.ReplaceAll(entry(indent, c.key, c.value), "\n", eol))
		}
	}
	return nil
}

// contextWith is wranglerContext with changes, where its keys have no lines of their own.
func contextWith(old *KeyLines, changes []change) (*yaml.Node, error) {
	all := mapNode()
	if old != nil && !yamlfile.IsNull(old.value) {
		n := old.value
		if n.Kind != yaml.MappingNode || n.Style&yaml.FlowStyle == 0 {
			const message = "%s is %s, where `key: value` lines of its own are expected"
			return nil, &UneditableError{fmt.Sprintf(message, ContextKey, yamlfile.Describe(n)), n.Line + 1}
		}
		all.Content = slices.Clone(n.Content)
	}
	for _, c := range changes {
		i := indexKey(all, c.key)
		switch {
		case i < 0 && c.value != nil:
			all.Content = append(all.Content, textNode(c.key), c.value)
		case i >= 0 && c.value == nil:
			all.Content = slices.Delete(all.Content, i, i+2)
		case i >= 0:
			all.Content[i+1] = c.value
		}
	}
	return all, nil
}

// verify holds that an edited mapping has the changes, and beside them the keys and values of
// the one before, in their order.
func verify(before, after *yaml.Node, changes []change) error {
	touched := map[string]bool{}
	for _, c := range changes {
		touched[c.key] = true
		if c.below != nil {
			if err := verify(context(before), context(after), c.below); err != nil {
				return err
			}
		} else if !c.reads(lookup(after, c.key)) {
			return unsafe(shorten(c.key) + " would be read as something else")
		}
	}
	was, is := pairs(before), pairs(after)
	isTouched := func(kv pair) bool { return touched[kv.key] }
	steps := MaxFrontmatterSize
	same := func(a, b pair) bool { return a.key == b.key && sameValue(a.value, b.value, &steps) }
	if !slices.EqualFunc(slices.DeleteFunc(was, isTouched), slices.DeleteFunc(is, isTouched), same) {
		return unsafe("the value of another key would change")
	}
	return nil
}

// sameValue reports whether two values are read alike, which takes a step for each part of
// them. Aliases can make a few lines of many parts.
func sameValue(a, b *yaml.Node, steps *int) bool {
	a, b = target(a), target(b)
	*steps--
	each := func(a, b *yaml.Node) bool { return sameValue(a, b, steps) }
	return *steps > 0 && a.Kind == b.Kind && a.Tag == b.Tag && a.Value == b.Value &&
		slices.EqualFunc(a.Content, b.Content, each)
}

func unsafe(reason string) error {
	const message = "the edit cannot be made without touching anything else (%s): change the file by hand"
	return &UneditableError{fmt.Sprintf(message, reason), 0}
}

// lookup is the value of a mapping's key, nil when there is none.
func lookup(m *yaml.Node, key string) *yaml.Node {
	if i := indexKey(m, key); i >= 0 {
		return m.Content[i+1]
	}
	return nil
}

// indexKey is where in the mapping's content a key stands, -1 when nowhere.
func indexKey(m *yaml.Node, key string) int {
	if m == nil || m.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if k := m.Content[i]; k.Kind == yaml.ScalarNode && k.Value == key {
			return i
		}
	}
	return -1
}

// context is the value of wranglerContext, nil when there is none.
func context(root *yaml.Node) *yaml.Node { return target(lookup(root, ContextKey)) }
