package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"issues-index/store/pattern"
	"issues-index/store/words"
)

// maxFile is the largest configuration file, in bytes. Real ones have some hundreds.
const maxFile = 64 << 10

// A fileReader reads the values of one file.
type fileReader struct {
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

func newFileReader(name string, h home, keys []*Key) *fileReader {
	r := &fileReader{name: name, home: h, keys: map[string]*Key{}, blocks: map[string][]string{}, set: map[string]layerValue{}}
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
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if strings.EqualFold(filepath.Ext(r.name), ".json") && !r.strictJSON(data) {
		return
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document yaml.Node
	switch err := decode(decoder, &document); {
	case errors.Is(err, io.EOF):
		return
	case err != nil:
		r.syntax(err)
		return
	}
	var more yaml.Node
	if err := decode(decoder, &more); err == nil {
		r.problem(more.Line, "", "a second document begins here; a configuration is one")
	} else if !errors.Is(err, io.EOF) {
		r.syntax(err)
	}
	for _, root := range document.Content {
		if !isNull(root) {
			r.block(root, "")
		}
	}
}

// decode reads the next document. The library panics on some invalid input.
func decode(decoder *yaml.Decoder, into *yaml.Node) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("yaml: %v", p)
		}
	}()
	return decoder.Decode(into)
}

var yamlLine = pattern.Lazy(`^yaml: (?:unmarshal errors:\s+)?line (\d+): `)

// syntax reports an error of the YAML library, whose text contains the line.
func (r *fileReader) syntax(err error) {
	text, line := err.Error(), 0
	if m := yamlLine().FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			text, line = text[len(m[0]):], n
		}
	}
	r.problem(line, "", "no YAML: %s", strings.TrimPrefix(text, "yaml: "))
}

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
	r.problems = append(r.problems, LoadProblem{ValueSource: ValueSource{LayerFile, r.name, line}, Key: key, Message: fmt.Sprintf(format, args...)})
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
		r.problem(node.Line, name, "%s must be a block of %s, not %s", label(name), strings.Join(r.blocks[name], ", "), describe(node))
		return
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		at, inner := node.Content[i], node.Content[i+1]
		if at.Kind != yaml.ScalarNode || at.ShortTag() == "!!merge" || !r.plain(at, name) {
			r.problem(at.Line, name, "%s is no name of a key", describe(at))
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
	case k != nil:
		r.value(k, node)
	case node.Kind == yaml.ScalarNode && isNull(node): // a block whose lines are all commented out
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
	case node.Kind != yaml.ScalarNode || isNull(node):
		r.problem(node.Line, k.Name, "invalid %s: must be %s, not %s", k.Name, k.Allowed, describe(node))
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
		if element.Kind != yaml.ScalarNode || isNull(element) || strings.Contains(text, ",") {
			text, err = describe(element), errNotAllowed
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
		r.set[k.Name] = layerValue{v, ValueSource{LayerFile, r.name, node.Line}}
	}
}

// check reports the error of a value, if there is one.
func (r *fileReader) check(k *Key, node *yaml.Node, text string, err error) bool {
	if err != nil {
		r.problems = append(r.problems, invalid(k, ValueSource{LayerFile, r.name, node.Line}, text, err))
	}
	return err == nil
}

// plain refuses anchors, aliases and tags: a configuration has no use for them, and a few
// lines of them can stand for millions.
func (r *fileReader) plain(node *yaml.Node, key string) bool {
	switch {
	case node.Kind == yaml.AliasNode || node.Anchor != "":
		r.problem(node.Line, key, "anchors and aliases are not allowed: write the value where it belongs")
	case node.Style&yaml.TaggedStyle != 0:
		r.problem(node.Line, key, "tags are not allowed: write the value without %s", quote(node.Tag))
	default:
		return true
	}
	return false
}

func isNull(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null"
}

// label returns the name of a block for messages.
func label(block string) string {
	if block == "" {
		return "the file"
	}
	return block
}

// describe says what a node is, without its text, which may be a secret.
func describe(node *yaml.Node) string {
	switch {
	case node.Kind == yaml.MappingNode:
		return "a block"
	case node.Kind == yaml.SequenceNode:
		return "a list"
	case node.Kind == yaml.AliasNode:
		return "an alias"
	case isNull(node):
		return "nothing"
	}
	return "a single value"
}
