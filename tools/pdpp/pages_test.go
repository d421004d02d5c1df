package pdpp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"issues-index/store/storetest"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/pdpp/pdpptest"
)

func TestChangesArePagedByCursor(t *testing.T) {
	for name, change := range storetest.Few(map[string][]func(*fixture){"both": nil, "text": {inText}}, 1) {
		t.Run(name, func(t *testing.T) {
			f := open(t, change...)
			f.rs.AddHostile()
			for stream, want := range map[string]int{"issues": 30, "issue_comments": 45, pdpptest.HostileStream: 500} {
				ids, last := followed(t, f.Client, "query_records", arguments{"stream": stream, "changes_since": "beginning"})
				once(t, ids, want)
				if query := f.rs.Last(t, pdpptest.Records).Query; query.Has("changes_since") || !query.Has("cursor") {
					t.Errorf("the last page of %s was asked for with %v", stream, query)
				}
				bookmark := regexp.MustCompile(`next_changes_since=(\S+)`).FindStringSubmatch(last)
				if bookmark == nil {
					t.Fatalf("the last page has no bookmark: %s", last)
				}
				if ids, _ := followed(t, f.Client, "query_records", arguments{"stream": stream, "changes_since": bookmark[1]}); len(ids) != 0 {
					t.Errorf("%d changes after all of them", len(ids))
				}
			}
		})
	}
}

func TestOnlyTheLastPageOfChangesHasABookmark(t *testing.T) {
	f := openLetters(t)
	args := arguments{"stream": "messages", "changes_since": "beginning", "limit": 3}
	for page := 1; page <= 3; page++ {
		_, answer := f.must(t, "query_records", args)
		if last := page == 3; strings.Contains(answer.Text(), "next_changes_since=") != last || strings.Contains(noteOf(t, answer), "next_changes_since=") != last {
			t.Errorf("page %d: %s", page, answer.Text())
		}
		args = nextOf(t, answer.Text()).args
	}
}

// An agent that keeps its arguments and adds the cursor is not sent back to the first page.
func TestCursorWinsOverChangesSince(t *testing.T) {
	f := openLetters(t)
	data, _ := f.must(t, "query_records", arguments{"stream": "messages", "changes_since": "beginning", "limit": 3})
	data, answer := f.must(t, "query_records", arguments{"stream": "messages", "changes_since": "beginning", "limit": 3, "cursor": data["next_cursor"]})
	if id := data["data"].([]any)[0].(map[string]any)["id"]; id != "msg-4" || !strings.Contains(answer.Text(), "changes_since was left out") {
		t.Errorf("the page begins with %v: %s", id, answer.Text())
	}
}

// A client that reads only texts and follows their calls gets every record.
func TestPagesHaveEveryRecordOnce(t *testing.T) {
	for _, output := range storetest.FewOf([]tools.Output{tools.OutputBoth, tools.OutputText}, 1) {
		f := open(t, func(f *fixture) { f.output = output })
		f.rs.AddHostile()
		for _, args := range []arguments{nil, {"limit": 100}, {"limit": 100, "fields": "id", "order": "asc", "count": "exact"}} {
			for stream, want := range map[string]int{"issues": 30, pdpptest.HostileStream: 500} {
				call := arguments{"stream": stream}
				for name, value := range args {
					call[name] = value
				}
				t.Run(fmt.Sprintf("%s %v", output, call), func(t *testing.T) {
					ids, _ := followed(t, f.Client, "query_records", call)
					once(t, ids, want)
				})
			}
		}
		ids, _ := followed(t, f.Client, "search", arguments{"q": "overflow", "limit": 100})
		once(t, ids, 30)
	}
}

