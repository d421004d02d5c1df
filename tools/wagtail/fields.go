package wagtail

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"issues-index/store/pattern"
	"issues-index/store/words"
	"issues-index/tools"
)

// The fields that an answer needs of each object, whatever fields are asked for.
const (
	pageIdentity = "id,title,type,html_url,slug"
	fileIdentity = "id,title,type,download_url"
	// objectIdentity is for objects of other endpoints: not every one has a title.
	objectIdentity = "id,type"
)

// readFields reads the argument fields and writes it in the API's language, "" when there is none.
// With only, plain names mean only these fields; without, they are added to the usual ones. Every
// answer needs the fields of an identity.
func readFields(args *tools.Args, identity string, only bool) string {
	list := strings.Join(strings.Fields(strings.Join(args.Strings("fields"), ",")), "")
	var fields []string
	for _, part := range splitFields(sendable(args, "fields", list)) {
		if part = strings.TrimPrefix(part, "meta."); part != "-id" && part != "-type" {
			fields = append(fields, part)
		}
	}
	special := func(part string) bool { return part[0] == '*' || part[0] == '-' || part == "_" }
	if len(fields) > 0 && (only && !slices.ContainsFunc(fields, special) || slices.Contains(fields, "_")) {
		fields = slices.Concat([]string{"_"}, fields, strings.Split(identity, ","))
	}
	if slices.Contains(fields, "*") { // which the API takes as the first alone, and with no name beside it
		fields = append([]string{"*"}, slices.DeleteFunc(fields, func(part string) bool {
			return part[0] != '-' && !strings.Contains(part, "(")
		})...)
	}
	return strings.Join(words.Once(fields), ",")
}

// splitFields splits a list at the commas outside brackets.
func splitFields(list string) []string {
	depth := 0
	return strings.FieldsFunc(list, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		return r == ',' && depth == 0
	})
}

var filterName = pattern.Lazy(`^[A-Za-z_]\w*$`)

// operations are the parameters of a list that are not fields of its objects.
var operations = []string{"limit", "offset", "fields", "order", "search", "search_operator", "type", "child_of",
	"descendant_of",
	"ancestor_of", "translation_of", "locale", "site", "format", "rich_text_format", "_"}

// filters reads the fields that objects have to match, as a query of its own: a cursor
// keeps it under one name. The API knows which fields exist, and what their values are.
func filters(args *tools.Args) string {
	query := url.Values{}
	for name, given := range args.Members("filter") {
		value, ok := filterValue(given)
		switch {
		case !filterName().MatchString(name), args.Has(name), slices.Contains(operations, name):
			args.Fail(tools.Errorf(tools.CodeValidation, "Invalid filter.%s: this is a separate argument, or not the name of "+
				"a field.", tools.Plain(name)).On("filter").Try("Pass fields of the type, such as {author: 1}, each once."))
		case !ok:
			args.Fail(tools.Errorf(tools.CodeValidation, "Invalid filter.%s: this is not a single value.", tools.Plain(name)).
				On("filter").
				Try("Pass a text ('' for an empty one), a number, true or false, or a list of texts for tags. The site's API "+
					"has no ranges and finds nothing by null: order by the field, or list with fields: %s and look for the rows "+
					"that name it as empty.", tools.Plain(name)))
		default:
			query.Set(name, sendable(args, "filter", value))
		}
	}
	return query.Encode()
}

// filterValue returns a value as the API compares it. A list means all of its texts.
func filterValue(value json.RawMessage) (string, bool) {
	var several []json.RawMessage
	if json.Unmarshal(value, &several) == nil {
		texts := make([]string, len(several))
		for n, one := range several {
			text, ok := filterValue(one)
			if !ok || strings.Contains(text, ",") {
				return "", false
			}
			texts[n] = text
		}
		return strings.Join(texts, ","), len(texts) > 0 && !slices.Contains(texts, "")
	}
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text, true
	}
	short := strings.TrimSpace(string(value))
	return short, short != "" && short != "null" && !strings.ContainsAny(short, `{["`)
}

// sent returns a query as it is sent to the API: without limit and offset, and with
// each filter as a parameter.
func sent(query url.Values) url.Values {
	asked := url.Values{}
	for name, values := range query {
		switch name {
		case "limit", "offset", "endpoint":
		case "filter":
			fields, err := url.ParseQuery(query.Get(name))
			if err == nil { // filters wrote it, or the cursor's sum would be wrong
				maps.Copy(asked, fields)
			}
		default:
			asked[name] = values
		}
	}
	return asked
}

// A selection is the fields that a call asks for.
type selection struct {
	all   bool
	names []string
}

// selectionOf reads fields as they are sent. After _ the fields of the identity are
// among the others: those with their own place in a row do not count as asked for.
func selectionOf(fields string) selection {
	parts := splitFields(fields)
	s := selection{}
	for _, part := range parts {
		name, _, _ := strings.Cut(part, "(")
		switch {
		case name == "*":
			s.all = true
		case name == "_" || name[0] == '-':
		case slices.Contains(parts, "_") && slices.Contains(ownPlaces[kindPages], name):
		default:
			s.names = append(s.names, name)
		}
	}
	return s
}

// has reports whether a field was asked for.
func (s selection) has(name string) bool { return s.all || slices.Contains(s.names, name) }
