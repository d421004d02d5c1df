package frontmatter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"issues-index/store/yamlfile"
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

// fieldNode is a value as the reader would give it back.
func fieldNode(n *yaml.Node) *yaml.Node {
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!str":
		return textNode(OneLine(n.Value))
	case n.Kind == yaml.SequenceNode && !slices.ContainsFunc(n.Content, func(c *yaml.Node) bool { return c.Tag != "!!str" }):
		return listNode(reader().texts(pair{value: n}))
	}
	return n
}

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
	if c.context {
		return c.sameAs(lookup(targetOf(s.context()), c.key))
	}
	old := lookup(s.root, c.key)
	return c.field() && emptyField(c.value) && emptyField(targetOf(old)) || c.reads(old)
}

func emptyField(n *yaml.Node) bool {
	return n == nil || yamlfile.IsNull(n) || n.Kind == yaml.ScalarNode && OneLine(n.Value) == "" || n.Kind == yaml.SequenceNode && len(n.Content) == 0
}

// reads reports whether old is read as the new value.
func (c change) reads(old *yaml.Node) bool {
	switch {
	case c.value == nil || old == nil || !c.field():
		return c.sameAs(old)
	case c.value.Kind == yaml.ScalarNode && (c.value.Tag == "!!str" || c.value.Tag == "!!timestamp"):
		value := target(old)
		return readText(c.key, old) == c.value.Value &&
			(value.Kind == yaml.ScalarNode || value.Kind == yaml.SequenceNode && c.key == "assignee")
	case c.value.Kind == yaml.SequenceNode && commaList(c.key):
		return slices.Equal(reader().listed(pair{key: c.key, value: old}), reader().texts(pair{value: c.value}))
	case c.value.Kind == yaml.SequenceNode:
		return target(old).Kind == yaml.SequenceNode && slices.Equal(reader().texts(pair{value: old}), reader().texts(pair{value: c.value}))
	}
	return c.sameAs(old)
}

// sameAs reports whether old is the same JSON as the new value; the order of an
// object's keys does not count.
func (c change) sameAs(old *yaml.Node) bool {
	if c.value == nil || old == nil {
		return c.value == old
	}
	a, errA := appendJSON(nil, old, 0)
	b, errB := appendJSON(nil, c.value, 0)
	if errA != nil || errB != nil {
		return false
	}
	return bytes.Equal(a, b) || reflect.DeepEqual(decodeAny(a), decodeAny(b))
}

func decodeAny(data []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
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
