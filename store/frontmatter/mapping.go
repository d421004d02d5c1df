package frontmatter

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// mostSteps bounds the changes that are made one after the other, since the YAML
// is read anew for each.
const mostSteps = 100

// apply makes the changes: all at once, or one after the other where they touch
// one another.
func (s *source) apply(changes []change) (*source, error) {
	s = s.fenced()
	edited, err := s.applyAtOnce(changes)
	if err == nil {
		err = s.meant(edited, changes)
	}
	switch {
	case err == nil:
		return edited, nil
	case len(changes) > mostSteps:
		return nil, unsafe(err)
	}
	for _, c := range changes {
		splices, err := s.splices(c)
		edited := s
		if err == nil {
			edited, err = s.spliced(splices)
		}
		if err != nil {
			return nil, s.refuse(c, err)
		}
		s = edited
	}
	return s, nil
}

// applyAtOnce makes the changes where they are in s. New keys of wranglerContext
// come together, in the place of the first of them.
func (s *source) applyAtOnce(changes []change) (*source, error) {
	var all []splice
	fresh := mapNode()
	for _, c := range changes {
		switch {
		case c.context && c.value == nil:
			return nil, errPlace // whether a key is the last depends on those that went before
		case c.context && indexKey(s.context(), c.key) < 0:
			fresh.Content = append(fresh.Content, textNode(c.key), c.value)
		}
	}
	added := false
	for _, c := range changes {
		var splices []splice
		var err error
		if c.context && indexKey(s.context(), c.key) < 0 {
			if added {
				continue
			}
			added = true
			splices, err = s.addContext(fresh)
		} else {
			splices, err = s.splices(c)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, splices...)
	}
	return s.spliced(all)
}

// refuse says that a change could not be made safely.
func (s *source) refuse(c change, err error) error {
	if uneditable := (*UneditableError)(nil); errors.As(err, &uneditable) {
		return err
	}
	if m := unknownAnchor().FindStringSubmatch(err.Error()); m != nil {
		err = fmt.Errorf("another value refers to its anchor &%s", m[1])
	}
	name, line := c.key, 0
	n := lookup(s.root, c.key)
	if c.context {
		name, n = ContextKey+"."+c.key, s.context()
	}
	if n != nil {
		line = n.Line + 1
	}
	return &UneditableError{fmt.Sprintf("%s cannot be changed without touching anything else (%v): change the file by hand", shorten(name), err), line}
}

// context is the value of wranglerContext, nil when there is none.
func (s *source) context() *yaml.Node { return lookup(s.root, ContextKey) }

// splices is what one change comes to.
func (s *source) splices(c change) ([]splice, error) {
	if !c.context {
		c.value = s.inForm(c)
		return s.change(s.root, c)
	}
	m := s.context()
	switch i := indexKey(m, c.key); {
	case i >= 0 && c.value == nil && len(m.Content) == 2:
		return s.change(s.root, change{key: ContextKey, value: mapNode()})
	case i >= 0:
		return s.change(m, c)
	}
	return s.addContext(mapNode(textNode(c.key), c.value))
}

// addContext gives wranglerContext the keys of fresh, which it does not have.
func (s *source) addContext(fresh *yaml.Node) ([]splice, error) {
	m := s.context()
	switch {
	case m == nil || isNull(m) || m.Kind == yaml.MappingNode && len(m.Content) == 0 && m.Style&yaml.FlowStyle == 0:
		return s.change(s.root, change{key: ContextKey, value: fresh})
	case m.Kind == yaml.AliasNode:
		return nil, &UneditableError{ContextKey + " is an alias: write its keys out", m.Line + 1}
	case m.Kind != yaml.MappingNode:
		return nil, &UneditableError{fmt.Sprintf("%s is a %s, where `key: value` lines are expected", ContextKey, kindName(m)), m.Line + 1}
	}
	return s.add(m, fresh, "")
}

