// Command client has a conversation with a server over HTTP as hosts built on the official Go
// SDK do, and prints what came of it as JSON. The test that runs it says what that has to be;
// the TypeScript clients beside it have the same conversation. It is a module of its own: the
// program does not need the SDK.
//
//	client REVISION URL
//
// TOKEN is the bearer token of each request, unless it is empty.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A report is what came of the conversation.
type report struct {
	Server    string    `json:"server"`
	Tools     []string  `json:"tools"`
	Progress  []float64 `json:"progress"`
	Created   string    `json:"created"`
	Read      string    `json:"read"`
	Refused   string    `json:"refused"`
	Thrown    string    `json:"thrown"`
	Resource  string    `json:"resource"`
	Missing   string    `json:"missing"`
	Prompts   []string  `json:"prompts"`
	Prompt    string    `json:"prompt"`
	Completed []string  `json:"completed"`
	Updated   string    `json:"updated"`
	Cancelled string    `json:"cancelled"`
	Declined  string    `json:"declined"`
	Deleted   string    `json:"deleted"`
}

// bearer sends a token with each request.
type bearer string

// RoundTrip sends a request.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// A host is a program that is built on the SDK.
type host struct {
	*mcp.ClientSession
	ctx context.Context
	got report

	updated chan string
	asked   chan struct{} // a question has come
	left    chan struct{} // closed when the user has left it unanswered

	mu       sync.Mutex
	progress []float64
	user     *mcp.ElicitResult // what the user says; nil for nothing
}

func main() {
	revision, url := os.Args[1], os.Args[2]
	h := &host{ctx: context.Background(), updated: make(chan string, 1), asked: make(chan struct{}, 1), left: make(chan struct{})}
	client := mcp.NewClient(&mcp.Implementation{Name: "go", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: h.answer,
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			h.updated <- r.Params.URI
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.progress = append(h.progress, r.Params.Progress)
		},
	})
	var err error
	h.ClientSession, err = client.Connect(h.ctx, &mcp.StreamableClientTransport{
		Endpoint: url, HTTPClient: &http.Client{Transport: bearer(os.Getenv("TOKEN"))},
	}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		log.Fatal(err)
	}
	if got := h.InitializeResult().ProtocolVersion; got != revision {
		log.Fatalf("the revision is %s", got)
	}
	h.converse(revision)
	if err := json.NewEncoder(os.Stdout).Encode(h.got); err != nil {
		log.Fatal(err)
	}
}

// answer answers a question as the user does.
func (h *host) answer(_ context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	h.mu.Lock()
	user := h.user
	h.mu.Unlock()
	if user == nil {
		h.asked <- struct{}{}
		<-h.left // which the SDK does not tell of
		return &mcp.ElicitResult{Action: "cancel"}, nil
	}
	return user, nil
}

func (h *host) says(user *mcp.ElicitResult) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.user = user
}

func (h *host) converse(revision string) {
	h.got.Server = h.InitializeResult().ServerInfo.Name
	for _, tool := range must(h.ListTools(h.ctx, nil)).Tools {
		h.got.Tools = append(h.got.Tools, tool.Name)
	}

	asking := &mcp.CallToolParams{Name: "issues_list", Arguments: map[string]any{"workspace": "other"}}
	asking.Meta = mcp.Meta{"progressToken": "p"}
	must(h.CallTool(h.ctx, asking))

	var made struct{ ID string }
	structured := must(json.Marshal(h.call("issues_create", map[string]any{"title": "Over HTTP", "description": "Written by a client."}).StructuredContent))
	if err := json.Unmarshal(structured, &made); err != nil {
		log.Fatal(err)
	}
	h.got.Created = made.ID
	uri := "issues://here/" + made.ID
	h.got.Read = text(h.call("issues_get", map[string]any{"id": made.ID}))
	if refused := h.call("issues_get", map[string]any{"id": "ISS-999999"}); refused.IsError {
		h.got.Refused = text(refused)
	}
	_, err := h.CallTool(h.ctx, &mcp.CallToolParams{Name: "no_such_tool"})
	h.got.Thrown = said(err)
	h.got.Resource = must(h.ReadResource(h.ctx, &mcp.ReadResourceParams{URI: uri})).Contents[0].Text
	_, err = h.ReadResource(h.ctx, &mcp.ReadResourceParams{URI: "issues://here/ISS-999999"})
	h.got.Missing = said(err)
	for _, prompt := range must(h.ListPrompts(h.ctx, nil)).Prompts {
		h.got.Prompts = append(h.got.Prompts, prompt.Name)
	}
	prompt := must(h.GetPrompt(h.ctx, &mcp.GetPromptParams{Name: "review", Arguments: map[string]string{"id": made.ID}}))
	h.got.Prompt = prompt.Messages[0].Content.(*mcp.TextContent).Text
	h.got.Completed = must(h.Complete(h.ctx, &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: "issues://{workspace}/{id}"},
		Argument: mcp.CompleteParamsArgument{Name: "id", Value: made.ID[:8]},
	})).Completion.Values

	if err := h.Subscribe(h.ctx, &mcp.SubscribeParams{URI: uri}); err != nil {
		log.Fatal(err)
	}
	h.call("issues_update", map[string]any{"id": made.ID, "priority": "high"})
	h.got.Updated = <-h.updated
	if revision < "2026-07-28" { // from then on no call waits for a user
		ctx, leave := context.WithCancel(h.ctx)
		go func() { <-h.asked; leave() }()
		_, err := h.CallTool(ctx, &mcp.CallToolParams{Name: "issues_delete", Arguments: map[string]any{"id": made.ID}})
		h.got.Cancelled = said(err)
		close(h.left)
	}
	h.says(&mcp.ElicitResult{Action: "decline"})
	h.got.Declined = text(h.call("issues_delete", map[string]any{"id": made.ID}))
	h.says(&mcp.ElicitResult{Action: "accept", Content: map[string]any{"confirm": true}})
	h.got.Deleted = text(h.call("issues_delete", map[string]any{"id": made.ID}))
	h.mu.Lock()
	h.got.Progress = h.progress
	h.mu.Unlock()
	_ = h.Close()
}

func (h *host) call(tool string, arguments map[string]any) *mcp.CallToolResult {
	return must(h.CallTool(h.ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments}))
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Panic(err)
	}
	return value
}

// said is the text of an error, "" for none.
func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func text(result *mcp.CallToolResult) string {
	var parts []string
	for _, content := range result.Content {
		if block, ok := content.(*mcp.TextContent); ok {
			parts = append(parts, block.Text)
		}
	}
	return strings.Join(parts, "\n")
}
