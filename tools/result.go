package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// failure writes an error: as text for the model, and in parts for programs, which
// read structured content.
func failure(e *Error, text string, output Output) *mcp.CallToolResult {
	result := &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(text)}, IsError: true}
	if output == OutputText {
		return result
	}
	details := map[string]any{"code": e.Code, "message": e.Message}
	if e.Field != "" {
		details["field"] = e.Field
	}
	if e.Remediation != "" {
		details["remediation"] = e.Remediation
	}
	if len(e.Upstream) > 0 && len(e.Upstream) <= maxUpstream && json.Valid(e.Upstream) {
		details["upstream"] = e.Upstream
	}
	result.Meta = &mcp.Meta{AdditionalFields: map[string]any{"error": details}}
	return result
}

// structured marshals a value to a JSON object and adds the note to its own.
func structured(value any, note string) (json.RawMessage, error) {
	object, err := marshal(value)
	if err != nil {
		return nil, err
	}
	if len(object) < 2 || object[0] != '{' {
		return nil, fmt.Errorf("%T is no JSON object", value)
	}
	if note == "" {
		return object, nil
	}
	return withNote(object, note)
}

// withNote adds a note after the members of a JSON object, joined to the one
// it has.
func withNote(object json.RawMessage, note string) (json.RawMessage, error) {
	names, values, err := members(object)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteByte('{')
	for i, name := range names {
		if name == "note" {
			var own string
			if err := json.Unmarshal(values[i], &own); err != nil {
				return nil, err
			}
			note = strings.TrimSpace(own + " " + note)
			continue
		}
		fmt.Fprintf(&out, "%s:%s,", quoted(name), values[i])
	}
	fmt.Fprintf(&out, `"note":%s}`, quoted(note))
	return out.Bytes(), nil
}

// marshal is json.Marshal that leaves < > & as they are: no browser reads an
// answer, and a model would pay for six characters in place of each.
func marshal(value any) (json.RawMessage, error) {
	if raw, done := value.(json.RawMessage); done {
		return raw, nil
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// quoted returns a string as JSON.
func quoted(text string) []byte {
	out, err := marshal(text)
	if err != nil { // a string always has a JSON form
		return []byte(`""`)
	}
	return out
}
