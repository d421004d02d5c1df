package wagtail

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"

	"issues-index/store/pattern"
	"issues-index/tools"
)

const (
	// maxSameSlug is the most pages of one slug that are searched for a path. A slug
	// is only unique among siblings.
	maxSameSlug = 500
	// maxPages is the most requests for that, however few pages a site returns at a
	// time.
	maxPages = 100
)

// lookup returns the id of the wanted page.
func (s *Site) lookup(ctx context.Context, who identity) (int, error) {
	switch {
	case who.id > 0:
		return who.id, nil
	case who.slug != "":
		return s.bySlug(ctx, who)
	}
	return s.byPath(ctx, who)
}

// byPath returns the page at a path. The API itself only finds pages below the root of
// the configured site. Pages of other languages and sites are found by their slug, and
// home pages, whose slug is in no path, among the home pages.
func (s *Site) byPath(ctx context.Context, who identity) (int, error) {
	if who.site == "" {
		for _, p := range who.paths {
			if id, err := s.routed(ctx, p); err != nil || id > 0 {
				return id, err
			}
		}
	}
	var same []apiObject
	var asked []string
	for _, p := range who.paths {
		slug := path.Base(p)
		if slug == "/" || slices.Contains(asked, slug) {
			continue
		}
		asked = append(asked, slug)
		pages, found, err := s.withSlug(ctx, who, slug)
		if err != nil || found > 0 {
			return found, err
		}
		same = append(same, pages...)
	}
	if id, err := s.home(ctx, who); err != nil || id > 0 {
		return id, err
	}
	e := s.noPage(who)
	switch {
	case len(same) >= maxSameSlug:
		e = e.Try("%d pages with that last part were looked at, and there are more: list them with %s {slug, locale} and pass an id.", len(same), listPagesName)
	case len(same) > 0:
		e = e.Try("Pages with that last part have other paths; pass one of these ids:").Among(s.candidates(same[:min(defaultMaxLimit, len(same))])...)
		e.More = max(0, len(same)-defaultMaxLimit)
	}
	return 0, e
}

var detailPath = pattern.Lazy(`/pages/(\d{1,10})/?$`)

// routed asks the API which page is at a path, 0 for none. The API answers with a
// redirect to its own address of the page, of which only the id counts.
func (s *Site) routed(ctx context.Context, at string) (int, error) {
	response, err := s.ask(ctx, "pages/find/", url.Values{"html_path": {at}})
	if err != nil {
		return 0, err
	}
	if to, _ := response.Redirect(); to != nil {
		if found := detailPath().FindStringSubmatch(to.Path); found != nil {
			if id, err := strconv.Atoi(found[1]); err == nil {
				return id, nil
			}
		}
	}
	if response.Status == http.StatusOK {
		return 0, s.unread("pages/find/", response)
	}
	if refused := s.refused("pages/find/", response); !absent(refused) {
		return 0, refused
	}
	return 0, nil
}

// withSlug looks for the page at the wanted path among the pages with a slug. It
// returns the page's id, or the pages that it looked at.
func (s *Site) withSlug(ctx context.Context, who identity, slug string) (same []apiObject, found int, err error) {
	query := url.Values{"slug": {slug}}
	set(query, "site", who.site)
	for n, offset, more := 0, 0, true; more && n < maxPages && len(same) < maxSameSlug; n++ {
		b, err := s.list(ctx, kindPages, query, defaultMaxLimit, offset)
		if err != nil {
			return nil, 0, err
		}
		if id := s.at(who, b.items); id > 0 {
			return nil, id, nil
		}
		same = append(same, b.items...)
		offset, more = b.next(len(b.items))
		more = more && len(b.items) > 0
	}
	return same, 0, nil
}

// at returns which of some pages has the wanted path, 0 for none.
func (s *Site) at(who identity, pages []apiObject) int {
	for _, i := range pages {
		if s.isAt(who, i) {
			return i.ID
		}
	}
	return 0
}

