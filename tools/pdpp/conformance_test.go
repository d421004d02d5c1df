package pdpp

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"issues-index/tools"
	"issues-index/tools/pdpp/pdpptest"
	"issues-index/tools/toolstest"
)

var cursorOf = regexp.MustCompile(`"cursor":"[^"]+"`)

// TestConformanceOfAServer asks the test server, and a real one when the environment names
// one that was started and filled by hand.
func TestConformanceOfAServer(t *testing.T) {
	t.Run("the test server", func(t *testing.T) {
		for name, rs := range map[string]*pdpptest.Server{"of issues": pdpptest.Start(t), "of letters": pdpptest.StartLetters(t)} {
			t.Run(name, func(t *testing.T) { conformsIn(t, openOver(t, rs).options) })
		}
	})
	t.Run("a real one", func(t *testing.T) {
		address, root := os.Getenv("ISSUES_INDEX_TEST_PDPP_URL"), os.Getenv("ISSUES_INDEX_TEST_PDPP_CACHE")
		if address == "" || root == "" {
			t.Skip("ISSUES_INDEX_TEST_PDPP_URL and ISSUES_INDEX_TEST_PDPP_CACHE name no resource server")
		}
		conformsIn(t, Options{ProviderURL: address, CacheRoot: root, Now: time.Now})
	})
}

// conformsIn asks a server in both forms of answers.
func conformsIn(t *testing.T, o Options) {
	t.Helper()
	client, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	sets := []tools.Toolset{Toolset(client)}
	both := toolstest.NewClient(t, tools.Config{Toolsets: sets})
	t.Run("first steps", func(t *testing.T) { conforms(t, both) })
	plain := plainly(t, client)
	t.Run("both channels", func(t *testing.T) { walk(t, plain, both) })
	t.Run("text alone", func(t *testing.T) {
		walk(t, plain, toolstest.NewClient(t, tools.Config{Toolsets: sets, Output: tools.OutputText}))
	})
	t.Run("blobs", func(t *testing.T) { blobsJoin(t, plain, both) })
}

