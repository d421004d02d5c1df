package wagtail

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"issues-index/tools"
)

// treeFilters are the filters of a list of pages that name a page.
var treeFilters = []string{"child_of", "descendant_of", "ancestor_of", "translation_of"}

// rootName stands for the home page where a filter names a page.
const rootName = "root"

// treePage reads the page that a filter names: its id, or a path or address that
// [Site.resolveTree] looks up, "" for none.
func treePage(args *tools.Args, name string) string {
	value := text(args, name)
	if value == "" || strings.Contains(value, "/") || value == rootName && name != "ancestor_of" {
		return value
	}
	if _, err := strconv.ParseFloat(value, 64); err != nil {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s %s.", name, tools.Quote(value)).On(name).
			Try("Pass the id, path or URL of a page, such as 4 or /visit/."))
	}
	return strconv.Itoa(args.Int(name, 1, maxID, 0))
}

// resolveTree puts ids in the place of the paths and addresses in a query.
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

// pageAtPath returns the id of the page at exactly the path or address that was
// given, and the other site that it is of.
func (s *Site) pageAtPath(ctx context.Context, who identity) (id int, site string, err error) {
	if !s.readAddress(&who, who.given) {
		return 0, "", tools.Errorf(tools.CodeValidation, "Invalid %s %s: it is no address of a page.", who.field, tools.Quote(who.given)).On(who.field).
			Try("Pass an id, a path such as /visit/, or a URL of the site.")
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