// isAt reports whether a page's own URL has the wanted path.
func (s *Site) isAt(who identity, i apiObject) bool {
	u := i.url("html_url", s.base)
	return u != nil && (slices.Contains(who.paths, clean(s.pathBelow(u))) || slices.Contains(who.paths, clean(u.EscapedPath())))
}

// homePath matches the path of a home page: the root of its site, or the code of its
// language below it.
var homePath = pattern.Lazy(`^/([A-Za-z]{2,3}([-_@][A-Za-z0-9]+)*/)?$`)

// home returns the home page of the site, one for each language, at the wanted path; 0
// for none.
func (s *Site) home(ctx context.Context, who identity) (int, error) {
	if !slices.ContainsFunc(who.paths, homePath().MatchString) {
		return 0, nil
	}
	root, err := s.root(ctx, who.site)
	if err != nil || root == 0 {
		return 0, err
	}
	var first apiObject
	if err := s.get(ctx, objectPath(kindPages, root), siteQuery(who.site, "fields", "_,"+pageIdentity), &first); err != nil {
		return 0, err
	}
	if s.isAt(who, first) {
		return root, nil
	}
	b, err := s.list(ctx, kindPages, siteQuery(who.site, "translation_of", strconv.Itoa(root)), defaultMaxLimit, 0)
	if r, ok := errors.AsType[*siteError](err); ok && r.status == http.StatusBadRequest { // of a version without languages
		return 0, nil
	}
	return s.at(who, b.items), err
}

// root returns the id of a site's home page, "" being the configured site; 0 when it
// shows none.
func (s *Site) root(ctx context.Context, site string) (int, error) {
	if site == "" {
		return s.routed(ctx, "/")
	}
	b, err := s.list(ctx, kindPages, url.Values{"site": {site}}, 1, 0)
	if err != nil || len(b.items) == 0 {
		return 0, err
	}
	return b.items[0].ID, nil
}

// bySlug returns the only page with a slug. A page whose slug differs in the wanted
// language is returned in its own.
func (s *Site) bySlug(ctx context.Context, who identity) (int, error) {
	query := siteQuery(who.site, "slug", who.slug)
	set(query, "locale", who.locale)
	same, err := s.list(ctx, kindPages, query, defaultMaxLimit, 0)
	if err == nil && same.total == 0 && who.locale != "" {
		query.Del("locale")
		same, err = s.list(ctx, kindPages, query, defaultMaxLimit, 0)
	}
	switch {
	case err != nil:
		return 0, err
	case same.total == 0:
		return 0, s.noPage(who)
	case len(same.items) == 0:
		return 0, provider("The site counts %d pages with the slug %s, but returned none of them.", same.total, tools.Quote(who.slug)).
			Try("Find the page with %s or %s, and pass its id.", searchName, listPagesName)
	case same.total == 1:
		return same.items[0].ID, nil
	}
	e := tools.Errorf(tools.CodeAmbiguousID, "%d pages have the slug %s.", same.total, tools.Quote(who.slug)).On(who.field).
		Try("Pass the id of the one you mean:").Among(s.candidates(same.items)...)
	e.More = same.total - len(same.items)
	return 0, e
}

// candidates returns pages as an error lists them.
func (s *Site) candidates(items []apiObject) []string {
	var lines []string
	for _, r := range s.rows(kindPages, items, false) {
		lines = append(lines, r.text())
	}
	return lines
}

// noPage is the error for a page that does not exist.
func (s *Site) noPage(who identity) *tools.Error {
	return tools.Errorf(tools.CodeNotFound, "The site has no page %s, or it is a draft or private.", tools.Quote(who.given)).On(who.field).
		Try("Use %s or %s to find pages.", searchName, listPagesName)
}

// siteQuery returns a query of one parameter and a site.
func siteQuery(site, name, value string) url.Values {
	query := url.Values{}
	set(query, name, value)
	set(query, "site", site)
	return query
}
