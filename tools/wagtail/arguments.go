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
	typeName   = pattern.Lazy(`^[A-Za-z_]\w*\.[A-Za-z_]\w*$`)
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
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s: it has %d bytes.", name, len(value)).On(name).Try("The maximum is %d.", maxText))
	}
	return value
}

// short fails the arguments when a list is too long for a URL.
func short(args *tools.Args, name string, list []string) {
	if size := len(strings.Join(list, ",")); size > maxList {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s: it has %d bytes.", name, size).On(name).Try("The maximum is %d.", maxList))
	}
}

// searchWords reads the words to search for. The API has no phrases: quotation marks
// find nothing, and unpaired ones cause a bare 500.
func searchWords(args *tools.Args, name string) string {
	value := text(args, name)
	if !strings.Contains(value, `"`) {
		return value
	}
	if strings.Count(value, `"`)%2 == 1 {
		args.Fail(invalid(name, value, ": a quotation mark has no partner", "Search for single words: the site's API has no phrases."))
	}
	value = strings.Join(strings.Fields(strings.ReplaceAll(value, `"`, " ")), " ")
	if value == "" {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s: there is no word in it.", name).On(name).Try("Search for words."))
	}
	args.Note("the site's API has no phrases: the words were searched for without quotation marks")
	return value
}

// pageTypes reads page types, joined as the API expects them.
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
			args.Fail(tools.Errorf(tools.CodeValidation, "The order random has only one page and cannot be combined with other fields.").On(name).
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

// slug reads the last part of a page's path.
func slug(args *tools.Args) string {
	value := strings.Trim(text(args, "slug"), "/")
	if strings.Contains(value, "/") {
		args.Fail(invalid("slug", value, ": it is a path", "Pass only its last part, or read the page with "+pageDetailsName+" {html_path}."))
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
	if value == "" || strings.Contains(value, "/") || value == rootName && name != "ancestor_of" {
		return value
	}
	if _, err := strconv.ParseFloat(value, 64); err != nil {
		args.Fail(invalid(name, value, "", "Pass the id, path or URL of a page, such as 4 or /visit/."))
	}
	return strconv.Itoa(args.Int(name, 1, maxID, 0))
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
			id, site, err = s.pageAtPath(ctx, identity{site: site, field: name, given: value})
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
func (s *Site) pageAtPath(ctx context.Context, who identity) (id int, site string, err error) {
	if !s.readAddress(&who, who.given) {
		return 0, "", invalid(who.field, who.given, ": it is no address of a page", "Pass an id, a path such as /visit/, or a URL of the site.")
	}
	i, at, err := s.page(ctx, who, "_,"+pageIdentity)
	if err != nil {
		return 0, "", err
	}
	if s.viewNote(at, i) != "" {
		return 0, "", tools.Errorf(tools.CodeNotFound, "No page has the path %s: it is a view of page %d.", tools.Quote(who.given), i.ID).On(who.field).
			Try("Pass %d for that page.", i.ID)
	}
	return i.ID, at.site, nil
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