// A server that ignores the limit has no shorter page: the text gets longer, and when rows
// have to be left out it offers no next page.
func TestPageThatCannotBeShorterHasAllIDs(t *testing.T) {
	page := func(rows, length int) string {
		var list []string
		for i := range rows {
			list = append(list, fmt.Sprintf(`{"id":"%s%03d","stream":"notes","connection_id":"cin_a","data":{"body":%q}}`, strings.Repeat("k", length), i, strings.Repeat("word ", 100)))
		}
		return `{"object":"list","has_more":true,"next_cursor":"c2","data":[` + strings.Join(list, ",") + `]}`
	}
	for _, output := range []tools.Output{tools.OutputBoth, tools.OutputText} {
		f := open(t, func(f *fixture) { f.output = output })
		f.rs.Put(pdpptest.Records, pdpptest.Override{Body: page(60, 20)})
		reply := f.Call(t, "query_records", arguments{"stream": "issues", "limit": 60})
		if text := reply.Text(); strings.Count(text, "\ncin_a/notes:k") != 60 || !strings.Contains(text, `"cursor":"c2"`) {
			t.Errorf("%s: %s", output, text)
		}
		f.rs.Put(pdpptest.Records, pdpptest.Override{Body: page(100, 300)})
		reply = f.Call(t, "query_records", arguments{"stream": "issues", "limit": 100})
		if text := reply.Text(); strings.Contains(text, "Next page") || !strings.Contains(text, "more rows of this answer are left out to fit, and no next page has them: pass fields") {
			t.Errorf("%s: %s", output, text)
		}
		if strings.Contains(string(reply.Structured), "next_cursor") {
			t.Errorf("structured output passes over what is left out: %s", reply.Structured)
		}
	}
}

// With pages switched off, a text that leaves out ids tells how to get them and not how to
// get the page after them.
func TestTextWithoutRoomForIDsLeadsToThem(t *testing.T) {
	settings := answer.Defaults()
	settings.Tools = map[string]answer.Flags{"query_records": {Chunking: true}}
	f := open(t, inText, func(f *fixture) { f.guard = func() *answer.Settings { return settings } })
	f.rs.AddHostile()
	text := f.Call(t, "query_records", arguments{"stream": pdpptest.HostileStream, "limit": 100}).Text()
	if hides, leads := strings.Contains(text, "more ids of this page are left out here: query_records"), strings.Contains(text, "Next page:"); hides == leads {
		t.Errorf("it hides: %v, it leads on: %v: %s", hides, leads, text)
	}
}

// manyHits is a list without a cursor.
func manyHits(rows int) string {
	var list []string
	for i := range rows {
		list = append(list, fmt.Sprintf(`{"object":"search_result","stream":"messages","record_key":"msg-%03d","connection_id":"cin_a04c279a74d7d404a1bc1159","record_url":"/v1/streams/messages/records/msg-%03d",`+
			`"matched_fields":["snippet"],"retrieval_mode":"hybrid","snippet":{"field":"snippet","text":%q},"evidence_excerpts":[{"field_path":"snippet","preview_text":%q}]}`,
			i, i, strings.Repeat("budget ", 40), strings.Repeat("budget ", 60)))
	}
	return `{"object":"list","has_more":true,"data":[` + strings.Join(list, ",") + `],"links":{"self":"/v1/search/hybrid","next":null},"meta":{"count":{"kind":"none"},"warnings":[]}}`
}

