package tools

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/store/orderedjson"
	"issues-index/tools/answer"
)

// Output says which channels an answer uses.
type Output string

// The output modes. OutputAuto goes by the client (see [ProfileOf]). With OutputText
// there is neither an output schema nor structured content; with OutputStructured the
// text is its first line.
const (
	OutputAuto       Output = "auto"
	OutputBoth       Output = "both"
	OutputText       Output = "text"
	OutputStructured Output = "structured"
)

// Outputs lists the forms that an answer can take.
func Outputs() []Output { return []Output{OutputBoth, OutputText, OutputStructured} }

// channels are what of an answer a host may show its model.
type channels struct {
	text   string
	object json.RawMessage // nil when the output mode has none
}

// remarks are what the server adds to an answer. A call whose argument was ignored
// did less than it was asked for: that is the first thing to know of its answer, and
// hosts cut the middle and the end.
type remarks struct{ first, last string }

// String is both of them, as the object has them.
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
		text = strings.TrimSuffix(r.Mark.End(text), "\n") + "\nNote: " + said.last + "."
	}
	return text
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

// A measured answer knows what each of its channels costs.
type measured struct {
	channels
	textSize, objectSize answer.Size
}

func (c channels) measure() measured {
	return measured{c, answer.Measure(c.text), answer.Measure(string(c.object))}
}

// fit reports whether both channels keep to a budget.
func (m measured) fit(b answer.Budget) bool { return b.Fits(m.textSize) && b.Fits(m.objectSize) }

// size is that of the longer channel.
func (m measured) size() answer.Size {
	if m.objectSize.Bytes > m.textSize.Bytes {
		return m.objectSize
	}
	return m.textSize
}

// larger returns that channel.
func (m measured) larger() string {
	if m.objectSize.Bytes > m.textSize.Bytes {
		return string(m.object)
	}
	return m.text
}

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
