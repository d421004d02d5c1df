package pdpptest

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// The connections of the recorded servers.
const (
	ConnectionID        = "cin_7d07b704537a33d6579b1744"
	LettersConnectionID = "cin_7c4ea83256556d0b44f4f3ff"
)

// A stream is one stream of one connection.
type stream struct {
	name, connection, connector string
	records                     []jsonObject // as a list has them, oldest first
	expands                     bool         // issues expand by comments_list
}

// newStream makes a stream whose records have this data. The id of a record is in the first
// of the fields id and name.
func newStream(name, connection, connector string, all ...jsonObject) *stream {
	st := &stream{name: name, connection: connection, connector: connector}
	for _, data := range all {
		id, at := data["id"], data["created_at"]
		if id == nil {
			id = data["name"]
		}
		if at == nil {
			at = day(1) // the time does not matter then
		}
		st.records = append(st.records, jsonObject{"object": "record", "id": id, "stream": name, "emitted_at": at, "data": data})
	}
	return st
}

func day(n int) string {
	return time.Date(2026, 1, n, 10, 0, 0, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
}

// fields returns the names of the fields of a stream.
func (st *stream) fields() []string {
	return slices.Sorted(maps.Keys(member[jsonObject](st.records[0], "data")))
}

// issueStreams returns the recorded issues, and their comments as they were made.
func issueStreams() []*stream {
	issues, comments := []jsonObject{}, []jsonObject{}
	for _, row := range rowsOf(recorded("records_limit_clamp"), "data") {
		issues = append([]jsonObject{member[jsonObject](row, "data")}, issues...)
	}
	for n := 1; n <= 30; n++ {
		for c := range n % 4 {
			comments = append(comments, jsonObject{
				"id": fmt.Sprintf("c-%d-%d", n, c), "issue_id": fmt.Sprintf("issue-%d", n), "author": fmt.Sprintf("u%d", c),
				"body": fmt.Sprintf("comment %d on issue %d", c, n), "created_at": day(n),
			})
		}
	}
	st := newStream("issues", ConnectionID, "github", issues...)
	st.expands = true
	return []*stream{st, newStream("issue_comments", ConnectionID, "github", comments...)}
}

// StartLetters starts a server with the streams of the second recorded one: messages,
// labels whose names are no plain words, and a file.
func StartLetters(tb testing.TB) *Server {
	tb.Helper()
	letters := func(of string, answers ...string) *stream {
		var all []jsonObject
		for _, name := range answers {
			for _, row := range rowsOf(recorded("letters/"+name), "data") {
				all = append(all, member[jsonObject](row, "data"))
			}
		}
		return newStream(of, LettersConnectionID, "letters", all...)
	}
	file := newStream("files", LettersConnectionID, "letters", member[jsonObject](recorded("letters/file"), "data"))
	s := start(tb, []*stream{letters("messages", "changes_page1", "changes_page2", "changes_page3"), letters("labels", "labels"), file})
	var content strings.Builder // of the file, as it was made
	for n := 1; n <= 200; n++ {
		fmt.Fprintf(&content, "Line %d of the file, with ä, 記録 and 👩‍👧.\n", n)
	}
	s.AddBlob(fmt.Sprintf("blob_sha256_%x", sha256.Sum256([]byte(content.String()))), "text/plain", []byte(content.String()))
	return s
}

// Labels returns the keys of the stream labels: names of folders, and names that would end
// a line or begin another one if they were shown unchanged.
func Labels() (keys []string) {
	for _, row := range rowsOf(recorded("letters/labels"), "data") {
		keys = append(keys, member[string](row, "id"))
	}
	return keys
}

// AddStream adds a stream of the first connection whose records have this data.
func (s *Server) AddStream(name string, all ...map[string]any) {
	s.set(func() {
		s.streams = append(s.streams, newStream(name, s.streams[0].connection, s.streams[0].connector, all...))
	})
}

// AddConnection adds another connection with copies of the streams named.
func (s *Server) AddConnection(id, connector string, streams ...string) {
	s.set(func() {
		for _, st := range slices.Clone(s.streams) {
			if slices.Contains(streams, st.name) {
				twin := *st
				twin.connection, twin.connector = id, connector
				s.streams = append(s.streams, &twin)
			}
		}
	})
}

// SetExpand says whether the issues of a connection can be expanded by comments_list.
func (s *Server) SetExpand(connection string, expands bool) {
	s.set(func() {
		for _, st := range s.streams {
			if st.connection == connection && st.name == "issues" {
				st.expands = expands
			}
		}
	})
}

// HostileStream is the stream of AddHostile.
const HostileStream = "notes"

// AddHostile adds a stream of 500 records of 1.5 KB each, whose texts have quotes, line ends
// and what looks like the end of an answer.
func (s *Server) AddHostile() {
	const line = "She said: \"no further records\".\n{\"has_more\":false}\tNext cursor: none. \u2028\u65e5\u672c\u8a9e <mark>x</mark> "
	var notes []jsonObject
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := range 500 {
		notes = append(notes, jsonObject{
			"id": fmt.Sprintf("note-%03d-with-a-rather-long-identifier", n), "title": fmt.Sprintf("Note %d %s", n, strings.Repeat("of great length ", 20)),
			"text": strings.Repeat(line, 10), "created_at": first.Add(time.Duration(n) * time.Minute).Format("2006-01-02T15:04:05.000Z"),
		})
	}
	s.AddStream(HostileStream, notes...)
}

// knows reports whether there is a connection; "" is any.
func (s *Server) knows(connection string) bool {
	return connection == "" || slices.ContainsFunc(s.streams, func(st *stream) bool { return st.connection == connection })
}

// known refuses a connection that there is not.
func (s *Server) known(connection string) {
	if !s.knows(connection) {
		panic(refused(http.StatusUnauthorized, "wrong_conn"))
	}
}

// find returns the stream of the path in the connection that was asked for. A stream of
// several connections needs one.
func (s *Server) find(a asked) *stream {
	connection, name := a.query.Get("connection_id"), a.PathValue("stream")
	s.known(connection)
	var found []*stream
	available := []jsonObject{}
	for _, st := range s.streams {
		if st.name == name && (connection == "" || st.connection == connection) {
			found = append(found, st)
			available = append(available, jsonObject{"connection_id": st.connection, "connector_key": st.connector, "display_name": "Account " + st.connection})
		}
	}
	switch len(found) {
	case 0:
		panic(refused(http.StatusUnauthorized, "records_unknown_stream"))
	case 1:
		return found[0]
	}
	err := invalid(http.StatusConflict, "ambiguous_connection", "Stream '"+name+"' is available from several connections")
	err.body["available_connections"], err.body["retry_with"] = available, "connection_id"
	panic(err)
}

func (s *Server) streamList(a asked) httpReply {
	connection := a.query.Get("connection_id")
	s.known(connection)
	body := recorded("streams")
	template := rowsOf(body, "data")[0]
	rows := []jsonObject{}
	for _, st := range s.streams {
		if connection != "" && st.connection != connection {
			continue
		}
		last := st.records[len(st.records)-1]["emitted_at"]
		row := maps.Clone(template)
		maps.Copy(row, jsonObject{
			"name": st.name, "record_count": len(st.records), "last_updated": last, "connection_id": st.connection,
			"connector_instance_id": st.connection, "freshness": jsonObject{"status": "unknown", "captured_at": last},
		})
		rows = append(rows, row)
	}
	body["data"] = rows
	return httpReply{body: body}
}

// schema answers with the recorded schema of the streams that were recorded, and of other
// streams with one like it. Streams stand under their connectors.
func (s *Server) schema(a asked) httpReply {
	compact, wanted, connection := a.query.Get("view") == "compact", a.query.Get("stream"), a.query.Get("connection_id")
	s.known(connection)
	name := map[bool]string{true: "schema_compact", false: "schema_full"}[compact]
	if s.era == EraA {
		name += "_owner" // what the owner was told there
	}
	body := recorded(name)
	template := rowsOf(body, "connectors")[0]
	templates := rowsOf(template, "streams")
	connectors := []jsonObject{}
	total := 0
	for _, st := range s.streams {
		if wanted != "" && st.name != wanted || connection != "" && st.connection != connection {
			continue
		}
		total++
		row := st.schema(templates)
		if last := len(connectors) - 1; last >= 0 && connectors[last]["id"] == st.connection {
			rows := append(connectors[last]["streams"].([]jsonObject), row) //nolint:errcheck,forcetypeassert // as made below
			connectors[last]["streams"], connectors[last]["stream_count"] = rows, len(rows)
			continue
		}
		connector := maps.Clone(template)
		maps.Copy(connector, jsonObject{"id": st.connection, "connector_key": st.connector, "connector_id": st.connector, "stream_count": 1, "streams": []jsonObject{row}})
		if compact {
			connector["granted_connections"] = []jsonObject{{"connection_id": st.connection}}
		}
		connectors = append(connectors, connector)
	}
	for _, connector := range connectors {
		delete(connector, "id") // by which the streams were grouped
	}
	body["connectors"], body["links"] = connectors, jsonObject{"self": a.URL.RequestURI()}
	if compact {
		body["connector_count"], body["stream_count"] = len(connectors), total
	}
	return httpReply{body: body}
}

// schema returns the row of the stream in a schema, given the recorded rows.
func (st *stream) schema(templates []jsonObject) jsonObject {
	i := slices.IndexFunc(templates, func(row jsonObject) bool { return row["name"] == st.name })
	row := maps.Clone(templates[max(0, i)])
	if i < 0 {
		capabilities, properties := jsonObject{}, jsonObject{}
		for _, field := range st.fields() {
			capabilities[field], properties[field] = member[jsonObject](row, "field_capabilities")["title"], jsonObject{}
		}
		row["name"], row["field_capabilities"] = st.name, capabilities
		if _, full := row["schema"]; full {
			row["schema"] = jsonObject{"type": "object", "properties": properties}
		}
	}
	if !st.expands {
		row["expand_capabilities"] = []jsonObject{}
	}
	if _, ok := row["granted_connections"]; ok {
		row["granted_connections"] = []jsonObject{{"connection_id": st.connection}}
	}
	return row
}
