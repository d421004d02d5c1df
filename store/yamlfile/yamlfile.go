// Package yamlfile is the one reader of YAML, for settings, views and frontmatter, and the one
// writer of its texts: it returns nodes with their lines, and errors with what to do.
//
// It knows nothing of what the files say. Invariants: reading never panics, whatever the
// bytes; what is written is read as the same text by every reader of YAML; an error names the
// line where the library knows it; no message has the text of a value, which may be a secret.
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
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	var document, next yaml.Node
	if err := decode(func() error { return yaml.Unmarshal(data, &document) }); err != nil {
		return nil, syntax(err, data)
	}
	if len(document.Content) > 0 && !IsNull(document.Content[0]) {
		root = document.Content[0]
	}
	if isWhole(root, data) {
		return root, nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	switch err := decode(func() error { return errors.Join(decoder.Decode(&document), decoder.Decode(&next)) }); {
	case err == nil:
		return root, &NodeError{next.Line, "not one YAML document: a second begins here"}
	case !errors.Is(err, io.EOF):
		return root, syntax(err, data)
	}
	return root, nil
}

// isWhole reports whether nothing can follow a root that Unmarshal would pass over: it is a
// block at the left margin, to which all lines belong up to the mark of another document.
func isWhole(root *yaml.Node, data []byte) bool {
	return root != nil && root.Style&yaml.FlowStyle == 0 && len(root.Content) > 0 && root.Content[0].Column == 1 &&
		!bytes.Contains(data, []byte("\n---")) && !bytes.Contains(data, []byte("\n..."))
}

// decode calls the library, which reports some errors by panicking: whatever it lets
// through must not take the program along.
func decode(read func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("yaml: %v", p)
		}
	}()
	return read()
}

var (
	errorLine     = pattern.Lazy(`^yaml: (?:unmarshal errors:\s+)?line (\d+): `)
	unknownAnchor = pattern.Lazy(`unknown anchor '(.+)' referenced`)
	// parserError tells the errors whose line the library counts from 0.
	parserError = pattern.Lazy(`did not find expected (key|',' or|'-' indicator|node content|<)`)
)

// hints turn the library's words into what to do.
var hints = []struct{ text, hint string }{
	{"mapping values are not allowed", `put a value that contains ": " in quotes`},
	{
		"character that cannot start any token",
		"put a value that starts with @, ` or % in quotes, and indent with spaces, not tabs",
	},
	{"did not find expected alphabetic or numeric character", "put a value that starts with * or & in quotes"},
	{"unknown anchor", "put a value that starts with * in quotes"},
	{"did not find expected ',' or ']'", "close the list with ], or put a value that starts with [ in quotes"},
	{"did not find expected ',' or '}'", "close the block with }, or put a value that starts with { in quotes"},
	{"found unexpected end of stream", "close the quote that a value begins with"},
	{"could not find expected ':'", "a line is neither `key: value` nor part of a value"},
	{
		"did not find expected <document start>",
		"a line is indented less than the keys above it, or follows a closing brace",
	},
	{"did not find expected key", "text follows a closing quote, or a line is not indented as its neighbours are"},
}

// syntax makes what to do of an error of the library, whose text contains every line but
// the first.
func syntax(err error, data []byte) *NodeError {
	text, line := err.Error(), 1
	if m := errorLine().FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
		if parserError().MatchString(text) {
			line = min(line+1, 1+bytes.Count(bytes.TrimRight(data, "\n"), []byte("\n")))
		}
	} else if m := unknownAnchor().FindStringSubmatch(text); m != nil {
		before, _, _ := bytes.Cut(data, []byte("*"+m[1]))
		line += len(LineBreak().FindAll(before, -1))
	}
	text = strings.TrimPrefix(text, "yaml: ")
	for _, h := range hints {
		if strings.Contains(text, h.text) {
			text += " (" + h.hint + ")"
			break
		}
	}
	return &NodeError{line, "not valid YAML: " + text}
}

// LineBreak finds the line breaks that the lines of nodes and errors are counted by: more
// than those of an editor.
var LineBreak = pattern.Lazy("\r\n|[\r\n\u0085\u2028\u2029]")

// CheckPlain refuses anchors, aliases and tags: settings have no use for them, and a few
// lines of them can stand for millions. Errors: *NodeError.
func CheckPlain(node *yaml.Node) error {
	switch {
	case node.Kind == yaml.AliasNode || node.Anchor != "":
		return &NodeError{node.Line, "anchors and aliases are not allowed: write the value where it belongs"}
	case node.Style&yaml.TaggedStyle != 0:
		reason := "tags are not allowed: write the value without " + strconv.Quote(words.Cut(node.Tag, 61))
		return &NodeError{node.Line, reason}
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
