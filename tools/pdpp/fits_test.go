package pdpp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/tools/answer"
	"issues-index/tools/pdpp/pdpptest"
	"issues-index/tools/toolstest"
)

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

func TestARecordThatIsTooLarge(t *testing.T) {
	body := strings.Repeat("All work and no play. ", 1500)
	record := `{"object":"record","id":"r1","stream":"issues","connection_id":"cin_a","data":{"body":` + string(encode(body)) +
		`,"short":"kept","tree":` + string(encode(strings.Split(body, " "))) + `},"expanded":{"all":` + string(encode(strings.Split(body, " "))) + `},"meta":{"warnings":[]}}`
	const call = `fetch {"id":"cin_a/issues:r1","field":"body"} reads one of them in windows`

	f := open(t)
	f.rs.Put(pdpptest.Records, pdpptest.Override{Body: `{"object":"list","has_more":true,"next_cursor":"c2","data":[` + record + `],"meta":{"warnings":[]}}`})
	f.rs.Put(pdpptest.RecordOf, pdpptest.Override{Body: record})
	for tool, args := range map[string]arguments{
		"query_records": {"stream": "issues", "limit": 1}, "fetch": {"id": "cin_a/issues:r1"},
	} {
		t.Run(tool, func(t *testing.T) {
			data, reply := f.must(t, tool, args)
			within(t, reply)
			note := noteOf(t, reply)
			for _, words := range []string{call, "Cut to fit: body.", "Left out to fit: tree, expanded."} {
				if !strings.Contains(note, words) || !strings.Contains(reply.Text(), words) {
					t.Errorf("%q is not in the note %q or the text", words, note)
				}
			}
			whole := string(encode(data))
			if !strings.Contains(whole, "characters)") || !strings.Contains(whole, `"short":"kept"`) {
				t.Errorf("got %s", whole)
			}
			if tool == "query_records" && (data["next_cursor"] != "c2" || data["has_more"] != true) {
				t.Errorf("the page lost how to go on: %s", whole)
			}
		})
	}
}

func TestAHitThatIsTooLarge(t *testing.T) {
	f := open(t)
	f.rs.Put(pdpptest.Search, pdpptest.Override{Body: `{"object":"list","has_more":false,"data":[{"stream":"issues","record_key":"r1","evidence_excerpts":[{"field_path":"body","preview_text":"` +
		strings.Repeat("word ", 4000) + `"}]}]}`})
	data, reply := f.must(t, "search", arguments{"q": "word"})
	within(t, reply)
	if strings.Contains(string(encode(data)), "evidence") || !strings.Contains(reply.Text(), "evidence_excerpts are left out") ||
		!strings.Contains(reply.Text(), "issues:r1 body: word word") {
		t.Errorf("got %s\n%s", reply.Text(), encode(data))
	}
}

func TestAHitWithoutAText(t *testing.T) {
	f := open(t)
	f.rs.Put(pdpptest.Search, pdpptest.Override{Body: `{"object":"list","has_more":true,"data":[{"stream":"issues","record_key":"r1"}],"meta":{"count":{"kind":"estimated","value":9}}}`})
	_, reply := f.must(t, "search", arguments{"q": "word"})
	for _, words := range []string{"1 of 9 (estimated) hits. first_fetch_id=issues:r1", "issues:r1 (metadata only)", "no cursor"} {
		if !strings.Contains(reply.Text(), words) {
			t.Errorf("%q is not in %s", words, reply.Text())
		}
	}
}

func TestManyStreams(t *testing.T) {
	var rows []string
	for i := range 400 {
		rows = append(rows, fmt.Sprintf(`{"name":"stream_%03d","record_count":%d,"connection_id":"cin_a","display_name":"Of Ada","connector_key":"k","last_updated":"2026-01-01T00:00:00Z"}`, i, i))
	}
	f := open(t)
	f.rs.Put(pdpptest.Streams, pdpptest.Override{Body: `{"object":"list","has_more":false,"data":[` + strings.Join(rows, ",") + `]}`})
	_, reply := f.must(t, "list_streams", nil)
	within(t, reply)
	if !strings.Contains(reply.Text(), "400 streams.") || !strings.Contains(reply.Text(), "connection_id for its streams alone") {
		t.Errorf("got %.300s", reply.Text())
	}

	t.Run("none", func(t *testing.T) {
		f.rs.Put(pdpptest.Streams, pdpptest.Override{Body: `{"object":"list","data":[],"meta":{"warnings":[{"code":"w","message":"m"},{"code":"w"},{"code":"w"},{"code":"w"},{"code":"w"}]}}`})
		_, reply := f.must(t, "list_streams", arguments{"connection_id": "cin_a"})
		if !strings.Contains(reply.Text(), "covers no stream") || !strings.Contains(reply.Text(), "Warning w: m\nWarning w:\nWarning w:\nand 2 more warnings") {
			t.Errorf("got %s", reply.Text())
		}
	})
}

