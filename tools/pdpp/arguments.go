package pdpp

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"issues-index/tools"
)

// Codes of arguments that are refused before any request.
const (
	codeInvalidFilter tools.Code = "invalid_filter"
	codeInvalidExpand tools.Code = "invalid_expand"
)

// maxLimit is the largest page of an RS.
const maxLimit = 100

// readLimit puts the limit, if there is one, into a query.
func readLimit(args *tools.Args, query url.Values) {
	if limit := args.Int("limit", 1, maxLimit, 0); limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
}

// readTexts puts arguments into a query as they are.
func readTexts(args *tools.Args, query url.Values, arguments ...string) {
	for _, argument := range arguments {
		if text := args.String(argument); text != "" {
			query.Set(argument, text)
		}
	}
}

// readNames puts arguments that are names into a query.
func readNames(args *tools.Args, query url.Values, arguments ...string) {
	for _, argument := range arguments {
		if name := givenName(args, argument); name != "" {
			query.Set(argument, name)
		}
	}
}

// readEnum puts one of the allowed values into a query.
func readEnum(args *tools.Args, query url.Values, argument string, allowed ...string) {
	if value := args.Enum(argument, allowed...); value != "" {
		query.Set(argument, value)
	}
}

// readConnection puts the connection_id, if there is one, into a query and returns it.
func readConnection(args *tools.Args, query url.Values) string {
	id := givenName(args, "connection_id")
	if id != "" {
		checkName(args, "connection_id", id)
		query.Set("connection_id", id)
	}
	return id
}

// givenName returns an argument that is a name.
func givenName(args *tools.Args, argument string) string { return unescaped(args.String(argument)) }

// givenNames returns an argument that is a list of names, nil when it is absent.
func givenNames(args *tools.Args, argument string) []string {
	list := slices.Clone(args.Names(argument))
	for i := range list {
		list[i] = unescaped(list[i])
	}
	return list
}

// segment returns a name as a part of a path. It refuses one that could lead elsewhere.
func segment(args *tools.Args, argument, value string) string {
	checkName(args, argument, value)
	return url.PathEscape(value)
}

// checkName refuses the name of a stream, a connection or another thing of the RS that
// could lead to another path, also when a proxy decodes it first.
func checkName(args *tools.Args, argument, value string) {
	if value == "" || value == "." || strings.ContainsAny(value, "/\\\x00") || strings.Contains(value, "..") {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s %s: it is empty or has a slash or two dots in it.",
			argument, quote(value)).On(argument).
			Try("Pass it as list_streams, query_records or search gave it."))
	}
}

// checkKey refuses a record's key that would not stay one part of a path. Keys are data
// and may have slashes, which are encoded.
func checkKey(args *tools.Args, argument, value string) {
	if value == "" || value == "." || value == ".." || strings.Contains(value, "\x00") {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s: no record can be read by the key %s.", argument, quote(value)).On(argument).
			Try("query_records with this stream shows its records; their keys go to fetch in all other cases."))
	}
}

// filterInput is the schema of a filter; the schema of the stream says what may be in it.
const filterInput = `"filter":{"type":"object","description":"{field: value}, or {field: {gte|gt|lte|lt: value}}"}`

// filterExample is the remedy for any wrong filter.
const filterExample = `Pass an object of fields, e.g. filter: {"state": "open", "created_at": {"gte": "2026-01-01T00:00:00Z"}}; schema with the stream names them.`

var operators = []string{"gt", "gte", "lt", "lte"}

// readFilter puts a filter into a query as the RS takes it: filter[field]=value and
// filter[field][operator]=value. It neither converts nor drops anything.
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
			fail("The filter's key %s is not a field name; the brackets are added for you.", quote(field))
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

// plainValue returns a text, number or truth value as a query has it.
func plainValue(raw json.RawMessage) (value string, ok bool) {
	if text, ok := textOf(raw); ok {
		return text, true
	}
	return string(raw), len(raw) > 0 && !strings.ContainsRune("{[n", rune(raw[0]))
}

// expandInput is the schema of the arguments that ask for related records.
const expandInput = `"expand":` + anyTexts + `,"expand_limit":{"type":"object","description":"{relation: records}"}`

// readExpand puts the relations to expand and the number of records of each into a query
// and returns the names of all relations.
func readExpand(args *tools.Args, query url.Values) (relations []string) {
	const example = `Pass an object of relations, e.g. expand_limit: {"comments": 3}`
	relations = givenNames(args, "expand")
	query["expand"] = slices.Clone(relations)
	limits := args.Members("expand_limit")
	for _, given := range slices.Sorted(maps.Keys(limits)) {
		number, err := strconv.Atoi(strings.Trim(string(limits[given]), `"`))
		relation := unescaped(given)
		if err != nil || number < 1 || relation == "" || strings.ContainsAny(relation, "[]") {
			args.Fail(tools.Errorf(codeInvalidExpand, "The expand_limit of %s is not a whole number from 1 on.", quote(relation)).
				On("expand_limit").Try(example + "."))
			continue
		}
		query.Set("expand_limit["+relation+"]", strconv.Itoa(number))
		if !slices.Contains(relations, relation) {
			relations = append(relations, relation)
		}
	}
	if args.Has("expand_limit") && len(limits) == 0 {
		args.Fail(tools.Errorf(codeInvalidExpand, "The expand_limit is empty.").On("expand_limit").Try(example + ", or leave it out."))
	}
	return relations
}
