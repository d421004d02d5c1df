package pdpp

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf16"

	"issues-index/store/words"
	"issues-index/tools"
)

// Others choose names, ids and keys, and an answer shows them among its own words. So each
// is shown as one word or as a JSON string, in which invisible characters are escaped.
// Tools take both forms of a name.

// shown returns a name, an id or another word of the RS as an answer shows it.
func shown(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unseen(r) || r == '"' || r == '\\' }) {
		return inLine(encode(name))
	}
	return name
}

// unquoted returns a name as the RS has it.
func unquoted(name string) string {
	if text, ok := textOf(json.RawMessage(name)); ok {
		return text
	}
	return name
}

// unseen reports whether a character ends a line, is a control or is invisible.
func unseen(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' ||
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point)
}

// inLine returns JSON on one line, with JSON escapes for what is not seen.
func inLine(raw json.RawMessage) string {
	var out strings.Builder
	for _, r := range compact(raw) {
		if !unseen(r) {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.String()
}

// someOf names the first few of a list.
func someOf(names []string) string {
	const most, mostBytes = 8, 200
	var first []string
	for _, name := range names[:min(most, len(names))] {
		first = append(first, shown(name))
	}
	return words.CutBytes(strings.Join(first, ", "), mostBytes) + words.AndMore(len(names)-most)
}

// leading returns a value with which a line begins.
func leading(raw json.RawMessage, limit int) string {
	if text, isText := textOf(raw); isText && !strings.Contains(text, "=") {
		return shown(words.CutBytes(text, limit))
	}
	return words.CutBytes(inLine(raw), limit)
}

// quote returns a text of others for a sentence of ours.
func quote(text string) string {
	const most = 80 // bytes
	return "'" + words.CutBytes(tools.Line(strings.ToValidUTF8(text, "\uFFFD")), most) + "'"
}

const codeConflictingConnection tools.Code = "conflicting_connection_id"

// A handle names a record: connection_id/stream:record_id, or stream:record_id when only
// one connection has the stream.
type handle struct {
	connection, stream, record string
}

// part writes the signs of a handle in a name that is a part of one.
var part = strings.NewReplacer("%", "%25", "/", "%2F", ":", "%3A")

// String returns the handle as fetch takes it. The first slash before the first colon ends
// the connection, that colon ends the stream.
func (h handle) String() string {
	id := part.Replace(h.stream) + ":" + h.record
	if h.connection != "" {
		id = part.Replace(h.connection) + "/" + id
	}
	return id
}

// readHandle reads the id of a record. It refuses names that could lead to another path, and
// two different connections.
func (c *call) readHandle() (h handle) {
	id, given := unquoted(c.args.Required("id")), c.names["connection_id"]
	place, record, _ := strings.Cut(id, ":")
	connection, stream, named := strings.Cut(place, "/")
	if !named {
		connection, stream = given, place
	}
	h = handle{fromPart(connection), fromPart(stream), record}
	switch {
	case stream == "" || record == "" || named && connection == "":
		c.refuse(tools.CodeValidation, "id", "Pass an id as search or query_records gave it.",
			"Invalid id %s: it is not connection_id/stream:record_id.", quote(id))
		return h
	case record == "." || record == ".." || strings.Contains(record, "\x00"):
		c.refuse(tools.CodeValidation, "id", "query_records with this stream shows its records; fetch takes the other keys.",
			"Invalid id: no record can be read by the key %s.", quote(record))
	case given != "" && given != h.connection:
		c.refuse(codeConflictingConnection, "connection_id", "Leave connection_id out: the id names its connection.",
			"The id is of connection %s, connection_id is %s.", quote(h.connection), quote(given))
	}
	c.checkName("id", h.stream)
	if h.connection != "" {
		c.checkName("id", h.connection)
		c.query.Set("connection_id", h.connection)
	}
	return h
}

func fromPart(name string) string {
	if text, err := url.PathUnescape(name); err == nil {
		return text
	}
	return name
}

// title returns what to call a record without a title of its own.
func (h handle) title() string { return h.stream + " " + h.record }

// path returns the endpoint of the record.
func (h handle) path() string {
	return "/v1/streams/" + url.PathEscape(h.stream) + "/records/" + url.PathEscape(h.record)
}
