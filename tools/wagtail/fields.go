package wagtail

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"issues-index/store/pattern"
	"issues-index/tools"
)

// The fields that an answer needs of each object, whatever fields are asked for.
const (
	pageIdentity = "id,title,type,html_url,slug"
	fileIdentity = "id,title,type,download_url"
	// objectIdentity is for objects of other endpoints: not every one has a title.
	objectIdentity = "id,type"
)

var fieldName = pattern.Lazy(`^-?[A-Za-z_]\w*(\(.*\))?$`)

// readFields reads the argument fields and writes it in the API's language, "" when
// there is none. It corrects what the language refuses although its meaning is plain:
// blanks, * and _ after other names, names beside *, repetitions. With only, plain
// names mean only these fields; without, they are added to the usual ones.
func readFields(args *tools.Args, identity string, only bool) string {
	parts, ok := splitFields(strings.Join(args.Strings("fields"), ","))
	if !ok {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid fields: a bracket is missing.").On("fields").
			Try("Put fields of a related object in brackets: feed_image(width,height)."))
		return ""
	}
	var base string
	var names []string
	plainNames := true
	for _, part := range parts {
		part = strings.TrimPrefix(part, "meta.")
		switch {
		case part == "*" || part == "_":
			base = part
			continue
		case !fieldName().MatchString(part):
			args.Fail(tools.Errorf(tools.CodeValidation, "Invalid field %s.", tools.Quote(part)).On("fields").
				Try("Pass names such as body, with commas between them; * for all, -x for all but x."))
			return ""
		case part == "-id", part == "-type": // no answer goes without
			continue
		}
		plainNames = plainNames && part[0] != '-'
		if !slices.Contains(names, part) {
			names = append(names, part)
		}
	}
	if base == "" && only && plainNames && len(names) > 0 {
		base = "_"
	}
	switch base {
	case "*":
		names = slices.DeleteFunc(names, func(name string) bool { return name[0] != '-' && !strings.Contains(name, "(") })
	case "_":
		names = slices.DeleteFunc(names, func(name string) bool { return name[0] == '-' })
		for name := range strings.SplitSeq(identity, ",") {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if base != "" {
		names = slices.Insert(names, 0, base)
	}
	return strings.Join(names, ",")
}

// splitFields splits at the commas outside brackets and drops blanks. It reports false
// when brackets do not match.
func splitFields(list string) (parts []string, ok bool) {
	list = strings.Join(strings.Fields(list), "")
	depth, start := 0, 0
	for i := 0; i <= len(list); i++ {
		switch {
		case i == len(list) || list[i] == ',' && depth == 0:
			if i > start {
				parts = append(parts, list[start:i])
			}
			start = i + 1
		case list[i] == '(':
			depth++
		case list[i] == ')':
			if depth--; depth < 0 {
				return nil, false
			}
		}
	}
	return parts, depth == 0
}

// filterSchema is the argument filter of the lists.
const filterSchema = `"filter":{"type":"object","description":"exact matches, e.g. {author: 1, tags: \"x\", show_in_menus: true}"}`

var (
	filterName = pattern.Lazy(`^[A-Za-z_]\w*$`)
	dateName   = pattern.Lazy(`(^|_)(date|at)$`)
)

// operations are the parameters of a list that are not fields of its objects.
var operations = []string{"limit", "offset", "fields", "order", "search", "search_operator", "type", "child_of", "descendant_of",
	"ancestor_of", "translation_of", "locale", "site", "format", "rich_text_format", "_"}

// filters reads the fields that objects have to match, as a query of its own: a cursor
// keeps it under one name. The API knows which fields exist; only values that it
// answers with a bare 500 are refused here.
func filters(args *tools.Args) string {
	query := url.Values{}
	given := args.Members("filter")
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value, ok := filterValue(given[name])
		switch {
		case string(given[name]) == "null":
			refuseFilter(args, name, "the site's API finds nothing by null",
				"Pass '' for an empty text; for anything else list with fields: "+tools.Plain(name)+" and look for the rows that name it as empty.")
		case !filterName().MatchString(name):
			refuseFilter(args, name, "this is not the name of a field", "Pass fields of the type, such as {author: 1}.")
		case args.Has(name):
			refuseFilter(args, name, "it is given both in filter and as an argument", "Pass it once.")
		case slices.Contains(operations, name):
			refuseFilter(args, name, "this is a separate argument", "Pass it outside filter, if the tool has it.")
		case !ok:
			refuseFilter(args, name, "this is not a single value", "Pass a text, a number, true or false, or a list of texts for tags. There are no ranges: order by the field instead.")
		case strings.ContainsFunc(value, unicode.IsControl):
			refuseFilter(args, name, "the value has a control character", "Leave it out.")
		case len(value) > maxText:
			refuseFilter(args, name, "the value is too long", "A value has at most 500 bytes.")
		case dateName().MatchString(name) && !isDate(value):
			refuseFilter(args, name, tools.Quote(value)+" is not a date", "Pass one as in 2026-02-15. There are no ranges: order by the field instead.")
		default:
			query.Set(name, value)
		}
	}
	return query.Encode()
}

func refuseFilter(args *tools.Args, name, why, try string) {
	args.Fail(tools.Errorf(tools.CodeValidation, "Invalid filter.%s: %s.", tools.Plain(name), why).On("filter").Try("%s", try))
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
	return short, short != "" && !strings.ContainsAny(short, `{["`)
}

// isDate reports whether a text begins with a date.
func isDate(text string) bool {
	day, _, _ := strings.Cut(strings.ReplaceAll(text, " ", "T"), "T")
	_, err := time.Parse(time.DateOnly, day)
	return err == nil
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
