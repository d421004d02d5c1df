package tools_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/workspaces"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

// A desk is a server with two tools over workspaces and one that is over none, and what it
// was asked.
type desk struct {
	*toolstest.Client
	asked    []string
	released int
	settings *answer.Settings
	lease    time.Duration
	err      error
	refuses  string // the workspace that is not served
}

func newDesk(t *testing.T, pinned bool) *desk {
	t.Helper()
	d := &desk{settings: answer.Defaults(), lease: time.Hour}
	tell := func(ctx context.Context, args *tools.Args) (tools.Result, error) {
		id := args.String("id")
		if err := args.Err(); err != nil {
			return tools.Result{}, err
		}
		if other, ok := strings.CutPrefix(id, "in "); ok {
			b, served, err := args.Workspace(ctx, other)
			if err != nil || !served {
				return tools.Result{Text: fmt.Sprintf("not served, %v", err)}, nil
			}
			defer b.Release()
			args.WritesTo(b)
		}
		if given := args.Given(); given["workspace"] != "" {
			t.Errorf("the tool is given %v", given)
		}
		return tools.Result{Text: strings.Repeat("x", len(id)) + fmt.Sprint(" lease ", args.Lease(), " rows ", args.Settings().PageSize)}, nil
	}
	read, write := named("read", tell), named("write", tell)
	read.ReadOnly, write.ReadOnly = true, false
	set := tools.PerWorkspace(nil, pinned, func(*index.Index) tools.Toolset {
		return tools.Toolset{Name: "documents", Tools: []tools.Tool{read, write}}
	})
	free := named("free", tell)
	free.ReadOnly = true
	d.Client = toolstest.NewClient(t, tools.Config{
		Output: tools.OutputText, Toolsets: []tools.Toolset{set, {Name: "site", Tools: []tools.Tool{free}}},
		Workspaces: func(_ context.Context, ask workspaces.Ask) (tools.WorkspaceBinding, error) {
			d.asked = append(d.asked, ask.Workspace)
			if ask.Workspace == "panic" {
				panic("oh")
			}
			if d.refuses != "" && d.refuses == ask.Workspace {
				return tools.WorkspaceBinding{}, &workspaces.RefusedError{}
			}
			if roots := ask.Roots(); roots != nil {
				t.Errorf("the client has %v open", roots)
			}
			b := tools.WorkspaceBinding{Settings: d.settings, Lease: d.lease, Release: func() { d.released++ }}
			if ask.Workspace != "" {
				b.Elsewhere = "/projects/" + ask.Workspace
			}
			return b, d.err
		},
	})
	return d
}

func TestToolsOverWorkspacesTakeOne(t *testing.T) {
	d := newDesk(t, false)
	var list []string
	for _, definition := range d.List(t) {
		if strings.HasSuffix(string(definition.InputSchema), `,"workspace":{"type":"string"}}}`) {
			list = append(list, definition.Name)
		}
	}
	if !slices.Equal(list, []string{"read", "write"}) {
		t.Errorf("%v list the argument", list)
	}
	for _, call := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"read", map[string]any{"id": "a"}, "x lease 1h0m0s rows 25"},
		{"read", map[string]any{"id": "a", "workspace": " b "}, "x lease 1h0m0s rows 25"},
		{"write", map[string]any{"id": "a"}, "x lease 1h0m0s rows 25"},
		{"write", map[string]any{"id": "a", "workspace": ""}, "x lease 1h0m0s rows 25"},
		{"write", map[string]any{"id": "a", "workspace": "b"}, "x lease 1h0m0s rows 25\nNote: in the workspace /projects/b."},
		{"write", map[string]any{"id": "in c"}, "xxxx lease 1h0m0s rows 25\nNote: in the workspace /projects/c."},
		{"write", map[string]any{"id": "in c", "workspace": "b"}, "xxxx lease 1h0m0s rows 25\nNote: in the workspace /projects/c."},
		{"free", map[string]any{"id": "a", "workspace": "b"}, "Note: ignored unknown argument workspace.\nx lease 4h0m0s rows 25"},
	} {
		if answer := d.Call(t, call.tool, call.arguments); answer.Text() != call.want {
			t.Errorf("%s %v answers %q, want %q", call.tool, call.arguments, answer.Text(), call.want)
		}
	}
	if got := strings.Join(d.asked, ","); got != ",b,,,b,,c,b,c" || d.released != len(d.asked) {
		t.Errorf("asked for %q, released %d", got, d.released)
	}
	if text := d.Refused(t, tools.CodeValidation, "write", map[string]any{"id": "a", "workspace": map[string]int{"a": 7}}); !strings.Contains(text, "workspace") {
		t.Error(text)
	}
	d.Refused(t, tools.CodeInternal, "read", map[string]any{"id": "a", "workspace": "panic"})
}

