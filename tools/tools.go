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
	"sync/atomic"

	"issues-index/index"
)

// A Toolset is a group of tools that is switched on or off as one.
type Toolset struct {
	Name  string
	Tools []Tool

	// Lead is what a client must know before its first call, and Guide what else the
	// server's instructions say about this toolset; both may be "". The short forms
	// replace them when several toolsets share the room; "" means the long form.
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

	// Strict makes a tool that only reads refuse an argument that Input does not name. A
	// tool that writes always does.
	Strict bool

	// Takes are arguments that the tool takes but Input does not show: every client pays
	// for what Input shows.
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

// Current returns a toolset whose calls use the index of the folder that is at the
// workspace's path at the time of the call. bind makes the toolset of an index. The
// definitions stay those of the index that is served at first, since clients keep them.
func Current(current *index.Current, bind func(*index.Index) Toolset) Toolset {
	type bound struct {
		ix    *index.Index
		tools []Tool
	}
	var last atomic.Pointer[bound] // most calls have the index of the one before
	toolsOf := func(ix *index.Index) []Tool {
		b := last.Load()
		if b == nil || b.ix != ix {
			b = &bound{ix, bind(ix).Tools}
			last.Store(b)
		}
		return b.tools
	}
	var served *index.Index
	if current != nil { // only the names of the tools are asked for
		served = current.Served()
	}
	set := bind(served)
	for i := range set.Tools {
		set.Tools[i].Handle = func(ctx context.Context, args *Args) (Result, error) {
			ix, release, err := current.Acquire(ctx)
			if err != nil {
				return Result{}, err
			}
			defer release()
			return toolsOf(ix)[i].Handle(ctx, args)
		}
	}
	return set
}
