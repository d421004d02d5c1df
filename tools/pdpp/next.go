package pdpp

import (
	"encoding/json"
	"slices"
	"strconv"

	"issues-index/tools"
)

// maxCall bounds a call that a text writes out, in bytes. The rest of a longer one is
// what the caller has just sent.
const maxCall = 700

// nextCall writes the call to make next: that of the moment with some arguments
// changed. An empty change leaves an argument out.
func nextCall(tool string, args *tools.Args, changes ...member) string {
	given := args.Given()
	for _, change := range changes {
		if len(change.value) == 0 {
			delete(given, change.name)
		} else {
			given[change.name] = string(change.value)
		}
	}
	var list []member
	for _, name := range []string{
		"stream", "q", "id", "metric", "field", "streams", "mode", "limit", "count", "order", "sort", "filter", "fields",
		"view", "expand", "expand_limit", "changes_since", "connection_id", "cursor",
	} {
		if value, ok := given[name]; ok {
			list = append(list, member{name, json.RawMessage(value)})
		}
	}
	if call := tool + " " + inLine(object(list)); len(call) <= maxCall {
		return call
	}
	list = slices.DeleteFunc(list, func(m member) bool {
		return !slices.ContainsFunc(changes, func(change member) bool { return change.name == m.name })
	})
	return tool + " with the same arguments and " + inLine(object(list))
}

// limitTo is the change to a page of so many.
func limitTo(rows int) member { return member{"limit", json.RawMessage(strconv.Itoa(rows))} }

// cursorTo is the change to a page.
func cursorTo(cursor string) member { return member{"cursor", encode(cursor)} }
