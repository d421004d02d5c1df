// Package tools is the MCP surface: it assembles a server out of toolsets,
// reads their arguments, writes their results and words their errors.
//
// It knows nothing about the transport (package stdio), about single tools
// (package issues and its siblings) or about SQL. Its invariants:
//
//   - whatever a tool does, a panic included, the client gets a result: only an
//     unknown tool and a malformed request are protocol errors;
//   - every failure has a [Code] and words that say what to do next, and no Go
//     text, stack or path outside the workspace is among them;
//   - all four annotation hints of every tool are explicit;
//   - the definitions are listed on one page, in the order of the toolsets.
package tools

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"issues-index/tools/answer"
)

// A Toolset is a group of tools that is switched on or off as one.
type Toolset struct {
	Name  string
	Tools []Tool

	// Lead is what a client must know before its first call, and Guide what else the
	// server's instructions say about this toolset; "" when its descriptions say
	// enough. The short forms take their places where several toolsets have to share
	// the room; "" is the long form.
	Lead, ShortLead   string
	Guide, ShortGuide string
}

// A Tool is one tool: its definition and its handler. The four hints speak for
// the whole tool, whatever operations it mixes.
type Tool struct {
	Name        string
	Description string // the action first, reading or mutating, at most 300 characters

	ReadOnly    bool
	Destructive bool
	Idempotent  bool
	OpenWorld   bool

	// Strict has an argument that Input does not name refused even though the tool
	// only reads. One that writes always refuses it.
	Strict bool

	// Takes are arguments that the tool takes though Input, which every client pays
	// for, does not show them.
	Takes []string
	// Also has, for an argument, other names that are taken for it, and Meant those that
	// a refusal answers with it. Instead has, for arguments of other tools, what to do.
	Also, Meant map[string][]string
	Instead     map[string]string

	// NeedsObject says that the structured form holds what the text does not, so that
	// OutputAuto sends both to every client.
	NeedsObject bool

	// Input and Output are JSON schemas: plain objects at the root, without
	// $ref. Output describes Result.Structured.
	Input  json.RawMessage
	Output json.RawMessage
	input  func() *input // nil until a server has the tool

	// Handle answers one call. It reads every argument it wants and returns args.Err()
	// before it acts, also for what was wrong before it read anything. An error that is
	// not an *Error is translated by ErrorOf.
	Handle func(ctx context.Context, args *Args) (Result, error)
}

// A Result is a tool's answer in both channels. A host shows the model either,
// so each must be enough to go on.
type Result struct {
	Text string
	// Structured is marshalled once, to a JSON object that conforms to the
	// tool's Output. Its slices must not be nil: null is not an empty list. A
	// json.RawMessage is sent as it is.
	Structured any
	// Object is the size of Structured as JSON, in bytes, where the tool knows it:
	// it need not be written out then to see that it is too large.
	Object int

	// Mark is that of a Text that shows texts of others as they are: what the server
	// adds to it stands below a mark.
	Mark answer.Mark

	// Hint says how to get what the server cuts from an answer that is too large; "" is
	// a hint made of the tool's arguments.
	Hint string

	// Outcome says how the answer was made to fit; "" is OutcomePlain.
	Outcome Outcome
	// Original is the size, in bytes of the larger channel, that the answer would
	// have had without its budget; 0 when it is the answer's own.
	Original int
	// Items is how many documents or the like the answer holds.
	Items int
}

// An Outcome is what was done to an answer so that it fits. Where two things were
// done it names both, with + between them.
type Outcome string

// With is the outcome of an answer to which something else was done, too.
func (o Outcome) With(other Outcome) Outcome {
	switch {
	case o == "" || o == OutcomePlain:
		return other
	case other == "" || other == OutcomePlain || o.Has(other):
		return o
	}
	return o + "+" + other
}

// Has reports whether something was done, alone or with something else.
func (o Outcome) Has(other Outcome) bool {
	return slices.Contains(strings.Split(string(o), "+"), string(other))
}

// The outcomes.
const (
	OutcomePlain      Outcome = "plain"
	OutcomePaginated  Outcome = "paginated"
	OutcomeSummarized Outcome = "summarized"
	OutcomeChunked    Outcome = "chunked"
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