// inForm keeps the spelling of lists: one text with commas, several assignees.
func (s *source) inForm(c change) *yaml.Node {
	old := targetOf(lookup(s.root, c.key))
	if old == nil || c.value == nil {
		return c.value
	}
	switch {
	case commaList(c.key) && old.Kind == yaml.ScalarNode && !isNull(old) && c.value.Kind == yaml.SequenceNode:
		joined := textNode(strings.Join(reader().texts(pair{value: c.value}), ", "))
		if (change{key: c.key, value: c.value}).reads(joined) && joined.Value != "" {
			return joined
		}
	case c.key == "assignee" && old.Kind == yaml.SequenceNode && c.value.Kind == yaml.ScalarNode && c.value.Tag == "!!str":
		names := listNode(slices.DeleteFunc(strings.Split(c.value.Value, ", "), func(name string) bool { return name == "" }))
		if (change{key: c.key, value: c.value}).reads(names) {
			return names
		}
	}
	return c.value
}

// change sets a mapping's key, or removes it.
func (s *source) change(m *yaml.Node, c change) ([]splice, error) {
	i := indexKey(m, c.key)
	switch {
	case i < 0 && c.value == nil:
		return nil, nil
	case i < 0:
		return s.add(m, mapNode(textNode(c.key), c.value), c.after)
	case c.value == nil:
		return s.remove(m, i)
	}
	return s.replace(m, i, c)
}

// add writes new keys after one of a mapping's, or after the last where it has no such one.
func (s *source) add(m, fresh *yaml.Node, after string) ([]splice, error) {
	if m != nil && m.Style&yaml.FlowStyle != 0 {
		return s.addFlow(m, fresh)
	}
	at, indent := len(s.yaml), ""
	if m != nil {
		previous := m
		if i := indexKey(m, after); after != "" && i >= 0 {
			previous = m.Content[i+1]
		}
		_, end, err := s.span(previous)
		if err != nil {
			return nil, err
		}
		if indent, err = s.indent(m.Content[0]); err != nil {
			return nil, err
		}
		at = s.nextLine(end)
	}
	return []splice{{at, at, s.entries(indent, fresh)}}, nil
}

// indent is the white space before the line that a node begins on.
func (s *source) indent(n *yaml.Node) (string, error) {
	i, err := s.offset(n)
	if err != nil {
		return "", err
	}
	line := s.lineStart(i)
	return s.yaml[line:s.blanks(line)], nil
}

// addFlow writes new keys into a mapping in braces.
func (s *source) addFlow(m, fresh *yaml.Node) ([]splice, error) {
	if len(m.Content) == 0 {
		start, err := s.offset(m)
		if err != nil {
			return nil, err
		}
		_, open := s.properties(start)
		at := open + len("{")
		return []splice{{at, at, s.flowEntries(fresh, nil)}}, nil
	}
	_, end, err := s.span(m.Content[len(m.Content)-1])
	if err != nil {
		return nil, err
	}
	return []splice{{end, end, ", " + s.flowEntries(fresh, m.Content[len(m.Content)-2])}}, nil
}

// remove takes a key out with its lines. A comment above it stays.
func (s *source) remove(m *yaml.Node, i int) ([]splice, error) {
	start, err := s.offset(m.Content[i])
	if err != nil {
		return nil, err
	}
	_, end, err := s.span(m.Content[i+1])
	if err != nil {
		return nil, err
	}
	if m.Style&yaml.FlowStyle == 0 {
		return []splice{{s.lineStart(start), s.nextLine(end), ""}}, nil
	}
	if next := s.space(end); next < len(s.yaml) && s.yaml[next] == ',' { // and the comma after it
		return []splice{{start, s.blanks(next + 1), ""}}, nil
	}
	if i > 0 { // and the comma before it
		_, before, err := s.span(m.Content[i-1])
		if err != nil {
			return nil, err
		}
		if strings.Trim(s.yaml[before:start], " \t,") == "" {
			start = before
		}
	}
	return []splice{{start, end, ""}}, nil
}
