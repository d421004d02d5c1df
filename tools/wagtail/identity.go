package wagtail

import (
	"cmp"
	"errors"
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

// An identity is how a call names a page.
type identity struct {
	id     int      // 0 for none
	host   string   // of an address, "" for a path; see hostOf
	paths  []string // possible paths of the page on the site, the likeliest first
	view   string   // the path that a visitor requests: as it was given, with its query
	slug   string
	locale string
	site   string // the other site of this Wagtail that has the page, "" for the configured one
	field  string // the argument that names the page
	given  string // as it was given
}

// readIdentity reads which page is wanted. id may be an id, a URL, a path or a slug. A
// cursor names the page that it continues.
func (s *Site) readIdentity(args *tools.Args, from pageCursor) identity {
	const way = "Pass one of id (a number), html_path (such as /visit/opening-hours/) and slug."
	who := identity{locale: locale(args), site: s.otherSite(args)}
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
	if who.field == "" {
		return s.resumedIdentity(args, from, way)
	}
	if who.field == "slug" {
		who.slug = slug(args)
		return who
	}
	who = s.identify(args, who, way)
	if who.id > 0 && who.id == from.id { // with a cursor that knows more about the page
		who = s.resume(who, from)
	}
	return who
}

// identify reads what was given as an identity's field: an id, a URL, a path or a slug.
func (s *Site) identify(args *tools.Args, who identity, way string) identity {
	fail := func(why string) { args.Fail(invalid(who.field, who.given, why, way)) }
	switch value := who.given; {
	case isNumber(value) && who.field != "html_path":
		id, err := strconv.Atoi(value)
		if err != nil || id > maxID {
			fail(". The maximum is " + strconv.Itoa(maxID))
		} else if id < 1 {
			fail(". The minimum is 1")
		}
		who.id = id
	case who.field == "html_path" || strings.ContainsAny(value, "/?"):
		if !s.readAddress(&who, value) {
			fail(": it is no address of a page")
		}
	default:
		who.slug = value
	}
	for _, p := range who.paths {
		if strings.ContainsFunc(p, unicode.IsControl) { // such as %00
			fail(": it has a control character")
		}
	}
	return who
}

// readAddress reads a URL or a path. It reports false for anything else.
func (s *Site) readAddress(who *identity, value string) bool {
	where, rest := value, ""
	if strings.Contains(value, "://") {
		u, err := url.Parse(value)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return false
		}
		who.host = hostOf(u)
		where = s.pathBelow(u)
		if u.RawQuery != "" {
			rest = "?" + u.RawQuery
		}
	} else {
		where, _, _ = strings.Cut(where, "#")
		if at := strings.IndexByte(where, '?'); at >= 0 {
			where, rest = where[:at], where[at:]
		}
	}
	if strings.Contains(where, "/.") {
		where = (&url.URL{Path: clean(where)}).EscapedPath()
	}
	who.paths = []string{clean(where)}
	if who.host == "" {
		// Answers show paths from the host on, so the base's own path is removed. But a
		// page's path may begin with the same part.
		if whole := who.paths[0]; clean(s.below(where)) != whole {
			who.paths = []string{clean(s.below(where)), whole}
		}
		where = s.below(where)
	}
	who.view = "/" + strings.TrimLeft(where, "/") + printableQuery(rest)
	return true
}

