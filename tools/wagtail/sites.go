package wagtail

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"issues-index/tools"
)

// otherSite reads which other site of this Wagtail is wanted, by its host or URL; ""
// for the configured one.
func (s *Site) otherSite(args *tools.Args) string {
	value := strings.ToLower(text(args, "site"))
	if u, err := url.Parse(value); err == nil && u.Host != "" {
		value = hostOf(u)
	}
	if value == "" || value == hostOf(s.base) {
		return ""
	}
	return value
}

// siteQuery returns a query of one parameter and a site.
func siteQuery(site, name, value string) url.Values {
	query := url.Values{}
	set(query, name, value)
	set(query, "site", site)
	return query
}

// foreign reports whether an identity is a URL with a host that is neither the API's
// nor the visitors'.
func (s *Site) foreign(who identity) bool {
	return who.host != "" && who.host != hostOf(s.base) && who.host != hostOf(s.front)
}

// unknownSite words the API's error about an unknown site: before version 8 it breaks.
func unknownSite(err error, query url.Values) error {
	r, ok := errors.AsType[*siteError](err)
	ambiguous := ok && r.status == http.StatusBadRequest && strings.Contains(r.message, "multiple sites")
	unknown := ok && (r.status == http.StatusInternalServerError || r.status == http.StatusNotFound &&
		strings.Contains(r.message, "Site"))
	if !query.Has("site") || !unknown && !ambiguous {
		return err
	}
	r.worded = tools.Errorf(tools.CodeValidation, "This Wagtail has no site %s, or several: its API answered %s.",
		tools.Quote(query.Get("site")), named(r.status)).On("site").
		Try("Pass the host and port of one of its sites, or leave site out for the configured one.")
	return r
}

// noSite reports whether the API has no site of that name. Versions before 4.2 know
// only one site.
func noSite(err error) bool {
	r, ok := errors.AsType[*siteError](err)
	return ok && (r.status == http.StatusBadRequest || r.status == http.StatusInternalServerError ||
		r.status == http.StatusNotFound)
}

// elsewherePage reads the page of a URL with another host than the base's: the host
// that the configured site itself uses, or another site of the same Wagtail. i and err
// are what the configured site has at the path.
func (s *Site) elsewherePage(ctx context.Context, who identity, i apiObject, err error, fields string) (apiObject,
	identity, error) {
	if err != nil && !notFound(err) {
		return apiObject{}, who, err
	}
	at := i.url("html_url", s.base)
	if at != nil && hostOf(at) == who.host {
		return i, who, nil
	}
	other := who
	other.site = who.host
	j, err := s.detail(ctx, other, fields)
	if noSite(err) {
		return apiObject{}, who, s.wrongHost(who, at)
	}
	return j, other, err
}

// wrongHost says that a URL is on a host that this Wagtail does not have. at is the address of
// the page with the same path, nil for none.
func (s *Site) wrongHost(who identity, at *url.URL) *tools.Error {
	e := tools.Errorf(tools.CodeNotFound, "The address %s is on another host: this service reads the site at %s.",
		tools.Quote(who.given), s.base.Host).On(who.field)
	if at != nil {
		return e.Try("Pass the path without its host for the page %s of that site.", address(at))
	}
	return e.Try("Pass an address of that site, a path, or an id from %s.", listPagesName)
}

// owns reports whether a URL is of this site: it has no host, that of the API or of visitors, or
// the one that the site itself uses.
func (s *Site) owns(ctx context.Context, u *url.URL) bool {
	if host := hostOf(u); host == "" || host == hostOf(s.base) || host == hostOf(s.front) {
		return true
	}
	root, err := s.routed(ctx, "/")
	if err != nil || root == 0 {
		return false
	}
	home, err := s.object(ctx, kindPages, root, siteQuery("", "fields", "_,"+pageIdentity))
	at := home.url("html_url", s.base)
	return err == nil && at != nil && hostOf(at) == hostOf(u)
}
