package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/tools"
	"issues-index/tools/issues"
	"issues-index/tools/pdpp"
	"issues-index/tools/pdpp/pdpptest"
	"issues-index/tools/session"
	"issues-index/tools/telemetry"
	"issues-index/tools/toolstest"
)

// What the program does with a PDPP resource server, over its own standard input and
// output. The names are those of the lists that package pdpp is held to.

// pdppEnds ends a test of something that hangs; nothing waits for it otherwise.
const pdppEnds = time.Minute

// A served is one run of the program: what it said, line by line, and its log.
type served struct {
	lines []string
	log   string
	err   error
	root  string // of the workspace and all else that it may write
}

// serveLines runs the program over lines of input until it ends.
func serveLines(t *testing.T, environment []string, lines ...string) served {
	t.Helper()
	return serveUntil(t, environment, func(string) bool { return true }, lines...)
}

// An endWhen is input that ends once something holds.
type endWhen func() bool

func (holds endWhen) Read([]byte) (int, error) {
	for end := time.Now().Add(pdppEnds); !holds() && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	return 0, io.EOF
}

// serveUntil runs the program over lines of input, which ends once something holds of the
// workspace.
func serveUntil(t *testing.T, environment []string, holds func(workspace string) bool, lines ...string) served {
	t.Helper()
	root := t.TempDir()
	workspace := filepath.Join(root, "sample")
	if err := copySample(workspace); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), pdppEnds)
	defer cancel()
	run := exec.CommandContext(ctx, "issues-index", "serve", "--workspace", workspace, "--log-level", "debug")
	run.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PDPP_") }), environment...)
	run.Stdin = io.MultiReader(strings.NewReader(strings.Join(lines, "\n")+"\n"), endWhen(func() bool { return holds(workspace) }))
	var out, log bytes.Buffer
	run.Stdout, run.Stderr = &out, &log
	s := served{root: root, err: run.Run(), log: log.String()}
	for line := range strings.Lines(out.String()) {
		s.lines = append(s.lines, strings.TrimSuffix(line, "\n"))
	}
	return s
}

// result decodes the result of the request of an id.
func (s served) result(t *testing.T, id int, into any) {
	t.Helper()
	for _, line := range s.lines {
		var response struct {
			ID     json.RawMessage `json:"id"`
			Result json.RawMessage `json:"result"`
		}
		if json.Unmarshal([]byte(line), &response) == nil && string(response.ID) == fmt.Sprint(id) && response.Result != nil {
			if err := json.Unmarshal(response.Result, into); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("no result of %d; %v\n%s", id, s.err, s.log)
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	listTools  = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
)

// provider starts a resource server, and returns the environment that names it and a
// credential for it.
func provider(t *testing.T) (*pdpptest.Server, []string) {
	t.Helper()
	rs := pdpptest.Start(t)
	cache := t.TempDir()
	rs.WriteCredential(t, cache, pdpptest.Credential{Token: pdpptest.ClientToken, Kind: "client", Expires: time.Now().Add(10 * time.Minute)})
	return rs, []string{"PDPP_PROVIDER_URL=" + rs.URL, "PDPP_CACHE_ROOT=" + cache}
}

func toolCall(id int, tool string, arguments map[string]any) string {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments}})
	if err != nil {
		panic(err) // of maps of plain values
	}
	return string(line)
}

func TestPDPPInstructionsOnTheWire(t *testing.T) {
	_, environment := provider(t)
	var greeted struct {
		Instructions string `json:"instructions"`
	}
	serveLines(t, environment, initialize).result(t, 1, &greeted)
	if want := tools.Instructions(issues.Toolset(nil), session.Toolset(nil), pdpp.Toolset(nil)); greeted.Instructions != want || want == "" {
		t.Errorf("on the wire\n%s\nmade\n%s", greeted.Instructions, want)
	}
}

// pdppFootprint is how many bytes the definitions of the PDPP tools may add on the wire: 12,500 and
// 8,904 were measured.
var pdppFootprint = map[tools.Output]int{tools.OutputBoth: 12_600, tools.OutputText: 9_000}

func TestPDPPFootprintOverStandardOutput(t *testing.T) {
	_, environment := provider(t)
	for output, budget := range pdppFootprint {
		var without, with struct {
			Tools json.RawMessage `json:"tools"`
		}
		mode := "ISSUES_INDEX_OUTPUT=" + string(output)
		serveLines(t, []string{mode}, initialize, listTools).result(t, 2, &without)
		serveLines(t, append(environment, mode), initialize, listTools).result(t, 2, &with)
		added := len(with.Tools) - len(without.Tools)
		t.Logf("output %s: %d bytes more than %d", output, added, len(without.Tools))
		if added > budget {
			t.Errorf("output %s: %d bytes more than without, over %d", output, added, budget)
		}
	}
}

