package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"issues-index/store/words"
	"issues-index/store/yamlfile"
)

// maxFile is the largest configuration file, in bytes.
const maxFile = yamlfile.MaxSize

// A fileReader reads the values of one file.
type fileReader struct {
	layer    Layer
	name     string // of the file, in messages
	home     home
	keys     map[string]*Key
	blocks   map[string][]string // the names in each block; "" is the whole file
	set      map[string]layerValue
	problems Problems
}

// A layerValue is the value of a key in one layer.
type layerValue struct {
	value  value
	source ValueSource
}

func newFileReader(layer Layer, name string, h home, keys []*Key) *fileReader {
	r := &fileReader{layer: layer, name: name, home: h, keys: map[string]*Key{}, blocks: map[string][]string{}, set: map[string]layerValue{}}
	for _, k := range keys {
		r.keys[k.Name] = k
		block := ""
		for _, name := range strings.Split(k.Name, ".") {
			if !slices.Contains(r.blocks[block], name) {
				r.blocks[block] = append(r.blocks[block], name)
			}
			block = strings.TrimPrefix(block+"."+name, ".")
		}
	}
	return r
}

// read reads YAML, which includes JSON. A file named .json must be strict JSON.
func (r *fileReader) read(data []byte) {
	if len(data) > maxFile {
		r.problem(0, "", "the file is over %d bytes long", maxFile)
		return
	}
	if strings.EqualFold(filepath.Ext(r.name), ".json") && !r.strictJSON(bytes.TrimPrefix(data, []byte("\uFEFF"))) {
		return
	}
	root, err := yamlfile.Decode(data)
	if err != nil {
		r.refuse("", err)
	}
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

func (r *fileReader) strictJSON(data []byte) bool {
	var any json.RawMessage
	err := json.Unmarshal(data, &any)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		end := min(int(syntax.Offset), len(data))
		r.problem(1+bytes.Count(data[:end], []byte("\n")), "", "no JSON: %s", syntax.Error())
	} else if err != nil {
		r.problem(0, "", "no JSON: %s", err)
	}
	return err == nil
}

func (r *fileReader) problem(line int, key, format string, args ...any) {
	r.problems = append(r.problems, LoadProblem{ValueSource: r.at(line), Key: key, Message: fmt.Sprintf(format, args...)})
}

// unknownKey reports an unknown key.
func (r *fileReader) unknownKey(line int, key, format string, args ...any) {
	r.problem(line, key, "unknown key %s: "+format, append([]any{quote(key)}, args...)...)
	r.problems[len(r.problems)-1].unknown = true
}

// block reads a mapping. prefix is "" or ends with a dot.
func (r *fileReader) block(node *yaml.Node, prefix string) {
	name := strings.TrimSuffix(prefix, ".")
	if !r.plain(node, name) {
		return
	}
	if node.Kind != yaml.MappingNode {
		r.problem(node.Line, name, "%s must be a block of %s, not %s", label(name), strings.Join(r.blocks[name], ", "), yamlfile.Describe(node))
		return
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		at, inner := node.Content[i], node.Content[i+1]
		if at.Kind != yaml.ScalarNode || at.ShortTag() == "!!merge" || !r.plain(at, name) {
			r.problem(at.Line, name, "%s is no name of a key", yamlfile.Describe(at))
			continue
		}
		full := prefix + at.Value
		if first, twice := lines[at.Value]; twice {
			r.problem(at.Line, full, "%s is set twice, first in line %d", quote(full), first)
			continue
		}
		lines[at.Value] = at.Line
		r.entry(at, inner, name, full)
	}
}

// entry reads one key of a block.
func (r *fileReader) entry(at, node *yaml.Node, block, full string) {
	if !slices.Contains(r.blocks[block], at.Value) {
		switch near := words.Nearest(at.Value, r.blocks[block]); {
		case r.keys[full] != nil:
			r.unknownKey(at.Line, full, "a dot is a step into a block, write it as one")
		case near != "":
			r.unknownKey(at.Line, full, "did you mean %s?", near)
		default:
			r.unknownKey(at.Line, full, "%s has %s", label(block), strings.Join(r.blocks[block], ", "))
		}
		return
	}
	k := r.keys[full]
	switch {
	case k != nil && k.property != nil:
		r.describe(k, node)
	case k != nil && k.block:
		r.workspaces(k, node)
	case k != nil:
		r.value(k, node)
	case node.Kind == yaml.ScalarNode && yamlfile.IsNull(node): // a block whose lines are all commented out
	case node.Kind == yaml.ScalarNode && shorthands[full] != "":
		r.value(r.keys[shorthands[full]], node)
	default:
		r.block(node, full+".")
	}
}

// value reads the value of a key.
func (r *fileReader) value(k *Key, node *yaml.Node) {
	switch {
	case !r.plain(node, k.Name):
	case node.Kind == yaml.SequenceNode && k.list:
		r.list(k, node)
	case node.Kind != yaml.ScalarNode || yamlfile.IsNull(node):
		r.problem(node.Line, k.Name, "invalid %s: must be %s, not %s", k.Name, k.Allowed, yamlfile.Describe(node))
	default:
		r.take(k, node, node.Value, node.ShortTag())
	}
}

// list reads a sequence. Each wrong element is reported with its own line.
func (r *fileReader) list(k *Key, node *yaml.Node) {
	var texts []string
	problems := len(r.problems)
	for _, element := range node.Content {
		text := element.Value
		_, err := k.valueFor(raw{text: text, home: r.home})
		if element.Kind != yaml.ScalarNode || yamlfile.IsNull(element) || strings.Contains(text, ",") {
			text, err = yamlfile.Describe(element), errNotAllowed
		}
		r.check(k, element, text, err)
		texts = append(texts, text)
	}
	if len(r.problems) == problems {
		r.take(k, node, strings.Join(texts, ","), "")
	}
}

// take sets a key to a text, or reports why the text is invalid.
func (r *fileReader) take(k *Key, node *yaml.Node, text, tag string) {
	v, err := k.valueFor(raw{text: text, tag: tag, home: r.home})
	if r.check(k, node, text, err) {
		r.set[k.Name] = layerValue{v, r.at(node.Line)}
	}
}

// check reports the error of a value, if there is one.
func (r *fileReader) check(k *Key, node *yaml.Node, text string, err error) bool {
	if err != nil {
		r.problems = append(r.problems, invalid(k, r.at(node.Line), text, err))
	}
	return err == nil
}

// plain refuses what settings have no use for, see yamlfile.CheckPlain.
func (r *fileReader) plain(node *yaml.Node, key string) bool {
	err := yamlfile.CheckPlain(node)
	if err != nil {
		r.refuse(key, err)
	}
	return err == nil
}

// label returns the name of a block for messages.
func label(block string) string {
	if block == "" {
		return "the file"
	}
	return block
}
