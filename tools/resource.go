package tools

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"issues-index/index"
	"issues-index/index/workspaces"
	"issues-index/tools/answer"
	"issues-index/tools/auth"
)

// A ResourceSet is what clients read by URI. The server knows the protocol, and the set what
// URIs mean.
type ResourceSet struct {
	Pattern   string // a template that every URI of the set fits
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
	client mcp.Implementation
}

// maxURI is the longest URI that is looked at, in bytes.
const maxURI = 2048

// Workspace returns what a request works with in the workspace with a name of the user's, or,
// where it is "", in that of a call which names none. Its Release has to be called.
func (r *ResourceRequest) Workspace(ctx context.Context, name string) (WorkspaceBinding, error) {
	if r.server.workspaces == nil {
		return WorkspaceBinding{}, errUnbound
	}
	return r.server.workspaces(ctx, workspaces.Ask{Name: name, Only: auth.PrincipalOf(ctx).Only(), Roots: func() []string { return rootsOf(ctx) }})
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
	if most := ProfileOf(r.client.Name).Bytes; most > 0 && !s.ExplicitBytes {
		b.Bytes = min(b.Bytes, most)
	}
	b.Off = b.Off || s.Shadow
	return b
}

// resourceOptions are those of a server with resources.
func resourceOptions(set *ResourceSet) []server.ServerOption {
	if set == nil {
		return nil
	}
	return []server.ServerOption{server.WithResourceCapabilities(true, false)}
}

// serveResources answers requests for resources with those of a set.
func (s *Server) serveResources(set *ResourceSet, hooks *server.Hooks) {
	if set == nil {
		return
	}
	all := mcp.NewResourceTemplate(set.Pattern, "all")
	s.mcp.AddResourceTemplate(all, func(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return s.readResource(ctx, set, request)
	})
	hooks.AddBeforeReadResource(func(ctx context.Context, _ any, request *mcp.ReadResourceRequest) {
		if uri := request.Params.URI; len(uri) > maxURI || !all.URITemplate.Regexp().MatchString(uri) {
			request.Params.URI = "" // which is looked for no further
			_ = s.fail(ctx, uri, unknownURI(set, uri))
		}
	})
	// Lists have one page: mcp-go would look for a cursor among what is registered.
	hooks.AddBeforeListResources(func(_ context.Context, _ any, request *mcp.ListResourcesRequest) {
		request.Params.Cursor = ""
	})
	hooks.AddAfterListResources(func(ctx context.Context, _ any, request *mcp.ListResourcesRequest, result *mcp.ListResourcesResult) {
		list, err := s.listResources(ctx, set, s.client(ctx, request.Params.Meta))
		if err != nil {
			_ = s.fail(ctx, "", err)
			return
		}
		result.Resources = list
	})
	hooks.AddBeforeListResourceTemplates(func(_ context.Context, _ any, request *mcp.ListResourceTemplatesRequest) {
		request.Params.Cursor = ""
	})
	hooks.AddAfterListResourceTemplates(func(_ context.Context, _ any, _ *mcp.ListResourceTemplatesRequest, result *mcp.ListResourceTemplatesResult) {
		result.ResourceTemplates = result.ResourceTemplates[:0]
		for _, t := range set.Templates {
			made := mcp.NewResourceTemplate(t.URI, t.Name, mcp.WithTemplateDescription(t.Description), mcp.WithTemplateMIMEType(markdownType))
			made.Title = t.Title
			result.ResourceTemplates = append(result.ResourceTemplates, made)
		}
	})
}

const markdownType = "text/markdown"

// unknownURI is the error for a URI that no resource can have.
func unknownURI(set *ResourceSet, uri string) *Error {
	e := Errorf(CodeValidation, "%s is no URI of a resource here.", Quote(uri)).On("uri")
	if len(set.Templates) > 0 {
		e.Remediation = "They have the form " + set.Templates[0].URI + "; resources/templates/list names all forms."
	}
	return e
}

// listResources returns the resources that a client sees without asking for one.
func (s *Server) listResources(ctx context.Context, set *ResourceSet, client mcp.Implementation) (list []mcp.Resource, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	defer s.recovered("list resources", &err)
	found, err := set.List(ctx, &ResourceRequest{server: s, client: client})
	list = []mcp.Resource{}
	for _, r := range found {
		made := mcp.Resource{URI: r.URI, Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: markdownType, Size: &r.Size}
		if !r.Updated.IsZero() {
			made.Annotations = &mcp.Annotations{LastModified: r.Updated.UTC().Format(time.RFC3339)}
		}
		list = append(list, made)
	}
	return list, err
}

func (s *Server) readResource(ctx context.Context, set *ResourceSet, request mcp.ReadResourceRequest) (_ []mcp.ResourceContents, err error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	ctx, ended := relayProgress(ctx, progressOf(ctx, request.Params.Meta))
	defer ended()
	uri := request.Params.URI
	client := s.client(ctx, request.Params.Meta)
	r := &ResourceRequest{URI: uri, server: s, client: client}
	text, err := s.textOf(ctx, set, r)
	record := Call{
		Time: began, Tool: readsResources, Client: nameOf(ctx, client), Outcome: OutcomePlain, Items: 1,
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
		return nil, s.fail(ctx, uri, err)
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: markdownType, Text: text.Text}}, nil
}

func (s *Server) textOf(ctx context.Context, set *ResourceSet, r *ResourceRequest) (text ResourceText, err error) {
	defer s.recovered("read a resource", &err)
	return set.Read(ctx, r)
}

// recovered makes an error of a panic.
func (s *Server) recovered(doing string, err *error) {
	if p := recover(); p != nil {
		s.log.Error("panicked", "doing", doing, "panic", p, "stack", string(debug.Stack()))
		*err = fmt.Errorf("%s: panic: %v", doing, p)
	}
}