// conforms goes the way of a client that knows nothing yet: what is there, what it
// takes, a page, the next, a record, a part of it, a search, and what is refused.
func conforms(t *testing.T, client *toolstest.Client) {
	t.Helper()
	call := func(tool string, args arguments) (map[string]any, string) {
		t.Helper()
		answer := client.Call(t, tool, args)
		if answer.IsError {
			t.Fatalf("%s %v: %s", tool, args, answer.Text())
		}
		var structured struct {
			Data map[string]any `json:"data"`
		}
		if err := json.Unmarshal(answer.Structured, &structured); err != nil {
			t.Fatal(err)
		}
		return structured.Data, answer.Text()
	}
	streams, _ := call("list_streams", nil)
	list, _ := streams["data"].([]any)
	if streams["object"] != "list" || len(list) == 0 {
		t.Fatalf("no streams: %v", streams)
	}
	first := list[0].(map[string]any)
	stream, connection := first["name"].(string), first["connection_id"].(string)

	schema, _ := call("schema", arguments{"stream": stream, "connection_id": connection})
	if connectors, _ := schema["connectors"].([]any); len(connectors) != 1 {
		t.Errorf("the schema has no connector of %s: %v", stream, schema)
	}
	page, text := call("query_records", arguments{"stream": stream, "connection_id": connection, "limit": 1, "count": "exact"})
	rows, _ := page["data"].([]any)
	if page["object"] != "list" || len(rows) != 1 {
		t.Fatalf("no page: %v", page)
	}
	if page["has_more"] == true {
		more := nextOf(t, text)
		following, _ := call(more.tool, more.args)
		if again := following["data"].([]any)[0].(map[string]any)["id"]; again == rows[0].(map[string]any)["id"] {
			t.Errorf("%v comes twice", again)
		}
	}
	id := regexp.MustCompile(`first_fetch_id=(\S+)`).FindStringSubmatch(text)
	if id == nil {
		t.Fatalf("no id in %s", text)
	}
	record, _ := call("fetch", arguments{"id": id[1]})
	fields, _ := record["data"].(map[string]any)
	for name, value := range fields {
		if value, ok := value.(string); ok && len(value) > 10 {
			window, _ := call("fetch", arguments{"id": id[1], "field": name, "limit_chars": 5})
			if got := window["window"].(map[string]any)["text"]; got != string([]rune(value)[:5]) {
				t.Errorf("the window of %s has %q", name, got)
			}
			break
		}
	}
	count := arguments{"stream": stream, "connection_id": connection, "metric": "count"}
	if refused := client.Call(t, "aggregate", count); !refused.IsError { // where the stream declares no aggregation
		counted, _ := call("aggregate", count)
		if counted["object"] != "aggregation" || counted["value"] != page["meta"].(map[string]any)["count"].(map[string]any)["value"] {
			t.Errorf("%v records counted, %v on the page", counted["value"], page["meta"])
		}
	} else if refused.Meta.Error.Code != "invalid_request" {
		t.Errorf("got %s", refused.Text())
	}
	found, _ := call("search", arguments{"q": "a", "limit": 1})
	if found["object"] != "list" {
		t.Errorf("%v", found)
	}
	// What servers answer to a stream that is not granted differs; what helps does not.
	unknown := client.Call(t, "query_records", arguments{"stream": "no_such_stream"})
	if status := regexp.MustCompile(`"http_status":(401|403|404|500)\b`); !unknown.IsError || !status.Match(unknown.Meta.Error.Upstream) || !strings.Contains(unknown.Text(), "list_streams") {
		t.Errorf("an unknown stream: %s", unknown.Text())
	}
	for code, wrong := range map[string]next{
		"invalid_cursor": {"query_records", arguments{"stream": stream, "connection_id": connection, "cursor": "garbage"}},
		"unknown_field":  {"query_records", arguments{"stream": stream, "connection_id": connection, "fields": "zzz"}},
		"not_found":      {"fetch", arguments{"id": connection + "/" + stream + ":no-such-record"}},
		"blob_not_found": {"fetch_blob", arguments{"blob_id": "blob_none"}},
	} {
		answer := client.Call(t, wrong.tool, wrong.args)
		if !answer.IsError || answer.Meta.Error.Code != code || !strings.Contains(string(answer.Meta.Error.Upstream), `"code":"`+code+`"`) {
			t.Errorf("%s: %s", code, answer.Text())
		}
	}
}

// Texts of the test server's answers are those of the recorded answers. That its answers
// have the recorded keys is tested in package pdpptest.
func TestTextsAreThoseOfTheRecordedAnswers(t *testing.T) {
	f := open(t)
	texts := make(map[string]string)
	for name, c := range map[string]struct {
		endpoint pdpptest.Endpoint
		call     next
	}{
		"records_page":       {pdpptest.Records, next{"query_records", arguments{"stream": "issues", "limit": 2}}},
		"search":             {pdpptest.Search, next{"search", arguments{"q": "overflow", "limit": 2}}},
		"aggregate_count":    {pdpptest.Aggregate, next{"aggregate", arguments{"stream": "issues", "metric": "count"}}},
		"record_one":         {pdpptest.RecordOf, next{"fetch", arguments{"id": "issues:issue-3"}}},
		"schema_compact":     {pdpptest.Schema, next{"schema", arguments{}}},
		"records_bad_cursor": {pdpptest.Records, next{"query_records", arguments{"stream": "issues", "cursor": "garbage"}}},
	} {
		texts[name] = f.Call(t, c.call.tool, c.call.args).Text()
		body := pdpptest.Recorded(name)
		status := http.StatusOK
		if strings.HasPrefix(body, `{"error"`) {
			status = http.StatusBadRequest
		}
		f.rs.Put(c.endpoint, pdpptest.Override{Status: status, Body: body})
		// The cursor of a search is made up.
		mask := func(text string) string { return cursorOf.ReplaceAllString(text, "cursor") }
		if got := f.Call(t, c.call.tool, c.call.args).Text(); mask(got) != mask(texts[name]) {
			t.Errorf("%s: of the test server\n%s\nrecorded\n%s", name, texts[name], got)
		}
		f.rs.Clear(c.endpoint)
	}
}
