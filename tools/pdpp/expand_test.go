package pdpp

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"issues-index/tools/pdpp/pdpptest"
)

// The two recorded schema documents have their streams under connectors, as the real
// server sends them: a client's of issues advertises no relation, the owner's has
// comments_list on issues and none on issue_comments.
const (
	advertisesNone = "schema_compact_stream"
	advertisesSome = "schema_compact_owner"
)

// expansions are the ways to ask for related records, of either tool, of a stream's
// record, and of a relation.
func expansions(stream, record, relation string) map[string]next {
	id := stream + ":" + record
	return map[string]next{
		"query_records":                                        {"query_records", arguments{"stream": stream, "limit": 1, "expand": []string{relation}}},
		"query_records, a lone string":                         {"query_records", arguments{"stream": stream, "limit": 1, "expand": relation}},
		"query_records with a connection":                      {"query_records", arguments{"stream": stream, "limit": 1, "expand": relation, "connection_id": pdpptest.ConnectionID}},
		"query_records, expand_limit alone":                    {"query_records", arguments{"stream": stream, "limit": 1, "expand_limit": arguments{relation: 2}}},
		"query_records, expand_limit alone, with a connection": {"query_records", arguments{"stream": stream, "limit": 1, "expand_limit": arguments{relation: 2}, "connection_id": pdpptest.ConnectionID}},
		"fetch":                                   {"fetch", arguments{"id": id, "expand": []string{relation}}},
		"fetch with a connection":                 {"fetch", arguments{"id": id, "expand": relation, "connection_id": pdpptest.ConnectionID}},
		"fetch by a whole id":                     {"fetch", arguments{"id": pdpptest.ConnectionID + "/" + id, "expand": relation}},
		"fetch, expand_limit alone":               {"fetch", arguments{"id": id, "expand_limit": arguments{relation: 2}}},
		"fetch by a whole id, expand_limit alone": {"fetch", arguments{"id": pdpptest.ConnectionID + "/" + id, "expand_limit": arguments{relation: 2}}},
	}
}

// scoped fails the test unless the schema was asked for the stream, and for the
// connection if the call has one.
func scoped(t *testing.T, f *fixture, stream string, call next) {
	t.Helper()
	query := f.rs.Last(t, pdpptest.Schema).Query
	connection, _ := call.args["connection_id"].(string)
	if id, _ := call.args["id"].(string); strings.HasPrefix(id, "cin_") {
		connection = pdpptest.ConnectionID
	}
	if query.Get("stream") != stream || query.Get("connection_id") != connection {
		t.Errorf("the schema was asked for with %v", query)
	}
}

func TestExpandIsRefusedWhenTheSchemaAdvertisesNone(t *testing.T) {
	for name, call := range expansions("issues", "issue-3", "comments_list") {
		t.Run(name, func(t *testing.T) {
			f := open(t, eraA)
			f.rs.Put(pdpptest.Schema, pdpptest.Override{Body: pdpptest.Recorded(advertisesNone)})
			f.refused(t, codeInvalidExpand, call.tool, call.args, "'issues'", "'comments_list'", "GET /v1/schema", "expand_capabilities")
			if reads, schemas := f.recordReads(), f.rs.Count(pdpptest.Schema); reads != 0 || schemas != 1 {
				t.Errorf("%d requests for records and %d for the schema", reads, schemas)
			}
			scoped(t, f, "issues", call)
		})
	}
}

func TestExpandIsSentWhenTheSchemaAdvertisesIt(t *testing.T) {
	for name, call := range expansions("issues", "issue-3", "comments_list") {
		t.Run(name, func(t *testing.T) {
			f := open(t, eraA)
			f.rs.Put(pdpptest.Schema, pdpptest.Override{Body: pdpptest.Recorded(advertisesSome)})
			answer := f.Call(t, call.tool, call.args)
			if limitAlone := call.args["expand"] == nil; answer.IsError != limitAlone {
				t.Errorf("%s", answer.Text()) // of a limit without a relation the server decides
			}
			if reads := f.recordReads(); reads != 1 {
				t.Errorf("%d requests for records", reads)
			}
			scoped(t, f, "issues", call)
		})
	}
}

