package frontmatter

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"issues-index/store/words"
	"issues-index/store/yamlfile"
)

// ContextKey is the mapping that an Edit's Context goes into.
const ContextKey = "wranglerContext"

// A change is one key and the value it shall have.
type change struct {
	key   string
	field bool       // whether the reader, not YAML, says what the value is
	value *yaml.Node // without positions; nil removes the key
	below []change   // of wranglerContext, in place of a value
}

// fieldKeys are the keys that a Document has a field for. Their values are what
// the reader makes of them: text on one line, lists in any spelling.
var fieldKeys = slices.Concat(
	[]string{"id", "title", "type", "status", "priority", "labels", "assignee", "project"},
	createdKeys, updatedKeys, closedKeys, parentKeys, LinkKeys(),
)

// change checks an assignment and makes its value a node.
func (a Assignment) change(context bool) (change, error) {
	c := change{key: a.Key, field: !context && slices.Contains(fieldKeys, a.Key)}
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
	case json.RawMessage:
		n, err := jsonNode(v)
		if err != nil {
			return c, &ValueError{Field: name, Value: string(v), Reason: err.Error()}
		}
		c.value = n
	default:
		return c, fmt.Errorf("set %s: a value is text, a list of texts or JSON, not %T", shorten(c.key), v)
	}
	if c.field && c.value != nil {
		c.value = fieldNode(c.value)
	}
	return c, nil
}

// length is how many bytes the value takes, about.
func (c change) length() (n int) {
	if c.value != nil {
		n = len(inline(c.value, nil, true))
	}
	for _, b := range c.below {
		n += b.length()
	}
	return n
}

// fieldNode is a value as the reader would give it back.
func fieldNode(n *yaml.Node) *yaml.Node {
	isText := func(n *yaml.Node) bool { return n.Tag == "!!str" }
	switch {
	case isText(n):
		return textNode(OneLine(n.Value))
	case n.Kind == yaml.SequenceNode && !slices.ContainsFunc(n.Content, func(n *yaml.Node) bool { return !isText(n) }):
		return listNode(new(parser).texts(pair{value: n}))
	}
	return n
}

// readText is what the reader takes the value of a key to be, as one text. n may be nil.
func readText(key string, n *yaml.Node) string {
	if n == nil {
		return ""
	}
	return new(parser).text(pair{key: key, value: n})
}

// reads reports whether old, which may be nil, is read as the new value.
func (c change) reads(old *yaml.Node) bool { return c.meaning(old) == c.meaning(c.value) }

// meaning is what a value of the key is read as: the text or the lines of a field, else
// JSON, whose keys have no order. It is "" for none.
func (c change) meaning(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	kind, r, kv := target(n).Kind, new(parser), pair{key: c.key, value: n}
	switch {
	case !c.field || kind == yaml.MappingNode:
	case linkKinds[c.key] != "":
		return strings.Join(r.links(kv).Values, "\n")
	case c.key == "labels":
		return strings.Join(r.labels(kv), "\n")
	case c.key == "assignee":
		return strings.Join(r.texts(kv), ", ")
	case kind == yaml.ScalarNode || len(target(n).Content) == 0:
		return r.text(kv)
	default:
		return "\n" + strings.Join(r.texts(kv), "\n")
	}
	var value any
	data, err := appendJSON(nil, n, 0)
	if err != nil || json.Unmarshal(data, &value) != nil {
		return "\x00" // which nothing is read as
	}
	data, _ = json.Marshal(value)
	return string(data)
}

// inFormOf is the new value as the old one is written: one text with commas, a list of
// assignees, the items of a list that stay.
func (c change) inFormOf(old *yaml.Node) *yaml.Node {
	is := target(old)
	isList, wasList := c.value.Kind == yaml.SequenceNode, is.Kind == yaml.SequenceNode
	mayHaveCommas := c.key == "labels" || linkKinds[c.key] != ""
	form := c.value
	switch {
	case !c.field:
	case mayHaveCommas && isList && is.Kind == yaml.ScalarNode && !yamlfile.IsNull(is) && len(form.Content) > 0:
		form = textNode(strings.Join(new(parser).texts(pair{value: form}), ", "))
	case c.key == "assignee" && wasList && form.Tag == "!!str":
		form = listNode(words.List(form.Value))
	}
	if !c.reads(form) {
		form = c.value
	}
	if form.Kind != yaml.SequenceNode || old.Kind != yaml.SequenceNode {
		return form
	}
	written := map[string]*yaml.Node{}
	for _, n := range old.Content {
		written[c.meaning(n)] = n
	}
	for i, n := range form.Content {
		form.Content[i] = cmp.Or(written[c.meaning(n)], n)
	}
	return form
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
