package wagtail

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"issues-index/store/pattern"
	"issues-index/tools"
	"issues-index/tools/wagtail/content"
)

const (
	// maxOffset is the largest offset that is sent: beyond what databases count, the
	// API answers with a bare 500.
	maxOffset = 1_000_000
	// maxID is the largest id of any object.
	maxID = 1<<31 - 1
	// maxText is the longest text that is sent in a URL, in bytes.
	maxText = 500
	// maxList is the longest list that is sent in a URL, in bytes: servers accept URLs
	// of 4 KB at least.
	maxList = 2000
)

var (
	typeName   = pattern.Lazy(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?$`)
	orderName  = pattern.Lazy(`^-?[A-Za-z_]\w*$`)
	localeName = pattern.Lazy(`^[A-Za-z0-9_-]{1,40}$`)
)

// text reads an argument that is sent unchanged. The API answers control characters,
// NUL above all, with a bare 500.
func text(args *tools.Args, name string) string {
	return sendable(args, name, strings.Join(strings.Fields(args.String(name)), " "))
}

// invalid is the error for an argument with a value that it cannot have. why follows the
// value and may be empty; way says what to pass.
func invalid(name, value, why, way string) *tools.Error {
	return tools.Errorf(tools.CodeValidation, "Invalid %s %s%s.", name, tools.Quote(value), why).On(name).Try("%s", way)
}

// sendable fails the arguments when a text of an argument cannot be sent.
func sendable(args *tools.Args, name, value string) string {
	switch {
	case strings.ContainsFunc(value, unicode.IsControl):
		args.Fail(invalid(name, value, ": it has a control character", "Leave it out."))
	case len(value) > maxText:
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s: it has %d bytes.", name, len(value)).On(name).
			Try("The maximum is %d.", maxText))
	}
	return value
}

// short fails the arguments when a list is too long for a URL.
func short(args *tools.Args, name string, list []string) {
	if size := len(strings.Join(list, ",")); size > maxList {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s: it has %d bytes.", name, size).On(name).
			Try("The maximum is %d.", maxList))
	}
}

// searchWords reads the words to search for. The API has no phrases: quotation marks
// find nothing, and unpaired ones cause a bare 500.
func searchWords(args *tools.Args, name string) string {
	value := text(args, name)
	if !strings.Contains(value, `"`) {
		return value
	}
	value = strings.Join(strings.Fields(strings.ReplaceAll(value, `"`, " ")), " ")
	if value == "" {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s: there is no word in it.", name).On(name).Try("Search for words."))
	}
	args.Note("the site's API has no phrases: the words were searched for without quotation marks")
	return value
}

// pageTypes reads page types, joined as the API expects them. The API refuses a type without
// its app, and [Site.advised] then offers the types that the site has.
func pageTypes(args *tools.Args, name string) string {
	types := args.Names(name)
	short(args, name, types)
	for _, t := range types {
		if !typeName().MatchString(t) {
			args.Fail(invalid(name, t, "", "A type is app_label.ModelName, such as blog.BlogPage."))
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
			args.Fail(invalid(name, field, "", "Pass a field, with a minus before it to turn the order round: -first_published_at."))
		}
		if field == "random" && (len(fields) > 1 || args.Has("offset") || args.Has("cursor")) {
			args.Fail(tools.Errorf(tools.CodeValidation, "The order random has only one page and stands alone.").On(name).
				Try("Leave out other fields, offset and cursor."))
		}
	}
	return strings.Join(fields, ",")
}

// limitOf reads the number of rows. One over the maximum becomes the maximum.
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
		args.Fail(invalid("locale", value, "", "Pass a language code of the site, such as en or pt-br."))
	}
	return value
}

// set adds a parameter that has a value.
func set(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}

// treeFilters are the filters of a list of pages whose value is a page.
var treeFilters = []string{"child_of", "descendant_of", "ancestor_of", "translation_of"}

// rootName stands for the home page in a filter.
const rootName = "root"

// treePage reads the page of a filter: its id, or a path or URL that
// [Site.resolveTree] looks up; "" for none.
func treePage(args *tools.Args, name string) string {
	value := text(args, name)
	if value == "" || strings.Contains(value, "/") && !handle().MatchString(value) || value == rootName && name != "ancestor_of" {
		return value
	}
	ref, numbered, wrong := readHandle(name, value, content.KindPage)
	if !numbered {
		wrong = invalid(name, value, "", "Pass the id, path or URL of a page, such as 4 or /visit/.")
	}
	if wrong != nil {
		args.Fail(wrong)
	}
	return strconv.Itoa(ref.ID)
}

// resolveTree replaces the paths and URLs in a query by ids.
func (s *Site) resolveTree(ctx context.Context, query url.Values) error {
	for _, name := range treeFilters {
		value, site := query.Get(name), query.Get("site")
		id, err := 0, error(nil)
		switch {
		case value == rootName && site != "": // the API takes root for that of the configured site
			id, err = s.root(ctx, site)
		case strings.Contains(value, "/"):
			id, site, err = s.pageAtPath(ctx, name, value, site)
		}
		if err != nil {
			return err
		}
		if id > 0 {
			query.Set(name, strconv.Itoa(id))
			set(query, "site", site)
		}
	}
	return nil
}

// pageAtPath returns the id of the page at exactly the given path or URL, and the
// other site that has it.
func (s *Site) pageAtPath(ctx context.Context, field, given, site string) (id int, of string, err error) {
	who, wrong := s.identify(field, given, "")
	if wrong != nil {
		return 0, "", wrong
	}
	who.site = site
	i, at, err := s.page(ctx, who, "_,"+pageIdentity)
	if err == nil && s.viewNote(at, i) != "" {
		err = tools.Errorf(tools.CodeNotFound, "No page has the path %s: it is a view of page %d.", tools.Quote(given), i.ID).On(field).
			Try("Pass %d for that page.", i.ID)
	}
	return i.ID, at.site, err
}

// endpointSchema is the argument endpoint of the tools for documents: objects of other
// endpoints have a title, fields and addresses as documents have.
const endpointSchema = `"endpoint":` + anyText

var endpointName = pattern.Lazy(`^[A-Za-z0-9_-]{1,60}$`)

// endpoint reads the endpoint of the API to use instead of documents, "" for
// documents.
func endpoint(args *tools.Args) string {
	name := strings.Trim(strings.TrimSpace(args.String("endpoint")), "/")
	switch {
	case name == "" || name == kindDocuments:
		return ""
	case name == kindPages:
		args.Fail(invalid("endpoint", name, ": they have tools of their own", "Use "+listPagesName+" or "+pageDetailsName+"."))
	case name == kindImages:
		args.Fail(invalid("endpoint", name, ": they have tools of their own", "Use "+listImagesName+" or "+imageDetailsName+"."))
	case !endpointName().MatchString(name):
		args.Fail(invalid("endpoint", name, "", "Pass the last part of its address in the API, such as redirects. "+overviewName+" names those that answer."))
	}
	return name
}

// singularOf names a single object of an endpoint.
func singularOf(kind string) string {
	if name, ok := singular[kind]; ok {
		return name
	}
	return "object of " + kind
}
