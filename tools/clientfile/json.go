package clientfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// bom begins the files of some editors on Windows.
var bom = []byte("\xef\xbb\xbf")

// addJSON inserts an entry into a file of JSON, which may have comments and trailing commas.
func (c MCPClient) addJSON(data []byte) (edited []byte, entry ServerEntry, err error) {
	text, hadBOM := bytes.CutPrefix(data, bom)
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	root, err := c.parse(text)
	if err != nil {
		return nil, ServerEntry{}, err
	}
	file := &jsonFile{text: text, newline: "\n"}
	if bytes.Contains(text, []byte("\r\n")) {
		file.newline = "\r\n"
	}
	file.unit = file.indentUnit(root)
	servers, missing, err := c.servers(root)
	if err != nil {
		return nil, ServerEntry{}, err
	}
	known := map[string]any{}
	if missing == nil {
		if known, err = members(text[servers.StartOffset:servers.EndOffset]); err != nil {
			return nil, ServerEntry{}, err
		}
	}
	if entry = c.ours(known); entry.found() {
		return data, entry, nil
	}
	name, err := free(known)
	if err != nil {
		return nil, ServerEntry{}, err
	}
	added := jsonMember{name: name}
	for _, f := range c.fields {
		added.members = append(added.members, jsonMember{name: f.name, value: f.value()})
	}
	for i := len(missing) - 1; i >= 0; i-- {
		added = jsonMember{name: missing[i], members: []jsonMember{added}}
	}
	out := file.insert(servers, added)
	if entry, err = c.holds(out, name); err != nil {
		return nil, ServerEntry{}, err
	}
	if hadBOM {
		out = append(bytes.Clone(bom), out...)
	}
	return out, entry, nil
}

// parse reads a file whose top is an object.
func (c MCPClient) parse(text []byte) (hujson.Value, error) {
	if !bytes.HasSuffix(text, []byte("\n")) { // the parser wants one behind a comment
		text = append(bytes.Clone(text), '\n')
	}
	root, err := hujson.Parse(text)
	if err != nil {
		return root, &ClientFileError{Reason: "it is no JSON: " + strings.TrimPrefix(err.Error(), "hujson: ")}
	}
	if c.strict && !root.IsStandard() {
		return root, &ClientFileError{Reason: "it has comments or trailing commas, which " + c.Title + " does not read"}
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return root, &ClientFileError{Reason: "it is not one object of JSON, { … }"}
	}
	return root, nil
}

// servers returns the block of servers. Where it is missing, it is the nearest block around
// it, and missing are the keys that lead on from there.
func (c MCPClient) servers(root hujson.Value) (block hujson.Value, missing []string, err error) {
	block = root
	for i, key := range c.keys {
		inner, ok := member(block, key)
		if !ok {
			return block, c.keys[i:], nil
		}
		if _, ok := inner.Value.(*hujson.Object); !ok {
			return block, nil, &ClientFileError{Reason: fmt.Sprintf("%q is not an object there", key)}
		}
		block = inner
	}
	if inner, ok := member(block, c.inner); ok && c.inner != "" {
		if _, isEntry := member(inner, "type"); !isEntry && inner.Value.Kind() == '{' {
			block = inner
		}
	}
	return block, nil, nil
}

// member returns the value of a member of an object: the last one, as readers take it, where
// a name is there twice.
func member(object hujson.Value, name string) (value hujson.Value, ok bool) {
	o, isObject := object.Value.(*hujson.Object)
	if !isObject {
		return value, false
	}
	for _, m := range o.Members {
		if literal, isText := m.Name.Value.(hujson.Literal); isText && literal.String() == name {
			value, ok = m.Value, true
		}
	}
	return value, ok
}

// members reads an object as other programs do.
func members(text []byte) (map[string]any, error) {
	standard, err := hujson.Standardize(bytes.Clone(text))
	if err != nil {
		return nil, fmt.Errorf("read a block of JSON: %w", err)
	}
	var read map[string]any
	if err := json.Unmarshal(standard, &read); err != nil {
		return nil, &ClientFileError{Reason: "it is no JSON: " + err.Error()}
	}
	return read, nil
}

// holds returns this server's entry, which has this name.
func (c MCPClient) holds(text []byte, name string) (ServerEntry, error) {
	root, err := c.parse(text)
	if err != nil {
		return ServerEntry{}, err
	}
	servers, missing, err := c.servers(root)
	if err != nil {
		return ServerEntry{}, err
	}
	known, err := members(text[servers.StartOffset:servers.EndOffset])
	if err != nil {
		return ServerEntry{}, err
	}
	if entry := c.ours(known); missing == nil && entry.found() && entry.Name == name {
		return entry, nil
	}
	return ServerEntry{}, errNotWanted
}

// value is the value as JSON and as TOML, which write these texts alike.
func (f field) value() string {
	if f.list == nil {
		return quoted(f.text)
	}
	items := make([]string, len(f.list))
	for i, item := range f.list {
		items[i] = quoted(item)
	}
	return "[" + strings.Join(items, ", ") + "]"
}

func quoted(text string) string { return `"` + text + `"` }