// schemaOf makes a schema document of so many streams, each with so many fields of
// this capability.
func schemaOf(streams, fields int, capability string) string {
	var rows []string
	for i := range streams {
		var list []string
		for j := range fields {
			list = append(list, fmt.Sprintf(`"field_%03d":%s`, j, capability))
		}
		rows = append(rows, fmt.Sprintf(`{"name":"stream_%03d","field_capabilities":{%s},"schema":{"properties":{%s}},"expand_capabilities":[{"name":"items","target_stream":"t","cardinality":"has_many","default_limit":5,"max_limit":20}]}`,
			i, strings.Join(list, ","), strings.Join(list, ",")))
	}
	return `{"object":"schema","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"cin_a","display_name":"Of Ada"}],"streams":[` + strings.Join(rows, ",") + `]}]}`
}

func TestALargeSchema(t *testing.T) {
	const detail = `{"granted":true,"exact_filter":{"declared":true,"usable":true},"range_filter":{"declared":true,"usable":false},"aggregation":{"sum":{"usable":true}}}`
	for name, test := range map[string]struct {
		document string
		args     arguments
		most     int // bytes of structured output
		says     []string
	}{
		"of many streams":             {schemaOf(60, 30, `"t=string,eq"`), nil, maxSchema, []string{"an index here, without fields", "stream_049 connector_key=k connection_id=cin_a 'Of Ada' 30 fields, expands items", "Streams by name: stream_050"}},
		"of very many streams":        {schemaOf(2000, 3, `"t=string,eq"`), nil, maxSchema, []string{"150 of 2000 stream names", "Pass a connection_id"}},
		"of one stream":               {schemaOf(1, 150, `"t=string,eq,r=gte|gt|lte|lt,lex"`), arguments{"stream": "stream_000"}, maxStreamSchema, []string{"grouped by what they can do", "t=string,eq,r=gte|gt|lte|lt,lex: field_000 field_001", "relation items to t has_many, expand_limit 5 by default, at most 20", "Field notation"}},
		"of one very wide stream":     {schemaOf(1, 3000, `"declared"`), arguments{"stream": "stream_000"}, maxStreamSchema, []string{"names of fields here, at most 150", "Every field says declared"}},
		"of one stream, in full":      {schemaOf(1, 100, detail), arguments{"stream": "stream_000", "detail": "full"}, maxSchema, []string{`schema {"stream":"stream_000","detail":"full","fields":["field_000","field_001"]}`, "field_000[exact_filter,sum]"}},
		"of some of its many fields":  {schemaOf(1, 100, detail), arguments{"stream": "stream_000", "detail": "full", "fields": []string{"field_007"}}, maxStreamSchema, []string{`"schema":{"properties":{"field_007":{`}},
		"of a field that is too wide": {schemaOf(1, 2, `{"schema":{"description":"`+strings.Repeat("long ", 5000)+`"}}`), arguments{"stream": "stream_000", "detail": "full", "fields": "field_001"}, maxSchema, []string{"of these fields is too large", "one at a time"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t)
			f.rs.Put(pdpptest.Schema, pdpptest.Override{Body: test.document})
			_, reply := f.must(t, "schema", test.args)
			within(t, reply)
			if len(reply.Structured) > test.most {
				t.Errorf("structured output of %d bytes, over %d", len(reply.Structured), test.most)
			}
			for _, words := range test.says {
				if !strings.Contains(reply.Text(), words) {
					t.Errorf("%q is not in %.1500s", words, reply.Text())
				}
			}
		})
	}
	t.Run("that covers nothing", func(t *testing.T) {
		f := open(t)
		f.rs.Put(pdpptest.Schema, pdpptest.Override{Body: `{"object":"schema","connectors":[]}`})
		_, reply := f.must(t, "schema", nil)
		if !strings.Contains(reply.Text(), "covers no stream") {
			t.Errorf("got %s", reply.Text())
		}
	})
}

