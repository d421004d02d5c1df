package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// success writes a result into the channels of the output mode. The note goes
// into both: as the text's last line and as the object's note.
func (s *Server) success(r Result, note string) (*mcp.CallToolResult, error) {
	answer := &mcp.CallToolResult{}
	if s.output != OutputText {
		object, err := structured(r.Structured, note)
		if err != nil {
			return nil, fmt.Errorf("write structured content: %w", err)
		}
		answer.RawStructuredContent = object
	}
	text := r.Text
	if s.output == OutputStructured {
		text, _, _ = strings.Cut(text, "\n")
	} else if note != "" {
		text = strings.TrimSuffix(text, "\n") + "\nNote: " + note + "."
	}
	answer.Content = []mcp.Content{mcp.NewTextContent(text)}
	return answer, nil
}

// failure writes an error: as text for the model, and in parts for programs.
func failure(e *Error) *mcp.CallToolResult {
	details := map[string]any{"code": e.Code, "message": e.Message}
	if e.Field != "" {
		details["field"] = e.Field
	}
	if e.Remediation != "" {
		details["remediation"] = e.Remediation
	}
	return &mcp.CallToolResult{
		Result:  mcp.Result{Meta: &mcp.Meta{AdditionalFields: map[string]any{"error": details}}},
		Content: []mcp.Content{mcp.NewTextContent(e.Error())},
		IsError: true,
	}
}

// structured marshals a value to a JSON object and adds the note to its own.
func structured(value any, note string) (json.RawMessage, error) {
	object, err := json.Marshal(value)
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

// quoted returns a string as JSON.
func quoted(text string) []byte {
	out, err := json.Marshal(text)
	if err != nil { // a string always has a JSON form
		return []byte(`""`)
	}
	return out
}
