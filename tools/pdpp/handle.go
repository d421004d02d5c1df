package pdpp

import (
	"net/url"
	"strings"

	"issues-index/tools"
)

const codeConflictingConnection tools.Code = "conflicting_connection_id"

// A handle names a record: connection_id/stream:record_id, or stream:record_id when only
// one connection has the stream.
type handle struct {
	connection, stream, record string
}

// String returns the handle as an answer shows it: one word. The first slash before the
// first colon ends the connection, that colon ends the stream.
func (h handle) String() string {
	part := func(name string) string {
		return escape(escaped(name), func(r rune) bool { return r == '/' || r == ':' })
	}
	id := part(h.stream) + ":" + escaped(h.record)
	if h.connection != "" {
		id = part(h.connection) + "/" + id
	}
	return id
}

// readHandle reads the id of a record and connection_id. It refuses names that could lead
// to another path, and two different connections.
func readHandle(args *tools.Args) handle {
	id, given := args.Required("id"), givenName(args, "connection_id")
	h := handle{}
	place, record, _ := strings.Cut(id, ":")
	connection, stream, named := strings.Cut(place, "/")
	if !named {
		connection, stream = "", place
	}
	h.connection, h.stream, h.record = unescaped(connection), unescaped(stream), unescaped(record)
	if h.stream == "" || h.record == "" || named && h.connection == "" {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid id %s: it is not connection_id/stream:record_id.", quote(id)).
			On("id").Try("Pass an id as search or query_records gave it."))
		return h
	}
	checkName(args, "id", h.stream)
	checkKey(args, "id", h.record)
	if h.connection != "" {
		checkName(args, "id", h.connection)
	}
	switch {
	case given == "":
	case h.connection == "":
		checkName(args, "connection_id", given)
		h.connection = given
	case h.connection != given:
		args.Fail(tools.Errorf(codeConflictingConnection, "The id is of connection %s, connection_id is %s.",
			quote(h.connection), quote(given)).On("connection_id").
			Try("Leave connection_id out: the id names its connection."))
	}
	return h
}

// title returns what to call a record without a title of its own.
func (h handle) title() string { return h.stream + " " + h.record }

// path returns the endpoint of the record.
func (h handle) path() string {
	return "/v1/streams/" + url.PathEscape(h.stream) + "/records/" + url.PathEscape(h.record)
}
