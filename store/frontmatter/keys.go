package frontmatter

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"issues-index/store/words"
	"issues-index/store/yamlfile"
)

// context is the value of wranglerContext, nil when there is none.
func (s *source) context() *yaml.Node { return lookup(s.root, ContextKey) }

// changed is the YAML with these changes: the lines of each changed key are written anew,
// and all others stay.
func (s *source) changed(changes []change) (string, error) {
	if len(changes) == 0 {
		return s.yaml, nil
	}
	top, err := s.cut()
	if err != nil {
		return "", err
	}
	st := newStyle(s.root)
	inContext := slices.DeleteFunc(slices.Clone(changes), func(c change) bool { return !c.context })
	for _, c := range changes {
		switch {
		case !c.context:
			c.value = inForm(lookup(s.root, c.key), c)
			top.change(st, c, s.eol)
		case len(inContext) > 0:
			if err := top.changeContext(st, inContext, s.eol); err != nil {
				return "", err
			}
			inContext = nil // all are made with the first
		}
	}
	return top.String(), nil
}

// change sets one key, or removes it.
func (m *Mapping) change(st style, c change, eol string) {
	k := KeyLines{Key: c.key}
	old := m.Find(c.key)
	switch {
	case c.value == nil:
	case old != nil:
		k.Lines = st.replaced(*old, c.withOldItems(old.value))
	default:
		indent := ""
		if len(m.Keys) > 0 {
			first := m.Keys[0].Lines
			indent = first[:len(first)-len(strings.TrimLeft(first, " "))]
		}
		k.Lines = strings.ReplaceAll(st.entry(indent, c.key, c.value), "\n", eol)
	}
	m.set(k, c.after)
}

// changeContext sets keys of wranglerContext, or removes them: in their own lines where
// they have some, else with all of it.
func (m *Mapping) changeContext(st style, changes []change, eol string) error {
	old, all := m.Find(ContextKey), mapNode()
	if old != nil && !yamlfile.IsNull(old.value) {
		n := old.value
		switch {
		case n.Kind == yaml.AliasNode:
			return &UneditableError{ContextKey + " is an alias: write its keys out", n.Line + 1}
		case n.Kind != yaml.MappingNode:
			const message = "%s is a %s, where `key: value` lines are expected"
			return &UneditableError{fmt.Sprintf(message, ContextKey, kindName(n)), n.Line + 1}
		case old.Below == nil && n.Style&yaml.FlowStyle == 0:
			return errLines
		}
		all.Content = slices.Clone(n.Content)
	}
	if old != nil && old.Below != nil {
		for _, c := range changes {
			old.Below.change(st, c, eol)
		}
		if len(old.Below.Keys) > 0 {
			old.Lines = old.Below.String()
			return nil
		}
		all.Content = nil
	} else {
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
	}
	m.change(st, change{key: ContextKey, value: all}, eol)
	return nil
}

// withOldItems is the value with the items that a list has already as they are written.
func (c change) withOldItems(old *yaml.Node) *yaml.Node {
	if old.Kind != yaml.SequenceNode || c.value.Kind != yaml.SequenceNode {
		return c.value
	}
	written := map[string]*yaml.Node{}
	for _, n := range old.Content {
		if name := c.itemName(n); name != "" && written[name] == nil {
			written[name] = n
		}
	}
	list := *c.value
	list.Content = slices.Clone(list.Content)
	for i, n := range list.Content {
		if old := written[c.itemName(n)]; old != nil {
			list.Content[i] = old
		}
	}
	return &list
}

// itemName tells equal items of a list: by their JSON, or by their text where the reader
// does. It is "" for what has none.
func (c change) itemName(n *yaml.Node) string {
	if text, ok := unquotedWikiLink(n); ok && linkKinds[c.key] != "" {
		return text
	}
	if n = target(n); c.field() && n.Kind == yaml.ScalarNode && !yamlfile.IsNull(n) {
		return OneLine(n.Value)
	}
	name, err := appendJSON(nil, n, 0)
	if err != nil {
		return ""
	}
	return string(name)
}

// inForm keeps the spelling of lists: one text with commas, several assignees.
func inForm(old *yaml.Node, c change) *yaml.Node {
	if old = targetOf(old); old == nil || c.value == nil {
		return c.value
	}
	isList := c.value.Kind == yaml.SequenceNode
	switch {
	case commaList(c.key) && isList && old.Kind == yaml.ScalarNode && !yamlfile.IsNull(old):
		joined := textNode(strings.Join(reader().texts(pair{value: c.value}), ", "))
		if c.reads(joined) && joined.Value != "" {
			return joined
		}
	case c.key == "assignee" && !isList && old.Kind == yaml.SequenceNode && c.value.Tag == "!!str":
		names := listNode(words.List(c.value.Value))
		if c.reads(names) {
			return names
		}
	}
	return c.value
}