func TestManyGroups(t *testing.T) {
	groups := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"key":"%s %d","count":1}`, strings.Repeat("k", 300), i))
		}
		return fmt.Sprintf(`{"object":"aggregation","metric":"count","stream":"issues","group_by":"k","groups":[%s],"limit":%d,"other_count":%d,"meta":{"warnings":[]}}`, strings.Join(list, ","), n, 1000-n)
	}
	f := open(t)
	f.rs.Put(pdpptest.Aggregate, pdpptest.Override{Body: groups(100), Times: 1})
	f.rs.Clear(pdpptest.BlobOf)
	_, reply := f.must(t, "aggregate", arguments{"stream": "issues", "metric": "count", "group_by": "state", "limit": 100})
	within(t, reply)
	if limit := f.rs.Last(t, pdpptest.Aggregate).Query.Get("limit"); limit != "50" || !strings.Contains(reply.Text(), "other_count=") {
		t.Errorf("asked for %s groups again: %s", limit, reply.Text())
	}
}

// A summary has its length, and of the ids in it none is cut.
func TestSummaries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 100).Draw(t, "rows")
		long := rapid.IntRange(1, 120).Draw(t, "id")
		rows := make([]preview, n)
		ids := map[string]bool{}
		for i := range rows {
			id := fmt.Sprintf("cin_a/s:%s%03d", strings.Repeat("x", long), i)
			ids[id] = true
			rows[i] = preview{id, strings.Repeat("wört ", rapid.IntRange(0, 200).Draw(t, "text"))}
		}
		head := []string{"Head.", strings.Repeat("h", rapid.IntRange(0, 700).Draw(t, "head"))}
		first := ""
		if n > 0 {
			first = rows[0].id
		}
		text, hidden := summarize(head, rows, first, false, func(fit int) string { return fmt.Sprintf("query_records {\"limit\":%d} has shorter pages.", fit) })
		if len(text) > maxSummary {
			t.Fatalf("%d bytes: %s", len(text), text)
		}
		shown := 0
		for _, line := range strings.Split(text, "\n")[2:] {
			id, _, _ := strings.Cut(line, " ")
			if strings.HasPrefix(id, "cin_a/") {
				shown++
				if !ids[id] {
					t.Fatalf("%s is no id", id)
				}
			}
		}
		if hidden != n-shown {
			t.Fatalf("%d of %d ids are hidden, not %d: %s", n-shown, n, hidden, text)
		}
		if shown < n && !strings.Contains(text, fmt.Sprintf("%d more ids of this page are left out here: query_records", n-shown)) {
			t.Fatalf("%d of %d ids, and the rest is not said: %s", shown, n, text)
		}
	})
}

// Though its cursor and its id are long, a page of one row has that row: no call is
// smaller, and whoever reads the text alone would ask for it for ever.
func TestThePageOfOneRowHasIt(t *testing.T) {
	for _, length := range []int{10, 300, 800} {
		id, cursor := strings.Repeat("i", length), strings.Repeat("c", length)
		f := answering(t, 200, `{"object":"list","has_more":true,"next_cursor":"`+cursor+`","data":[{"id":"`+id+`","stream":"notes","record_key":"`+id+`","data":{"body":"words"}}]}`)
		for tool, args := range map[string]arguments{"query_records": {"stream": "notes", "limit": 1}, "search": {"q": "x", "limit": 1}} {
			_, reply := f.must(t, tool, args)
			if !strings.Contains(reply.Text(), "\nnotes:"+id) || !strings.Contains(reply.Text(), `"cursor":"`+cursor+`"`) || strings.Contains(reply.Text(), "more ids of this page") {
				t.Errorf("%s, %d: %d bytes: %.100s", tool, length, len(reply.Text()), reply.Text())
			}
		}
	}
}
