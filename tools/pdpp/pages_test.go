package pdpp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/pdpp/pdpptest"
)

// Texts name all records of a page, so that whoever follows them, and sees nothing else,
// misses none.
func TestNoNextPagePassesARecordOver(t *testing.T) {
	for _, output := range []tools.Output{tools.OutputBoth, tools.OutputText} {
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

// A server that gives more than it is asked for has no shorter page: the text is longer
// then, and where even that has no room it leads to no next page.
func TestAPageThatCannotBeShorterHasAllItsIDs(t *testing.T) {
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

// Where an operator has switched pages off, ids that a text has no room for lead to
// themselves, and not to the page after them.
func TestATextThatHidesIDsLeadsToThem(t *testing.T) {
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
		}{{"hybrid", 10}, {"hybrid", 25}, {"hybrid", 100}, {"semantic", 50}} {
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
					Results []searchResult
				}
				if err := json.Unmarshal(reply.Structured, &body); err != nil || len(body.Results) != test.rows {
					t.Errorf("structured output has %d of %d hits: %v", len(body.Results), test.rows, err)
				}
			})
		}
	}
}

// Two connections of which none is named have one list, and no way to its rest.
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

// What a call costs the server is one request where one is enough, and two where the rows
// are larger than usual; the next page is told how many fit.
func TestHowOftenTheServerIsAsked(t *testing.T) {
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
