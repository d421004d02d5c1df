package frontmatter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"issues-index/store/orderedjson"

	"go.yaml.in/yaml/v3"
)

const (
	// maxDepth bounds nesting, far below SQLite's limit of 1,000 for JSON.
	maxDepth = 100
	// maxJSON bounds what the values of an object may expand to through aliases, in bytes.
	maxJSON = 4 * MaxFrontmatterSize
)

var (
	errTooDeep  = fmt.Errorf("is nested deeper than %d levels", maxDepth)
	errTooLarge = errors.New("expands to too much through its aliases")
)

// appendJSON writes a YAML value as JSON, keys in the file's order. Whatever a
// reader of JSON would turn into something else (007, 1.10, numbers over 2^53,
// dates) becomes a string of its literal text.
func appendJSON(dst []byte, n *yaml.Node, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, errTooDeep
	}
	if len(dst) > maxJSON {
		return nil, errTooLarge
	}
	var err error
	switch n.Kind {
	case yaml.AliasNode:
		return appendJSON(dst, n.Alias, depth+1)
	case yaml.ScalarNode:
		return appendScalar(dst, n), nil
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, c := range n.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendJSON(dst, c, depth+1); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case yaml.MappingNode:
		dst = append(dst, '{')
		for i, p := range pairs(n) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(append(dst, orderedjson.Text(p.key)...), ':')
			if dst, err = appendJSON(dst, p.value, depth+1); err != nil {
				return nil, err
			}
		}
		return append(dst, '}'), nil
	}
	return append(dst, "null"...), nil
}

func appendScalar(dst []byte, n *yaml.Node) []byte {
	switch n.ShortTag() {
	case "!!null":
		return append(dst, "null"...)
	case "!!bool":
		switch n.Value {
		case "true", "True", "TRUE":
			return append(dst, "true"...)
		case "false", "False", "FALSE":
			return append(dst, "false"...)
		}
	case "!!int", "!!float":
		if plainNumber(n.Value) {
			return append(dst, n.Value...)
		}
	}
	return append(dst, orderedjson.Text(n.Value)...)
}

// plainNumber reports whether s is what every reader of JSON gives back for it.
func plainNumber(s string) bool {
	const exact = 1 << 53 // above it a float64 has no longer every integer
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return -exact <= i && i <= exact && strconv.FormatInt(i, 10) == s
	}
	f, err := strconv.ParseFloat(s, 64)
	return err == nil && strconv.FormatFloat(f, 'f', -1, 64) == s && json.Valid([]byte(s))
}

// noName is the Reason of a ValueError for a key that is empty, or no text.
const noName = "has a key without a name"

var errNotJSON = errors.New("is no JSON")

// jsonNode reads one JSON value, keys in their order. Its errors are the Reason of a ValueError.
func jsonNode(data json.RawMessage) (*yaml.Node, error) {
	if !json.Valid(data) {
		return nil, errNotJSON
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return decodeNode(d, 0)
}

// decodeNode reads a value that is known to be JSON.
func decodeNode(d *json.Decoder, depth int) (*yaml.Node, error) {
	if depth > maxDepth {
		return nil, errTooDeep
	}
	token, _ := d.Token()
	switch t := token.(type) {
	case string:
		return textNode(t), nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(t)}, nil
	case json.Number:
		return numberNode(t.String()), nil
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
	}
	n := listNode(nil)
	if token == json.Delim('{') {
		n = mapNode()
	}
	for d.More() { // items, or names and values in turn
		item, err := decodeNode(d, depth+1)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, item)
	}
	_, _ = d.Token() // the closing bracket
	return n, nil
}

// numberNode spells a number as the reader recognises it: 1e3 as 1000. A number
// that no float64 holds keeps its text.
func numberNode(s string) *yaml.Node {
	if f, err := strconv.ParseFloat(s, 64); err == nil && !plainNumber(s) {
		if short := strconv.FormatFloat(f, 'f', -1, 64); plainNumber(short) && strings.ContainsAny(s, ".eE") {
			s = short
		}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: s}
}
