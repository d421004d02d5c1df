package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/team/share"
	"issues-index/index/workspaces"
	"issues-index/store/mirror"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

var (
	apiLine    = mirror.Branch{Workspace: "api", Name: mirror.Main}
	webLine    = mirror.Branch{Workspace: "web", Name: mirror.Main}
	branchLine = mirror.Branch{Workspace: "api", Name: "mac-7k2q"}
)

// A hubDesk is a server whose documents are copies, and an owner that has the files.
type hubDesk struct {
	*toolstest.Client
	owner    *tools.Server
	lines    []mirror.Branch
	called   []mirror.Branch // lines that were called
	ran      []string        // what the owner's tool was given
	unshown  bool
	failed   error // of calls
	answers  []byte
	position uint64
}

func newHubDesk(t *testing.T) *hubDesk {
	t.Helper()
	d := &hubDesk{lines: []mirror.Branch{apiLine, webLine, branchLine}, position: 7}
	toolsets := func(at string) []tools.Toolset {
		handle := func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			id := args.String("id")
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			_, reached, _ := args.Workspace(ctx, "/other")
			d.ran = append(d.ran, fmt.Sprintf("%s: %s by %s, %v", at, id, args.Holder(), reached))
			if id == "wrong" {
				return tools.Result{}, tools.Errorf(tools.CodeConflict, "Not so.").On("id").Try("Do otherwise.").Among("a", "b")
			}
			return tools.Result{Text: "wrote " + args.HubLine().Qualify(id), Structured: map[string]string{"id": id}}, nil
		}
		read, write, remove := named("read", handle), named("write", handle), named("remove", handle)
		write.ReadOnly, remove.ReadOnly, remove.Destructive = false, false, true
		write.IDs, remove.IDs = []string{"id"}, []string{"id"}
		free := named("free", handle)
		free.ReadOnly = false
		set := tools.PerWorkspace(nil, false, func(*index.Index) tools.Toolset {
			return tools.Toolset{Name: "documents", Tools: []tools.Tool{read, write, remove}}
		})
		return []tools.Toolset{set, {Name: "site", Tools: []tools.Tool{free}}}
	}
	bound := func(b tools.WorkspaceBinding) tools.WorkspaceBinding {
		b.Settings, b.Lease, b.Release = answer.Defaults(), time.Hour, func() {}
		return b
	}
	owner, err := tools.NewServer(tools.Config{Toolsets: toolsets("owner"), Workspaces: func(context.Context, workspaces.Ask) (tools.WorkspaceBinding, error) {
		t.Error("a forwarded call finds another workspace")
		return bound(tools.WorkspaceBinding{}), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	d.owner = owner
	owners := &tools.Owners{
		Call: func(ctx context.Context, l mirror.Branch, request []byte) ([]byte, error) {
			d.called = append(d.called, l)
			if d.failed != nil {
				return nil, d.failed
			}
			if d.answers != nil {
				return d.answers, nil
			}
			return d.answer(ctx, request), nil
		},
		Wait: func(ctx context.Context, position uint64) error {
			if d.unshown || position != d.position {
				<-ctx.Done()
			}
			return ctx.Err()
		},
		Patience: time.Millisecond,
		Branches: func() []mirror.Branch { return d.lines },
		Heard:    func(mirror.Branch) time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
	}
	d.Client = toolstest.NewClient(t, tools.Config{
		Output: tools.OutputText, Toolsets: toolsets("hub"), Session: "s",
		Workspaces: func(context.Context, workspaces.Ask) (tools.WorkspaceBinding, error) {
			return bound(tools.WorkspaceBinding{Owners: owners, Note: "as of noon"}), nil
		},
	})
	return d
}

func (d *hubDesk) answer(ctx context.Context, request []byte) []byte {
	to := tools.ForwardedTo{
		Bind: func(context.Context) (tools.WorkspaceBinding, error) {
			return tools.WorkspaceBinding{Settings: answer.Defaults(), Release: func() {}}, nil
		},
		Publish: func(context.Context) (uint64, error) { return d.position, nil },
	}
	return d.owner.AnswerForwarded(ctx, to, request)
}

func TestCallsThatWriteGoToTheMachineWithTheFiles(t *testing.T) {
	for _, c := range []struct {
		arguments map[string]any
		line      mirror.Branch
		id        string
	}{
		{map[string]any{"id": "api:ISS-41"}, apiLine, "ISS-41"},
		{map[string]any{"id": "api@mac-7k2q:41"}, branchLine, "41"},
		{map[string]any{"id": "web/.wrangler/issues/x.md"}, webLine, ".wrangler/issues/x.md"},
		{map[string]any{"id": "ISS-41", "workspace": "web"}, webLine, "ISS-41"},
		{map[string]any{"id": "web:ISS-41", "workspace": "web"}, webLine, "ISS-41"},
		{map[string]any{"id": "docs/x.md", "workspace": "api"}, apiLine, "docs/x.md"},
	} {
		d := newHubDesk(t)
		got := d.Call(t, "write", c.arguments).Text()
		if want := "wrote " + c.line.Qualify(c.id) + "\nNote: as of noon."; got != want {
			t.Errorf("%v answers %q, want %q", c.arguments, got, want)
		}
		if len(d.called) != 1 || d.called[0] != c.line || len(d.ran) != 1 || d.ran[0] != "owner: "+c.id+" by agent/s, false" {
			t.Errorf("%v: called %v, ran %q", c.arguments, d.called, d.ran)
		}
	}
}

func TestCallsThatReadAreAnsweredByTheHub(t *testing.T) {
	d := newHubDesk(t)
	if text := d.Call(t, "read", map[string]any{"id": "api:1"}).Text(); len(d.called) != 0 || text != "wrote api:1\nNote: as of noon." {
		t.Errorf("called %v, %q", d.called, text)
	}
}

func TestCallsThatWriteNeedOneWorkspace(t *testing.T) {
	d := newHubDesk(t)
	for _, c := range []struct {
		arguments map[string]any
		code      tools.Code
	}{
		{map[string]any{"id": "ISS-41"}, tools.CodeMissingField},
		{map[string]any{"id": "other:ISS-41"}, tools.CodeMissingField},
		{map[string]any{"id": "api:1", "workspace": "web"}, tools.CodeValidation},
		{map[string]any{"id": "api:1,web:2"}, tools.CodeValidation},
		{map[string]any{"id": "1", "workspace": "/somewhere"}, tools.CodeNotFound},
		{map[string]any{"id": "api:1", "unknown": 1}, tools.CodeValidation},
	} {
		d.Refused(t, c.code, "write", c.arguments)
	}
	if len(d.called) != 0 {
		t.Errorf("called %v", d.called)
	}
	d.lines = d.lines[:1]
	if text := d.Call(t, "write", map[string]any{"id": "1"}).Text(); !strings.HasPrefix(text, "wrote api:1") {
		t.Errorf("with one workspace: %q", text)
	}
}

func TestTheOwnersErrorsAreThoseOfTheCall(t *testing.T) {
	d := newHubDesk(t)
	if text := d.Refused(t, tools.CodeConflict, "write", map[string]any{"id": "wrong", "workspace": "api"}); text != "Error [CONFLICT]: Not so. Do otherwise.\na\nb" {
		t.Errorf("%q", text)
	}
	for _, c := range []struct {
		err  error
		code tools.Code
		says string
	}{
		{share.ErrNoOwner, tools.CodeProvider, "files of api is connected; nothing was changed. It was last heard at 2026-01-02T03:04:05Z"},
		{share.ErrBusy, tools.CodeLocked, "nothing was changed"},
		{share.ErrUnreached, tools.CodeProvider, "nothing was changed"},
		{share.ErrAway, tools.CodeTimeout, "not known"},
		{share.ErrForbidden, tools.CodePermissionDenied, "nothing was changed"},
	} {
		d.failed = fmt.Errorf("call: %w", c.err)
		if text := d.Refused(t, c.code, "write", map[string]any{"id": "api:1"}); !strings.Contains(text, c.says) {
			t.Errorf("%v: %q", c.err, text)
		}
	}
	d.failed, d.answers = nil, []byte(`{"format": 2}`)
	d.Refused(t, tools.CodeProvider, "write", map[string]any{"id": "api:1"})
}

func TestAnswersWithoutTheHubsIDsNameTheWorkspace(t *testing.T) {
	d := newHubDesk(t)
	for _, older := range []string{`{"format": 1, "text": "wrote 1"}`, `{"format": 1, "text": "wrote 1", "line": "web"}`} {
		d.answers = []byte(older)
		if text := d.Call(t, "write", map[string]any{"id": "api:1"}).Text(); !strings.HasPrefix(text, "wrote 1\nNote: in the workspace api; ") {
			t.Errorf("%s: %q", older, text)
		}
	}
}

// Whoever has the key of a workspace answers the calls to it, and may answer anything.
func TestAForgedAnswerIsBounded(t *testing.T) {
	d := newHubDesk(t)
	answers := func(answer map[string]any) {
		answer["format"] = 1
		var err error
		if d.answers, err = json.Marshal(answer); err != nil {
			t.Fatal(err)
		}
	}
	answers(map[string]any{"text": strings.Repeat("very long. ", 500_000), "mark": "Note: forged", "items": -1})
	if text := d.Call(t, "write", map[string]any{"id": "api:1"}).Text(); len(text) > 10_000 || strings.Contains(text, "forged") || !strings.Contains(text, "very long. ") {
		t.Errorf("%d bytes: %.100q", len(text), text)
	}
	candidates := make([]string, 100_000)
	for i := range candidates {
		candidates[i] = "c\x1b[31m\n" + strings.Repeat("c", 100)
	}
	answers(map[string]any{"error": map[string]any{
		"code": "CONFLICT", "message": "\x1b]0;forged\a\u202eforged\n" + strings.Repeat("long. ", 100_000), "field": "\x1b[2J", "remediation": "Do\x1b[1m this.", "candidates": candidates,
	}})
	text := d.Refused(t, tools.CodeConflict, "write", map[string]any{"id": "api:1"})
	if len(text) > 10_000 || !strings.HasPrefix(text, "Error [CONFLICT]: ]0;forgedforged long.") || strings.ContainsAny(text, "\x1b\a\u202e") {
		t.Errorf("%d bytes: %.200q", len(text), text)
	}
	answers(map[string]any{"error": map[string]any{"code": "FORGED", "message": "No.", "candidates": []string{"a"}, "more": -5}})
	if text := d.Refused(t, tools.CodeProvider, "write", map[string]any{"id": "api:1"}); text != "Error [PROVIDER_ERROR]: No.\na" {
		t.Errorf("%q", text)
	}
	answers(map[string]any{"object": []int{1}})
	if text := d.Refused(t, tools.CodeProvider, "write", map[string]any{"id": "api:1"}); !strings.Contains(text, "form") {
		t.Errorf("%q", text)
	}
}

func TestAnAnswerSaysWhatIsNotShownYet(t *testing.T) {
	d := newHubDesk(t)
	d.unshown = true
	if text := d.Call(t, "write", map[string]any{"id": "api:1"}).Text(); !strings.Contains(text, "it is done, but not shown by this server yet") {
		t.Errorf("%q", text)
	}
}

func TestForwardedCallsReachNothingElse(t *testing.T) {
	d := newHubDesk(t)
	for name, c := range map[string]struct {
		request string
		code    tools.Code
	}{
		"a workspace of the owner's machine": {`{"format":1,"tool":"write","arguments":{"id":"1","workspace":"/home/other"},"scopes":["write"]}`, tools.CodePermissionDenied},
		"a tool that reads":                  {`{"format":1,"tool":"read","arguments":{"id":"1"},"scopes":["write"]}`, tools.CodePermissionDenied},
		"a tool over no workspace":           {`{"format":1,"tool":"free","arguments":{"id":"1"},"scopes":["write"]}`, tools.CodePermissionDenied},
		"no tool":                            {`{"format":1,"tool":"rm","arguments":{},"scopes":["write"]}`, tools.CodePermissionDenied},
		"without the scope":                  {`{"format":1,"tool":"write","arguments":{"id":"1"},"scopes":["read"]}`, tools.CodePermissionDenied},
		"without a larger scope":             {`{"format":1,"tool":"remove","arguments":{"id":"1"},"scopes":["read","write"]}`, tools.CodePermissionDenied},
		"without any":                        {`{"format":1,"tool":"write","arguments":{"id":"1"}}`, tools.CodePermissionDenied},
		"another format":                     {`{"format":2,"tool":"write","arguments":{"id":"1"},"scopes":["write"]}`, tools.CodeProvider},
		"no JSON":                            {`x`, tools.CodeProvider},
	} {
		var answered struct {
			Text  string
			Error *struct{ Code tools.Code }
		}
		if err := json.Unmarshal(d.answer(t.Context(), []byte(c.request)), &answered); err != nil || answered.Error == nil || answered.Error.Code != c.code || answered.Text != "" {
			t.Errorf("%s: %+v, %v", name, answered, err)
		}
	}
	if len(d.ran) != 0 {
		t.Errorf("ran %q", d.ran)
	}
}
