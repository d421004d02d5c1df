package pdpp

import (
	"net/url"
	"strings"

	"issues-index/tools"
)

// segment returns a name as a part of a path. One that could lead elsewhere is refused
// before anything is asked.
func segment(args *tools.Args, argument, value string) string {
	checkName(args, argument, value)
	return url.PathEscape(value)
}

// checkName refuses the name of a stream, a connection or another thing of the server
// that could lead to another path, also where a proxy decodes it first.
func checkName(args *tools.Args, argument, value string) {
	if value == "" || value == "." || strings.ContainsAny(value, "/\\\x00") || strings.Contains(value, "..") {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s %s: it is not empty and has no slash and no two dots in it.",
			argument, quote(value)).On(argument).
			Try("Pass it as list_streams, query_records or search gave it."))
	}
}

// checkKey refuses the key of a record that is no part of a path by itself. Keys are
// data, of which a folder of mail has slashes in it: they are encoded.
func checkKey(args *tools.Args, argument, value string) {
	if value == "" || value == "." || value == ".." || strings.Contains(value, "\x00") {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s: no record can be read by the key %s.", argument, quote(value)).On(argument).
			Try("query_records with this stream shows its records; their keys go to fetch in all other cases."))
	}
}

// readConnection puts the connection_id, if there is one, into a query.
func readConnection(args *tools.Args, query url.Values) string {
	id := givenName(args, "connection_id")
	if id != "" {
		checkName(args, "connection_id", id)
		query.Set("connection_id", id)
	}
	return id
}
