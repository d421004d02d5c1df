package pdpp

import (
	"encoding/json"
	"slices"
	"testing"

	"issues-index/tools/pdpp/pdpptest"
)

func TestStreamsAreFoundWhereverTheyStand(t *testing.T) {
	const row = `{"name":"issues","expand_capabilities":[{"name":"comments_list"}]}`
	const connectors = `"connectors":[{"connector_key":"github","granted_connections":[{"connection_id":"cin_a"}],"streams":[` + row + `]}]`
	for name, document := range map[string]string{
		"under their connectors, as the real server has them": pdpptest.Recorded("schema_compact_owner"),
		"under connectors":           `{` + connectors + `}`,
		"at the top":                 `{"streams":[` + row + `]}`,
		"in data, under connectors":  `{"data":{` + connectors + `}}`,
		"in data":                    `{"data":{"streams":[` + row + `]}}`,
		"relations that are strings": `{"streams":[{"name":"issues","expand_capabilities":["comments_list"]}]}`,
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

func TestTheConnectionPicksTheRow(t *testing.T) {
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

func TestARelationWhoseNameCannotBeToldIsLeftToTheServer(t *testing.T) {
	for _, relation := range []string{`{}`, `7`, `""`, `{"name":""}`} {
		row := streamSchema{Expand: json.RawMessage(`[` + relation + `]`)}
		if names, named := row.relations(); named {
			t.Errorf("%s: %v", relation, names)
		}
	}
}

func TestADocumentThatCannotBeReadHasNoRows(t *testing.T) {
	for _, document := range []string{``, `[]`, `{"connectors":7}`, `null`} {
		if rows := streamsNamed(json.RawMessage(document), "issues", ""); len(rows) != 0 {
			t.Errorf("%s: %v", document, rows)
		}
	}
}
