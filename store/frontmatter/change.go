package frontmatter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// ContextKey is the mapping that an Edit's Context goes into.
const ContextKey = "wranglerContext"

// A change is one key and the value it shall have.
type change struct {
	key     string
	context bool       // below wranglerContext
	value   *yaml.Node // without positions; nil removes the key
	// after is the key at the top level that a new key comes behind, "" for the last one.
	after string
}

// fieldKeys are the keys that a Document has a field for. Their values are what
// the reader makes of them: text on one line, lists in any spelling.
var fieldKeys = slices.Concat(
	[]string{"id", "title", "type", "status", "priority", "labels", "assignee", "project"},
	createdKeys, updatedKeys, closedKeys, parentKeys, LinkKeys(),
)

// field reports whether the reader, not YAML, says what the value is.
func (c change) field() bool {
	isTime := c.value != nil && c.value.Tag == "!!timestamp"
	return !c.context && (slices.Contains(fieldKeys, c.key) || isTime)
}

// change checks an assignment and makes its value a node.
func (a Assignment) change(context bool) (change, error) {
	c := change{key: a.Key, context: context}
	within, name := "frontmatter", a.Key
	if context {
		within, name = ContextKey, ContextKey+"."+a.Key
	}
	if a.Key == "" || !utf8.ValidString(a.Key) {
		return c, &ValueError{Field: within, Value: a.Key, Reason: noName}
	}
	switch v := a.Value.(type) {
	case nil:
	case string:
		c.value = textNode(v)
	case []string:
		c.value = listNode(v)
	case Time:
		c.value = timeNode(v.At, nil, v.Form)
	case json.RawMessage:
		n, err := jsonNode(v)
		if err != nil {
			return c, &ValueError{Field: name, Value: string(v), Reason: notJSON(err)}
		}
		c.value = n
	default:
		return c, fmt.Errorf("set %s: a value is text, a list of texts or JSON, not %T", shorten(c.key), v)
	}
	if c.field() && c.value != nil {
		c.value = fieldNode(c.value)
	}
	return c, nil
}

// length is how many bytes the value takes, about.
func (c change) length() int {
	if c.value == nil {
		return 0
	}
	return len(style{}.inline(c.value, nil, true))
}

// fieldNode is a value as the reader would give it back.
func fieldNode(n *yaml.Node) *yaml.Node {
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!str":
		return textNode(OneLine(n.Value))
	case n.Kind == yaml.SequenceNode && !slices.ContainsFunc(n.Content, isNoText):
		return listNode(reader().texts(pair{value: n}))
	}
	return n
}

func isNoText(n *yaml.Node) bool { return n.Tag != "!!str" }

// reader reads single values exactly as a document's are read.
func reader() *parser { return new(parser) }

// readText is what the reader takes the value of a key to be, as one text. n may
// be nil.
func readText(key string, n *yaml.Node) string {
	switch {
	case n == nil:
		return ""
	case key == "assignee":
		return strings.Join(reader().texts(pair{value: n}), ", ")
	}
	return reader().text(pair{value: n})
}

// holds reports whether the document says so already. A field that is empty is
// as good as one that is not there.
func (c change) holds(s *source) bool {
	in := s.root
	if c.context {
		in = targetOf(s.context())
	}
	old := lookup(in, c.key)
	if c.value == nil && old != nil && len(target(old).Content) > 0 {
		return false
	}
	return c.reads(old)
}

// reads reports whether old, which may be nil, is read as the new value.
func (c change) reads(old *yaml.Node) bool { return c.meaning(old) == c.meaning(c.value) }

// meaning is what a value of the key is read as: the text or the lines of a field, else
// JSON, whose keys have no order. It is "" for none.
func (c change) meaning(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	kind := target(n).Kind
	switch {
	case !c.field() || kind == yaml.MappingNode:
	case commaList(c.key):
		return strings.Join(reader().listed(pair{key: c.key, value: n}), "\n")
	case kind == yaml.ScalarNode || c.key == "assignee":
		return readText(c.key, n)
	case len(target(n).Content) == 0:
		return ""
	default:
		return "\n" + strings.Join(reader().texts(pair{value: n}), "\n")
	}
	data, err := appendJSON(nil, n, 0)
	if err != nil {
		return "\x00" // which nothing is read as
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	_ = decoder.Decode(&value) // which appendJSON has written
	data, _ = json.Marshal(value)
	return string(data)
}

func textNode(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: strings.ToValidUTF8(s, "\ufffd")}
}

func listNode(texts []string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, s := range texts {
		n.Content = append(n.Content, textNode(s))
	}
	return n
}

// mapNode makes a mapping of keys and values in turn.
func mapNode(content ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: content}
}
