package pdpp

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/pdpp/pdpptest"
	"issues-index/tools/toolstest"
)

// toolNames are those of the adapter that this one follows, as they were when all
// of them were served. A client knows them by heart: renaming one needs a note in
// the changelog and the README.
var toolNames = []string{
	"schema", "list_streams", "query_records", "aggregate", "search", "fetch",
	"discover_event_subscription_capabilities", "create_event_subscription", "list_event_subscriptions",
	"get_event_subscription", "update_event_subscription", "delete_event_subscription", "send_test_event",
	"fetch_blob",
}

// readingTools are the tools that read records or what describes them.
var readingTools = []string{"schema", "list_streams", "query_records", "aggregate", "search", "fetch", "fetch_blob"}

// A fixture is a resource server under test, and a client of the tools over it.
type fixture struct {
	*toolstest.Client
	rs      *pdpptest.Server
	options Options
	output  tools.Output
	guard   func() *answer.Settings // nil is the defaults
}

// open serves the tools over a resource server in era B, with a credential that
// lives for ten minutes more.
func open(t *testing.T, change ...func(*fixture)) *fixture {
	t.Helper()
	return openOver(t, pdpptest.Start(t), change...)
}

// openLetters is open over the server whose keys are no plain words.
func openLetters(t *testing.T, change ...func(*fixture)) *fixture {
	t.Helper()
	return openOver(t, pdpptest.StartLetters(t), change...)
}

func openOver(t *testing.T, rs *pdpptest.Server, change ...func(*fixture)) *fixture {
	t.Helper()
	f := &fixture{rs: rs}
	f.options = Options{
		ProviderURL: f.rs.URL, CacheRoot: t.TempDir(), UserAgent: "test",
		Getenv: func(string) string { return "" },
		Now:    func() time.Time { return noon },
		Sleep:  func(context.Context, time.Duration) error { return nil },
	}
	f.rs.WriteCredential(t, f.options.CacheRoot, pdpptest.Credential{Token: pdpptest.ClientToken, Kind: "client", Expires: noon.Add(599 * time.Second)})
	for _, apply := range change {
		apply(f)
	}
	client, err := New(f.options)
	if err != nil {
		t.Fatal(err)
	}
	f.Client = toolstest.NewClient(t, tools.Config{Toolsets: []tools.Toolset{Toolset(client)}, Output: f.output, Settings: f.guard})
	return f
}

var noon = time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)

// inText has answers in text alone.
func inText(f *fixture) { f.output = tools.OutputText }

// eraA has clients filter and expand.
func eraA(f *fixture) { f.rs.SetEra(pdpptest.EraA) }

// arguments of a call.
type arguments map[string]any

// must calls a tool, fails the test on an error, and returns the answer and its data.
func (f *fixture) must(t *testing.T, tool string, args arguments) (map[string]any, toolstest.Answer) {
	t.Helper()
	reply := f.Call(t, tool, args)
	if reply.IsError {
		t.Fatalf("%s %v: %s", tool, args, reply.Text())
	}
	var structured struct {
		Data map[string]any `json:"data"`
	}
	if err := json.Unmarshal(reply.Structured, &structured); err != nil {
		t.Fatal(err)
	}
	return structured.Data, reply
}

// refused calls a tool and fails the test unless the answer is an error of the code
// whose text says all of these.
func (f *fixture) refused(t *testing.T, code tools.Code, tool string, args arguments, says ...string) toolstest.Answer {
	t.Helper()
	reply := f.Call(t, tool, args)
	if !reply.IsError || reply.Meta.Error.Code != string(code) {
		t.Fatalf("%s %v: want %s, got %s", tool, args, code, reply.Text())
	}
	for _, words := range says {
		if !strings.Contains(reply.Text(), words) {
			t.Errorf("%s %v: %q does not say %q", tool, args, reply.Text(), words)
		}
	}
	if !strings.HasPrefix(reply.Text(), "Error ["+string(code)+"]: ") {
		t.Errorf("%s %v: the text does not begin with its code: %s", tool, args, reply.Text())
	}
	return reply
}

// untouched fails the test when the call reached the resource server.
func (f *fixture) untouched(t *testing.T, call func()) {
	t.Helper()
	before := f.rs.Count()
	call()
	if asked := f.rs.Count() - before; asked != 0 {
		seen := f.rs.Seen()
		t.Errorf("%d requests reached the resource server, the last %s", asked, seen[len(seen)-1].Endpoint)
	}
}

// recordReads counts the requests that reached records.
func (f *fixture) recordReads() int { return f.rs.Count(pdpptest.Records, pdpptest.RecordOf) }

// definitions are those of the toolset.
func definitions(t *testing.T) map[string]toolstest.Definition {
	t.Helper()
	list := make(map[string]toolstest.Definition)
	for _, d := range toolstest.List(t, tools.OutputBoth, Toolset(nil)) {
		list[d.Name] = d
	}
	return list
}

// prose is every text of a definition that a model reads: its description and those
// inside its schemas.
func prose(d toolstest.Definition) string {
	texts := []string{d.Description}
	for _, m := range regexp.MustCompile(`"description":("(?:[^"\\]|\\.)*")`).FindAllSubmatch(append(append(json.RawMessage{}, d.InputSchema...), d.OutputSchema...), -1) {
		text, _ := textOf(m[1])
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n")
}

// lead is the part of instructions that every host shows: the whole sentences among
// the first 512 characters.
func lead(instructions string) string {
	cut := instructions[:min(len(instructions), tools.MaxLead)]
	ends := regexp.MustCompile(`[.!?](\s|$)`).FindAllStringIndex(cut, -1)
	if len(ends) == 0 {
		return ""
	}
	return cut[:ends[len(ends)-1][0]+1]
}

// property returns a property of a JSON object schema.
func property(t *testing.T, schema json.RawMessage, name string) map[string]any {
	t.Helper()
	var object struct {
		Properties map[string]map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(schema, &object); err != nil {
		t.Fatal(err)
	}
	return object.Properties[name]
}
