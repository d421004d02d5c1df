package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"issues-index/index"
	"issues-index/index/workspaces"
	"issues-index/tools/answer"
	"issues-index/tools/auth"
)

// workspaceArgument says which workspace a call is about. Every tool over a workspace takes
// it, and reads it nowhere: the server does.
const workspaceArgument = "workspace"

// aboutWorkspaces explains the argument, which the schemas do not describe.
const aboutWorkspaces = "workspace: a path in another project or worktree (pass it if you work in one), or a " +
	"configured name."

// A WorkspaceBinding is what a call works with: the index of its workspace and what the configuration
// of that workspace says.
type WorkspaceBinding struct {
	Index    *index.Index
	Settings *answer.Settings
	Lease    time.Duration // how long a claim counts whose caller does not say
	// Elsewhere is the root of a workspace that is not the start one.
	Elsewhere string
	// Within is the workspace of a mirror, or another line of it, that the call is about; ""
	// for all.
	Within string
	// Owners are, where the documents are copies of other machines', those machines: they
	// answer the calls that write.
	Owners *Owners
	// Note is a sentence that goes with the answer, "" for none.
	Note    string
	Release func() // ends the call
}

// PerWorkspace returns a toolset each of whose calls finds its workspace. bind makes the
// toolset of an index. The definitions stay those of first, since clients keep them; it may
// be nil. A server that is pinned to one workspace does not list the argument.
func PerWorkspace(first *index.Index, pinned bool, bind func(*index.Index) Toolset) Toolset {
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
	set := bind(first)
	set.ofWorkspaces = !pinned
	for i := range set.Tools {
		t := &set.Tools[i]
		t.over = func(ix *index.Index) HandleFunc { return toolsOf(ix)[i].Handle }
		if pinned {
			t.Takes = append(slices.Clone(t.Takes), workspaceArgument)
		} else {
			t.Input = withArgument(t.Input, workspaceArgument, `{"type":"string"}`)
		}
	}
	return set
}

// withArgument adds a property, the last one, to a schema that [ObjectSchema] has made. A start makes
// many, so that it is not parsed for that.
func withArgument(schema json.RawMessage, name, property string) json.RawMessage {
	end := len(schema) - len("}}")
	if i := bytes.LastIndex(schema, []byte(`},"required":[`)); i >= 0 &&
		bytes.IndexByte(schema[i+1:], '}') == len(schema)-i-2 {
		end = i // the list is not that of an object in it
	}
	member := `"` + name + `":` + property
	if schema[end-1] != '{' {
		member = "," + member
	}
	return slices.Concat(schema[:end], []byte(member), schema[end:])
}

// errUnbound is for a tool over workspaces in a server without any.
var errUnbound = errors.New("the server has no workspaces")

// bind finds the workspace of a call, and what the call works with from then on.
func (x *toolCall) bind(ctx context.Context) (release func()) {
	release = func() {}
	defer func() {
		if p := recover(); p != nil {
			x.log.Error("finding the workspace panicked", "tool", x.tool.Name, "panic", p, "stack", string(debug.Stack()))
			x.failed = fmt.Errorf("panic: %v", p)
		}
	}()
	args, workspace := x.readArgs()
	x.args = args
	find := x.binding
	if x.alone != nil {
		find = x.alone
	}
	b, err := find(ctx, workspace)
	if err != nil {
		x.failed = err
		return release
	}
	x.tool.Handle = x.tool.over(b.Index)
	x.index = b.Index
	if b.Owners != nil && !x.tool.ReadOnly {
		x.tool.Handle = x.forward(ctx, b, workspace)
	}
	x.settings, x.lease, x.elsewhere, x.within, x.note = b.Settings, b.Lease, b.Elsewhere, b.Within, b.Note
	return b.Release
}

// readArgs reads the arguments of the call, and takes out the one that is the server's.
func (x *toolCall) readArgs() (args *Args, workspace string) {
	args = NewArgs(x.tool, x.raw)
	if x.tool.over != nil {
		workspace = strings.TrimSpace(args.String(workspaceArgument))
		delete(args.values, workspaceArgument)
	}
	return args, workspace
}

// binding returns what a call works with that names a workspace, or none.
func (x *toolCall) binding(ctx context.Context, workspace string) (WorkspaceBinding, error) {
	return x.find(ctx, workspaces.Ask{Workspace: workspace}, x.roots)
}

// find finds a workspace for the caller of a request, whose client has these folders open.
func (s *Server) find(
	ctx context.Context, ask workspaces.Ask, roots func(context.Context) []string,
) (WorkspaceBinding, error) {
	if s.workspaces == nil {
		return WorkspaceBinding{}, errUnbound
	}
	ask.Only = auth.PrincipalOf(ctx).Only()
	ask.Roots = func() []string {
		if roots == nil {
			return nil
		}
		return roots(ctx)
	}
	return s.workspaces(ctx, ask)
}

// Workspace returns the workspace that a path lies in, beside the one of the call. Its
// Release has to be called. served is false where the server does not serve it.
func (a *Args) Workspace(ctx context.Context, path string) (b WorkspaceBinding, served bool, err error) {
	if a.call.workspace == nil {
		return WorkspaceBinding{}, false, nil
	}
	b, err = a.call.workspace(ctx, path)
	if refused := (*workspaces.RefusedError)(nil); errors.Is(err, errUnbound) || errors.As(err, &refused) {
		return WorkspaceBinding{}, false, nil
	}
	return b, err == nil, err
}

// WritesTo says that the call writes to another workspace than its own. An answer to a call
// that writes names the workspace unless it is the start one.
func (a *Args) WritesTo(b WorkspaceBinding) { a.call.elsewhere = b.Elsewhere }

// place says where a call that may write was made.
func (s *argState) place() string {
	if s.elsewhere == "" || s.tool.ReadOnly {
		return ""
	}
	return "in the workspace " + Line(s.elsewhere)
}

// maxPlaces is how many of the workspaces that are served an error names.
const maxPlaces = 8

func refusedWorkspace(e *workspaces.RefusedError) *Error {
	shown := make([]string, 0, maxPlaces)
	for i, place := range e.Allowed[:min(len(e.Allowed), maxPlaces)] {
		text := strings.TrimSpace(place.Name + " " + Line(place.Root))
		if i == 0 && !e.Limited {
			text += " (where the server was started)"
		}
		shown = append(shown, text)
	}
	wrong := Errorf(CodePermissionDenied, "Workspace %s %s.", Quote(e.Given), Plain(e.Reason)).On(workspaceArgument)
	wrong.More = len(e.Allowed) - len(shown)
	if e.Limited {
		if e.Given == "" {
			wrong.Message = "Your token is not for the workspace that this server was started in."
		}
		return wrong.Try("Ask the user for a token that allows it, or pass one of these:").Among(shown...)
	}
	if e.Pinned {
		wrong.Message = fmt.Sprintf("Workspace %s is not served: the server was started with --workspace or "+
			"WRANGLER_WORKSPACE_ROOT for one alone.", Quote(e.Given))
		return wrong.Try("Leave workspace out, or ask the user to start the server without either. It serves:").
			Among(shown...)
	}
	return wrong.Try("Pass one of these, a path in one, or ask the user to add it to workspaces in the user's own " +
		"configuration (not the repository's):").Among(shown...)
}
