package resources_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/workspaces"
	"issues-index/store"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/issues"
	"issues-index/tools/prompts"
	"issues-index/tools/resources"
	"issues-index/tools/stdio"
)

// patience bounds how long a test waits for what should happen at once.
const patience = 2 * time.Minute

// A desk is a server over a workspace of its own.
type desk struct {
	testing.TB
	root   string
	ix     *index.Index
	server *tools.Server
}

func newDesk(t testing.TB, change func(*tools.Config)) *desk {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{TB: t, root: root}
	d.document("ISS-000001", "Sign in", "open", "The door.\n\n## Goals\n\nOne.\n\n## Later\n\n- [ ] Two\n")
	d.document("ISS-000002", "Sign out", "in_progress", "")
	d.document("ISS-000003", "Done already", "closed", "")
	d.document("a b", "An id of two words", "open", "## What/why\n\nNot to be addressed.\n")
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	if d.ix, err = index.Open(context.Background(), ws, index.Options{Deferred: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.ix.Close(); ws.Close() })
	c := tools.Config{
		Name: "test", Version: "1.0", Instructions: "Test.", Output: tools.OutputText, Session: "s",
		Toolsets:  []tools.Toolset{tools.PerWorkspace(d.ix, false, issues.Toolset)},
		Resources: resources.Set(true), Prompts: prompts.All(), Elicit: true,
		WorkspaceNames: func(context.Context) []string { return []string{"other"} },
		Workspaces: func(_ context.Context, ask workspaces.Ask) (tools.WorkspaceBinding, error) {
			if ask.Name != "" && ask.Name != "other" {
				return tools.WorkspaceBinding{}, &workspaces.RefusedError{Given: ask.Name}
			}
			return tools.WorkspaceBinding{Index: d.ix, Settings: answer.Defaults(), Release: func() {}}, nil
		},
	}
	if change != nil {
		change(&c)
	}
	if d.server, err = tools.NewServer(c); err != nil {
		t.Fatal(err)
	}
	return d
}

// file is the path of a document's file.
func (d *desk) file(id string) string {
	return filepath.Join(d.root, ".wrangler", "issues", id+".md")
}

func (d *desk) document(id, title, status, body string) {
	d.Helper()
	text := fmt.Sprintf("---\nid: %s\ntitle: %s\ntype: issue\nstatus: %s\npriority: medium\nlabels: [sample]\ncreatedAt: 2026-01-01T00:00:00.000Z\nupdatedAt: 2026-01-0%dT00:00:00.000Z\n---\n%s", id, title, status, 1+len(title)%9, body)
	if err := os.MkdirAll(filepath.Dir(d.file(id)), 0o755); err != nil {
		d.Fatal(err)
	}
	if err := os.WriteFile(d.file(id), []byte(text), 0o644); err != nil {
		d.Fatal(err)
	}
}

// A line is a connection over stdio.
type line struct {
	*desk
	in    *io.PipeWriter
	lines chan string
	done  chan error
}

func (d *desk) connect() *line {
	d.Helper()
	inReader, in := io.Pipe()
	out, outWriter := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	l := &line{desk: d, in: in, lines: make(chan string, 10_000), done: make(chan error, 1)}
	connection := tools.NewClientConnection(ctx)
	handler := func(ctx context.Context, message json.RawMessage) any {
		ctx = tools.WithNotifier(ctx, stdio.Notifier(ctx))
		ctx = connection.With(ctx, tools.Wire{ID: stdio.MessageID(ctx), Request: stdio.Requester(ctx), Notify: stdio.Sender(ctx)})
		return d.server.HandleMessage(ctx, message)
	}
	go func() {
		l.done <- stdio.Serve(ctx, inReader, outWriter, stdio.Options{Handler: handler})
		outWriter.Close()
	}()
	go func() {
		defer close(l.lines)
		scanner := bufio.NewScanner(out)
		scanner.Buffer(nil, 64<<20)
		for scanner.Scan() {
			l.lines <- scanner.Text()
		}
	}()
	d.Cleanup(func() { cancel(); in.Close(); out.Close() })
	return l
}

