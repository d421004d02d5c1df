// Package tools is the MCP surface: it assembles a server out of toolsets,
// reads their arguments, writes their results and words their errors.
//
// It knows nothing about the transport (package transport), about single tools
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

	ofWorkspaces bool // the tools list the argument workspace
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
	// TakesIn are such members of objects, and of the objects of a list, by the argument.
	TakesIn map[string][]string
	// Also has, for an argument, other names that are taken for it, and Meant those that
	// a refusal answers with it. Instead has, for arguments of other tools, what to do.
	Also, Meant map[string][]string
	Instead     map[string]string

	// IDs are the arguments that name documents, by id or path: a text, one with commas or a
	// list. The member of an object, or of the objects of a list, is written as updates.id. A hub
	// forwards a call by these, and changes no other argument.
	IDs []string

	// Input and Output are JSON schemas: plain objects at the root, without
	// $ref. Output describes Result.Structured.
	Input  json.RawMessage
	Output json.RawMessage
	input  func() *input // nil until a server has the tool

	over func(*index.Index) HandleFunc // see PerWorkspace; nil for a tool over no workspace

	Handle HandleFunc
}

// A HandleFunc answers one call of a tool. It reads every argument it wants and returns
// args.Err() before it acts, also for what was wrong before it read anything. An error that
// is not an *Error is translated by ErrorOf.
type HandleFunc func(ctx context.Context, args *Args) (Result, error)
