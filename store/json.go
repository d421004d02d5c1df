package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	// maxDepth bounds nesting, far below SQLite's limit of 1,000 for JSON.
	maxDepth = 100
	// maxJSON bounds what one value may expand to through aliases, in bytes.
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
		if n.Alias == nil {
			return append(dst, "null"...), nil
		}
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
		return appendObject(dst, pairs(n), depth)
	}
	return append(dst, "null"...), nil
}

func appendObject(dst []byte, list []pair, depth int) ([]byte, error) {
	var err error
	dst = append(dst, '{')
	for i, p := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, p.key), ':')
		if dst, err = appendJSON(dst, p.value, depth+1); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
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
	return appendString(dst, n.Value)
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

// appendString writes a JSON string without escaping what needs no escape.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s[start:i]...), "\ufffd"...)
				start = i + 1
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' && c != 0x7f {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}