// Off until an address is set, and as if it did not exist then.
func TestWithoutAnAddressPDPPIsNotServed(t *testing.T) {
	var without, with struct {
		Tools []json.RawMessage `json:"tools"`
	}
	// A credential and a cache alone switch nothing on, nor does the owner's token then
	// keep the program from serving.
	s := serveLines(t, []string{"PDPP_CACHE_ROOT=" + t.TempDir(), "PDPP_OWNER_TOKEN=x"}, initialize, listTools)
	s.result(t, 2, &without)
	var want []json.RawMessage
	for _, d := range toolstest.List(t, tools.OutputBoth, issues.Toolset(nil), session.Toolset(nil)) {
		want = append(want, d.JSON)
	}
	equal := func(a, b []json.RawMessage) bool {
		return slices.EqualFunc(a, b, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
	}
	if len(want) == 0 || !equal(without.Tools, want) {
		t.Errorf("%d definitions, not the %d of the documents and sessions", len(without.Tools), len(want))
	}
	_, environment := provider(t)
	serveLines(t, environment, initialize, listTools).result(t, 2, &with)
	if pdppTools := len(pdpp.Toolset(nil).Tools); len(with.Tools) != len(want)+pdppTools || !equal(with.Tools[:len(want)], want) {
		t.Errorf("with an address there are %d definitions", len(with.Tools))
	}
}

func TestStandardOutputHasOnlyMessages(t *testing.T) {
	rs, environment := provider(t)
	s := serveLines(t, environment,
		initialize, `not JSON`, ``, `{"jsonrpc":"2.0"`, `[]`, `{"jsonrpc":"2.0","id":7,"method":"no/such"}`,
		toolCall(8, "query_records", map[string]any{"stream": "nope"}),
		toolCall(9, "no_such_tool", nil),
		toolCall(10, "list_streams", map[string]any{"x": 1}),
		toolCall(11, "list_streams", nil))
	if s.err != nil {
		t.Errorf("%v\n%s", s.err, s.log)
	}
	for _, line := range s.lines {
		var message struct {
			Version string `json:"jsonrpc"`
		}
		if json.Unmarshal([]byte(line), &message) != nil || message.Version != "2.0" {
			t.Errorf("no message: %q", line)
		}
	}
	var answer struct {
		IsError bool `json:"isError"`
	}
	if s.result(t, 11, &answer); answer.IsError || rs.Count(pdpptest.Streams) != 1 {
		t.Errorf("after all that, streams are not listed: %v", s.lines)
	}
	t.Run("with its input closed it ends at once", func(t *testing.T) {
		if s := serveLines(t, environment, ""); s.err != nil || len(s.lines) > 1 {
			t.Errorf("%v: %v", s.err, s.lines)
		}
	})
}

// TestNoTokenIsWrittenAnywhere runs the program with the most talkative log, and looks
// for the token in all that it says and writes.
func TestNoTokenIsWrittenAnywhere(t *testing.T) {
	rs, environment := provider(t)
	lines := []string{initialize, listTools}
	for i, call := range pdppCalls() {
		lines = append(lines, toolCall(100+i, call.Name, call.Arguments))
	}
	rs.Put(pdpptest.Search, pdpptest.Override{Status: 500, Body: `{"error":{"code":"internal","message":"Bearer ` + pdpptest.ClientToken + ` failed"}}`})
	recorded := func(workspace string) bool {
		log := telemetry.Log{Paths: []string{filepath.Join(workspace, ".wrangler", "cache", "telemetry.db")}}
		sum, err := log.Summary(t.Context(), telemetry.CallFilter{}, telemetry.ByTool)
		return err == nil && sum.Total.Calls == len(pdppCalls())
	}
	s := serveUntil(t, environment, recorded, lines...)
	if s.err != nil || rs.Count() < 10 {
		t.Fatalf("%v after %d requests\n%s", s.err, rs.Count(), s.log)
	}
	said := strings.Join(s.lines, "\n")
	if !strings.Contains(said, pdpptest.Secret) {
		t.Error("no subscription was made, so its secret was not shown")
	}
	for where, text := range map[string]string{"standard output": said, "the log": s.log} {
		if strings.Contains(text, pdpptest.ClientToken) {
			t.Errorf("the token is in %s", where)
		}
	}
	files := 0
	err := filepath.WalkDir(s.root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if strings.Contains(file, "telemetry") {
			files++
		}
		for _, secret := range []string{pdpptest.ClientToken, pdpptest.Secret} {
			if bytes.Contains(content, []byte(secret)) {
				t.Errorf("%s is in %s", secret, file)
			}
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("no telemetry was written: %v", err)
	}
	if strings.Contains(s.log, pdpptest.Secret) {
		t.Error("the secret of a subscription is in the log")
	}
}

// A pdppCall is a call of a tool; Code is the error that it ends with, "" for none.
type pdppCall struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
	Code      string         `json:"-"`
}

// pdppCalls are a call of each tool, and one of each kind of typed error.
func pdppCalls() []pdppCall {
	type args = map[string]any
	return []pdppCall{
		{"schema", args{"stream": "issues"}, ""},
		{"list_streams", args{}, ""},
		{"query_records", args{"stream": "issues", "limit": 2}, ""},
		{"aggregate", args{"stream": "issues", "metric": "count"}, ""},
		{"fetch", args{"id": "issues:issue-3"}, ""},
		{"fetch", args{"id": "issues:issue-4", "field": "body", "limit_chars": 20}, ""},
		{"fetch_blob", args{"blob_id": "blob_text"}, ""},
		{"discover_event_subscription_capabilities", args{}, ""},
		{"create_event_subscription", args{"callback_url": "https://example.org/"}, ""},
		{"list_event_subscriptions", args{}, ""},
		{"search", args{"q": "overflow", "mode": "semantic"}, ""},

		{"query_records", args{"stream": "issues", "expand": "comments_list"}, "invalid_expand"},
		{"fetch", args{"id": "issues:issue-3", "expand_limit": args{"comments_list": 1}}, "invalid_expand"},
		{"query_records", args{"stream": "issues", "filter": "state=open"}, "invalid_filter"},
		{"query_records", args{"stream": "issues", "filter": args{"state": "open"}}, "invalid_request"},
		{"query_records", args{"stream": "issues", "cursor": "garbage"}, "invalid_cursor"},
		{"query_records", args{"stream": "issues", "fields": "zzz"}, "unknown_field"},
		{"query_records", args{"stream": "nope"}, "context.stream_not_allowed"},
		{"query_records", args{"stream": "issues", "connection_id": "cin_nope"}, "context.instance_mismatch"},
		{"query_records", args{"stream": "issues", "limit": 1000}, "VALIDATION_ERROR"},
		{"aggregate", args{"stream": "issues", "metric": "sum", "field": "number"}, "invalid_request"},
		{"fetch", args{"id": "issues:issue-999"}, "not_found"},
		{"fetch", args{"id": "cin_a/issues:issue-3", "connection_id": "cin_b"}, "conflicting_connection_id"},
		{"fetch", args{"id": "issues:issue-3", "field": "labels"}, "field_not_text"},
		{"fetch_blob", args{"blob_id": "blob_none"}, "blob_not_found"},
		{"get_event_subscription", args{"subscription_id": "sub_none"}, "not_found"},
		{"update_event_subscription", args{"subscription_id": "sub_none", "enabled": true}, "not_found"},
		{"delete_event_subscription", args{"subscription_id": "sub_none"}, "not_found"},
		{"send_test_event", args{"subscription_id": "sub_none"}, "not_found"},
		{"search", args{}, "MISSING_REQUIRED_FIELD"},
		{"search", args{"q": "overflow"}, "internal"},
	}
}

// The documentation names exactly the tools that are served, and says that clients keep
// their list of tools.
func TestDocumentationNamesThePDPPTools(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(repositoryRoot, "docs", "connectors.md"))
	if err != nil {
		t.Fatal(err)
	}
	heading := regexp.MustCompile(`(?m)^(#+) .*PDPP.*$`).FindSubmatchIndex(content)
	if heading == nil {
		t.Fatal("docs/connectors.md has no section about PDPP")
	}
	section := string(content[heading[1]:])
	level := heading[3] - heading[2]
	if end := regexp.MustCompile(fmt.Sprintf(`(?m)^#{1,%d} `, level)).FindStringIndex(section); end != nil {
		section = section[:end[0]]
	}
	named := make(map[string]bool)
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` ").FindAllStringSubmatch(section, -1) {
		named[row[1]] = true
	}
	for _, tool := range pdpp.Toolset(nil).Tools {
		if !named[tool.Name] {
			t.Errorf("the section does not name %s", tool.Name)
		}
		delete(named, tool.Name)
	}
	for name := range named {
		t.Errorf("the section names %s, which is no tool", name)
	}
	if !regexp.MustCompile(`(?is)(cache|keep).{0,200}(remove|delete).{0,60}add`).MatchString(section) {
		t.Error("the section does not say that clients keep the list of tools, and are to remove the server and add it again")
	}
}
