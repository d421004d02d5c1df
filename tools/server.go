package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/index/claims"
	"issues-index/index/workspaces"
	"issues-index/store/pattern"
	"issues-index/tools/answer"
	"issues-index/tools/auth"
)

// defaultTimeout ends a call that hangs, so that its client does not wait for ever and the
// process can end when its input does. Many clients give up after 60 seconds: the error
// has to arrive before that.
const defaultTimeout = 50 * time.Second

// A Config says what a server serves.
type Config struct {
	Name, Version string
	// Instructions replace those that [Instructions] makes of the toolsets, unless "".
	Instructions string
	Output       Output // "" is OutputAuto
	Toolsets     []Toolset
	Timeout      time.Duration // of one call; 0 is 50 seconds
	// Session names the session in claims; "" is one of the leases, which a client's next
	// server has again.
	Session string
	Getenv  func(string) string // asked for the ids of sessions that clients give; nil for none
	Log     *slog.Logger        // nil discards
	// Settings returns the current settings of tools over no workspace; nil means
	// [answer.Defaults]. Each call asks once.
	Settings func() *answer.Settings
	// Workspaces finds what a call of a tool over a workspace works with, see
	// [PerWorkspace]. Its errors are translated by [ErrorOf].
	Workspaces func(ctx context.Context, ask workspaces.Ask) (WorkspaceBinding, error)
	// WorkspaceNames returns the names of the workspaces that the user has named, and that
	// the caller of a request may use; nil for none.
	WorkspaceNames func(context.Context) []string
	// Resources are what clients read by URI, nil for none, and Prompts the texts that users
	// have their clients send.
	Resources *ResourceSet
	Prompts   []Prompt
	// Elicit has the user asked, by a client that offers it, where a call needs a
	// confirmation and has none.
	Elicit bool
	// Record, when set, is called with every call after it is answered. It must not
	// block.
	Record func(Call)
	// RootsPatience is how long calls wait for a client to say which folders it has open; 0 asks
	// no client.
	RootsPatience time.Duration
}

// A Server answers MCP messages. It is safe for concurrent use.
type Server struct {
	self         mcp.Implementation
	instructions string
	table        map[string]method
	definitions  []mcp.Tool // in the order of the toolsets
	scopes       map[string]auth.Scope
	tools        map[string]Tool
	output       Output
	timeout      time.Duration
	session      string
	token        string // of sessions of this process that have no other name
	getenv       func(string) string
	log          *slog.Logger
	settings     func() *answer.Settings
	workspaces   func(ctx context.Context, ask workspaces.Ask) (WorkspaceBinding, error)
	record       func(Call)

	workspaceNames func(context.Context) []string
	resources      *ResourceSet
	prompts        []Prompt
	subscribed     atomic.Int64 // subscriptions of all clients
	rootsPatience  time.Duration
	elicits        bool
	questions      chan struct{} // a place for each user who is asked
	seals          *questionSeals

	joining sync.Mutex
	joined  map[[2]string]claims.HolderSession // by client and root of the workspace
}

// NewServer returns a server. Its errors are mistakes in the configuration or in a tool's
// definition.
func NewServer(c Config) (*Server, error) {
	s := &Server{
		self: mcp.Implementation{Name: c.Name, Version: c.Version}, instructions: c.Instructions,
		scopes: map[string]auth.Scope{}, tools: map[string]Tool{}, output: c.Output, timeout: c.Timeout,
		session: c.Session, token: claims.NewToken(), getenv: c.Getenv, joined: map[[2]string]claims.HolderSession{},
		log: c.Log, settings: c.Settings, workspaces: c.Workspaces, workspaceNames: c.WorkspaceNames,
		resources: c.Resources, prompts: c.Prompts, rootsPatience: c.RootsPatience,
		elicits: c.Elicit, questions: make(chan struct{}, maxQuestions), seals: newQuestionSeals(), record: c.Record,
	}
	s.table = s.methods(c)
	if s.output == "" {
		s.output = OutputAuto
	}
	if s.output != OutputAuto && !slices.Contains(Outputs(), s.output) {
		return nil, fmt.Errorf("assemble server: output %q is neither auto nor one of %v", s.output, Outputs())
	}
	if s.timeout == 0 {
		s.timeout = defaultTimeout
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.instructions == "" {
		s.instructions = Instructions(c.Toolsets...)
	}
	for _, set := range c.Toolsets {
		for _, t := range set.Tools {
			if err := s.add(t); err != nil {
				return nil, fmt.Errorf("add tool %s of %s: %w", t.Name, set.Name, err)
			}
		}
	}
	return s, nil
}

var toolName = pattern.Lazy(`^[a-z][a-z0-9_]{0,63}$`)

func (s *Server) add(t Tool) error {
	_, taken := s.tools[t.Name]
	switch {
	case !toolName().MatchString(t.Name):
		return errors.New("the name is not lower case with underscores")
	case taken:
		return errors.New("another tool has this name")
	case t.Description == "" || t.Handle == nil:
		return errors.New("it lacks a description or a handler")
	case t.ReadOnly && t.Destructive:
		return errors.New("it cannot be read-only and destructive")
	}
	definition := mcp.Tool{
		Name:           t.Name,
		Description:    t.Description,
		RawInputSchema: t.Input,
		Annotations: mcp.ToolAnnotation{
			ReadOnlyHint:    &t.ReadOnly,
			DestructiveHint: &t.Destructive,
			IdempotentHint:  &t.Idempotent,
			OpenWorldHint:   &t.OpenWorld,
		},
	}
	if err := plainObject(t.Input); err != nil {
		return fmt.Errorf("read input schema: %w", err)
	}
	t.input = sync.OnceValue(func() *input { return newInput(t) })
	if s.output != OutputText {
		if err := plainObject(t.Output); err != nil {
			return fmt.Errorf("read output schema: %w", err)
		}
		definition.RawOutputSchema = t.Output
	}
	s.definitions = append(s.definitions, definition)
	s.scopes[t.Name] = t.scope()
	s.tools[t.Name] = t
	return nil
}

// plainObject checks that a schema's root is an object that every host takes.
func plainObject(schema json.RawMessage) error {
	var root map[string]json.RawMessage
	if err := json.Unmarshal(schema, &root); err != nil {
		return err
	}
	if string(root["type"]) != `"object"` {
		return errors.New(`the root's type is not "object"`)
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf", "not", "enum", "$ref", "$schema"} {
		if _, ok := root[key]; ok {
			return fmt.Errorf("the root has %s", key)
		}
	}
	return nil
}
