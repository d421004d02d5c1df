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
	if value == "" || strings.ContainsAny(value, `/\`) || strings.Contains(value, "..") || value == "." ||
		strings.ContainsFunc(value, unicode.IsControl) {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s %s: it must not be empty or have a slash or two dots in it.",
			argument, tools.Quote(value)).On(argument).
			Try("Pass it as list_streams, query_records or search gave it."))
	}
	return url.PathEscape(value)
}