// A relation that is not advertised is refused though others are: the server would
// refuse it too, later and with less to say.
func TestExpandRefusesAnotherRelation(t *testing.T) {
	for name, call := range expansions("issues", "issue-3", "reactions") {
		t.Run(name, func(t *testing.T) {
			f := open(t, eraA)
			f.refused(t, codeInvalidExpand, call.tool, call.args, "'issues'", "'reactions'", "comments_list")
			if reads := f.recordReads(); reads != 0 {
				t.Errorf("%d requests for records", reads)
			}
		})
	}
}

func TestExpandFollowsTheSchemaBetweenCalls(t *testing.T) {
	for name, call := range expansions("issues", "issue-3", "comments_list") {
		if call.args["expand"] == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			f := open(t, eraA)
			f.must(t, call.tool, call.args)
			f.rs.SetExpand(pdpptest.ConnectionID, false)
			f.refused(t, codeInvalidExpand, call.tool, call.args)
			if reads := f.recordReads(); reads != 1 {
				t.Errorf("%d requests for records before the relation came back", reads)
			}
			f.rs.SetExpand(pdpptest.ConnectionID, true)
			f.must(t, call.tool, call.args)
			if reads, schemas := f.recordReads(), f.rs.Count(pdpptest.Schema); reads != 2 || schemas != 3 {
				t.Errorf("%d requests for records and %d for the schema", reads, schemas)
			}
		})
	}
}

// refusing is a transport to which nothing listens where the schema is.
type refusing struct{ http.RoundTripper }

func (r refusing) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Path == "/v1/schema" {
		return nil, syscall.ECONNREFUSED
	}
	return r.RoundTripper.RoundTrip(request)
}

func TestExpandIsSentWhenTheSchemaCannotBeRead(t *testing.T) {
	unavailable := map[string]func(*fixture){
		"the schema answers 503":            func(f *fixture) { f.rs.Put(pdpptest.Schema, pdpptest.Override{Status: http.StatusServiceUnavailable}) },
		"the schema refuses the connection": func(f *fixture) { f.options.Transport = refusing{http.DefaultTransport} },
		"the schema cuts the connection":    func(f *fixture) { f.rs.Put(pdpptest.Schema, pdpptest.Override{Cut: true}) },
		"the schema does not know the stream": func(f *fixture) {
			f.rs.Put(pdpptest.Schema, pdpptest.Override{Body: pdpptest.Recorded("schema_unknown_stream")})
		},
		"the schema is no JSON":            func(f *fixture) { f.rs.Put(pdpptest.Schema, pdpptest.Override{Body: "<html>"}) },
		"the schema is of another form":    func(f *fixture) { f.rs.Put(pdpptest.Schema, pdpptest.Override{Body: `{"connectors":"many"}`}) },
		"the schema is not for this token": func(f *fixture) { f.rs.Put(pdpptest.Schema, pdpptest.Override{Status: http.StatusUnauthorized}) },
	}
	for name, fail := range unavailable {
		t.Run(name, func(t *testing.T) {
			for way, call := range expansions("issues", "issue-3", "comments_list") {
				f := open(t, eraA, fail)
				answer := f.Call(t, call.tool, call.args)
				if answer.IsError && call.args["expand"] != nil {
					t.Errorf("%s: %s", way, answer.Text())
				}
				if reads := f.recordReads(); reads != 1 {
					t.Errorf("%s: %d requests for records", way, reads)
				}
			}
		})
	}
	t.Run("and what the server says of the relation reaches the client", func(t *testing.T) {
		f := open(t, eraA, unavailable["the schema answers 503"])
		answer := f.refused(t, codeInvalidExpand, "query_records", arguments{"stream": "issues", "expand": "bogus"}, "Unsupported expand relation 'bogus' on 'issues'")
		if answer.Meta.Error.Upstream == nil || f.recordReads() != 1 {
			t.Errorf("%+v after %d requests for records", answer.Meta.Error, f.recordReads())
		}
	})
}

func TestSchemaIsNotReadWithoutExpand(t *testing.T) {
	f := open(t, eraA)
	f.must(t, "query_records", arguments{"stream": "issues", "limit": 1})
	f.must(t, "fetch", arguments{"id": "issues:issue-1"})
	f.must(t, "query_records", arguments{"stream": "issues", "limit": 1, "expand": []string{}})
	if schemas := f.rs.Count(pdpptest.Schema); schemas != 0 {
		t.Errorf("the schema was asked for %d times", schemas)
	}
}