func TestASearchWithoutACursorKeepsItsHits(t *testing.T) {
	for _, output := range []tools.Output{tools.OutputBoth, tools.OutputText} {
		for _, test := range []struct {
			mode string
			rows int
		}{{"hybrid", 10}, {"hybrid", 25}, {"hybrid", 80}, {"semantic", 50}} {
			t.Run(fmt.Sprintf("%s, %d of %s", output, test.rows, test.mode), func(t *testing.T) {
				f := open(t, func(f *fixture) { f.output = output })
				f.rs.Put(pdpptest.Hybrid, pdpptest.Override{Body: manyHits(test.rows)})
				f.rs.Put(pdpptest.Semantic, pdpptest.Override{Body: manyHits(test.rows)})
				reply := f.Call(t, "search", arguments{"q": "budget", "mode": test.mode})
				if asked := f.rs.Count(); asked != 1 {
					t.Errorf("%d requests", asked)
				}
				if shown := strings.Count(reply.Text(), "\ncin_a04c279a74d7d404a1bc1159/messages:msg-"); shown != test.rows {
					t.Errorf("the text has %d of %d hits: %s", shown, test.rows, reply.Text())
				}
				if !strings.Contains(reply.Text(), "no cursor to them: pass a larger limit (at most 100), streams or a connection_id, or mode lexical, which has pages.") {
					t.Errorf("got %.600s", reply.Text())
				}
				if output == tools.OutputText {
					return
				}
				within(t, reply)
				var body struct {
					Results []result
				}
				if err := json.Unmarshal(reply.Structured, &body); err != nil || len(body.Results) != test.rows {
					t.Errorf("structured output has %d of %d hits: %v", len(body.Results), test.rows, err)
				}
			})
		}
	}
}

// Hosts that show only the text get the titles of a page whole (P1): the text has the whole budget,
// and pages are as long as it allows.
func TestTextOfAPageHasItsTitlesWhole(t *testing.T) {
	var rows []string
	for i := range 50 {
		title := fmt.Sprintf("Issue %02d has a title of some length, as issues have it", i)
		rows = append(rows, fmt.Sprintf(`{"id":"issue-%02d","stream":"issues","connection_id":"cin_a","data":{"title":%q}}`, i, title))
	}
	f := open(t, inText)
	f.rs.Put(pdpptest.Records, pdpptest.Override{Body: `{"object":"list","has_more":false,"data":[` + strings.Join(rows, ",") + `]}`})
	text := f.Call(t, "query_records", arguments{"stream": "issues", "fields": []string{"title"}, "limit": 50}).Text()
	for i := range 50 {
		if want := fmt.Sprintf("\ncin_a/issues:issue-%02d \"Issue %02d has a title of some length, as issues have it\"", i, i); !strings.Contains(text, want) {
			t.Fatalf("%q is not in %d bytes: %s", want, len(text), text)
		}
	}
}

// A hybrid search without a limit shows every hit with what matched, in both channels (P2).
func TestHitsOfAHybridSearchKeepTheirContent(t *testing.T) {
	f := open(t)
	f.rs.Put(pdpptest.Hybrid, pdpptest.Override{Body: manyHits(25)})
	data, reply := f.must(t, "search", arguments{"q": "budget", "mode": "hybrid"})
	within(t, reply)
	rows := data["data"].([]any)
	for _, row := range rows {
		if hit := row.(map[string]any); hit["record_key"] == nil || hit["stream"] != "messages" || hit["connection_id"] == nil {
			t.Errorf("a hit is %v", hit)
		}
	}
	if previews := strings.Count(reply.Text(), " snippet: budget budget"); len(rows) != 25 || previews != 25 {
		t.Errorf("%d rows, %d previews: %s", len(rows), previews, reply.Text())
	}
}

// A list of two connections has no pages.
func TestRecordsOfSeveralConnectionsAreAllShown(t *testing.T) {
	var list []string
	for i := range 37 {
		list = append(list, fmt.Sprintf(`{"id":"r%02d","stream":"notes","connection_id":"cin_%d","data":{"body":%q}}`, i, i%2, strings.Repeat("word ", 100)))
	}
	f := open(t)
	f.rs.Put(pdpptest.Records, pdpptest.Override{Body: `{"object":"list","has_more":true,"data":[` + strings.Join(list, ",") + `]}`})
	data, reply := f.must(t, "query_records", arguments{"stream": "issues"})
	within(t, reply)
	if rows := data["data"].([]any); len(rows) != 37 || strings.Count(reply.Text(), "\ncin_") != 37 || !strings.Contains(reply.Text(), "pass a connection_id, with which there are pages") {
		t.Errorf("%d rows: %s", len(rows), reply.Text())
	}
}

