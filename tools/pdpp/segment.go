package pdpp

import (
	"net/url"
	"strings"
	"unicode"

	"issues-index/tools"
)

// segment returns a name or an id as a part of a path. One that could lead
// elsewhere is refused before anything is asked.
func segment(args *tools.Args, argument, value string) string {
	checkID(args, argument, value)
	return url.PathEscape(value)
}

// checkID refuses a name or an id that could lead to another path.
func checkID(args *tools.Args, argument, value string) {
	if value == "" || value == "." || strings.ContainsAny(value, `/\`) || strings.Contains(value, "..") ||
		strings.ContainsFunc(value, unicode.IsControl) {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s %s: an id is not empty and has no slash and no two dots in it.",
			argument, tools.Quote(value)).On(argument).
			Try("Pass it as list_streams, query_records or search gave it."))
	}
}

// readConnection puts the connection_id, if there is one, into a query.
func readConnection(args *tools.Args, query url.Values) string {
	id := args.String("connection_id")
	if id != "" {
		checkID(args, "connection_id", id)
		query.Set("connection_id", id)
	}
	return id
}
