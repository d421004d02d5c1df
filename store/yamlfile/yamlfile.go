// Package yamlfile reads the YAML files that people write for the program, as nodes with
// their lines.
//
// It knows nothing of what the files say. Invariants: reading never panics, whatever the
// bytes; an error names the line where the library knows it; no message has the text of a
// value, which may be a secret.
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"issues-index/store/pattern"
	"issues-index/store/words"
)

// MaxSize is the largest file, in bytes. Real ones have some hundreds.
const MaxSize = 64 << 10

// A NodeError says why a file, or a node of it, is not what a file of settings may have.
type NodeError struct {
	Line   int // from 1; 0 when no one line is to blame
	Reason string
}

func (e *NodeError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
	}
	return e.Reason
}

// Decode returns the root of a file that holds one YAML document, nil for an empty one.
// Where a second document follows, the root comes with the error. Errors: *NodeError.
func Decode(data []byte) (root *yaml.Node, err error) {
	if len(data) > MaxSize {
		return nil, &NodeError{Reason: fmt.Sprintf("the file is over %d bytes long", MaxSize)}
	}
	decoder := yaml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\uFEFF"))))
	var document, more yaml.Node
	switch err := decode(decoder, &document); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, syntax(err)
	}
	if len(document.Content) > 0 && !IsNull(document.Content[0]) {
		root = document.Content[0]
	}
	switch err := decode(decoder, &more); {
	case err == nil:
		return root, &NodeError{more.Line, "a second document begins here; a configuration is one"}
	case !errors.Is(err, io.EOF):
		return root, syntax(err)
	}
	return root, nil
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

// syntax reads an error of the YAML library, whose text contains the line.
func syntax(err error) *NodeError {
	text, line := err.Error(), 0
	if m := yamlLine().FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			text, line = text[len(m[0]):], n
		}
	}
	return &NodeError{line, "no YAML: " + strings.TrimPrefix(text, "yaml: ")}
}

// CheckPlain refuses anchors, aliases and tags: settings have no use for them, and a few
// lines of them can stand for millions. Errors: *NodeError.
func CheckPlain(node *yaml.Node) error {
	switch {
	case node.Kind == yaml.AliasNode || node.Anchor != "":
		return &NodeError{node.Line, "anchors and aliases are not allowed: write the value where it belongs"}
	case node.Style&yaml.TaggedStyle != 0:
		return &NodeError{node.Line, "tags are not allowed: write the value without " + strconv.Quote(words.Cut(node.Tag, 61))}
	}
	return nil
}

// IsNull reports whether a node is null or empty.
func IsNull(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null"
}

// Describe says what a node is.
func Describe(node *yaml.Node) string {
	switch {
	case node.Kind == yaml.MappingNode:
		return "a block"
	case node.Kind == yaml.SequenceNode:
		return "a list"
	case node.Kind == yaml.AliasNode:
		return "an alias"
	case IsNull(node):
		return "nothing"
	}
	return "a single value"
}