// A page takes one request when its rows have a usual size, and two when they are larger.
// The next page takes one, since its call has the number of rows that fit.
func TestPagesNeedFewRequests(t *testing.T) {
	record := func(size int) string {
		return fmt.Sprintf(`{"object":"record","id":"r1","stream":"notes","connection_id":"cin_a04c279a74d7d404a1bc1159","emitted_at":"2026-01-01T00:00:00.000Z","data":{"body":%q}}`, strings.Repeat("x", size))
	}
	for size, want := range map[int]int{100: 1, 600: 1, 900: 1, 1700: 2, 4000: 2, 20_000: 2} {
		asked := 0
		f := serving(t, func(w http.ResponseWriter, r *http.Request) {
			asked++
			limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
			if err != nil {
				limit = 25
			}
			rows := slices.Repeat([]string{record(size)}, limit)
			fmt.Fprint(w, `{"object":"list","has_more":true,"next_cursor":"`+strings.Repeat("c", 100)+`","data":[`+strings.Join(rows, ",")+`],"links":{"self":"/","next":"/?cursor=`+strings.Repeat("c", 100)+`"},"meta":{"count":{"kind":"none"},"warnings":[]}}`)
		})
		_, reply := f.must(t, "query_records", arguments{"stream": "issues"})
		within(t, reply)
		first := asked
		call := nextOf(t, reply.Text())
		f.must(t, call.tool, call.args)
		following := asked - first
		if first != want || following != 1 {
			t.Errorf("rows of %d bytes: %d requests for the first page, %d for the next", size, first, following)
		}
		before := asked
		f.must(t, "query_records", arguments{"stream": "issues", "limit": 30})
		if again := asked - before; again > 2 {
			t.Errorf("rows of %d bytes: %d requests for a page of thirty", size, again)
		}
	}
}

func TestPagesOfHostileRecordsFit(t *testing.T) {
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
		within(t, answer)
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
		if !strings.Contains(text, "cut") && !strings.Contains(text, "instead of") && !strings.Contains(text, "…") {
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

func TestTextHasEveryHandle(t *testing.T) {
	f := open(t)
	read := func(tool string, args arguments) string { // what a client without structured output sees
		_, answer := f.must(t, tool, args)
		return answer.Text()
	}
	discovered := strings.Fields(strings.Split(read("list_streams", nil), "\n")[1])
	fields := read("schema", arguments{"stream": discovered[0]})
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

func TestSearchTextBeginsWithTheFirstID(t *testing.T) {
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

// A list without a cursor is made to fit by work that grows with its rows, and not with their square:
// 500 rows took seconds. Work is counted in what a row allocates: about 1,200 to 2,400 times, and up
// to 240 KB.
func TestManyRowsAreMadeToFitByWorkInProportionToThem(t *testing.T) {
	for _, rows := range []int{125, 1000} {
		f := open(t)
		list := make([]string, rows)
		for i := range list {
			list[i] = fmt.Sprintf(`{"id":"note-%d","stream":"notes","connection_id":"cin_a","record_url":"/notes/%d","snippet":{"field":"title","text":%q},"data":{"body":%q,"title":%q,"place":%q}}`,
				i, i, strings.Repeat("tide ", 30), strings.Repeat("A sentence about the sea. ", 30), strings.Repeat("tale ", 20), strings.Repeat("pier ", 20))
		}
		f.rs.Put(pdpptest.Records, pdpptest.Override{Body: `{"object":"list","has_more":true,"data":[` + strings.Join(list, ",") + `]}`})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		within(t, f.Call(t, "query_records", arguments{"stream": "issues", "limit": 100}))
		runtime.ReadMemStats(&after)
		times, bytes := (after.Mallocs-before.Mallocs)/uint64(rows), (after.TotalAlloc-before.TotalAlloc)/uint64(rows)
		if times > 4000 || bytes > 500_000 {
			t.Errorf("%d rows allocate %d times and %d bytes each", rows, times, bytes)
		}
	}
}
