package frontmatter

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// verify holds an edited document, as it is read, against the one before: every change
// reads as it was meant, and everything else is what it was.
func (s *source) verify(edited *source, changes []change) error {
	if err := edited.read(s.yaml); err != nil {
		return err
	}
	top, below := map[string]bool{}, map[string]bool{}
	for _, c := range changes {
		touched, in := top, edited.root
		if c.context {
			touched, in = below, targetOf(edited.context())
		}
		touched[c.key] = true
		if !c.reads(lookup(in, c.key)) {
			return c.refuse(s, "it would be read as something else")
		}
	}
	if len(below) > 0 && !top[ContextKey] {
		top[ContextKey] = true
		if err := sameBesides(s.context(), edited.context(), below); err != nil {
			return err
		}
	}
	return sameBesides(s.root, edited.root, top)
}

// refuse says that a change could not be made safely.
func (c change) refuse(s *source, reason string) error {
	name, n := c.key, lookup(s.root, c.key)
	if c.context {
		name, n = ContextKey+"."+c.key, s.context()
	}
	line := 0
	if n != nil {
		line = n.Line + 1
	}
	const message = "%s cannot be changed without touching anything else (%s): change the file by hand"
	return &UneditableError{fmt.Sprintf(message, shorten(name), reason), line}
}

// sameBesides holds that two mappings have the same keys in the same order, and
// the same values, but for the touched keys.
func sameBesides(old, result *yaml.Node, touched map[string]bool) error {
	a, b := untouched(old, touched), untouched(result, touched)
	if len(a) != len(b) {
		return unsafe("other keys would come or go")
	}
	same := sameness{}
	for i := range a {
		if !same.nodes(a[i], b[i]) {
			return unsafe(fmt.Sprintf("the value of %s would change", shorten(a[i-i%2].Value)))
		}
	}
	return nil
}

// untouched are a mapping's keys and values without the touched ones.
func untouched(m *yaml.Node, touched map[string]bool) (list []*yaml.Node) {
	if m == nil || m.Kind != yaml.MappingNode {
		return nil
	}
	for pair := range slices.Chunk(m.Content, 2) {
		if pair[0].Kind != yaml.ScalarNode || !touched[pair[0].Value] {
			list = append(list, pair...)
		}
	}
	return list
}

// sameness remembers the pairs that were compared, for aliases lead to one node
// many times, and can lead back to it.
type sameness map[[2]*yaml.Node]bool

// nodes reports whether two values are written alike and stand for the same.
func (seen sameness) nodes(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Tag != b.Tag || a.Value != b.Value || a.Style != b.Style || a.Anchor != b.Anchor {
		return false
	}
	if seen[[2]*yaml.Node{a, b}] {
		return true
	}
	if a.Kind == yaml.AliasNode || len(a.Content) > 0 {
		seen[[2]*yaml.Node{a, b}] = true
	}
	if a.Kind == yaml.AliasNode {
		return seen.nodes(a.Alias, b.Alias)
	}
	return slices.EqualFunc(a.Content, b.Content, seen.nodes)
}
