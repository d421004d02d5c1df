package frontmatter

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"issues-index/store/yamlfile"
)

// A pair is one key of a mapping and its value.
type pair struct {
	key   string
	value *yaml.Node
	line  int // of the YAML, see Block.fileLine
}

// parseYAML reads frontmatter; root is nil where it is empty. It goes through
// yaml.Node and never decodes into Go values, so that every scalar keeps its
// literal text.
func parseYAML(b Block) (root *yaml.Node, problem *Problem) {
	root, err := yamlfile.Decode([]byte(b.YAML))
	wrong := (*yamlfile.NodeError)(nil)
	switch {
	case errors.As(err, &wrong):
		return nil, &Problem{ProblemInvalidYAML, "the frontmatter is " + wrong.Reason, b.fileLine(wrong.Line)}
	case root == nil:
		return nil, nil
	case root.Kind != yaml.MappingNode:
		return nil, &Problem{ProblemInvalidYAML, "the frontmatter is not a list of `key: value` lines", b.fileLine(root.Line)}
	}
	return root, b.duplicateKey(root)
}

// fileLine is the line of the file that a line of the YAML, from 1, is on.
func (b Block) fileLine(line int) int { return line + 1 }

// duplicateKey finds a key that a mapping has twice, at any depth.
func (b Block) duplicateKey(n *yaml.Node) *Problem {
	if n.Kind == yaml.MappingNode {
		seen := make(map[string]int, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			if k.Kind != yaml.ScalarNode {
				continue
			}
			if first, ok := seen[k.Value]; ok {
				const message = "the key %q stands twice in the frontmatter, on lines %d and %d: keep one of them"
				line := b.fileLine(k.Line)
				return &Problem{ProblemDuplicateKey, fmt.Sprintf(message, shorten(k.Value), b.fileLine(first), line), line}
			}
			seen[k.Value] = k.Line
		}
	}
	for _, c := range n.Content {
		if p := b.duplicateKey(c); p != nil {
			return p
		}
	}
	return nil
}

// pairs lists a mapping's keys in order. A key that is itself a list or mapping
// has no name to go by and is left out.
func pairs(n *yaml.Node) []pair {
	if n == nil {
		return nil
	}
	list := make([]pair, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; k.Kind == yaml.ScalarNode {
			list = append(list, pair{k.Value, n.Content[i+1], k.Line})
		}
	}
	return list
}

// target follows an alias to what it stands for. n may be nil.
func target(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}
