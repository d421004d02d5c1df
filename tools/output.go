package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/store/orderedjson"
	"issues-index/tools/answer"
)

// Output says which channels an answer uses.
type Output string

// The output modes. OutputAuto depends on the client (see [ProfileOf]). OutputText has
// neither an output schema nor structured content; OutputStructured has only the first
// line of the text.
const (
	OutputAuto       Output = "auto"
	OutputBoth       Output = "both"
	OutputText       Output = "text"
	OutputStructured Output = "structured"
)

// Outputs lists the modes that name a form.
func Outputs() []Output { return []Output{OutputBoth, OutputText, OutputStructured} }

// channels are the two forms of an answer. A host shows its model either of them.
type channels struct {
	text   string
	object json.RawMessage // nil when the output mode has none
}

// remarks are what the server adds to an answer. That an argument was ignored comes
// first: the call did less than it was asked for, and hosts cut the middle and the end of
// answers.
type remarks struct{ first, last string }

// String returns both, as the object has them.
func (r remarks) String() string {
	if r.first != "" && r.last != "" {
		return r.first + "; " + r.last
	}
	return r.first + r.last
}

// render writes a result into the channels of the output mode.
func (o Output) render(r *Result, said remarks) (channels, error) {
	object, err := o.object(r, said)
	return channels{o.text(r, said), object}, err
}

func (o Output) text(r *Result, said remarks) string {
	if o == OutputStructured {
		first, _, _ := strings.Cut(r.Text, "\n")
		return first
	}
	text := r.Text
	if said.first != "" {
		text = "Note: " + said.first + ".\n" + text
	}
	if said.last != "" {
		return strings.TrimSuffix(r.Mark.End(text), "\n") + "\nNote: " + said.last + "."
	}
	return r.Mark.EndOnly(text)
}

// object writes the structured form, with the remarks behind its own note.
func (o Output) object(r *Result, said remarks) (json.RawMessage, error) {
	if o == OutputText {
		return nil, nil
	}
	object, err := r.json()
	note := said.String()
	if err != nil || note == "" {
		return object, err
	}
	members, err := orderedjson.Parse(object)
	if err != nil {
		return nil, fmt.Errorf("add a note to structured content: it %w", err)
	}
	var own string
	if value := members.Get("note"); value != nil && json.Unmarshal(value, &own) == nil {
		note = strings.TrimSpace(own + " " + note)
		members.Delete("note")
	}
	members.Put("note", orderedjson.Text(note))
	return members.MarshalJSON()
}

// fit reports whether both channels keep to a budget.
func (c channels) fit(b answer.Budget) bool {
	object := answer.Size{Bytes: len(c.object), Lines: bytes.Count(c.object, []byte("\n")) + 1}
	return b.Holds(c.text) && b.Fits(object)
}

// bytes returns the size of the longer channel.
func (c channels) bytes() int { return max(len(c.text), len(c.object)) }

// larger returns the longer channel. It copies the object: bytes is for its size.
func (c channels) larger() string {
	if len(c.object) > len(c.text) {
		return string(c.object)
	}
	return c.text
}

// A callResult is the result of a call as clients get it. That of mcp-go would write its texts with
// HTML escapes.
type callResult struct {
	Meta          map[string]any    `json:"_meta,omitempty"`
	Content       []mcp.Content     `json:"content"`
	InputRequests mcp.InputRequests `json:"inputRequests,omitempty"`
	IsError       bool              `json:"isError,omitempty"`
	RequestState  string            `json:"requestState,omitempty"`
	ResultType    mcp.ResultType    `json:"resultType,omitempty"`
	Structured    json.RawMessage   `json:"structuredContent,omitempty"`
}

// sign puts into the result what revision 2026-07-28 requires.
func (r *callResult) sign(server mcp.Implementation) {
	if r.ResultType = mcp.ResultTypeComplete; r.InputRequests != nil {
		r.ResultType = mcp.ResultTypeInputRequired
	}
	if r.Meta == nil {
		r.Meta = make(map[string]any)
	}
	r.Meta[mcp.MetaKeyServerInfo] = server
}

// failure writes an error: as text for the model, and in parts for programs, which
// read structured content.
func failure(e *Error, text string, output Output) *callResult {
	result := &callResult{Content: []mcp.Content{mcp.NewTextContent(text)}, IsError: true}
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
	result.Meta = map[string]any{"error": details}
	return result
}
