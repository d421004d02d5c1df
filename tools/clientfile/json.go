package clientfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
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
	servers, err := c.servers(&root)
	if err != nil {
		return nil, ServerEntry{}, err
	}
	known := map[string]any{}
	if servers != nil {
		if known, err = members(servers); err != nil {
			return nil, ServerEntry{}, err
		}
	}
	if entry = c.ours(known); entry.found() {
		return data, entry, nil
	}
	if entry, err = newEntry(known); err != nil {
		return nil, ServerEntry{}, err
	}
	file := jsonFile{text, newlineOf(text), "  "}
	if first := objectOf(&root).Members; len(first) > 0 {
		file.unit = cmp.Or(file.indentation(first[0].Name.StartOffset), file.unit)
	}
	if servers != nil {
		file.insert(servers, entry.Name, c.fields)
	} else {
		file.insert(&root, c.key, []field{{name: entry.Name, members: c.fields}})
	}
	edited = root.Pack()
	if !bytes.HasSuffix(text, []byte("\n")) { // see parse
		edited = bytes.TrimSuffix(edited, []byte("\n"))
	}
	if hadBOM {
		edited = slices.Concat(bom, edited)
	}
	return edited, entry, nil
}

// parse reads a file whose top is an object.
func (c MCPClient) parse(text []byte) (hujson.Value, error) {
	if !bytes.HasSuffix(text, []byte("\n")) { // the parser wants one behind a comment
		text = append(bytes.Clone(text), '\n')
	}
	root, err := hujson.Parse(text)
	switch {
	case err != nil:
		return root, &ClientFileError{Reason: "it is no JSON: " + strings.TrimPrefix(err.Error(), "hujson: ")}
	case c.strict && !root.IsStandard():
		return root, &ClientFileError{Reason: "it has comments or trailing commas, which " + c.Title + " does not read"}
	case objectOf(&root) == nil:
		return root, &ClientFileError{Reason: "it is not one object of JSON, { … }"}
	}
	return root, nil
}

// objectOf is a value as an object, nil when it is something else.
func objectOf(v *hujson.Value) *hujson.Object {
	o, _ := v.Value.(*hujson.Object)
	return o
}

// servers returns the block of servers, nil when it is missing.
func (c MCPClient) servers(root *hujson.Value) (*hujson.Value, error) {
	block := member(root, c.key)
	if block == nil {
		return nil, nil
	}
	if objectOf(block) == nil {
		return nil, &ClientFileError{Reason: fmt.Sprintf("%q is not an object there", c.key)}
	}
	inner := member(block, c.inner)
	if c.inner != "" && inner != nil && objectOf(inner) != nil && member(inner, "type") == nil { // which is no entry
		return inner, nil
	}
	return block, nil
}

// member returns the value of a member of an object, nil when it is missing. Where a name is
// there twice it is the last one, as readers take it.
func member(object *hujson.Value, name string) *hujson.Value {
	for i := range slices.Backward(objectOf(object).Members) {
		m := &objectOf(object).Members[i]
		if literal, isText := m.Name.Value.(hujson.Literal); isText && literal.String() == name {
			return &m.Value
		}
	}
	return nil
}

// members reads an object as other programs do.
func members(object *hujson.Value) (read map[string]any, err error) {
	standard := object.Clone()
	standard.Standardize()
	if err := json.Unmarshal(standard.Pack(), &read); err != nil {
		return nil, &ClientFileError{Reason: "it is no JSON: " + err.Error()}
	}
	return read, nil
}

// A jsonFile is the text of a file and how it is laid out.
type jsonFile struct {
	text    []byte
	newline string // "" for all on one line
	unit    string // of indentation
}

// insert puts a member at the end of an object, in the way that the object is written.
func (f jsonFile) insert(object *hujson.Value, name string, fields []field) {
	o, outer := objectOf(object), f.indentation(object.StartOffset)
	indent := outer + f.unit
	added := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}}
	if len(o.Members) > 0 {
		first := o.Members[0].Name.StartOffset
		indent = f.indentation(first)
		if !bytes.Contains(f.text[object.StartOffset:first], []byte("\n")) {
			f.newline = ""
		}
		if o.Members[len(o.Members)-1].Value.AfterExtra != nil { // there is a comma behind the last member
			added.Value.AfterExtra = []byte{}
		}
	}
	if f.newline == "" {
		added.Name.BeforeExtra = []byte(" ")
	} else { // comments behind the last member stay before this one
		comments := bytes.TrimRight(o.AfterExtra, " \t\r\n")
		rest := o.AfterExtra[len(comments):]
		if !bytes.Contains(rest, []byte("\n")) {
			rest = []byte(f.newline + outer)
		}
		added.Name.BeforeExtra = slices.Concat(comments, []byte(f.newline+indent))
		o.AfterExtra = rest
	}
	added.Value.BeforeExtra = []byte(" ")
	added.Value.Value = hujson.Literal(f.object(fields, indent))
	o.Members = append(o.Members, added)
}

// indentation is the blanks that begin the line of an offset.
func (f jsonFile) indentation(offset int) string {
	line := f.text[bytes.LastIndexByte(f.text[:offset], '\n')+1 : offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// object is the text of an object that begins in a line with an indentation.
func (f jsonFile) object(fields []field, indent string) string {
	start, between, end := f.newline+indent+f.unit, ","+f.newline+indent+f.unit, f.newline+indent
	if f.newline == "" {
		start, between, end = "", ", ", ""
	}
	texts := make([]string, len(fields))
	for i, field := range fields {
		value := field.value()
		if field.members != nil {
			value = f.object(field.members, indent+f.unit)
		}
		texts[i] = quoted(field.name) + ": " + value
	}
	return "{" + start + strings.Join(texts, between) + end + "}"
}
