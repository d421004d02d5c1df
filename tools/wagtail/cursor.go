package wagtail

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"issues-index/tools"
)

// encodeCursor returns a cursor for the next call of a tool: the tool's name and a query, as
// list_pages?offset=20. It contains nothing that a caller could not ask for, so it need not be
// unforgeable.
func encodeCursor(tool string, query url.Values) string {
	return cursorTool(tool) + "?" + strings.ReplaceAll(query.Encode(), "%2C", ",") // a comma is shorter
}

func cursorTool(tool string) string { return strings.TrimPrefix(tool, "wagtail_") }

// resumed returns the query of the argument cursor, or query and false without one. The
// other arguments have to be those that the cursor was made with, except limit, which
// replaces the cursor's.
func resumed(args *tools.Args, tool string, query url.Values) (url.Values, bool) {
	text := strings.TrimSpace(args.String("cursor"))
	if text == "" {
		return query, false
	}
	name, rest, _ := strings.Cut(text, "?")
	then, err := url.ParseQuery(rest)
	if err != nil || name != cursorTool(tool) || len(then) == 0 {
		args.Fail(tools.Errorf(tools.CodeInvalidCursor, "Cursor %s is not a cursor of %s.", tools.Quote(text), tool).
			On("cursor").
			Try("Pass the whole cursor of an answer of %s, or start again without a cursor.", tool))
		return query, false
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if name != "limit" && query.Get(name) != then.Get(name) {
			args.Fail(tools.Errorf(tools.CodeInvalidCursor, "The cursor was made with another %s.", name).On("cursor").
				Try("Pass only the cursor to go on, or call again without a cursor."))
		}
	}
	set(then, "limit", query.Get("limit"))
	return then, true
}
