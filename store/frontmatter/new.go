package frontmatter

import (
	"encoding/json"

	"go.yaml.in/yaml/v3"

	"issues-index/store/layout"
	"issues-index/store/yamlfile"
)

// New is the text of a new document: the fields in their order, then the context, a JSON
// object or nil, and the body. A value that a document cannot have is a *ValueError.
func New(fields []Assignment, context json.RawMessage, body string) ([]byte, error) {
	var changes []change
	for _, f := range fields {
		c, err := f.change(false)
		if err != nil {
			return nil, err
		}
		changes = append(changes, c)
	}
	value, err := contextNode(context)
	if err != nil {
		return nil, err
	}
	if value != nil {
		changes = append(changes, change{key: ContextKey, value: value})
	}
	p := Parse(nil, "", layout.Default())
	text, field := Edit{Body: &body}.body("", "\n")
	return p.write(changes, text, field)
}

// contextNode reads a new document's context. It is nil when there is none.
func contextNode(data json.RawMessage) (*yaml.Node, error) {
	if data == nil {
		return nil, nil
	}
	c, err := Assignment{ContextKey, data}.change(false)
	value := c.value
	switch {
	case err != nil:
		return nil, err
	case yamlfile.IsNull(value):
		return nil, nil
	case value.Kind != yaml.MappingNode:
		return nil, &ValueError{Field: ContextKey, Value: string(data), Reason: "is no object"}
	case indexKey(value, "") >= 0:
		return nil, &ValueError{Field: ContextKey, Reason: noName}
	case len(value.Content) == 0:
		return nil, nil
	}
	return value, nil
}
