package pdpp

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"issues-index/tools"
)

const codeInvalidExpand tools.Code = "invalid_expand"

// expandInput is the schema of the arguments that ask for related records.
const expandInput = `"expand":` + anyTexts + `,"expand_limit":{"type":"object","description":"{relation: records}"}`

// readExpand puts the relations to expand, and how many records of each, into a
// query. It returns the names of all of them.
func readExpand(args *tools.Args, query url.Values) (relations []string) {
	for _, relation := range givenNames(args, "expand") {
		query.Add("expand", relation)
		relations = append(relations, relation)
	}
	limits := args.Members("expand_limit")
	for _, given := range slices.Sorted(maps.Keys(limits)) {
		number, err := strconv.Atoi(strings.Trim(string(limits[given]), `"`))
		relation := unescaped(given)
		if err != nil || number < 1 || relation == "" || strings.ContainsAny(relation, "[]") {
			args.Fail(tools.Errorf(codeInvalidExpand, "The expand_limit of %s is not a whole number from 1 on.", quote(relation)).
				On("expand_limit").Try(`Pass an object of relations, e.g. expand_limit: {"comments": 3}.`))
			continue
		}
		query.Set("expand_limit["+relation+"]", strconv.Itoa(number))
		if !slices.Contains(relations, relation) {
			relations = append(relations, relation)
		}
	}
	if args.Has("expand_limit") && len(limits) == 0 {
		args.Fail(tools.Errorf(codeInvalidExpand, "The expand_limit is empty.").On("expand_limit").
			Try(`Pass an object of relations, e.g. expand_limit: {"comments": 3}, or leave it out.`))
	}
	return relations
}

// gate refuses relations that the live schema of a stream does not advertise. It
// asks for the schema each time, and leaves the decision to the RS whenever it does
// not get it or does not find the stream in it.
func (c *Client) gate(ctx context.Context, stream, connection string, relations []string) error {
	if len(relations) == 0 {
		return nil
	}
	a, err := c.get(ctx, "/v1/schema", schemaQuery("compact", stream, connection))
	if err != nil {
		return nil //nolint:nilerr // fail open: the RS decides
	}
	rows := rowsOf(a.Body, stream, connection)
	if len(rows) == 0 {
		return nil
	}
	var advertised []string
	for _, row := range rows {
		names, named := row.relations()
		if !named {
			return nil
		}
		advertised = append(advertised, names...)
	}
	slices.Sort(advertised)
	advertised = slices.Compact(advertised)
	for _, relation := range relations {
		if slices.Contains(advertised, relation) {
			continue
		}
		e := tools.Errorf(codeInvalidExpand, "The stream %s has no relation %s to expand: its schema (GET /v1/schema, expand_capabilities) advertises %s.",
			quote(stream), quote(relation), advertisement(advertised)).On("expand")
		if len(advertised) == 0 {
			return e.Try("Leave out expand and expand_limit, or read the related stream itself.")
		}
		return e.Try("Pass one of these, or leave out expand and expand_limit.")
	}
	return nil
}

func advertisement(relations []string) string {
	if len(relations) == 0 {
		return "none"
	}
	const most = 8
	text := shorten(strings.Join(escapedAll(relations[:min(most, len(relations))]), ", "), maxMessage)
	if left := len(relations) - most; left > 0 {
		text += fmt.Sprintf(" and %d more", left)
	}
	return text
}