// A limit that is no number of records never reaches the server.
func TestExpandLimitIsChecked(t *testing.T) {
	f := open(t, eraA)
	f.untouched(t, func() {
		for _, limit := range []any{arguments{"comments_list": 0}, arguments{"comments_list": "many"}, arguments{"a[b]": 1}, arguments{}} {
			f.refused(t, codeInvalidExpand, "query_records", arguments{"stream": "issues", "expand": "comments_list", "expand_limit": limit})
		}
	})
}

// What of a schema has a form of its own, elsewhere in it or in the row, does not open
// the gate; only where the relations themselves cannot be told is it the server's turn.
func TestExpandWithSchemasOfOtherForms(t *testing.T) {
	for name, test := range map[string]struct {
		schema string
		open   bool
	}{
		"another stream's fields are a list": {`{"connectors":[{"streams":[{"name":"x","field_capabilities":["a"]},{"name":"issues","field_capabilities":[],"expand_capabilities":[]}]}]}`, false},
		"a connector's id is a number":       {`{"connectors":[{"connector_id":5,"streams":[{"name":"issues","expand_capabilities":[]}]}]}`, false},
		"the relations are null":             {`{"streams":[{"name":"issues","expand_capabilities":null}]}`, false},
		"there is no word of relations":      {`{"streams":[{"name":"issues"}]}`, false},
		"the relations are an object":        {`{"streams":[{"name":"issues","expand_capabilities":{"comments_list":{}}}]}`, true},
		"a relation has no name":             {`{"streams":[{"name":"issues","expand_capabilities":[{"relation":"comments_list"}]}]}`, true},
		"the streams are an object":          {`{"connectors":[{"streams":{"issues":{}}}]}`, true},
		"the connection is another":          {`{"connectors":[{"granted_connections":["cin_other"],"streams":[{"name":"issues","expand_capabilities":[]}]}]}`, true},
	} {
		f := open(t, eraA)
		f.rs.Put(pdpptest.Schema, pdpptest.Override{Body: test.schema})
		for _, call := range []next{
			{"query_records", arguments{"stream": "issues", "limit": 1, "expand": "comments_list", "connection_id": pdpptest.ConnectionID}},
			{"fetch", arguments{"id": pdpptest.ConnectionID + "/issues:issue-3", "expand": "comments_list", "expand_limit": arguments{"comments_list": 1}}},
		} {
			before := f.recordReads()
			if test.open {
				f.must(t, call.tool, call.args)
			} else {
				f.refused(t, codeInvalidExpand, call.tool, call.args, "'issues'", "expand_capabilities")
			}
			if reads := f.recordReads() - before; (reads == 1) != test.open {
				t.Errorf("%s, %s: %d requests for records", name, call.tool, reads)
			}
		}
	}
}

func TestStreamsAreFoundWhereverASchemaHasThem(t *testing.T) {
	const row = `{"name":"issues","field_capabilities":{"id":"declared"},"expand_capabilities":[]}`
	for form, body := range map[string]string{
		"recorded, compact":       pdpptest.Recorded("schema_compact_stream"),
		"recorded, full":          pdpptest.Recorded("schema_full"),
		"nested under connectors": `{"object":"schema","connectors":[{"connector_key":"github","streams":[` + row + `]}]}`,
		"at the top":              `{"object":"schema","streams":[` + row + `]}`,
		"wrapped, at the top":     `{"data":{"streams":[` + row + `]}}`,
		"wrapped, nested":         `{"data":{"connectors":[{"streams":[` + row + `]}]}}`,
		"without the member":      `{"streams":[{"name":"issues"}]}`,
	} {
		f := open(t, eraA)
		f.rs.Put(pdpptest.Schema, pdpptest.Override{Body: body})
		f.refused(t, codeInvalidExpand, "query_records", arguments{"stream": "issues", "expand": "comments_list"})
		if f.recordReads() != 0 {
			t.Errorf("%s: records were asked for", form)
		}
		if _, answer := f.must(t, "schema", nil); !strings.Contains(answer.Text(), "issues") {
			t.Errorf("%s: schema does not name the stream: %s", form, answer.Text())
		}
	}
}

