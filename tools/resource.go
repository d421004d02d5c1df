package tools

import (
	"context"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/index"
	"issues-index/index/workspaces"
	"issues-index/tools/answer"
)

// A ResourceSet is what clients read by URI. The server knows the protocol, and the set what
// URIs mean.
type ResourceSet struct {
	Templates []ResourceTemplate
	// List returns the resources that are named without being asked for.
	List func(context.Context, *ResourceRequest) ([]Resource, error)
	// Read returns the text of a resource, no larger than the budget of the request.
	Read func(context.Context, *ResourceRequest) (ResourceText, error)
	// Find returns the document that a resource is of. The Release of the binding has to be called.
	Find func(context.Context, *ResourceRequest) (FoundResource, error)
	// Complete returns the values that an argument of a template may have.
	Complete func(context.Context, *ResourceRequest, ArgumentCompletion) (ArgumentValues, error)
}

// A ResourceTemplate says how the URIs of one kind of resource are made.
type ResourceTemplate struct {
	URI, Name, Title, Description string
}

// A Resource is one entry of a list of resources.
type Resource struct {
	URI, Name, Title, Description string
	Size                          int64 // bytes
	Updated                       time.Time
}

// A ResourceText is the text of a resource, Markdown, or as much of it as there is room for.
type ResourceText struct {
	Text  string
	Whole int // bytes of all of it
	Cut   bool
}

// A FoundResource is the document of a resource as it is now.
type FoundResource struct {
	WorkspaceBinding
	ID  string // by which it can be looked up again
	Row index.Row
}

// A ResourceRequest is one request about resources.
type ResourceRequest struct {
	URI string // "" where there is none

	server *Server
	info   mcp.Implementation             // of the client
	roots  func(context.Context) []string // see [workspaces.Ask]; nil for none
}

// maxURI is the longest URI that is looked at, in bytes.
const maxURI = 2048

// Workspace returns what a request works with in the workspace with a name of the user's, or,
// where it is "", in that of a call which names none. Its Release has to be called.
func (r *ResourceRequest) Workspace(ctx context.Context, name string) (WorkspaceBinding, error) {
	return r.server.find(ctx, workspaces.Ask{Name: name}, r.roots)
}

// WorkspaceNames are the names of the workspaces that the user has named.
func (r *ResourceRequest) WorkspaceNames(ctx context.Context) []string {
	if r.server.workspaceNames == nil {
		return nil
	}
	return r.server.workspaceNames(ctx)
}

// readsResources is the name of a read in records and settings.
const readsResources = "resources/read"

// Budget is what an answer may cost, under the settings of its workspace.
func (r *ResourceRequest) Budget(s *answer.Settings) answer.Budget {
	b := s.Budget(readsResources, 0)
	if most := ProfileOf(r.info.Name).Bytes; most > 0 && !s.ExplicitBytes {
		b.Bytes = min(b.Bytes, most)
	}
	b.Off = b.Off || s.Shadow
	return b
}

// resourceRequest returns what a request about a resource needs. It may outlive the request.
func (s *Server) resourceRequest(r *request, uri string) *ResourceRequest {
	s.askRoots(r)
	return &ResourceRequest{URI: uri, server: s, info: r.client(), roots: s.rootsOf(r)}
}

const markdownType = "text/markdown"

// listResources lists the resources that a client sees without asking for one. The lists of
// resources have one page: a cursor counts for nothing.
func (s *Server) listResources(ctx context.Context, r *request) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	found, err := s.resources.List(ctx, s.resourceRequest(r, ""))
	if err != nil {
		return nil, err
	}
	result := &mcp.ListResourcesResult{Resources: []mcp.Resource{}}
	for _, r := range found {
		made := mcp.Resource{
			URI: r.URI, Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: markdownType, Size: &r.Size,
		}
		if !r.Updated.IsZero() {
			made.Annotations = &mcp.Annotations{LastModified: r.Updated.UTC().Format(time.RFC3339)}
		}
		result.Resources = append(result.Resources, made)
	}
	return result, nil
}

// A listedTemplate is a template as clients get it: that of mcp-go is compiled.
type listedTemplate struct {
	URI         string `json:"uriTemplate"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType"`
}

// listTemplates says how the URIs of resources are made.
func (s *Server) listTemplates(context.Context, *request) (any, error) {
	result := &struct {
		mcp.CacheableResult
		Templates []listedTemplate `json:"resourceTemplates"`
	}{}
	for _, t := range s.resources.Templates {
		result.Templates = append(result.Templates, listedTemplate{t.URI, t.Name, t.Title, t.Description, markdownType})
	}
	return result, nil
}

// readResource returns the text of a resource.
func (s *Server) readResource(ctx context.Context, r *request) (any, error) {
	began := time.Now()
	var p struct {
		URI string `json:"uri"`
	}
	if err := r.read(&p); err != nil {
		return nil, err
	}
	if len(p.URI) > maxURI {
		return nil, s.fault(r, p.URI, Errorf(CodeValidation, "%s is no URI of a resource here.", Quote(p.URI)).On("uri").
			Try("resources/templates/list names the forms that there are."))
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	ctx, ended := relayProgress(ctx, r.progress())
	defer ended()
	text, err := s.textOf(ctx, s.resourceRequest(r, p.URI))
	record := Call{
		Time: began, Tool: readsResources, Client: nameOf(ctx, r.client()), Outcome: OutcomePlain, Items: 1,
		Tokens: answer.Estimate(len(text.Text)), Bytes: len(text.Text), Original: max(text.Whole, len(text.Text)),
		Oversized: text.Cut, Text: func() string { return text.Text },
	}
	if text.Cut {
		record.Outcome = OutcomeChunked
	}
	if err != nil {
		record.Outcome, record.Failed, record.Items = Outcome(ErrorOf(err).Code), true, 0
	}
	record.Latency = time.Since(began)
	s.account(record)
	if err != nil {
		return nil, s.fault(r, p.URI, err)
	}
	contents := []mcp.ResourceContents{mcp.TextResourceContents{URI: p.URI, MIMEType: markdownType, Text: text.Text}}
	return &mcp.ReadResourceResult{Contents: contents}, nil
}

func (s *Server) textOf(ctx context.Context, r *ResourceRequest) (text ResourceText, err error) {
	defer s.recovered("read a resource", &err)
	return s.resources.Read(ctx, r)
}