func (l *line) send(text string) {
	l.Helper()
	if _, err := io.WriteString(l.in, text+"\n"); err != nil {
		l.Fatal(err)
	}
}

// receive returns the next line of the server, "" when there is none any more.
func (l *line) receive() string {
	l.Helper()
	select {
	case text := <-l.lines:
		return text
	case <-time.After(patience):
		l.Fatal("the server says nothing")
		return ""
	}
}

// ask sends a request and returns its answer, whatever notifications come before.
func (l *line) ask(id int, method string, params any) string {
	l.Helper()
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		l.Fatal(err)
	}
	l.send(string(raw))
	for {
		text := l.receive()
		if text == "" || strings.Contains(text, fmt.Sprintf(`"id":%d,`, id)) {
			return text
		}
	}
}

var (
	sealed  = regexp.MustCompile(`"requestState":"([^"]*)"`)
	deleted = regexp.MustCompile(`deleted: [0-9TZ:.-]+`)
)

// TestConversations plays testdata/REVISION/*.txt. A line of a conversation begins with > for
// what the client says, with < for what the server says to that, in any order, or with ! for
// what happens to the files: "append ID TEXT" or "remove ID". With $ the client goes. STATE is the last requestState.
// With UPDATE_GOLDEN=1 what the server says is written down; the number of lines stays.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), "testdata/"), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			played := newDesk(t, nil).connect().play(strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"))
			if os.Getenv("UPDATE_GOLDEN") == "1" {
				if err := os.WriteFile(file, []byte(played), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if played != string(text) {
				t.Errorf("the server says otherwise:\n%s", differences(string(text), played))
			}
		})
	}
}

func differences(want, got string) string {
	var b strings.Builder
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		if i >= len(w) || i >= len(g) || w[i] != g[i] {
			fmt.Fprintf(&b, "line %d\n want %s\n got  %s\n", i+1, at(w, i), at(g, i))
		}
	}
	return b.String()
}

func at(lines []string, i int) string {
	if i >= len(lines) {
		return "nothing"
	}
	return lines[i]
}

// play returns the conversation with what the server says.
func (l *line) play(script []string) string {
	l.Helper()
	var out bytes.Buffer
	state := ""
	for i := 0; i < len(script); i++ {
		kind, rest, _ := strings.Cut(script[i], " ")
		switch kind {
		case ">":
			l.send(strings.ReplaceAll(rest, "STATE", state))
		case "$":
			l.in.Close()
		case "!":
			l.happens(strings.SplitN(rest, " ", 3))
		case "<":
			var said []string
			for ; i < len(script) && strings.HasPrefix(script[i], "<"); i++ {
				text := l.receive()
				if found := sealed.FindStringSubmatch(text); found != nil {
					state = found[1]
				}
				text = sealed.ReplaceAllString(text, `"requestState":"STATE"`)
				said = append(said, "< "+deleted.ReplaceAllString(text, "deleted: TIME"))
			}
			i--
			slices.Sort(said)
			out.WriteString(strings.Join(said, "\n") + "\n")
			continue
		}
		out.WriteString(script[i] + "\n")
	}
	l.in.Close()
	for text := l.receive(); text != ""; text = l.receive() {
		out.WriteString("and then: " + text + "\n")
	}
	if err := <-l.done; err != nil {
		l.Error(err)
	}
	return out.String()
}

// happens changes a file.
func (l *line) happens(words []string) {
	l.Helper()
	file := l.file(words[1])
	var err error
	switch words[0] {
	case "remove":
		err = os.Remove(file)
	case "append":
		// One write, since a reader between two would rightly hear of each.
		var f *os.File
		if f, err = os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0); err == nil {
			_, err = f.WriteString(words[2] + "\n")
			err = errors.Join(err, f.Close())
		}
	default:
		l.Fatalf("nothing happens by %q", words)
	}
	if err != nil {
		l.Fatal(err)
	}
}
