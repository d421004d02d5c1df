package frontmatter

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// verify holds the edited bytes against the old document: they are cut where the edit
// has cut them, every change reads as it was meant, and everything else is what and where
// it was. The YAML is not decoded again: its bytes are those that edited was decoded from.
func (s *source) verify(out []byte, edited *source, changes []change) error {
	p := Parsed{raw: string(out), root: edited.root}
	block, found, problem := Split(p.raw)
	if problem == nil {
		problem = textProblem(p.raw)
	}
	if problem == nil && found {
		if block.YAML != edited.yaml { // whose root is edited.root
			return unsafe(errPlace)
		}
		p.block, problem = block, block.check(edited.root)
	}
	if problem != nil {
		return &UneditableError{"the edit would leave a document that cannot be read: " + problem.Message, 0}
	}
	result, err := newSource(p)
	if err != nil {
		return err
	}
	old := s.fenced()
	if result.head != old.head || result.yaml != edited.yaml || strings.TrimRight(result.fence, "\r\n") != strings.TrimRight(old.fence, "\r\n") || result.body != edited.body {
		return unsafe(errPlace)
	}
	return s.meant(result, changes)
}

// meant holds that every change reads in result as it was meant, and that
// everything else is what it was.
func (s *source) meant(result *source, changes []change) error {
	top, below := map[string]bool{}, map[string]bool{}
	for _, c := range changes {
		n := lookup(result.root, c.key)
		if c.context {
			n = lookup(targetOf(result.context()), c.key)
			below[c.key] = true
		} else {
			top[c.key] = true
		}
		if !c.reads(n) {
			return s.refuse(c, errors.New("it would be read as something else"))
		}
	}
	if len(below) > 0 {
		if err := sameBesides(s.context(), result.context(), below); err != nil {
			return unsafe(err)
		}
		top[ContextKey] = true
	}
	if err := sameBesides(s.root, result.root, top); err != nil {
		return unsafe(err)
	}
	return nil
}

func unsafe(err error) error {
	if uneditable := (*UneditableError)(nil); errors.As(err, &uneditable) {
		return err
	}
	return &UneditableError{fmt.Sprintf("the edit cannot be made without touching anything else (%v): change the file by hand", err), 0}
}

// sameBesides holds that two mappings have the same keys in the same order, and
// the same values but for the touched keys, which may also be new or gone.
func sameBesides(old, result *yaml.Node, touched map[string]bool) error {
	a, b := remaining(old, result, touched), remaining(result, old, touched)
	if len(a) != len(b) {
		return errors.New("other keys would come or go")
	}
	same := sameness{}
	for i := 0; i < len(a); i += 2 {
		if !same.nodes(a[i], b[i]) {
			return fmt.Errorf("the key %s would change", shorten(a[i].Value))
		}
		if !(a[i].Kind == yaml.ScalarNode && touched[a[i].Value]) && !same.nodes(a[i+1], b[i+1]) {
			return fmt.Errorf("the value of %s would change", shorten(a[i].Value))
		}
	}
	return nil
}

// remaining are a mapping's keys and values without the touched keys that the
// other one lacks.
func remaining(m, other *yaml.Node, touched map[string]bool) []*yaml.Node {
	if m == nil || m.Kind != yaml.MappingNode {
		return nil
	}
	var list []*yaml.Node
	for i := 0; i+1 < len(m.Content); i += 2 {
		k := m.Content[i]
		if k.Kind == yaml.ScalarNode && touched[k.Value] && lookup(other, k.Value) == nil {
			continue
		}
		list = append(list, k, m.Content[i+1])
	}
	return list
}

// sameness remembers the pairs that were compared, for aliases lead to one node
// many times, and can lead back to it.
type sameness map[[2]*yaml.Node]bool

// nodes reports whether two values are written alike and stand for the same.
func (seen sameness) nodes(a, b *yaml.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Kind != b.Kind || a.Tag != b.Tag || a.Value != b.Value || a.Style != b.Style || a.Anchor != b.Anchor || len(a.Content) != len(b.Content) {
		return false
	}
	if a.Kind != yaml.AliasNode && len(a.Content) == 0 {
		return true
	}
	if seen[[2]*yaml.Node{a, b}] {
		return true
	}
	seen[[2]*yaml.Node{a, b}] = true
	if a.Kind == yaml.AliasNode {
		return seen.nodes(a.Alias, b.Alias)
	}
	for i := range a.Content {
		if !seen.nodes(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}
