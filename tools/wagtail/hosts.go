package wagtail

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"issues-index/store/pattern"
	"issues-index/tools"
)

var siteName = pattern.Lazy(`^[a-z0-9_]([a-z0-9._-]{0,252})(:[1-9][0-9]{0,4})?$`)

// hostOf is the host of an address, lower case, with the port that is not its
// scheme's own: what Wagtail calls a site by.
func hostOf(u *url.URL) string {
	host := strings.ToLower(u.Hostname())
	if port := u.Port(); port != "" && (u.Scheme != "http" || port != "80") && (u.Scheme != "https" || port != "443") {
		return host + ":" + port
	}
	return host
}

// otherSite reads which other site of this Wagtail is asked for, "" for the
// configured one. An address of it will do.
func (s *Site) otherSite(args *tools.Args) string {
	value := strings.ToLower(strings.TrimSpace(args.String("site")))
	if u, err := url.Parse(value); err == nil && u.Host != "" {
		value = hostOf(u)
	}
	if value == "" || value == hostOf(s.base) {
		return ""
	}
	if !siteName().MatchString(value) {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid site %s.", tools.Quote(value)).On("site").
			Try("Pass the host of another site of this Wagtail, with its port if it has one: shop.example.org."))
	}
	return value
}

// foreign reports whether an address names a host that is neither that of the API
// nor that of visitors.
func (s *Site) foreign(who identity) bool {
	return who.host != "" && who.host != hostOf(s.base) && who.host != hostOf(s.front)
}

// siteError words what the API answers when it is asked for a site: it breaks on one
// that it does not know, or says so from version 8 on.
func siteError(err error, query url.Values) error {
	var r *refusal
	if !query.Has("site") || !errors.As(err, &r) {
		return err
	}
	unknown := r.status == http.StatusInternalServerError || r.status == http.StatusNotFound && r.json && strings.Contains(r.message, "Site")
	ambiguous := r.status == http.StatusBadRequest && strings.Contains(r.message, "multiple sites")
	if !unknown && !ambiguous {
		return err
	}
	name := query.Get("site")
	worded := tools.Errorf(tools.CodeValidation, "This Wagtail has no site %s, as far as its API tells (%s).", tools.Quote(name), named(r.status)).On("site").
		Try("Pass the host and port of one of its sites, or leave site out for the configured one.")
	if ambiguous {
		worded = tools.Errorf(tools.CodeValidation, "Several sites of this Wagtail have the host %s.", tools.Quote(name)).On("site").
			Try("Pass its port, too: %s:80.", name)
	}
	return &refusal{worded: worded, status: r.status, message: r.message, json: r.json}
}

// noSite reports whether the API has no site of that name, or cannot be asked for
// one: versions before 4.2 know one site alone.
func noSite(err error) bool {
	var r *refusal
	return errors.As(err, &r) && (r.status == http.StatusBadRequest || r.status == http.StatusInternalServerError || absent(err))
}

// wrongHost says that an address is on a host that is none of this Wagtail's, as
// far as is known. at is where the page of the same path is, nil when there is none.
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
