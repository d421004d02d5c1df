package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/index"
	"issues-index/index/workspaces"
	"issues-index/store"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/issues"
	"issues-index/tools/resources"
	"issues-index/tools/transport"
)

// A suiteServer is a server of ours with the fixtures that the official conformance suite of MCP wants
// to find: tools, prompts and resources with agreed names, which do nothing but show a part of the
// protocol. What a type of package tools can express has that type, so that the suite asks our server;
// the rest is answered here, over the same transport.
type suiteServer struct {
	*tools.Server
	tools, prompts []suiteFixture

	mu     sync.Mutex
	levels map[string]mcp.LoggingLevel // that the sessions want to have logged
}

// serveSuite serves the fixtures beside the documents of a workspace.
func serveSuite(t *testing.T, workspace string) (url string) {
	t.Helper()
	ws, err := store.Open(store.Options{Root: workspace, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	ix, err := index.Open(t.Context(), ws, index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close(); ws.Close() })
	server, err := tools.NewServer(tools.Config{
		Name: "test", Version: "1", Elicit: true, Prompts: suitePrompts(), Resources: suiteResources(resources.Set(true)),
		Toolsets: []tools.Toolset{tools.PerWorkspace(ix, true, issues.Toolset), suiteTools()},
		Workspaces: func(context.Context, workspaces.Ask) (tools.WorkspaceBinding, error) {
			return tools.WorkspaceBinding{Index: ix, Settings: answer.Defaults(), Release: func() {}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &suiteServer{
		Server: server, tools: slices.Concat(contents(), logs(), schemas(), asks()), prompts: suitePromptFixtures(),
		levels: make(map[string]mcp.LoggingLevel),
	}
	log := slog.New(slog.DiscardHandler)
	mux := http.NewServeMux()
	mux.Handle("/mcp", transport.NewEndpoint(s.handle, server.ScopeOf, log))
	listener, err := transport.Listen(t.Context(), transport.ListenOptions{Address: ":0"}, mux, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener.URL() + "mcp"
}

// A suiteCall is a request to a fixture.
type suiteCall struct {
	Name, URI string
	Arguments json.RawMessage
	Level     mcp.LoggingLevel
	Meta      *mcp.Meta `json:"_meta"`
	mcp.MultiRoundTripParams

	conn   tools.Conn
	modern bool
	level  mcp.LoggingLevel // of what the client wants to have logged
}

func (s *suiteServer) handle(ctx context.Context, conn tools.Conn, m tools.Message) *tools.Response {
	c := suiteCall{conn: conn}
	_ = json.Unmarshal(m.Params, &c) // the server says what is wrong with it
	c.modern = mcp.IsModernProtocol(c.Meta.ProtocolVersion())
	session := conn.Client().Session
	s.mu.Lock()
	if c.level = s.levels[session]; c.modern {
		c.level = c.Meta.LogLevel()
	}
	s.mu.Unlock()
	respond := func(result any) *tools.Response {
		return &tools.Response{JSONRPC: mcp.JSONRPC_VERSION, ID: m.ID, Result: result}
	}
	named := func(f suiteFixture) bool { return f.name == c.Name }
	switch mcp.MCPMethod(m.Method) {
	case mcp.MethodSetLogLevel:
		s.mu.Lock()
		s.levels[session] = c.Level
		s.mu.Unlock()
		if !c.modern {
			return respond(struct{}{})
		}
	case mcp.MethodToolsCall:
		if i := slices.IndexFunc(s.tools, named); i >= 0 {
			return s.call(ctx, s.tools[i], c, m)
		}
	case mcp.MethodPromptsGet:
		if i := slices.IndexFunc(s.prompts, named); i >= 0 {
			return s.call(ctx, s.prompts[i], c, m)
		}
	case mcp.MethodResourcesRead:
		if c.URI == suiteBinary {
			return s.call(ctx, suiteFixture{handle: func(context.Context, suiteCall) (any, *tools.ProtocolError) {
				result := &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{mcp.BlobResourceContents{URI: suiteBinary, MIMEType: pictureType, Blob: picture}}}
				if c.modern {
					result.SetCacheHints(0, mcp.CacheScopePrivate)
				}
				return result, nil
			}}, c, m)
		}
	}
	response := s.Handle(ctx, conn, m)
	if response == nil {
		return nil
	}
	switch result := response.Result.(type) {
	case *mcp.InitializeResult:
		result.Capabilities.Logging = &struct{}{}
	case *mcp.DiscoverResult:
		result.Capabilities.Logging = &struct{}{}
	case *mcp.ListToolsResult:
		for _, f := range s.tools {
			input := f.input
			if input == "" {
				input = suiteNoArguments
			}
			result.Tools = append(result.Tools, mcp.NewToolWithRawSchema(f.name, f.description, json.RawMessage(input)))
		}
	case *mcp.ListPromptsResult:
		for _, f := range s.prompts {
			prompt := mcp.Prompt{Name: f.name, Description: f.description}
			if f.input != "" {
				prompt.Arguments = []mcp.PromptArgument{{Name: f.input, Description: "the URI of the resource", Required: true}}
			}
			result.Prompts = append(result.Prompts, prompt)
		}
	}
	return response
}

// call answers with a fixture what our server finds nothing wrong with.
func (s *suiteServer) call(ctx context.Context, f suiteFixture, c suiteCall, m tools.Message) *tools.Response {
	if checked := s.Handle(ctx, c.conn, tools.Message{ID: m.ID, Method: string(mcp.MethodToolsList), Params: m.Params}); checked.Error != nil {
		return checked
	}
	result, wrong := f.handle(ctx, c)
	for round := 0; !c.modern && wrong == nil && round < 10; round++ {
		ask, asks := result.(*mcp.InputRequiredResult)
		if !asks {
			break
		}
		c.RequestState, c.InputResponses = ask.RequestState, mcp.InputResponses{}
		for name, request := range ask.InputRequests {
			var sent struct{ Params any }
			text, err := json.Marshal(request)
			if err != nil || json.Unmarshal(text, &sent) != nil {
				return tools.Refuse(m.ID, &tools.ProtocolError{Code: mcp.INTERNAL_ERROR, Message: "the question has no JSON form"})
			}
			given, ok := <-c.conn.Ask(ctx, string(request.Method), sent.Params)
			var answer mcp.InputResponse
			if !ok || json.Unmarshal(given, &answer) != nil {
				return &tools.Response{JSONRPC: mcp.JSONRPC_VERSION, ID: m.ID, Result: mcp.NewToolResultError("The client gives no answer.")}
			}
			c.InputResponses[name] = answer
		}
		result, wrong = f.handle(ctx, c)
	}
	if wrong != nil {
		return tools.Refuse(m.ID, wrong)
	}
	if r, ok := result.(mcp.ResultMetadata); ok && c.modern {
		if r.GetResultType() == "" {
			r.SetResultType(mcp.ResultTypeComplete)
		}
		r.EnsureResultMeta().SetServerInfo(mcp.Implementation{Name: "test", Version: "1"})
	}
	return &tools.Response{JSONRPC: mcp.JSONRPC_VERSION, ID: m.ID, Result: result}
}
