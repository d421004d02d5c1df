package pdpp

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf16"

	"issues-index/store/pattern"
	"issues-index/store/words"
	"issues-index/tools"
)

// Others choose names, ids and keys, and an answer shows them among its own words. So each
// is shown as one word: a character that could end the word or the line, or that is
// invisible, stands as a JSON escape, as in My\u0020Label. Tools take both forms of a name.

// escapes matches a run of escapes; a character may take two.
var escapes = pattern.Lazy(`(?:\\u[0-9a-fA-F]{4})+`)

// escaped returns a name as an answer shows it.
func escaped(name string) string {
	name = escapes().ReplaceAllStringFunc(name, func(run string) string { return strings.ReplaceAll(run, `\`, `\u005c`) })
	return escape(name, func(r rune) bool { return unicode.IsSpace(r) || unseen(r) })
}

// escape writes some characters as JSON escapes.
func escape(text string, some func(rune) bool) string {
	if !strings.ContainsFunc(text, some) {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if !some(r) {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.String()
}

// unseen reports whether a character ends a line, is a control or is invisible.
func unseen(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' ||
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point)
}

// unescaped returns a name as the RS has it.
func unescaped(name string) string {
	return escapes().ReplaceAllStringFunc(name, func(run string) string {
		var text string
		if json.Unmarshal([]byte(`"`+run+`"`), &text) != nil { // it always is JSON
			return run
		}
		return text
	})
}

// escapedAll returns names as an answer shows them.
func escapedAll(names []string) []string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = escaped(name)
	}
	return shown
}

// inLine returns JSON on one line.
func inLine(raw json.RawMessage) string {
	return escape(compact(raw), unseen)
}

// plainWord matches a value that is plainly one word.
var plainWord = pattern.Lazy(`^[\p{L}\p{N}_.+:/@-]+$`)

// leading returns a value with which a line begins: in quotation marks unless it is one
// word.
func leading(raw json.RawMessage, limit int) string {
	text, isText := textOf(raw)
	if !isText {
		return words.CutBytes(inLine(raw), limit)
	}
	if plainWord().MatchString(text) {
		return words.CutBytes(text, limit)
	}
	return escape(string(encode(words.CutBytes(text, limit))), unseen)
}

// maxQuoted bounds a text of others in a sentence of ours, in bytes.
const maxQuoted = 80

// quote returns a name, or another text of others, for a sentence of ours.
func quote(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	return "'" + words.CutBytes(escape(text, unseen), maxQuoted) + "'"
}

// shownWord returns a figure, a code or another word of the RS for a sentence of ours.
func shownWord(word string) string { return words.CutBytes(escaped(word), maxQuoted) }

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
