package pdpp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/pdpp/pdpptest"
	"issues-index/tools/toolstest"
)

// followed calls a tool, follows the calls for the next page that the texts write out,
// and returns the ids of all pages in their order and the last text.
func followed(t *testing.T, client *toolstest.Client, tool string, args arguments) (ids []string, last string) {
	t.Helper()
	call := next{tool, args}
	for pages := 0; call.tool != ""; pages++ {
		answer := client.Call(t, call.tool, call.args)
		if answer.IsError || pages > 600 {
			t.Fatalf("page %d, %v: %s", pages, call, answer.Text())
		}
		last = answer.Text()
		for _, id := range regexp.MustCompile(`(?m)^(\w+/[\w-]+:\S+|"(?:[^"\\]|\\.)*")`).FindAllStringSubmatch(last, -1) {
			ids = append(ids, id[1])
		}
		call = nextOf(t, last)
	}
	return ids, last
}

// once fails the test unless there are so many ids, each of them once.
func once(t *testing.T, ids []string, want int) {
	t.Helper()
	if each := slices.Compact(slices.Sorted(slices.Values(ids))); len(ids) != want || len(each) != want {
		t.Errorf("%d ids, %d different ones, want %d", len(ids), len(each), want)
	}
}

// within fails the test when a channel of the answer is over the default budget.
func within(t *testing.T, reply toolstest.Answer) {
	t.Helper()
	budget := answer.Defaults().Budget("", 0)
	if !budget.Holds(reply.Text()) || !budget.Holds(string(reply.Structured)) {
		t.Errorf("text of %d bytes, structured output of %d", len(reply.Text()), len(reply.Structured))
	}
}

// noteOf is the note of an answer.
func noteOf(t *testing.T, reply toolstest.Answer) string {
	t.Helper()
	var body struct {
		Note string `json:"note"`
	}
	if err := json.Unmarshal(reply.Structured, &body); err != nil {
		t.Fatal(err)
	}
	return body.Note
}

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

// inText makes answers have only text.
func inText(f *fixture) { f.output = tools.OutputText }

// eraA lets clients filter and expand.
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

// serving serves the tools over a resource server that is this handler.
func serving(t *testing.T, handler http.HandlerFunc) *fixture {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return open(t, func(f *fixture) { f.options.Transport = elsewhere(server.URL) })
}

// answering serves the tools over a resource server that has one answer for everything.
func answering(t *testing.T, status int, body string) *fixture {
	t.Helper()
	return serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	})
}

// elsewhere carries requests to another server than that of their address.
func elsewhere(address string) http.RoundTripper {
	return roundTrip(func(request *http.Request) (*http.Response, error) {
		to, err := url.Parse(address)
		if err != nil {
			return nil, err
		}
		request = request.Clone(request.Context())
		request.URL.Scheme, request.URL.Host = to.Scheme, to.Host
		return http.DefaultTransport.RoundTrip(request)
	})
}

// next is a call that a text writes out.
type next struct {
	tool string
	args arguments
}

// nextOf reads the call for the next page out of a text, and has no tool when there
// is none. Only the text is looked at, and of that not what others wrote, which stands
// behind an id and in quotation marks.
func nextOf(t *testing.T, text string) next {
	t.Helper()
	found := regexp.MustCompile(`(?m)^(?:[^"\n]*\. )?Next(?: page)?: (\w+) (\{.*)`).FindStringSubmatch(text)
	if found == nil {
		return next{}
	}
	call := next{tool: found[1]}
	if err := json.NewDecoder(strings.NewReader(found[2])).Decode(&call.args); err != nil {
		t.Fatalf("%v in %q", err, found[2])
	}
	return call
}

// callOfTool is a call with these arguments, before they are read.
func callOfTool(name string, args json.RawMessage) *call {
	i := slices.IndexFunc(table, func(t tool) bool { return t.name == name })
	return &call{
		tool: table[i], args: tools.NewArgs(table[i].definition(nil), args), path: table[i].path,
		query: url.Values{}, names: map[string]string{},
	}
}

// readCalls are a call of each reading tool that works in either era.
var readCalls = map[string]arguments{
	"schema":        {"stream": "issues"},
	"list_streams":  {},
	"query_records": {"stream": "issues", "limit": 3},
	"aggregate":     {"stream": "issues", "metric": "count", "group_by": "state"},
	"search":        {"q": "overflow", "limit": 3},
	"fetch":         {"id": pdpptest.ConnectionID + "/issues:issue-3"},
	"fetch_blob":    {"blob_id": "blob_text"},
}

// failingCalls is a call of each tool that the server or we refuse.
func failingCalls() []next {
	return []next{
		{"schema", arguments{}},
		{"list_streams", arguments{"connection_id": "cin_nope"}},
		{"query_records", arguments{"stream": "nope"}},
		{"query_records", arguments{"stream": "issues", "filter": "x"}},
		{"aggregate", arguments{"stream": "issues", "metric": "sum", "field": "number"}},
		{"search", arguments{"q": "a", "cursor": "garbage"}},
		{"fetch", arguments{"id": "issues:issue-999"}},
		{"fetch_blob", arguments{"blob_id": "blob_x"}},
		{"discover_event_subscription_capabilities", arguments{"x": 1}},
		{"create_event_subscription", arguments{}},
		{"list_event_subscriptions", arguments{"x": 1}},
		{"get_event_subscription", arguments{"subscription_id": "sub_none"}},
		{"update_event_subscription", arguments{"subscription_id": "sub_none", "enabled": true}},
		{"delete_event_subscription", arguments{"subscription_id": "sub_none"}},
		{"send_test_event", arguments{"subscription_id": "sub_none"}},
	}
}

// everyCall is a call of each tool that can succeed. Subscription ids are of no
// subscription, so that those fail.
func everyCall() []next {
	var calls []next
	for tool, args := range readCalls {
		calls = append(calls, next{tool, args})
	}
	calls = append(calls,
		next{"query_records", arguments{"stream": "issues", "expand": "comments_list"}},
		next{"fetch", arguments{"id": "issues:issue-4", "field": "body"}},
		next{"search", arguments{"q": "overflow", "mode": "semantic"}},
		next{"search", arguments{"q": "overflow", "mode": "hybrid"}},
		next{"discover_event_subscription_capabilities", nil},
		next{"create_event_subscription", arguments{"callback_url": "https://example.org/"}},
		next{"list_event_subscriptions", nil})
	for _, tool := range []string{"get_event_subscription", "update_event_subscription", "delete_event_subscription", "send_test_event"} {
		args := arguments{"subscription_id": "sub_1"}
		if tool == "update_event_subscription" {
			args["enabled"] = true
		}
		calls = append(calls, next{tool, args})
	}
	return calls
}

type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }
