package wagtail

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode"

	"issues-index/store/pattern"
	"issues-index/tools"
)

// An identity is how a page was named.
type identity struct {
	id     int    // 0 for none
	path   string // below the site, "" for none
	slug   string
	locale string
	field  string // the argument that names it
	given  string // as it was given
}

// readIdentity reads which page is wanted. id may be any of an id, an address, a
// path and a slug.
func (s *Site) readIdentity(args *tools.Args) identity {
	const way = "Pass one of id (a number), html_path (such as /visit/opening-hours/) and slug."
	who := identity{locale: locale(args)}
	for _, name := range []string{"id", "html_path", "slug"} {
		value := text(args, name)
		if value == "" {
			continue
		}
		if who.field != "" {
			args.Fail(tools.Errorf(tools.CodeValidation, "Both %s and %s name a page.", who.field, name).On(name).Try(way))
		}
		who.field, who.given = name, value
	}
	switch value := who.given; {
	case who.field == "":
		args.Fail(tools.Errorf(tools.CodeMissingField, "No page is named.").On("id").Try(way))
	case who.field == "id" && isNumber(value):
		who.id = args.Int("id", 1, maxID, 0)
	case who.field == "slug":
		who.slug = slug(args)
	case strings.Contains(value, "://"):
		u, err := url.Parse(value)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s %s: it is no address of a page.", who.field, tools.Quote(value)).On(who.field).Try(way))
			break
		}
		who.path = s.below(u.EscapedPath())
	case who.field == "html_path" || strings.Contains(value, "/"):
		who.path, _, _ = strings.Cut(value, "?")
	default:
		who.slug = value
	}
	if who.field != "" && who.id == 0 && who.slug == "" {
		who.path = clean(who.path)
	}
	if strings.ContainsFunc(who.path, unicode.IsControl) { // written as %00, say
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s %s: it has a control character.", who.field, tools.Quote(who.given)).On(who.field).Try(way))
	}
	return who
}

// below is the path of an address without that of the site's base.
func (s *Site) below(path string) string {
	base := strings.TrimRight(s.base.EscapedPath(), "/")
	if rest, ok := strings.CutPrefix(path, base); ok && (rest == "" || rest[0] == '/') {
		return rest
	}
	return path
}

// clean is a path in the form in which paths are compared: unescaped, with
// slashes at both ends.
func clean(given string) string {
	given, _, _ = strings.Cut(given, "#")
	if unescaped, err := url.PathUnescape(given); err == nil {
		given = unescaped
	}
	given = path.Clean("/" + given)
	if given != "/" {
		given += "/"
	}
	return given
}

// lookup returns the id of the page that is wanted.
func (s *Site) lookup(ctx context.Context, who identity) (int, error) {
	switch {
	case who.id > 0:
		return who.id, nil
	case who.slug != "":
		return s.bySlug(ctx, who)
	}
	return s.byPath(ctx, who)
}

var detailPath = pattern.Lazy(`/pages/(\d{1,10})/?$`)

// byPath asks the API which page a path is routed to. It answers with a redirect
// to what the site takes for its own address, of which only the id counts. It
// routes below its own root page alone: pages of other languages are found by
// their slug.
func (s *Site) byPath(ctx context.Context, who identity) (int, error) {
	response, err := s.ask(ctx, "pages/find/", url.Values{"html_path": {who.path}})
	if err != nil {
		return 0, err
	}
	if response.Status >= 300 && response.Status < 400 {
		if to, _ := response.Redirect(); to != nil {
			if found := detailPath().FindStringSubmatch(to.Path); found != nil {
				if id, err := strconv.Atoi(found[1]); err == nil {
					return id, nil
				}
			}
		}
	}
	refused := s.refused("pages/find/", response)
	switch {
	case response.Status == http.StatusOK:
		return 0, s.unread("pages/find/", response)
	case !absent(refused):
		return 0, refused
	}
	same, err := s.withSlug(ctx, path.Base(who.path), who.locale)
	if err != nil {
		return 0, err
	}
	for _, i := range same.items {
		if u := i.url("html_url", s.base); u != nil && clean(s.below(u.EscapedPath())) == who.path {
			return i.ID, nil
		}
	}
	e := s.noPage(who)
	if len(same.items) > 0 {
		e = e.Try("Pages with that last part have other paths; pass one of these ids:").Among(s.candidates(same.items)...)
	}
	return 0, e
}

// bySlug returns the one page that has a slug.
func (s *Site) bySlug(ctx context.Context, who identity) (int, error) {
	same, err := s.withSlug(ctx, who.slug, who.locale)
	switch {
	case err != nil:
		return 0, err
	case same.total == 0:
		return 0, s.noPage(who)
	case len(same.items) == 0:
		return 0, provider("The site counts %d pages with the slug %s, and gave none of them.", same.total, tools.Quote(who.slug)).
			Try("Find the page with %s or %s, and pass its id.", searchName, listPagesName)
	case same.total == 1:
		return same.items[0].ID, nil
	}
	e := tools.Errorf(tools.CodeAmbiguousID, "%d pages have the slug %s.", same.total, tools.Quote(who.slug)).On(who.field).
		Try("Pass the id of the one you mean:").Among(s.candidates(same.items)...)
	e.More = same.total - len(same.items)
	return 0, e
}

// withSlug lists the pages with a slug, of one language or of all.
func (s *Site) withSlug(ctx context.Context, slug, locale string) (batch, error) {
	if slug == "/" {
		return batch{}, nil
	}
	query := url.Values{"slug": {slug}}
	set(query, "locale", locale)
	return s.list(ctx, kindPages, query, usualMost, 0)
}

// candidates are pages as an error lists them.
func (s *Site) candidates(items []item) []string {
	var lines []string
	for _, r := range s.rows(kindPages, items, 0) {
		lines = append(lines, r.text())
	}
	return lines
}

// noPage says that there is no such page.
func (s *Site) noPage(who identity) *tools.Error {
	return tools.Errorf(tools.CodeNotFound, "The site has no page %s, or it is a draft or private.", tools.Quote(who.given)).On(who.field).
		Try("Use %s or %s to find pages.", searchName, listPagesName)
}

// page reads a page's detail.
func (s *Site) page(ctx context.Context, who identity, fields string) (item, error) {
	id, err := s.lookup(ctx, who)
	if err != nil {
		return item{}, err
	}
	query := url.Values{}
	set(query, "fields", fields)
	var i item
	err = s.get(ctx, fmt.Sprintf("pages/%d/", id), query, &i)
	if absent(err) {
		return item{}, s.noPage(who)
	}
	if err != nil {
		return item{}, err
	}
	if i.ID != id {
		return item{}, s.notWagtail("pages/")
	}
	s.sawTypes([]item{i})
	return i, nil
}
