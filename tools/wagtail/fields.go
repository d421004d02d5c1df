package wagtail

import (
	"slices"
	"strings"

	"issues-index/store/pattern"
	"issues-index/tools"
)

// What an answer needs of each object whatever fields are asked for: without, an
// item of the API has no id.
const (
	pageIdentity = "id,title,type,html_url,slug"
	fileIdentity = "id,title,type,download_url"
	// objectIdentity is that of an object of another endpoint: not every one has a title.
	objectIdentity = "id,type"
)

var fieldName = pattern.Lazy(`^-?[A-Za-z_]\w*(\(.*\))?$`)

// readFields reads the fields that are asked for and writes them in the API's
// language, "" when there are none. What the language refuses but is plain is put
// right: blanks, an order of its own for * and _, names beside *, repeats. only
// has plain names alone mean just these: a detail has all its fields otherwise.
func readFields(args *tools.Args, identity string, only bool) string {
	parts, ok := splitFields(strings.Join(args.Strings("fields"), ","))
	if !ok {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid fields: a bracket is missing.").On("fields").
			Try("Fields of a related object stand in brackets: feed_image(width,height)."))
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

// namesField reports whether a field is asked for by its name.
func namesField(args *tools.Args, name string) bool {
	parts, _ := splitFields(strings.Join(args.Strings("fields"), ","))
	return slices.ContainsFunc(parts, func(part string) bool { return strings.TrimPrefix(part, "meta.") == name })
}

// splitFields splits at the commas that are in no brackets, and drops blanks. It
// reports false where brackets do not close.
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
