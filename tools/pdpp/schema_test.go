package pdpp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/pdpp/pdpptest"
)

func TestViewsStandInTheIndexOfASchema(t *testing.T) {
	f := open(t)
	const row = `{"name":"issues","views":[{"name":"basic","fields":["id"]},"wide",{"id":"third"}],"field_capabilities":{"a":"declared"},"schema":{"description":"`
	f.rs.Put(pdpptest.Schema, pdpptest.Override{Body: `{"object":"schema","connectors":[{"streams":[` + row + strings.Repeat("long ", 4000) + `"}}]}]}`})
	_, answer := f.must(t, "schema", arguments{"stream": "issues", "detail": "full"})
	if !strings.Contains(answer.Text(), `"views":[{"name":"basic","fields":["id"]},"wide",{"id":"third"}]`) || !strings.Contains(string(answer.Structured), `"views":[{"name":"basic","fields":["id"]},"wide",{"id":"third"}]`) {
		t.Errorf("%s\n%s", answer.Text(), answer.Structured)
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
		if !strings.Contains(reply.Text(), "The grant covers none") || !strings.Contains(reply.Text(), "Warning w: m\nWarning w:\nWarning w:\nand 2 more warnings") {
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
		says     []string
	}{
		"of many streams": {schemaOf(60, 30, `"t=string,eq"`), nil, []string{
			"of 60 of 60 streams and without fields", `"stream_059"]`, `"connector_key":"k","connections":[{"connection_id":"cin_a","display_name":"Of Ada"}]`,
		}},
		"of very many streams": {schemaOf(2000, 3, `"t=string,eq"`), nil, []string{"of 400 of 2000 streams", "or a connection_id"}},
		"of one stream": {schemaOf(1, 150, `"t=string,eq,r=gte|gt|lte|lt,lex"`), arguments{"stream": "stream_000"}, []string{
			"of 150 of 150 fields by what they can do", `"t=string,eq,r=gte|gt|lte|lt,lex":["field_000","field_001"`,
			`{"name":"items","target_stream":"t","cardinality":"has_many","default_limit":5,"max_limit":20}`, "Field notation",
		}},
		"of one very wide stream": {schemaOf(1, 3000, `"declared"`), arguments{"stream": "stream_000"}, []string{
			"of 400 of 3000 fields", "Every field says declared",
		}},
		"of one stream, in full": {schemaOf(1, 100, detail), arguments{"stream": "stream_000", "detail": "full"}, []string{
			`schema {"stream":"stream_000","detail":"full","fields":["field_000","field_001"]}`, `"field_099"`,
		}},
		"of some of its many fields": {schemaOf(1, 100, detail), arguments{"stream": "stream_000", "detail": "full", "fields": []string{"field_007"}}, []string{
			`"schema":{"properties":{"field_007":{`,
		}},
		"of a field that is too wide": {schemaOf(1, 2, `{"schema":{"description":"`+strings.Repeat("long ", 5000)+`"}}`),
			arguments{"stream": "stream_000", "detail": "full", "fields": "field_001"}, []string{"is too large", "one at a time"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t)
			f.rs.Put(pdpptest.Schema, pdpptest.Override{Body: test.document})
			_, reply := f.must(t, "schema", test.args)
			within(t, reply)
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

func TestSchemaWithoutCapabilitiesDoesNotContradictItself(t *testing.T) {
	_, answer := open(t).must(t, "schema", arguments{"stream": "issues"})
	_, said, declared := strings.Cut(answer.Text(), "Every field says declared")
	refused, allowed, found := strings.Cut(said, "It may use")
	if !declared || !found || strings.Contains(refused, "sort") || !strings.Contains(allowed, "sort") {
		t.Errorf("got %s", answer.Text())
	}
}

func TestSchemaIsAnIndex(t *testing.T) {
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
		within(t, answer)
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

func TestStreamsOfASchemaDocument(t *testing.T) {
	const row = `{"name":"issues","expand_capabilities":[{"name":"comments_list"}]}`
	const connectors = `"connectors":[{"connector_key":"github","granted_connections":[{"connection_id":"cin_a"}],"streams":[` + row + `]}]`
	for name, document := range map[string]string{
		"under their connectors, as the real server has them": pdpptest.Recorded("schema_compact_owner"),
		"under connectors":          `{` + connectors + `}`,
		"at the top":                `{"streams":[` + row + `]}`,
		"in data, under connectors": `{"data":{` + connectors + `}}`,
		"in data":                   `{"data":{"streams":[` + row + `]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			rows := streamsNamed(json.RawMessage(document), "issues", "")
			if len(rows) != 1 {
				t.Fatalf("found %d rows", len(rows))
			}
			if names, named := rows[0].relations(); !named || !slices.Equal(names, []string{"comments_list"}) {
				t.Errorf("found %v, %t", names, named)
			}
			if other := streamsNamed(json.RawMessage(document), "nope", ""); len(other) != 0 {
				t.Errorf("found %v of a stream that there is not", other)
			}
		})
	}
}

func TestConnectionSelectsTheStream(t *testing.T) {
	document := json.RawMessage(`{"connectors":[
		{"connector_id":"a","granted_connections":[{"connection_id":"cin_a"}],"streams":[{"name":"issues","expand_capabilities":["one"]}]},
		{"connector_id":"b","connection_id":"cin_b","streams":[{"name":"issues"}]},
		{"connector_id":"c","streams":[{"name":"issues","connection_id":"cin_c","granted_connections":[{"connection_id":"cin_d"}]}]}]}`)
	for connection, want := range map[string][]string{
		"cin_a": {"a"}, "cin_b": {"b"}, "cin_c": {"c"}, "cin_d": {"c"}, "cin_e": nil, "": {"a", "b", "c"},
	} {
		var got []string
		for _, row := range streamsNamed(document, "issues", connection) {
			got = append(got, row.Connector)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: rows of %v, want %v", connection, got, want)
		}
	}
}

func TestRelationWithoutANameIsLeftToTheServer(t *testing.T) {
	for _, relation := range []string{`{}`, `7`, `""`, `{"name":""}`} {
		row := streamSchema{Expand: json.RawMessage(`[` + relation + `]`)}
		if names, named := row.relations(); named {
			t.Errorf("%s: %v", relation, names)
		}
	}
}

func TestUnreadableSchemaHasNoStreams(t *testing.T) {
	for _, document := range []string{``, `[]`, `{"connectors":7}`, `null`} {
		if rows := streamsNamed(json.RawMessage(document), "issues", ""); len(rows) != 0 {
			t.Errorf("%s: %v", document, rows)
		}
	}
}
