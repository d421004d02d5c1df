package frontmatter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// jsonNode reads one JSON value, keys in their order; of equal keys the last
// one counts.
func jsonNode(data json.RawMessage) (*yaml.Node, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	n, err := decodeNode(d, 0)
	if err != nil {
		return nil, fmt.Errorf("read the value as JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read the value as JSON: text follows it")
	}
	return n, nil
}

// noName is the Reason of a ValueError for a key that is empty, or no text.
const noName = "has a key without a name"

// notJSON makes an error of jsonNode the Reason of a ValueError.
func notJSON(err error) string {
	if errors.Is(err, errTooDeep) {
		return errTooDeep.Error()
	}
	return "is no JSON"
}

func decodeNode(d *json.Decoder, depth int) (*yaml.Node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("it %w", errTooDeep)
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case string:
		return textNode(v), nil
	case json.Number:
		return numberNode(string(v)), nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v)}, nil
	case json.Delim:
		return decodeCollection(d, v, depth)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
}

func decodeCollection(d *json.Decoder, open json.Delim, depth int) (*yaml.Node, error) {
	n := listNode(nil)
	if open == '{' {
		n = mapNode()
	}
	at := map[string]int{}
	for d.More() {
		child, err := decodeNode(d, depth+1)
		if err != nil {
			return nil, err
		}
		if n.Kind == yaml.MappingNode {
			key := child
			if child, err = decodeNode(d, depth+1); err != nil {
				return nil, err
			}
			if i, ok := at[key.Value]; ok {
				n.Content[i] = child
				continue
			}
			at[key.Value] = len(n.Content) + 1
			n.Content = append(n.Content, key)
		}
		n.Content = append(n.Content, child)
	}
	_, err := d.Token() // the closing bracket
	return n, err
}

// numberNode spells a number as the reader recognises it: 1e3 as 1000. One that
// no float64 holds keeps its text.
func numberNode(s string) *yaml.Node {
	if f, err := strconv.ParseFloat(s, 64); err == nil && !plainNumber(s) {
		if short := strconv.FormatFloat(f, 'f', -1, 64); plainNumber(short) && strings.ContainsAny(s, ".eE") {
			s = short
		}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: s}
}
