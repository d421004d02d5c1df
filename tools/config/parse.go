package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"issues-index/store/words"
	"issues-index/store/yamlfile"
)

// A fileReader sets the keys of a Config to the values of one file, which is YAML or JSON: YAML
// includes JSON.
type fileReader struct {
	*loader
	layer       Layer
	name        string // of the file, in messages
	home        home
	describes   bool // the file may have the keys that describe the workspace
	isUsers     bool // the file may have the names of workspaces
	skipUnknown bool // unknown keys are set aside
}

func (r *fileReader) read(data []byte) {
	root, err := yamlfile.Decode(data)
	r.refuse("", err)
	if root != nil {
		r.block(root, "")
	}
}

// refuse reports an error of package yamlfile.
func (r *fileReader) refuse(key string, err error) {
	if wrong := (*yamlfile.NodeError)(nil); errors.As(err, &wrong) {
		r.problem(wrong.Line, key, "%s", wrong.Reason)
	}
}

// at is a line of the file.
func (r *fileReader) at(line int) ValueSource { return ValueSource{r.layer, r.name, line} }

func (r *fileReader) problem(line int, key, format string, args ...any) {
	r.problems = append(r.problems, LoadProblem{r.at(line), key, fmt.Sprintf(format, args...)})
}

// inside are the names in a block; "" is the whole file.
func (r *fileReader) inside(block string) (names []string) {
	for _, k := range r.keys {
		rest, ok := strings.CutPrefix("."+k.Name, strings.TrimSuffix("."+block, ".")+".")
		if name, _, _ := strings.Cut(rest, "."); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// block reads the keys of a block.
func (r *fileReader) block(node *yaml.Node, block string) {
	names := r.inside(block)
	r.entries(node, block, "a block of "+strings.Join(names, ", "), func(at, inner *yaml.Node, full string) {
		if !slices.Contains(names, at.Value) {
			r.unknownKey(at, block, full, names)
			return
		}
		k := r.key(full)
		if k == nil && inner.Kind == yaml.ScalarNode {
			k = r.key(shorthands[full])
		}
		switch {
		case yamlfile.IsNull(inner) && r.key(full) == nil: // a block whose lines are all commented out
		case k == nil:
			r.block(inner, full)
		case r.plain(inner, full):
			k.read(r, k, inner)
		}
	})
}

// entries calls visit for each name of a block and its value. full is the name as a key.
func (r *fileReader) entries(node *yaml.Node, block, allowed string, visit func(at, inner *yaml.Node, full string)) {
	label := block
	if label == "" {
		label = "the file"
	}
	if !r.plain(node, block) {
		return
	}
	if node.Kind != yaml.MappingNode {
		r.problem(node.Line, block, "%s must be %s, not %s", label, allowed, yamlfile.Describe(node))
		return
	}
	lines := map[string]int{}
	for pair := range slices.Chunk(node.Content, 2) {
		at := pair[0]
		full := strings.TrimPrefix(block+"."+at.Value, ".")
		first, twice := lines[at.Value]
		switch {
		case at.Kind != yaml.ScalarNode || at.ShortTag() == "!!merge" || !r.plain(at, block):
			r.problem(at.Line, block, "%s cannot be the name of a key", yamlfile.Describe(at))
		case twice:
			r.problem(at.Line, full, "%s is set twice, first in line %d", quote(full), first)
		default:
			lines[at.Value] = at.Line
			visit(at, pair[1], full)
		}
	}
}

// unknownKey reports a key that a block does not have.
func (r *fileReader) unknownKey(at *yaml.Node, block, full string, names []string) {
	hint := "the file has " + strings.Join(names, ", ")
	if block != "" {
		hint = block + strings.TrimPrefix(hint, "the file")
	}
	if near := words.Nearest(at.Value, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	if r.key(full) != nil {
		hint = "a dot is a step into a block, write it as one"
	}
	unknown := LoadProblem{r.at(at.Line), full, fmt.Sprintf("unknown key %s: %s", quote(full), hint)}
	if r.skipUnknown {
		r.unknown = append(r.unknown, unknown)
	} else {
		r.problems = append(r.problems, unknown)
	}
}

// value reads the value of a key, which is a text, or a list of texts.
func (r *fileReader) value(k *Key, node *yaml.Node) {
	text, problems := node.Value, len(r.problems)
	if node.Kind == yaml.SequenceNode && k.isList {
		var texts []string
		for _, item := range node.Content { // each one that is wrong is reported with its own line
			r.set(k, item, item.Value)
			texts = append(texts, item.Value)
		}
		text = strings.Join(texts, ",")
	} else if node.Kind != yaml.ScalarNode || yamlfile.IsNull(node) {
		r.problem(node.Line, k.Name, "invalid %s: must be %s, not %s", k.Name, k.Allowed, yamlfile.Describe(node))
	}
	if len(r.problems) == problems {
		r.set(k, node, text)
	}
}

// set sets a key to a text of the file.
func (r *fileReader) set(k *Key, node *yaml.Node, text string) {
	r.take(k, text, r.home, r.at(node.Line))
}

// plain refuses what settings have no use for, see yamlfile.CheckPlain.
func (r *fileReader) plain(node *yaml.Node, key string) bool {
	err := yamlfile.CheckPlain(node)
	r.refuse(key, err)
	return err == nil
}
