package wagtail

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"issues-index/store/pattern"
	"issues-index/tools"
)

const (
	// maxOffset is the largest offset that is sent: beyond what databases count,
	// the API answers with a bare 500.
	maxOffset = 1_000_000
	// maxID is the largest id there can be.
	maxID = 1<<31 - 1
	// maxText bounds a text that is sent in an address, in bytes.
	maxText = 500
	// maxList bounds a list that is sent in an address, in bytes: servers take
	// addresses of 4 KB at least.
	maxList = 2000
)

var (
	typeName   = pattern.Lazy(`^[A-Za-z_]\w*\.[A-Za-z_]\w*$`)
	orderName  = pattern.Lazy(`^-?[A-Za-z_]\w*$`)
	localeName = pattern.Lazy(`^[A-Za-z0-9_-]{1,40}$`)
)

// text reads an argument that is sent as it is. Control characters, NUL above
// all, are what the API answers with a bare 500.
func text(args *tools.Args, name string) string {
	value := strings.Join(strings.Fields(args.String(name)), " ")
	switch {
	case strings.ContainsFunc(value, unicode.IsControl):
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s %s: it has a control character.", name, tools.Quote(value)).On(name).Try("Leave it out."))
	case len(value) > maxText:
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s: it has %d bytes.", name, len(value)).On(name).Try("The maximum is %d.", maxText))
	}
	return value
}

// short fails the arguments when a list is longer than an address may be.
func short(args *tools.Args, name string, list []string) {
	if size := len(strings.Join(list, ",")); size > maxList {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s: it has %d bytes.", name, size).On(name).Try("The maximum is %d.", maxList))
	}
}

// words reads what is searched for. The API has no phrases: quotation marks find
// nothing, and where they are not in pairs the answer is a bare 500.
func words(args *tools.Args, name string) string {
	value := text(args, name)
	if !strings.Contains(value, `"`) {
		return value
	}
	if strings.Count(value, `"`)%2 == 1 {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s %s: a quotation mark has no partner.", name, tools.Quote(value)).
			On(name).Try("Search for words alone; the site's API has no phrases."))
	}
	value = strings.Join(strings.Fields(strings.ReplaceAll(value, `"`, " ")), " ")
	if value == "" {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s: there is no word in it.", name).On(name).Try("Search for words."))
	}
	args.Note("the site's API has no phrases: the words were searched for without quotation marks")
	return value
}

// pageTypes reads page types, joined as the API takes them.
func pageTypes(args *tools.Args, name string) string {
	types := args.Names(name)
	short(args, name, types)
	for _, t := range types {
		if !typeName().MatchString(t) {
			args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s %s.", name, tools.Quote(t)).On(name).
				Try("A type is app_label.ModelName, such as blog.BlogPage."))
		}
	}
	return strings.Join(types, ",")
}

// orders reads the fields to order by.
func orders(args *tools.Args, name string) string {
	fields := args.Names(name)
	short(args, name, fields)
	for _, field := range fields {
		if !orderName().MatchString(field) {
			args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s %s.", name, tools.Quote(field)).On(name).
				Try("Pass a field, with a minus before it to turn the order round: -first_published_at."))
		}
		if field == "random" && (len(fields) > 1 || args.Has("offset") || args.Has("cursor")) {
			args.Fail(tools.Errorf(tools.CodeValidation, "The order random stands alone and has one page.").On(name).
				Try("Leave out other fields, offset and cursor."))
		}
	}
	return strings.Join(fields, ",")
}

// limitOf reads how many rows are wanted. More than a call gives is taken for as
// many as it gives.
func limitOf(args *tools.Args, least, most int) int {
	limit := args.Int("limit", least, maxID, least)
	if limit > most {
		args.Note(fmt.Sprintf("limit %d is over the maximum of %d, which was used", limit, most))
	}
	return min(limit, most)
}

// locale reads a language code.
func locale(args *tools.Args) string {
	value := strings.TrimSpace(args.String("locale"))
	if value != "" && !localeName().MatchString(value) {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid locale %s.", tools.Quote(value)).On("locale").
			Try("Pass a language code of the site, such as en or pt-br."))
	}
	return value
}

// slug reads the last part of a page's path.
func slug(args *tools.Args) string {
	value := strings.Trim(text(args, "slug"), "/")
	if strings.Contains(value, "/") {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid slug %s: it is a path.", tools.Quote(value)).On("slug").
			Try("Pass its last part alone, or read the page with %s {html_path}.", pageDetailsName))
	}
	return value
}

// set adds a parameter that has a value.
func set(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}
