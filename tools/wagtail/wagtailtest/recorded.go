package wagtailtest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A Recording is one answer of a real Wagtail, as testdata/wagtail/recorded.jsonl
// has it. Asked are the request's own headers.
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

// Bytes returns the body: JSON as it is, and a text as its own bytes.
func (r Recording) Bytes() []byte {
	var text string
	if json.Unmarshal(r.Body, &text) == nil {
		return []byte(text)
	}
	return r.Body
}

// Recordings returns every answer there is, by name.
func Recordings(t testing.TB) map[string]Recording {
	t.Helper()
	all := make(map[string]Recording)
	decoder := json.NewDecoder(bytes.NewReader(data(t, "recorded.jsonl")))
	for decoder.More() {
		var r Recording
		if err := decoder.Decode(&r); err != nil {
			t.Fatal(err)
		}
		all[r.Name] = r
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

// A row is a page, image or document as the lists of testdata/wagtail/site.json
// have it. Of a page that is marked as assumed only the title and the place in the
// tree were recorded.
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
	translation int            // of which page it is another one, beside those recorded
	routes      bool           // it answers for every path below its own
	fields      map[string]any // of its type, beside the common ones
	Described   bool           `json:"-"` // it has a search description
}

func readSite(t testing.TB) map[string][]siteObject {
	t.Helper()
	var site map[string][]siteObject
	if err := json.Unmarshal(data(t, "site.json"), &site); err != nil {
		t.Fatal(err)
	}
	return site
}

// data reads a file of testdata/wagtail, from whatever folder a test runs in.
func data(t testing.TB, name string) []byte {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	content, err := os.ReadFile(filepath.Join(filepath.Dir(here), "..", "..", "..", "testdata", "wagtail", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// mentions reports whether a text has a word, whatever the case.
func mentions(text, word string) bool {
	for _, has := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,:.?!\"'-/<>&;()", r) }) {
		if strings.EqualFold(has, word) {
			return true
		}
	}
	return false
}
