package wagtailtest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A Recording is one answer of a real Wagtail, from testdata/wagtail/recorded.jsonl.
// Asked are the request's own headers.
type Recording struct {
	Name    string            `json:"name"`
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Query   string            `json:"query"`
	Asked   map[string]string `json:"asked"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"`
}

// Bytes returns the body: JSON as it is, or the bytes of a text.
func (r Recording) Bytes() []byte {
	var text string
	if json.Unmarshal(r.Body, &text) == nil {
		return []byte(text)
	}
	return r.Body
}

// recordings reads all recorded answers, by name. Nobody changes them.
var recordings = sync.OnceValues(func() (map[string]Recording, error) {
	file, err := data("recorded.jsonl")
	if err != nil {
		return nil, err
	}
	all := make(map[string]Recording)
	decoder := json.NewDecoder(bytes.NewReader(file))
	for decoder.More() {
		var r Recording
		if err := decoder.Decode(&r); err != nil {
			return nil, err
		}
		all[r.Name] = r
	}
	return all, nil
})

// Recordings returns all recorded answers, by name.
func Recordings(t testing.TB) map[string]Recording {
	t.Helper()
	all, err := recordings()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Recorded returns the answer of that name.
func Recorded(t testing.TB, name string) Recording {
	t.Helper()
	r, ok := Recordings(t)[name]
	if !ok {
		t.Fatalf("no answer is recorded as %s", name)
	}
	return r
}

// A siteObject is a page, image or document of testdata/wagtail/site.json. Of a page
// that is marked as assumed only the title and the place in the tree were recorded.
type siteObject struct {
	ID          int      `json:"id"`
	Title       string   `json:"title"`
	Type        string   `json:"type"`
	Slug        string   `json:"slug"`
	Published   *string  `json:"first_published_at"`
	Locale      string   `json:"locale"`
	Parent      int      `json:"parent"`
	Path        string   `json:"path"`
	ShowInMenus bool     `json:"show_in_menus"`
	Tags        []string `json:"tags"`
	DownloadURL string   `json:"download_url"`
	Width       *int     `json:"width"`
	Height      *int     `json:"height"`

	host        string         // of its site, "" for the site itself
	translation int            // the page that it is a translation of, besides the recorded ones
	routes      bool           // it answers for every path below its own
	fields      map[string]any // of its type, beside the common ones
	Described   bool           `json:"-"` // it has a search description
}

func readSite(t testing.TB) map[string][]siteObject {
	t.Helper()
	var site map[string][]siteObject
	file, err := data("site.json")
	if err == nil {
		err = json.Unmarshal(file, &site)
	}
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// data reads a file of testdata/wagtail.
func data(name string) ([]byte, error) {
	_, here, _, _ := runtime.Caller(0)
	return os.ReadFile(filepath.Join(filepath.Dir(here), "..", "..", "..", "testdata", "wagtail", name))
}

// OtherHost is the second site of the same Wagtail. Its pages are only shown to a
// request that names it.
const OtherHost = "intranet.example.test"

// An AddedPage is a page that a test adds to the recorded site.
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

// Add adds pages after the recorded ones. From then on only web pages are replayed.
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

// lastOf returns the last part of a path, which is the slug of the page there.
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

// ofSite returns the objects of the site that a request names. An unknown site breaks
// the server, as it does up to Wagtail 7.4.
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

// original returns the page that another is a translation of, itself when it is none.
func (s *Server) original(id int) int {
	for _, r := range s.site["pages"] {
		if r.ID == id && r.translation > 0 {
			return r.translation
		}
	}
	return id
}

// address returns the URL of a page for visitors.
func (r siteObject) address() string {
	if r.host != "" {
		return "http://" + r.host + r.Path
	}
	return origin + r.Path
}
