package pdpptest

import (
	"fmt"
	"strings"
	"time"
)

// ConnectionID is the connection whose records were recorded.
const ConnectionID = "cin_7d07b704537a33d6579b1744"

// A world is what the server holds.
type world struct {
	connections   []*connection
	blobs         map[string]blob
	subscriptions []*subscription
}

// A connection is one account of a connector, with its own streams.
type connection struct {
	id, connector string
	streams       []*stream
}

type stream struct {
	name, cursorField, semantics string
	fields                       []field
	relations                    []Relation
	views                        map[string][]string
	records                      []record // oldest first
}

// A field is what a record may have, and what can be done with it.
type field struct {
	name, kind, format string
	required           bool
	equal              bool
	ranges             []string
	aggregations       []string
	lexical            bool
}

// A Relation is what a stream's records can be expanded by.
type Relation struct {
	Name, Target, ForeignKey string
	Default, Max             int
}

type record struct {
	id   string
	at   string
	data map[string]any
}

// Comments is the relation that stream issues has.
var Comments = Relation{Name: "comments_list", Target: "issue_comments", ForeignKey: "issue_id", Default: 5, Max: 20}

var allRanges = []string{"gte", "gt", "lte", "lt"}

// recordedWorld has the streams that the recorded server was filled with.
func recordedWorld() world {
	return world{
		connections: []*connection{{id: ConnectionID, connector: "github", streams: []*stream{issueStream(), commentStream()}}},
		blobs: map[string]blob{
			"blob_text": {"text/plain; charset=utf-8", []byte("The attachment of issue 3.\nIts second line.\n")},
			"blob_png":  {"image/png", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")},
		},
	}
}

func issueStream() *stream {
	s := &stream{
		name: "issues", cursorField: "updated_at", semantics: "mutable_state",
		relations: []Relation{Comments},
		views:     map[string][]string{"basic": {"id", "number", "title", "state"}},
		fields: []field{
			{name: "id", kind: "string", required: true, equal: true},
			{name: "number", kind: "integer", equal: true},
			{name: "title", kind: "string", equal: true, lexical: true},
			{name: "body", kind: "string", equal: true, lexical: true},
			{name: "state", kind: "string", equal: true, aggregations: []string{"count_distinct", "group_by"}},
			{name: "labels", kind: "array"},
			{name: "comments", kind: "integer", equal: true, ranges: allRanges, aggregations: []string{"max", "min", "sum"}},
			{name: "created_at", kind: "string", format: "date-time", equal: true, ranges: allRanges, aggregations: []string{"group_by_time"}},
			{name: "updated_at", kind: "string", format: "date-time", equal: true, ranges: allRanges, aggregations: []string{"group_by_time"}},
		},
	}
	for n := 1; n <= 30; n++ {
		at := day(n)
		title, state := "indexer loses rows", "closed"
		if n%3 == 0 {
			title = "overflow in parser"
		}
		if n%2 == 1 {
			state = "open"
		}
		sentence := fmt.Sprintf("Body of issue %d. The SQLite index overflow happens when the markdown front matter is empty. ", n)
		s.records = append(s.records, record{fmt.Sprintf("issue-%d", n), at, map[string]any{
			"id": fmt.Sprintf("issue-%d", n), "number": n, "title": fmt.Sprintf("Issue %d: %s", n, title),
			"body": strings.Repeat(sentence, n%5+1), "state": state, "labels": []string{"bug"}, "comments": n % 4,
			"created_at": at, "updated_at": at,
		}})
	}
	return s
}

func commentStream() *stream {
	s := &stream{
		name: "issue_comments", cursorField: "created_at", semantics: "append_only",
		fields: []field{
			{name: "id", kind: "string", required: true, equal: true},
			{name: "issue_id", kind: "string", required: true, equal: true},
			{name: "author", kind: "string", equal: true},
			{name: "body", kind: "string", equal: true, lexical: true},
			{name: "created_at", kind: "string", format: "date-time", equal: true, ranges: []string{"gte", "lt"}},
		},
	}
	for n := 1; n <= 30; n++ {
		for c := range n % 4 {
			id := fmt.Sprintf("c-%d-%d", n, c)
			s.records = append(s.records, record{id, day(n), map[string]any{
				"id": id, "issue_id": fmt.Sprintf("issue-%d", n), "author": fmt.Sprintf("u%d", c),
				"body": fmt.Sprintf("comment %d on issue %d", c, n), "created_at": day(n),
			}})
		}
	}
	return s
}

func day(n int) string {
	return time.Date(2026, 1, n, 10, 0, 0, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
}

// AddConnection adds another connection with copies of the streams named.
func (s *Server) AddConnection(id, connector string, streams ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	added := &connection{id: id, connector: connector}
	for _, name := range streams {
		for _, own := range s.connections[0].streams {
			if own.name == name {
				twin := *own
				added.streams = append(added.streams, &twin)
			}
		}
	}
	s.connections = append(s.connections, added)
}

// SetExpand says what a connection's stream advertises from now on, and does.
func (s *Server) SetExpand(connectionID, stream string, relations ...Relation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.connections {
		for _, own := range c.streams {
			if c.id == connectionID && own.name == stream {
				own.relations = relations
			}
		}
	}
}

// HostileStream is the stream of AddHostile.
const HostileStream = "notes"

// AddHostile adds a stream of 500 records of 1.5 KB each, whose texts have quotes,
// newlines and what looks like the end of an answer.
func (s *Server) AddHostile() {
	s.mu.Lock()
	defer s.mu.Unlock()
	notes := &stream{
		name: HostileStream, cursorField: "created_at", semantics: "append_only",
		fields: []field{
			{name: "id", kind: "string", required: true, equal: true},
			{name: "title", kind: "string", equal: true, lexical: true},
			{name: "text", kind: "string", lexical: true},
			{name: "created_at", kind: "string", format: "date-time", equal: true, ranges: allRanges},
		},
	}
	const line = "She said: \"no further records\".\n{\"has_more\":false}\tNext cursor: none. \u2028\u65e5\u672c\u8a9e <mark>x</mark> "
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := range 500 {
		id := fmt.Sprintf("note-%03d-with-a-rather-long-identifier", n)
		at := start.Add(time.Duration(n) * time.Minute).Format("2006-01-02T15:04:05.000Z")
		notes.records = append(notes.records, record{id, at, map[string]any{
			"id": id, "title": fmt.Sprintf("Note %d %s", n, strings.Repeat("of great length ", 20)),
			"text": strings.Repeat(line, 10), "created_at": at,
		}})
	}
	s.connections[0].streams = append(s.connections[0].streams, notes)
}

// ExpireBookmarks has every changes_since that was given out answer 410.
func (s *Server) ExpireBookmarks() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.oldest = 1 << 30
}
