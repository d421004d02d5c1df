package wagtail

import (
	"context"
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
	// maxText is the longest text that is sent in a URL, in bytes. Servers accept URLs of 4 KB at
	// least.
	maxText = 2000
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

// names reads a list, joined as the API expects it. The API says what is wrong with a name.
func names(args *tools.Args, name string) string {
	return sendable(args, name, strings.Join(args.Names(name), ","))
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
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s: there is no word in it.", name).On(name).
			Try("Search for words."))
	}
	args.Note("the site's API has no phrases: the words were searched for without quotation marks")
	return value
}

// setLimit adds the argument limit to a query. One over the maximum becomes the maximum; 0 counts.
func setLimit(args *tools.Args, query url.Values) {
	if limit := args.String("limit"); limit == "0" {
		query.Set("limit", limit)
	} else if args.Has("limit") {
		query.Set("limit", strconv.Itoa(args.AtMost("limit", args.Settings().MaxPageSize, 1)))
	}
}

// limitIn returns the limit of a query, byDefault when it has none.
func limitIn(args *tools.Args, query url.Values, byDefault int) int {
	if !query.Has("limit") {
		return byDefault
	}
	return min(numberOf(query, "limit"), args.Settings().MaxPageSize) // a cursor may be altered
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
	if value == "" || strings.Contains(value, "/") && !handle().MatchString(value) || value == rootName &&
		name != "ancestor_of" {
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
		err = tools.Errorf(tools.CodeNotFound, "No page has the path %s: it is a view of page %d.", tools.Quote(given),
			i.ID).On(field).
			Try("Pass %d for that page.", i.ID)
	}
	return i.ID, at.site, err
}

var endpointName = pattern.Lazy(`^[A-Za-z0-9_-]{1,60}$`)

// endpoint reads the endpoint of the API to use instead of documents, "" for
// documents.
func endpoint(args *tools.Args) string {
	name := strings.Trim(strings.TrimSpace(args.String("endpoint")), "/")
	switch {
	case name == kindDocuments:
		return ""
	case name == kindPages, name == kindImages:
		args.Fail(invalid("endpoint", name, ": "+name+" have tools of their own", "Use wagtail_list_"+name+"."))
	case name != "" && !endpointName().MatchString(name):
		args.Fail(invalid("endpoint", name, "", "Pass the last part of its address in the API, such as redirects. "+
			overviewName+" names those that answer."))
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
