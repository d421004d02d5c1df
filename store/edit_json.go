package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

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