// The settings of a call are those of its workspace, the budget of its answer among them.
func TestACallHasTheSettingsOfItsWorkspace(t *testing.T) {
	d := newDesk(t, false)
	d.lease = time.Minute
	d.settings.PageSize, d.settings.Bytes = 3, 300
	long := strings.Repeat("y", 2000)
	if text := d.Call(t, "read", map[string]any{"id": "a"}).Text(); text != "x lease 1m0s rows 3" {
		t.Error(text)
	}
	if text := d.Call(t, "read", map[string]any{"id": long}).Text(); len(text) > 1000 {
		t.Errorf("%d bytes", len(text))
	}
	if text := d.Call(t, "free", map[string]any{"id": long}).Text(); len(text) < 2000 || !strings.Contains(text, "rows 25") {
		t.Errorf("a tool over no workspace has other limits: %d bytes", len(text))
	}
}

func TestAWorkspaceThatIsRefused(t *testing.T) {
	t.Run("is answered with those that are served", func(t *testing.T) {
		d := newDesk(t, false)
		refused := &workspaces.RefusedError{Given: "../x", Reason: "is not served"}
		for _, root := range []string{"/start", "/b", "/c", "/d", "/e", "/f", "/g", "/h", "/i", "/j"} {
			refused.Allowed = append(refused.Allowed, workspaces.AllowedRoot{Root: root})
		}
		refused.Allowed[1].Name = "b"
		d.err = refused
		text := d.Refused(t, tools.CodePermissionDenied, "write", map[string]any{"id": "a", "workspace": "../x"})
		if want := "Error [PERMISSION_DENIED]: Workspace '../x' is not served. Pass one of these, a path in one, " +
			"or ask the user to add it to workspaces in the user's own configuration (not the repository's):\n" +
			"/start (where the server was started)\nb /b\n/c\n/d\n/e\n/f\n/g\n/h\nand 2 more"; text != want {
			t.Errorf("got %s", text)
		}
	})
	t.Run("beside the one of the call is not served", func(t *testing.T) {
		args := tools.NewArgs(named("write", nil), nil)
		if _, served, err := args.Workspace(t.Context(), "/b"); served || err != nil {
			t.Errorf("outside of a server: %t, %v", served, err)
		}
		d := newDesk(t, false)
		d.refuses = "c"
		if text := d.Call(t, "write", map[string]any{"id": "in c"}).Text(); text != "not served, <nil>" {
			t.Error(text)
		}
	})
	t.Run("when the server has none", func(t *testing.T) {
		set := tools.PerWorkspace(nil, false, func(*index.Index) tools.Toolset { return set(named("echo", echo))[0] })
		client := toolstest.NewClient(t, tools.Config{Toolsets: []tools.Toolset{set}})
		client.Refused(t, tools.CodeInternal, "echo", map[string]any{"id": "a"})
	})
	t.Run("by a pinned server, which does not list the argument and takes it", func(t *testing.T) {
		d := newDesk(t, true)
		for _, definition := range d.List(t) {
			if strings.Contains(string(definition.JSON), `"workspace"`) {
				t.Errorf("%s", definition.JSON)
			}
		}
		if text := d.Call(t, "write", map[string]any{"id": "a", "workspace": "b"}); text.IsError {
			t.Error(text.Text())
		}
		d.err = &workspaces.RefusedError{Given: "c", Pinned: true, Allowed: []workspaces.AllowedRoot{{Root: "/start"}}}
		text := d.Refused(t, tools.CodePermissionDenied, "write", map[string]any{"id": "a", "workspace": "c"})
		if !strings.Contains(text, "--workspace") || !strings.HasSuffix(text, "It serves:\n/start (where the server was started)") {
			t.Error(text)
		}
	})
}

func TestAToolOverWorkspacesMayTakeNothingElse(t *testing.T) {
	bare := named("bare", func(context.Context, *tools.Args) (tools.Result, error) { return tools.Result{Text: "x"}, nil })
	bare.Input = tools.ObjectSchema("")
	set := tools.PerWorkspace(nil, false, func(*index.Index) tools.Toolset {
		return tools.Toolset{Name: "documents", Tools: []tools.Tool{bare}}
	})
	want := `{"type":"object","properties":{"workspace":{"type":"string"}}}`
	if got := string(set.Tools[0].Input); got != want {
		t.Errorf("it takes %s, want %s", got, want)
	}
}
