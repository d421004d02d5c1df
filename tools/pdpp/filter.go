package pdpp

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"issues-index/tools"
)

const codeInvalidFilter tools.Code = "invalid_filter"

// filterInput is the schema of a filter. What may be in it, the stream's own schema
// says.
const filterInput = `"filter":{"type":"object","description":"{field: value}, or {field: {gte|gt|lte|lt: value}}"}`

// filterExample is right whatever was wrong.
const filterExample = `Pass an object of fields, e.g. filter: {"state": "open", "created_at": {"gte": "2026-01-01T00:00:00Z"}}; schema with the stream names them.`

var operators = []string{"gt", "gte", "lt", "lte"}

// readFilter puts a filter into a query as the RS wants it: filter[field]=value and
// filter[field][operator]=value. Nothing of it is coerced or dropped.
func readFilter(args *tools.Args, query url.Values) {
	if !args.Has("filter") {
		return
	}
	fail := func(format string, about ...any) {
		args.Fail(tools.Errorf(codeInvalidFilter, format, about...).On("filter").Try(filterExample))
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(args.JSON("filter"), &fields) != nil {
		fail("The filter is not an object.")
		return
	}
	if len(fields) == 0 {
		fail("The filter is empty.")
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if field == "" || strings.ContainsAny(field, "[]=&") {
			fail("The filter's key %s is no field name: brackets are put around it for you.", quote(field))
			continue
		}
		name := "filter[" + unescaped(field) + "]"
		if value, ok := plainValue(fields[field]); ok {
			query.Set(name, value)
			continue
		}
		var ranges map[string]json.RawMessage
		if json.Unmarshal(fields[field], &ranges) != nil || len(ranges) == 0 {
			fail("The filter of %s is neither a value nor a range.", quote(field))
			continue
		}
		for _, operator := range slices.Sorted(maps.Keys(ranges)) {
			value, ok := plainValue(ranges[operator])
			if !ok || !slices.Contains(operators, operator) {
				fail("The filter of %s has the range %s, which is not gte, gt, lte or lt with a value.", quote(field), quote(operator))
				continue
			}
			query.Set(name+"["+operator+"]", value)
		}
	}
}

// plainValue returns what a text, number or truth value is in a query.
func plainValue(raw json.RawMessage) (string, bool) {
	var text string
	switch {
	case len(raw) == 0 || strings.ContainsRune("{[n", rune(raw[0])):
		return "", false
	case raw[0] != '"':
		return string(raw), true
	}
	err := json.Unmarshal(raw, &text)
	return text, err == nil
}
