package pdpp

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/pdpp/pdpptest"
)

// The items of list A on what answers hold.

func TestA11TextsStayShortOverHostileRecords(t *testing.T) {
	const most = 1800
	f := open(t)
	f.rs.AddHostile()
	for _, call := range []struct {
		tool string
		args arguments
	}{
		{"query_records", arguments{"stream": pdpptest.HostileStream, "limit": 100}},
		{"query_records", arguments{"stream": pdpptest.HostileStream}},
		{"query_records", arguments{"stream": pdpptest.HostileStream, "limit": 100, "changes_since": "beginning"}},
		{"search", arguments{"q": "further records", "limit": 100}},
		{"search", arguments{"q": "note"}},
	} {
		_, answer := f.must(t, call.tool, call.args)
		text := answer.Text()
		if len(text) >= most {
			t.Errorf("%s %v: a text of %d bytes", call.tool, call.args, len(text))
		}
		shown := regexp.MustCompile(`(?m)^cin_\w+/notes:(\S+)`).FindAllStringSubmatch(text, -1)
		if len(shown) == 0 {
			t.Fatalf("%s %v shows no id:\n%s", call.tool, call.args, text)
		}
		for _, id := range shown {
			if !regexp.MustCompile(`^note-\d{3}-with-a-rather-long-identifier$`).MatchString(id[1]) {
				t.Errorf("the id %s is cut", id[0])
			}
			f.must(t, "fetch", arguments{"id": id[0], "fields": "id"})
		}
		if !strings.Contains(text, "cut") && !strings.Contains(text, "left out") && !strings.Contains(text, "…") {
			t.Errorf("nothing says that something was left out:\n%s", text)
		}
		if !strings.Contains(text, `Next page: `+call.tool) {
			t.Errorf("the call for the next page is missing:\n%s", text)
		}
	}
	t.Run("the texts lead through all 500 records", func(t *testing.T) {
		ids := make(map[string]bool)
		call := next{"query_records", arguments{"stream": pdpptest.HostileStream, "limit": 100}}
		for pages := 0; call.tool != ""; pages++ {
			data, answer := f.must(t, call.tool, call.args)
			for _, row := range data["data"].([]any) {
				ids[row.(map[string]any)["id"].(string)] = true
			}
			if call = nextOf(t, answer.Text()); pages > 500 {
				t.Fatal("the pages do not end")
			}
		}
		if len(ids) != 500 {
			t.Errorf("%d records", len(ids))
		}
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

func TestA12NoHandleIsInStructuredOutputAlone(t *testing.T) {
	f := open(t)
	read := func(tool string, args arguments) string { // what a client without structured output sees
		_, answer := f.must(t, tool, args)
		return answer.Text()
	}
	discovered := nextOf(t, strings.Replace(read("list_streams", nil), "tells what one takes, ", "", 1))
	if discovered.tool != "schema" {
		t.Fatalf("discovery leads to %v", discovered)
	}
	fields := read("schema", discovered.args)
	if !strings.Contains(fields, "title") || !strings.Contains(fields, pdpptest.ConnectionID) {
		t.Errorf("the schema has no fields or connections:\n%s", fields)
	}
	hits := read("search", arguments{"q": "overflow", "limit": 2, "streams": []string{"issues"}})
	first := regexp.MustCompile(`first_fetch_id=(\S+)`).FindStringSubmatch(hits)
	if first == nil {
		t.Fatalf("no id in %s", hits)
	}
	if record := read("fetch", arguments{"id": first[1]}); !strings.Contains(record, "Body of issue 3.") {
		t.Errorf("the record is %s", record)
	}
	seen := map[string]bool{first[1]: true}
	for pages, call := 0, nextOf(t, hits); call.tool != ""; pages++ {
		text := read(call.tool, call.args)
		id := regexp.MustCompile(`first_fetch_id=(\S+)`).FindStringSubmatch(text)
		if len(id) != 2 || seen[id[1]] || pages > 20 {
			t.Fatalf("page %d: %s", pages, text)
		}
		seen[id[1]] = true
		call = nextOf(t, text)
	}
	if len(seen) != 15 {
		t.Errorf("%d pages of two hits over 30", len(seen))
	}
	changes := read("query_records", arguments{"stream": "issues", "changes_since": "beginning", "limit": 100})
	for call := nextOf(t, changes); call.tool != ""; call = nextOf(t, changes) {
		changes = read(call.tool, call.args)
	}
	if !regexp.MustCompile(`next_changes_since=\S{20,}`).MatchString(changes) {
		t.Errorf("the bookmark is missing:\n%s", changes)
	}
}

func TestA13TheFirstHandleLeadsTheText(t *testing.T) {
	f := open(t)
	for _, args := range []arguments{{"q": "overflow"}, {"q": "comment", "streams": "issue_comments", "limit": 1}} {
		_, answer := f.must(t, "search", args)
		var structured struct {
			Results []struct{ ID, Title, URL string } `json:"results"`
		}
		if err := json.Unmarshal(answer.Structured, &structured); err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(answer.Text(), "\n")
		if want := "first_fetch_id=" + structured.Results[0].ID; !strings.HasSuffix(first, want) {
			t.Errorf("%q does not end with %s", first, want)
		}
	}
	if _, answer := f.must(t, "search", arguments{"q": "zzzznothing"}); strings.Contains(answer.Text(), "first_fetch_id") {
		t.Errorf("a handle of nothing: %s", answer.Text())
	}
}

func TestA14LongTextsComeInWindows(t *testing.T) {
	f := open(t)
	id := pdpptest.ConnectionID + "/issues:issue-4"
	data, answer := f.must(t, "fetch", arguments{"id": id, "field": "body", "limit_chars": 60})
	window := data["window"].(map[string]any)
	if window["total_chars"] != 460.0 || window["complete"] != false || window["next_offset_chars"] != 60.0 {
		t.Errorf("%v", window)
	}
	if !strings.Contains(answer.Text(), "characters 0 to 60 of 460") {
		t.Error(answer.Text())
	}
	t.Run("joined windows are the text", func(t *testing.T) {
		text := ""
		call := next{"fetch", arguments{"id": id, "field": "body", "limit_chars": 100}}
		for call.tool != "" {
			data, answer := f.must(t, call.tool, call.args)
			text += data["window"].(map[string]any)["text"].(string)
			call = nextOf(t, answer.Text())
		}
		if want := strings.Repeat("Body of issue 4. The SQLite index overflow happens when the markdown front matter is empty. ", 5); text != want {
			t.Errorf("got %q", text)
		}
	})
	t.Run("around a word", func(t *testing.T) {
		data, _ := f.must(t, "fetch", arguments{"id": id, "field": "body", "q": "overflow", "before_chars": 10, "after_chars": 30})
		if got := data["window"].(map[string]any)["text"]; got != "ite index overflow happens when the markdown fro" {
			t.Errorf("%q", got)
		}
	})
	t.Run("4,096 characters unless asked otherwise, 16,384 at most", func(t *testing.T) {
		f.must(t, "fetch", arguments{"id": id, "field": "body"})
		if limit := f.rs.Last(t, pdpptest.FieldWindow).Query.Get("limit_chars"); limit != "4096" {
			t.Errorf("asked for %s", limit)
		}
		f.untouched(t, func() {
			f.refused(t, tools.CodeValidation, "fetch", arguments{"id": id, "field": "body", "limit_chars": 20000}, "16384")
		})
	})
	t.Run("selectors that do not go together are refused", func(t *testing.T) {
		f.untouched(t, func() {
			for _, more := range []arguments{{"q": "a", "offset_chars": 3}, {"before_chars": 3}, {"expand": "x"}, {"fields": "body"}} {
				more["id"], more["field"] = id, "body"
				f.refused(t, codeWindowSelector, "fetch", more)
			}
			f.refused(t, codeWindowSelector, "fetch", arguments{"id": id, "offset_chars": 3}, "field")
		})
	})
	t.Run("what is no text is a typed error", func(t *testing.T) {
		f.refused(t, "field_not_text", "fetch", arguments{"id": id, "field": "labels"}, "422")
	})
}

func TestA15NothingIsSilentlyDropped(t *testing.T) {
	f := open(t, eraA)
	f.untouched(t, func() {
		for _, name := range toolNames {
			args := arguments{"no_such_argument": 1}
			f.refused(t, tools.CodeValidation, name, args, "no_such_argument")
		}
		for tool, args := range readCalls {
			if tool == "query_records" || tool == "search" {
				large := arguments{"limit": 101}
				for name, value := range args {
					if name != "limit" {
						large[name] = value
					}
				}
				f.refused(t, tools.CodeValidation, tool, large, "maximum is 100")
			}
		}
		for _, filter := range []any{"state=open", "", "filter[state]=open", arguments{}, []string{"state"}, 3, arguments{"filter[state]": "open"}, arguments{"created_at[gte]": "2026"},
			arguments{"state": arguments{}}, arguments{"state": arguments{"like": "o"}}, arguments{"state": []string{"open"}}, arguments{"state": nil}, arguments{"": "x"}} {
			f.refused(t, codeInvalidFilter, "query_records", arguments{"stream": "issues", "filter": filter}, `filter: {"state": "open"`)
		}
		f.refused(t, tools.CodeValidation, "create_event_subscription", arguments{"callback_url": "https://example.org/", "filters": arguments{"stream": "issues"}}, "filters.stream")
	})
	t.Run("the example of the error works", func(t *testing.T) {
		_, answer := f.must(t, "query_records", arguments{"stream": "issues", "count": "exact", "filter": arguments{"state": "open", "created_at": arguments{"gte": "2026-01-01T00:00:00Z"}}})
		if !strings.Contains(answer.Text(), "of 15 records") {
			t.Error(answer.Text())
		}
	})
}

func TestA18DiscoveryIsAnIndex(t *testing.T) {
	f := open(t, eraA)
	data, answer := f.must(t, "schema", nil)
	if len(answer.Structured) > 6000 || data["detail"] != "compact" {
		t.Errorf("%d bytes, detail %v", len(answer.Structured), data["detail"])
	}
	_, answer = f.must(t, "schema", arguments{"stream": "issues"})
	for channel, text := range map[string]string{"text": answer.Text(), "structured output": string(answer.Structured)} {
		if !strings.Contains(text, "r=gte|gt|lte|lt") || !strings.Contains(text, "r=range filter") {
			t.Errorf("the notation comes without its legend in %s:\n%s", channel, text)
		}
	}
	f.untouched(t, func() {
		f.refused(t, tools.CodeMissingField, "schema", arguments{"detail": "full"}, "stream")
	})
	data, _ = f.must(t, "schema", arguments{"detail": "full", "stream": "issue_comments"})
	row := data["connectors"].([]any)[0].(map[string]any)["streams"].([]any)[0].(map[string]any)
	if row["schema"] == nil {
		t.Errorf("full detail without the JSON schema: %v", row)
	}
	t.Run("also of a schema of two megabytes", func(t *testing.T) {
		f.rs.Put(pdpptest.Schema, pdpptest.Override{Body: hugeSchema(400, 60)})
		_, answer := f.must(t, "schema", nil)
		if len(answer.Structured) > maxSchema {
			t.Errorf("%d bytes", len(answer.Structured))
		}
		_, answer = f.must(t, "schema", arguments{"stream": "stream_399"})
		if len(answer.Structured) > 10_000 || !strings.Contains(answer.Text(), "stream_399") {
			t.Errorf("%d bytes: %.300s", len(answer.Structured), answer.Text())
		}
	})
}

// hugeSchema is a schema document of many streams with many fields.
func hugeSchema(streams, fields int) string {
	capabilities := make([]string, fields)
	for i := range capabilities {
		capabilities[i] = fmt.Sprintf(`"a_field_with_a_long_name_%d":"t=string,eq,r=gte|gt|lte|lt,lex,a=count_distinct|group_by"`, i)
	}
	rows := make([]string, streams)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"name":"stream_%d","primary_key":["id"],"cursor_field":"at","field_capabilities":{%s},"expand_capabilities":[]}`, i, strings.Join(capabilities, ","))
	}
	return `{"object":"schema","detail":"compact","connectors":[{"object":"connector","connector_key":"big","streams":[` + strings.Join(rows, ",") +
		`],"granted_connections":[{"connection_id":"cin_big"}]}],"links":{"self":"/v1/schema"},"meta":{"count":{"kind":"none"},"warnings":[]}}`
}

func TestA19TheRestOfTheGroupsIsSeen(t *testing.T) {
	f := open(t)
	data, answer := f.must(t, "aggregate", arguments{"stream": "issues", "metric": "count", "group_by": "state", "limit": 1})
	if data["other_count"] != 15.0 || !strings.Contains(answer.Text(), "other_count=15") {
		t.Errorf("%v\n%s", data, answer.Text())
	}
	data, answer = f.must(t, "aggregate", arguments{"stream": "issues", "metric": "count", "group_by_time": "created_at", "granularity": "week", "limit": 2})
	if data["other_count"] != 19.0 || !strings.Contains(answer.Text(), "other_count=19") || !strings.Contains(answer.Text(), "2026-01-05=7") {
		t.Errorf("%v\n%s", data, answer.Text())
	}
}