// printableQuery escapes the characters that a request cannot have in its query.
func printableQuery(query string) string {
	var b strings.Builder
	for _, c := range []byte(query) {
		if c <= ' ' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// resumedIdentity returns the page that a cursor continues.
func (s *Site) resumedIdentity(args *tools.Args, from pageCursor, way string) identity {
	cursor := strings.TrimSpace(args.String("cursor"))
	who := s.resume(identity{id: from.id, field: "cursor", given: cursor}, from)
	switch {
	case cursor == "":
		args.Fail(tools.Errorf(tools.CodeMissingField, "No page is named.").On("id").Try("%s", way))
	case who.id == 0 && who.view == "":
		args.Fail(tools.Errorf(tools.CodeInvalidCursor, "Cursor %s names no page: it is incomplete.", tools.Quote(cursor)).On("cursor").
			Try("Pass the whole cursor, or call again without a cursor and with the id of the page."))
	}
	return who
}

// resume adds what a cursor knows of the page to an identity.
func (s *Site) resume(who identity, from pageCursor) identity {
	who.site = cmp.Or(who.site, from.asked.Get("site"))
	if view := from.asked.Get("view"); view != "" {
		at, _, _ := strings.Cut(view, "?")
		who.id, who.view, who.paths = 0, view, []string{clean(at)}
	}
	return who
}

// below returns a path without that of the site's base.
func (s *Site) below(path string) string { return pathIn(s.base, path) }

// pathBelow returns the path of a URL on the site, whichever of the site's hosts it
// has.
func (s *Site) pathBelow(u *url.URL) string {
	if hostOf(u) == hostOf(s.front) {
		return pathIn(s.front, u.EscapedPath())
	}
	return s.below(u.EscapedPath())
}

// pathIn returns a path without that of a base.
func pathIn(base *url.URL, path string) string {
	above := strings.TrimRight(base.EscapedPath(), "/")
	if rest, ok := strings.CutPrefix(path, above); ok && (rest == "" || rest[0] == '/') {
		return rest
	}
	return path
}

// clean returns a path in the form in which paths are compared: unescaped, with
// slashes at both ends.
func clean(given string) string {
	if unescaped, err := url.PathUnescape(given); err == nil {
		given = unescaped
	}
	given = path.Clean("/" + given)
	if given != "/" {
		given += "/"
	}
	return given
}

var siteName = pattern.Lazy(`^[a-z0-9_]([a-z0-9._-]{0,252})(:[1-9][0-9]{0,4})?$`)

// hostOf returns the host of a URL as Wagtail names a site: in lower case, with its
// port unless it is the scheme's own.
func hostOf(u *url.URL) string {
	host := strings.ToLower(u.Hostname())
	if port := u.Port(); port != "" && (u.Scheme != "http" || port != "80") && (u.Scheme != "https" || port != "443") {
		return host + ":" + port
	}
	return host
}

// otherSite reads which other site of this Wagtail is wanted, by its host or URL; ""
// for the configured one.
func (s *Site) otherSite(args *tools.Args) string {
	value := strings.ToLower(strings.TrimSpace(args.String("site")))
	if u, err := url.Parse(value); err == nil && u.Host != "" {
		value = hostOf(u)
	}
	if value == "" || value == hostOf(s.base) {
		return ""
	}
	if !siteName().MatchString(value) {
		args.Fail(invalid("site", value, "", "Pass the host of another site of this Wagtail, with its port if it has one: shop.example.org."))
	}
	return value
}

// foreign reports whether an identity is a URL with a host that is neither the API's
// nor the visitors'.
func (s *Site) foreign(who identity) bool {
	return who.host != "" && who.host != hostOf(s.base) && who.host != hostOf(s.front)
}

// unknownSite words the API's error about an unknown site: before version 8 it breaks.
func unknownSite(err error, query url.Values) error {
	r, ok := errors.AsType[*siteError](err)
	if !ok || !query.Has("site") {
		return err
	}
	unknown := r.status == http.StatusInternalServerError || r.status == http.StatusNotFound && r.json && strings.Contains(r.message, "Site")
	ambiguous := r.status == http.StatusBadRequest && strings.Contains(r.message, "multiple sites")
	if !unknown && !ambiguous {
		return err
	}
	name := query.Get("site")
	worded := tools.Errorf(tools.CodeValidation, "This Wagtail seems to have no site %s: its API answered %s.", tools.Quote(name), named(r.status)).On("site").
		Try("Pass the host and port of one of its sites, or leave site out for the configured one.")
	if ambiguous {
		worded = tools.Errorf(tools.CodeValidation, "Several sites of this Wagtail have the host %s.", tools.Quote(name)).On("site").
			Try("Pass its port, too: %s:80.", name)
	}
	return &siteError{worded: worded, status: r.status, message: r.message, json: r.json}
}

// noSite reports whether the API has no site of that name. Versions before 4.2 know
// only one site.
func noSite(err error) bool {
	r, ok := errors.AsType[*siteError](err)
	return ok && (r.status == http.StatusBadRequest || r.status == http.StatusInternalServerError || absent(err))
}

// wrongHost says that a URL is on a host that this Wagtail does not have. at is the
// page with the same path, nil for none.
func (s *Site) wrongHost(who identity, at *url.URL) *tools.Error {
	hosts := s.base.Host
	if s.front.Host != hosts {
		hosts += " and " + s.front.Host
	}
	if at != nil && hostOf(at) != hostOf(s.base) && hostOf(at) != hostOf(s.front) {
		hosts += " and " + tools.Line(at.Host)
	}
	e := tools.Errorf(tools.CodeNotFound, "The address %s is on another host: this service reads the site at %s.", tools.Quote(who.given), hosts).On(who.field)
	if at != nil {
		return e.Try("Pass the path without its host for the page %s of that site.", address(at))
	}
	return e.Try("Pass an address of that site, a path, or an id from %s.", listPagesName)
}
