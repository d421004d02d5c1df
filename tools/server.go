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
	"github.com/mark3labs/mcp-go/server"

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
	// Extend, when set, is called once with the server below, see [Base].
	Extend func(Base)
}

// A Server answers MCP messages. It is safe for concurrent use.
type Server struct {
	mcp        *server.MCPServer
	names      []string // of the tools, in the order of the toolsets
	scopes     map[string]auth.Scope
	tools      map[string]Tool
	arguments  func() argumentTakers
	output     Output
	timeout    time.Duration
	session    string
	token      string // of sessions of this process that have no other name
	getenv     func(string) string
	log        *slog.Logger
	settings   func() *answer.Settings
	workspaces func(ctx context.Context, ask workspaces.Ask) (WorkspaceBinding, error)
	record     func(Call)

	workspaceNames func(context.Context) []string
	elicits        bool
	questions      chan struct{} // a place for each user who is asked
	seals          *questionSeals
	asked          clientRequests

	joining sync.Mutex
	joined  map[[2]string]claims.HolderSession // by client and root of the workspace

	shookHands  atomic.Pointer[mcp.Implementation] // the client of the last initialize
	sentSchemas atomic.Bool                        // a client without a name was told output schemas
}

// NewServer returns a server. Its errors are mistakes in the configuration or in a tool's
// definition.
func NewServer(c Config) (*Server, error) {
	s := &Server{scopes: map[string]auth.Scope{}, tools: map[string]Tool{}, output: c.Output, timeout: c.Timeout, session: c.Session, token: claims.NewToken(), getenv: c.Getenv, joined: map[[2]string]claims.HolderSession{}, log: c.Log, settings: c.Settings, workspaces: c.Workspaces, workspaceNames: c.WorkspaceNames, elicits: c.Elicit, questions: make(chan struct{}, maxQuestions), seals: newQuestionSeals(), record: c.Record, arguments: sync.OnceValue(func() argumentTakers { return takersOf(c.Toolsets) })}
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
	instructions := c.Instructions
	if instructions == "" {
		instructions = Instructions(c.Toolsets...)
	}

	hooks := &server.Hooks{}
	// The list has one page; mcp-go would search an unsigned cursor in names
	// that are sorted, which ours are not.
	hooks.AddBeforeListTools(func(_ context.Context, _ any, request *mcp.ListToolsRequest) {
		request.Params.Cursor = ""
	})
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, request *mcp.InitializeRequest, _ *mcp.InitializeResult) {
		if _, shared := callerOf(ctx); !shared {
			client := request.Params.ClientInfo
			s.shookHands.Store(&client)
		}
	})
	hooks.AddAfterListTools(s.fitSchemas(c.Toolsets))
	s.mcp = server.NewMCPServer(c.Name, c.Version, slices.Concat([]server.ServerOption{
		server.WithInstructions(instructions),
		server.WithToolCapabilities(false),
		server.WithToolFilter(s.inOrder),
		server.WithHooks(hooks),
	}, resourceOptions(c.Resources), s.completionOptions(c))...)
	followRoots(s.mcp, hooks)
	s.serveResources(c.Resources, hooks)
	s.serveSubscriptions(c.Resources, hooks)
	s.servePrompts(c.Prompts, hooks)
	for _, set := range c.Toolsets {
		for _, t := range set.Tools {
			if err := s.add(t); err != nil {
				return nil, fmt.Errorf("add tool %s of %s: %w", t.Name, set.Name, err)
			}
		}
	}
	if c.Extend != nil {
		c.Extend(Base{s.mcp, s})
	}
	return s, nil
}

var toolName = pattern.Lazy(`^[a-z][a-z0-9_]{0,63}$`)

func (s *Server) add(t Tool) error {
	switch {
	case !toolName().MatchString(t.Name):
		return errors.New("the name is not lower case with underscores")
	case slices.Contains(s.names, t.Name):
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
	s.names = append(s.names, t.Name)
	s.scopes[t.Name] = t.scope()
	s.tools[t.Name] = t
	s.mcp.AddTool(definition, func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if err := s.checkState(ctx, request.Params.RequestState); err != nil {
			return nil, err
		}
		return s.callAsking(ctx, t, request), nil
	})
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

// inOrder sorts definitions as the toolsets have them, where mcp-go sorts by name, and leaves
// out what the caller may not call.
func (s *Server) inOrder(ctx context.Context, list []mcp.Tool) []mcp.Tool {
	subject := auth.PrincipalOf(ctx)
	list = slices.DeleteFunc(list, func(t mcp.Tool) bool { return !subject.May(s.ScopeOf(t.Name)) })
	slices.SortFunc(list, func(a, b mcp.Tool) int {
		return slices.Index(s.names, a.Name) - slices.Index(s.names, b.Name)
	})
	return list
}
