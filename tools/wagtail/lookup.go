package wagtail

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"issues-index/store/pattern"
	"issues-index/tools"
)

// page reads the details of the wanted page: of the site and in the language that were
// asked for, or not at all. The returned identity has the site of the page.
func (s *Site) page(ctx context.Context, who identity, fields string) (apiObject, identity, error) {
	i, err := s.detail(ctx, who, fields)
	if s.foreign(who) && who.site == "" {
		i, who, err = s.elsewherePage(ctx, who, i, err, fields)
	}
	if err != nil {
		return apiObject{}, who, err
	}
	i, err = s.inLocale(ctx, who, i, fields)
	return i, who, err
}

// detail reads the details of a page as the API has them.
func (s *Site) detail(ctx context.Context, who identity, fields string) (apiObject, error) {
	id, err := s.lookup(ctx, who)
	if err != nil {
		return apiObject{}, err
	}
	if who.locale != "" && fields != "" && fields[0] != '*' { // else the answer has it
		fields += ",locale"
	}
	i, err := s.object(ctx, kindPages, id, siteQuery(who.site, "fields", fields))
	if notFound(err) {
		err = s.noPage(who)
	}
	return i, err
}

// lookup returns the id of the wanted page. The API itself only finds the paths of pages below
// the root of the configured site. Pages of other languages and sites are found by their slug,
// and home pages, whose slug is in no path, among the home pages.
func (s *Site) lookup(ctx context.Context, who identity) (int, error) {
	switch {
	case who.id > 0:
		return who.id, nil
	case who.slug != "":
		return s.bySlug(ctx, who)
	case who.site == "":
		for _, p := range who.paths {
			if id, err := s.routed(ctx, p); err != nil || id > 0 {
				return id, err
			}
		}
	}
	isWanted := func(i apiObject) bool { return s.isAt(who, i) }
	slug := path.Base(who.paths[0])
	if slug == "/" {
		slug = path.Base(who.paths[len(who.paths)-1]) // the base's own path may be a page's, too
	}
	if slug != "/" {
		found, err := s.seek(ctx, kindPages, siteQuery(who.site, "slug", slug), isWanted)
		if err != nil || found.ID > 0 {
			return found.ID, err
		}
	}
	if id, err := s.home(ctx, who, isWanted); err != nil || id > 0 {
		return id, err
	}
	return 0, s.noPage(who)
}

// maxSought is the most objects of a list that are compared one by one, where the API has no
// filter.
const maxSought = 1000

// seek returns the first object of a list that is the wanted one, one without id when none is.
func (s *Site) seek(ctx context.Context, kind string, query url.Values, is func(apiObject) bool) (apiObject, error) {
	for offset, more := 0, true; more && offset < maxSought; {
		b, err := s.list(ctx, kind, query, defaultMaxLimit, offset)
		if err != nil {
			return apiObject{}, err
		}
		if at := slices.IndexFunc(b.items, is); at >= 0 {
			return b.items[at], nil
		}
		offset, more = b.next(len(b.items))
	}
	return apiObject{}, nil
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
		return 0, s.unread("pages/find/", isJSON(response.MediaType()))
	}
	if refused := s.refused("pages/find/", response); !notFound(refused) {
		return 0, refused
	}
	return 0, nil
}

// isAt reports whether a page's own URL has the wanted path.
func (s *Site) isAt(who identity, i apiObject) bool {
	u := i.url("html_url", s.base)
	return u != nil && (slices.Contains(who.paths, clean(s.pathBelow(u))) || slices.Contains(who.paths,
		clean(u.EscapedPath())))
}

// homePath matches the path of a home page: the root of its site, or the code of its
// language below it.
var homePath = pattern.Lazy(`^/([A-Za-z]{2,3}([-_@][A-Za-z0-9]+)*/)?$`)

// home returns the home page of the site, one for each language, at the wanted path; 0
// for none.
func (s *Site) home(ctx context.Context, who identity, isWanted func(apiObject) bool) (int, error) {
	if !slices.ContainsFunc(who.paths, homePath().MatchString) {
		return 0, nil
	}
	root, err := s.root(ctx, who.site)
	if err != nil || root == 0 {
		return 0, err
	}
	first, err := s.object(ctx, kindPages, root, siteQuery(who.site, "fields", "_,"+pageIdentity))
	if err != nil || isWanted(first) {
		return first.ID, err
	}
	found, err := s.seek(ctx, kindPages, siteQuery(who.site, "translation_of", strconv.Itoa(root)), isWanted)
	if r, ok := errors.AsType[*siteError](err); ok && r.status == http.StatusBadRequest { // of a version without languages
		return 0, nil
	}
	return found.ID, err
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
	query := url.Values{"slug": {who.slug}}
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
	case same.total == 1 && len(same.items) == 1:
		return same.items[0].ID, nil
	}
	e := tools.Errorf(tools.CodeAmbiguousID, "%d pages have the slug %s.", same.total, tools.Quote(who.slug)).
		On(who.field).
		Try("Pass the id of the page that you mean:")
	for _, r := range s.rows(kindPages, same.items, nil, false) {
		e.Candidates = append(e.Candidates, r.line())
	}
	e.More = same.total - len(same.items)
	return 0, e
}

// inLocale returns a page in the wanted language: itself or its translation.
func (s *Site) inLocale(ctx context.Context, who identity, i apiObject, fields string) (apiObject, error) {
	// The API's own filter by locale only takes the exact case.
	inWanted := func(i apiObject) bool { return strings.EqualFold(i.text("locale"), who.locale) }
	if who.locale == "" || inWanted(i) {
		return i, nil
	}
	found, err := s.seek(ctx, kindPages, siteQuery(who.site, "translation_of", strconv.Itoa(i.ID)), inWanted)
	if err != nil {
		return apiObject{}, err
	}
	if found.ID > 0 {
		return s.detail(ctx, identity{id: found.ID, site: who.site, locale: who.locale, field: who.field, given: who.given},
			fields)
	}
	return apiObject{}, tools.Errorf(tools.CodeNotFound, "Page %d has no translation in %s that the API shows.", i.ID,
		tools.Quote(who.locale)).
		On("locale").Try("Leave locale out, or list its translations with %s {translation_of: %d}.", listPagesName, i.ID)
}

// noPage is the error for a page that does not exist.
func (s *Site) noPage(who identity) *tools.Error {
	return tools.Errorf(tools.CodeNotFound, "The site has no page %s, or it is a draft or private.",
		tools.Quote(who.given)).On(who.field).
		Try("Use %s or %s to find pages. A page of another site is named by its URL.", searchName, listPagesName)
}

// notFound reports whether an error says that there is no such page.
func notFound(err error) bool {
	e, ok := errors.AsType[*tools.Error](err)
	return ok && e.Code == tools.CodeNotFound
}

// viewNote says that a URL is a view of the page and not its own, "" when it is its
// own.
func (s *Site) viewNote(who identity, i apiObject) string {
	if len(who.paths) == 0 || s.isAt(who, i) || i.url("html_url", s.base) == nil || who.locale != "" {
		return ""
	}
	return fmt.Sprintf("%s is a view of this page: %s with the same address reads what it shows", tools.Quote(who.given),
		pageHTMLName)
}
