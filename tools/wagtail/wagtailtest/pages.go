package wagtailtest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// OtherHost is the second site of the same Wagtail. Its pages are shown to a request
// that names it alone.
const OtherHost = "intranet.example.test"

// A Page is one that a test adds to the recorded site.
type AddedPage struct {
	ID            int
	Title         string
	Type          string // home.StandardPage unless given
	Path          string // from the root of its site, with slashes at both ends
	Parent        int
	Locale        string // en unless given
	TranslationOf int    // the page that it is a translation of, 0 for none
	Host          string // OtherHost, or "" for the site itself
	Routes        bool   // it is routable: every path below its own is a view of it
	Published     string
	Fields        map[string]any // of its type
}

// Add adds pages, behind those that there are. From then on nothing is replayed but
// pages as visitors see them.
func (s *Server) Add(pages ...AddedPage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = true
	for _, p := range pages {
		r := siteObject{
			ID: p.ID, Title: p.Title, Type: "home.StandardPage", Locale: "en", Parent: p.Parent, Path: p.Path, Slug: lastOf(p.Path),
			host: p.Host, translation: p.TranslationOf, routes: p.Routes, fields: p.Fields,
		}
		if p.Type != "" {
			r.Type = p.Type
		}
		if p.Locale != "" {
			r.Locale = p.Locale
		}
		if p.Published != "" {
			r.Published = &p.Published
		}
		s.site["pages"] = append(s.site["pages"], r)
	}
}

// lastOf is the last part of a path, which is the slug of the page there.
func lastOf(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	return parts[len(parts)-1]
}

// readOtherSite adds the pages that were recorded of the second site.
func (s *Server) readOtherSite(t testing.TB) {
	t.Helper()
	var list struct {
		Items []struct {
			ID    int
			Title string
			Meta  struct {
				Type, Slug, Locale string
				HTMLURL            string `json:"html_url"`
				Published          string `json:"first_published_at"`
			}
		}
	}
	if err := json.Unmarshal(s.recorded["pages-list-site-other"].Body, &list); err != nil {
		t.Fatal(err)
	}
	for _, i := range list.Items {
		parent := 72
		if i.ID == parent {
			parent = 0
		}
		s.site["pages"] = append(s.site["pages"], siteObject{
			ID: i.ID, Title: i.Title, Type: i.Meta.Type, Slug: i.Meta.Slug, Published: &i.Meta.Published, Locale: i.Meta.Locale,
			Parent: parent, Path: strings.TrimPrefix(i.Meta.HTMLURL, "http://"+OtherHost), host: OtherHost,
		})
	}
}

// ofSite are the objects that a request may see: those of the site that it names.
// One that there is not breaks the server, as it does up to Wagtail 7.4.
func (s *Server) ofSite(kind, site string) ([]siteObject, *apiRefusal) {
	if kind != "pages" {
		return s.site[kind], nil
	}
	host := ""
	switch site {
	case "", strings.TrimPrefix(origin, "http://"):
	case OtherHost, OtherHost + ":80":
		host = OtherHost
	default:
		return nil, &apiRefusal{status: http.StatusInternalServerError}
	}
	return slices.DeleteFunc(slices.Clone(s.site[kind]), func(r siteObject) bool { return r.host != host }), nil
}

// isTranslation reports whether two pages are each other's translations.
func (s *Server) isTranslation(of int, r siteObject) bool {
	return of != r.ID && (translations[of] == r.ID || s.original(of) == s.original(r.ID))
}

// original is the page that another is a translation of, itself when it is none.
func (s *Server) original(id int) int {
	for _, r := range s.site["pages"] {
		if r.ID == id && r.translation > 0 {
			return r.translation
		}
	}
	return id
}

// address is where visitors see a page.
func (r siteObject) address() string {
	if r.host != "" {
		return "http://" + r.host + r.Path
	}
	return origin + r.Path
}