func TestExpandDependsOnTheConnection(t *testing.T) {
	f := open(t, eraA)
	f.rs.AddConnection("cin_second", "gitlab", "issues", "issue_comments")
	f.rs.SetExpand("cin_second", false)
	call := func(connection string) next {
		return next{"query_records", arguments{"stream": "issues", "limit": 1, "expand": "comments_list", "connection_id": connection}}
	}
	first, second := call(pdpptest.ConnectionID), call("cin_second")
	f.must(t, first.tool, first.args)
	f.refused(t, codeInvalidExpand, second.tool, second.args)
	f.must(t, "fetch", arguments{"id": pdpptest.ConnectionID + "/issues:issue-3", "expand": "comments_list"})
	f.refused(t, codeInvalidExpand, "fetch", arguments{"id": "cin_second/issues:issue-3", "expand": "comments_list"})
	if reads := f.recordReads(); reads != 2 {
		t.Errorf("%d requests for records", reads)
	}
	t.Run("also where the server does not scope its schema", func(t *testing.T) {
		whole := `{"connectors":[` + connectorOf(pdpptest.ConnectionID, `{"name":"comments_list"}`) + `,` + connectorOf("cin_second", ``) + `]}`
		f.rs.Put(pdpptest.Schema, pdpptest.Override{Body: whole})
		before := f.recordReads()
		f.must(t, first.tool, first.args)
		f.refused(t, codeInvalidExpand, second.tool, second.args)
		if reads := f.recordReads() - before; reads != 1 {
			t.Errorf("%d requests for records, the first connection's is one", reads)
		}
	})
	t.Run("without a connection, what any of them advertises is left to the server", func(t *testing.T) {
		f.rs.Clear(pdpptest.Schema)
		f.refused(t, "ambiguous_connection", "query_records", arguments{"stream": "issues", "expand": "comments_list"})
	})
}

func connectorOf(connection, relations string) string {
	return `{"connector_key":"k","granted_connections":[{"connection_id":"` + connection + `"}],"streams":[{"name":"issues","expand_capabilities":[` + relations + `]}]}`
}

func TestExpandIsForwardedUnchanged(t *testing.T) {
	f := open(t, eraA)
	data, _ := f.must(t, "query_records", arguments{"stream": "issues", "limit": 1, "expand": []string{"comments_list"}, "expand_limit": arguments{"comments_list": 2}})
	asked := f.rs.Last(t, pdpptest.Records).Query
	if asked.Get("expand") != "comments_list" || asked.Get("expand_limit[comments_list]") != "2" {
		t.Errorf("asked with %v", asked)
	}
	t.Run("the answer reaches the client unchanged", func(t *testing.T) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.rs.URL+"/v1/streams/issues/records?"+asked.Encode(), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+pdpptest.ClientToken)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		want := make(map[string]any)
		if err := json.NewDecoder(response.Body).Decode(&want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(data, want) {
			t.Errorf("got %v, the server says %v", data, want)
		}
	})
}

func TestExpandIsRefusedForAStreamWithoutRelations(t *testing.T) {
	for name, call := range map[string]struct {
		tool string
		args arguments
	}{
		"query_records": {"query_records", arguments{"stream": "issue_comments", "expand": []string{"issue"}}},
		"fetch":         {"fetch", arguments{"id": pdpptest.ConnectionID + "/issue_comments:c-1-0", "expand": []string{"issue"}}},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, eraA)
			f.refused(t, codeInvalidExpand, call.tool, call.args, "issue_comments", "GET /v1/schema", "expand_capabilities")
			if reads := f.recordReads(); reads != 0 {
				t.Errorf("%d requests reached the records", reads)
			}
		})
	}
}

func TestExpandIsEnforcedAsAdvertised(t *testing.T) {
	f := open(t, eraA)
	call := arguments{"stream": "issues", "limit": 1, "expand": []string{"comments_list"}}
	f.must(t, "query_records", call)
	f.rs.SetExpand(pdpptest.ConnectionID, false)
	f.refused(t, codeInvalidExpand, "query_records", call, "issues")
	if reads := f.recordReads(); reads != 1 {
		t.Errorf("%d requests reached the records, the first call's is one", reads)
	}
	f.rs.SetExpand(pdpptest.ConnectionID, true)
	f.must(t, "query_records", call)
	if reads := f.recordReads(); reads != 2 {
		t.Errorf("%d requests reached the records, of two calls", reads)
	}
}
