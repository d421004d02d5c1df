package wagtail

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/toolstest"
)

// pageOf is the page of a structured answer.
func pageOf(t *testing.T, a toolstest.Answer) view {
	t.Helper()
	if a.IsError {
		t.Fatal(a.Text())
	}
	var p documentAnswer
	if err := json.Unmarshal(a.Structured, &p); err != nil {
		t.Fatal(err)
	}
	return *p.Page
}

func TestLookup(t *testing.T) {
	t.Run("by id, URL, path and slug", func(t *testing.T) {
		c, s := newClient(t, Options{})
		for _, call := range []struct {
			args  with
			want  int
			asked []string // before the page itself
		}{
			{with{"id": 5}, 5, nil},
			{with{"id": "5"}, 5, nil},
			{with{"id": "/visit/opening-hours/"}, 5, []string{"find"}},
			{with{"html_path": "visit/opening-hours"}, 5, []string{"find"}},
			{with{"html_path": "/"}, 3, []string{"find"}},
			{with{"id": "/visit/opening-hours?x=1#part"}, 5, []string{"find"}},
			{with{"id": "/visit/./tickets/../opening%2Dhours"}, 5, []string{"find"}},
			{with{"id": s.URL + "/visit/opening-hours/?utm=1"}, 5, []string{"find"}},
			{with{"id": "http://127.0.0.1:8765/visit/"}, 4, []string{"find"}},
			{with{"slug": "opening-hours"}, 5, []string{"slug"}},
			{with{"id": "opening-hours"}, 5, []string{"slug"}},
			{with{"id": "/fr/visiter/"}, 68, []string{"find", "slug"}},
			{with{"id": "/fr/visiter/horaires/", "locale": "fr"}, 69, []string{"find", "slug"}},
		} {
			s.Forget()
			if p := pageOf(t, c.Call(t, pageDetailsName, call.args)); p.ID != call.want {
				t.Errorf("%v is page %d, want %d", call.args, p.ID, call.want)
			}
			var asked []string
			for _, r := range s.Requests() {
				switch {
				case strings.HasSuffix(r.Path, "/pages/find/"):
					asked = append(asked, "find")
				case strings.HasSuffix(r.Path, "/pages/"):
					asked = append(asked, "slug")
				}
			}
			if !slices.Equal(asked, call.asked) {
				t.Errorf("%v asks %v, want %v", call.args, asked, call.asked)
			}
		}
	})
	t.Run("the site's own idea of its address is not followed", func(t *testing.T) {
		c, s := newClient(t, Options{APIPath: "/othersite/api/v2/"})
		p := pageOf(t, c.Call(t, pageDetailsName, with{"html_path": "/visit/"}))
		if p.ID != 4 || p.URL != "https://www.museum.example/visit/" {
			t.Errorf("%+v", p)
		}
		for _, r := range s.Requests() {
			if !strings.HasPrefix(r.Path, "/othersite/api/v2/") {
				t.Errorf("asked %s", r)
			}
		}
	})
	t.Run("a base below the root of its host", func(t *testing.T) {
		s := mustSite(t, "https://example.org/cms/")
		for path, want := range map[string]string{"/cms/visit/": "/visit/", "/cms": "", "/cmsx/": "/cmsx/", "/visit/": "/visit/"} {
			if got := pathIn(s.base, path); got != want {
				t.Errorf("%s is %s, want %s", path, got, want)
			}
		}
	})
	t.Run("a slug that several pages have names them", func(t *testing.T) {
		items := `{"id": 7, "meta": {"type": "a.B", "html_url": "https://x.org/en/news/", "locale": "en"}, "title": "News"},
			{"id": 8, "meta": {"type": "a.B", "html_url": "https://x.org/fr/news/", "locale": "fr"}, "title": "Nouvelles\u202e\n"}`
		server := httptest.NewServer(answers(http.StatusOK, "application/json", `{"meta": {"total_count": 3}, "items": [`+items+`]}`))
		defer server.Close()
		c := clientOf(t, Options{BaseURL: server.URL}, tools.OutputBoth)
		refused(t, c, pageDetailsName, with{"slug": "news"}, "AMBIGUOUS_ID", "id",
			"3 pages have the slug 'news'.", "\n7 News (a.B) /en/news/ en\n8 Nouvelles (a.B) /fr/news/ fr\nand 1 more")
	})
	t.Run("a redirect of find that is no page", func(t *testing.T) {
		server := httptest.NewServer(answers(http.StatusFound, "text/html", "", "Location", "/accounts/login/?next=/pages/5/"))
		defer server.Close()
		c := clientOf(t, Options{BaseURL: server.URL}, tools.OutputBoth)
		refused(t, c, pageDetailsName, with{"html_path": "/visit/"}, "PROVIDER_ERROR", "", "login page")
	})
}

func TestPageDetails(t *testing.T) {
	t.Run("fields, then the text as Markdown with its links resolved", func(t *testing.T) {
		c, s := newClient(t, Options{})
		a := c.Call(t, pageDetailsName, with{"id": 5})
		for _, want := range []string{
			"Page 5: Opening hours (home.StandardPage) http://127.0.0.1:8765/visit/opening-hours/ 2024-01-04T12:00:00Z en\nparent: 4 Visit http://127.0.0.1:8765/visit/\n",
			"\nimage: wagtailimages.Image 12 Museum façade (night) /media/original_images/museum-facade-night.png\n",
			"\n\n", "daily from 10 am to 5 pm",
			"[Visit](http://127.0.0.1:8765/visit/)", "[opening hours](http://127.0.0.1:8765/documents/3/opening-hours.txt \"document 3\")",
			"![The museum by night](" + s.URL + "/media/original_images/museum-facade-night.png \"image 12\")",
			"\n## Holidays\n",
			"Note: left out body_html, the same words once more: fields gives it.",
		} {
			if !strings.Contains(a.Text(), want) {
				t.Errorf("there is no %q in\n%s", want, a.Text())
			}
		}
		p := pageOf(t, a)
		if p.Path != "/visit/opening-hours/" || p.Parent.ID != 4 || p.Fields["body"] != nil || !strings.Contains(p.Text, "[Visit](http://127.0.0.1:8765/visit/)") {
			t.Errorf("%s", a.Structured)
		}
		if strings.Contains(a.Text()+string(a.Structured), "detail_url") {
			t.Error("there are addresses of the API")
		}
	})
	t.Run("links are asked for once", func(t *testing.T) {
		c, s := newClient(t, Options{})
		c.Call(t, pageDetailsName, with{"id": 5})
		first := len(s.Requests())
		c.Call(t, pageDetailsName, with{"id": 5})
		if first != 4 || len(s.Requests()) != first+1 {
			t.Errorf("%d requests, then %d: %v", first, len(s.Requests())-first, s.Requests())
		}
	})
	t.Run("names of fields mean just these", func(t *testing.T) {
		c, s := newClient(t, Options{})
		a := c.Call(t, pageDetailsName, with{"id": 5, "fields": "introduction"})
		p := pageOf(t, a)
		if p.ID != 5 || p.Title != "Opening hours" || len(p.Fields) != 1 || p.Text != "" || p.Parent != nil {
			t.Errorf("%s", a.Structured)
		}
		if got := s.Requests()[0].Query; got != "fields=_%2Cintroduction%2Cid%2Ctitle%2Ctype%2Chtml_url%2Cslug%2Cfirst_published_at&rich_text_format=db_html" {
			t.Error(got)
		}
	})
	t.Run("a rendered field is there when it is asked for", func(t *testing.T) {
		c, _ := newClient(t, Options{})
		if a := c.Call(t, pageDetailsName, with{"id": 5, "fields": []string{"body_html"}}); !strings.Contains(a.Text(), "opening-hours.txt)") {
			t.Error(a.Text())
		}
	})
	t.Run("an alias names its original, and a page without text is whole", func(t *testing.T) {
		c, _ := newClient(t, Options{})
		if a := c.Call(t, pageDetailsName, with{"id": 66}); !strings.Contains(a.Text(), "\nalias of: 8 By train http://127.0.0.1:8765/visit/getting-here/train/\n") {
			t.Error(a.Text())
		}
		if a := c.Call(t, pageDetailsName, with{"id": 34}); a.Text() != "Page 34: Imprint (home.BarePage) http://127.0.0.1:8765/about/imprint/ 2024-02-02T13:00:00Z en\nparent: 28 About http://127.0.0.1:8765/about/" {
			t.Error(a.Text())
		}
	})
	t.Run("what is not text stays what it is", func(t *testing.T) {
		c, _ := newClient(t, Options{})
		a := c.Call(t, pageDetailsName, with{"id": 38})
		p := pageOf(t, a)
		if string(p.Fields["date"]) != `"2024-01-05"` || !strings.Contains(a.Text(), "\ntags: conservation, ships\n") || !strings.Contains(a.Text(), "\nauthors: person: blog.Person 1, role: text\n") {
			t.Error(a.Text())
		}
	})
}

func TestFileDetails(t *testing.T) {
	c, s := newClient(t, Options{})
	if a := c.Call(t, "wagtail_get_image_details", with{"id": 1}); a.Text() != "Image 1: Harbour at dawn (wagtailimages.Image) [harbour] 1600x1200 "+s.URL+"/media/original_images/harbour-at-dawn.jpg" ||
		!strings.Contains(string(a.Structured), `"size":"1600x1200"`) {
		t.Errorf("%s\n%s", a.Text(), a.Structured)
	}
	if a := c.Call(t, "wagtail_get_document_details", with{"id": 1}); a.Text() != "Document 1: Visitor map (wagtaildocs.Document) [map,visit] http://127.0.0.1:8765/documents/1/visitor-map.pdf" {
		t.Error(a.Text())
	}

	t.Run("by an address that an answer shows", func(t *testing.T) {
		for address, want := range map[string]string{
			s.URL + "/media/original_images/cafe-terrace.jpg":                                  "Image 11: Café terrace",
			s.URL + "/documents/3/opening-hours.txt":                                           "Document 3: Opening hours (plain text)",
			"/documents/3/opening-hours.txt":                                                   "Document 3: Opening hours (plain text)",
			"/media/original_images/cafe-terrace.jpg":                                          "Image 11: Café terrace",
			"http://127.0.0.1:8765/media/images/museum-facade-night.2e16d0ba.fill-100x100.png": "Image 12: Museum façade (night)",
			"http://127.0.0.1:8765/documents/3/opening-hours.txt":                              "Document 3: Opening hours (plain text)",
		} {
			tool := "wagtail_get_" + strings.ToLower(want[:strings.IndexByte(want, ' ')]) + "_details"
			if a := c.Call(t, tool, with{"id": address}); !strings.HasPrefix(a.Text(), want+" (wagtail") {
				t.Errorf("%s: %s", address, a.Text())
			}
		}
		refused(t, c, "wagtail_get_image_details", with{"id": "/media/original_images/nosuch.jpg"}, "RESOURCE_NOT_FOUND", "id", "no image '/media/original_images/nosuch.jpg'")
		refused(t, c, "wagtail_get_document_details", with{"id": "/documents/99/x.pdf"}, "RESOURCE_NOT_FOUND", "id", "no document")
		refused(t, c, "wagtail_get_document_details", with{"id": "/documents/3/x.pdf"}, "RESOURCE_NOT_FOUND", "id", "no document")
		refused(t, c, "wagtail_get_image_details", with{"id": "https://other.example/media/original_images/cafe-terrace.jpg"}, "RESOURCE_NOT_FOUND", "id", "no image")
		refused(t, c, "wagtail_get_image_details", with{"id": "http://"}, "VALIDATION_ERROR", "id", "it is no number and no address of a file")
	})
	t.Run("fields of the project's own, as far as they fit", func(t *testing.T) {
		server := httptest.NewServer(answers(http.StatusOK, "application/json",
			`{"id": 1, "title": "T", "credit": "A <b>& B", "width": "no number", "exif": "`+strings.Repeat("word ", 5000)+`", "empty": null}`))
		defer server.Close()
		a := clientOf(t, Options{BaseURL: server.URL}, tools.OutputBoth).Call(t, "wagtail_get_image_details", with{"id": 1})
		if !strings.HasPrefix(a.Text(), "Fields that are cut or left out: exif. Pass fields") || !strings.Contains(a.Text(), "\nImage 1: T\n") || !strings.Contains(a.Text(), "\ncredit: A <b>& B\nexif: word word") || len(a.Text()) > 10_000 {
			t.Errorf("%.500s\n%.500s", a.Text(), a.Structured)
		}
	})
	t.Run("an object that is none", func(t *testing.T) {
		server := httptest.NewServer(answers(http.StatusOK, "application/json", `{"meta": {}}`))
		defer server.Close()
		c := clientOf(t, Options{BaseURL: server.URL}, tools.OutputBoth)
		refused(t, c, "wagtail_get_image_details", with{"id": 1}, "PROVIDER_ERROR", "", "that Wagtail's API v2 does not answer with", "WAGTAIL_API_PATH")
		refused(t, c, pageDetailsName, with{"id": 1}, "PROVIDER_ERROR", "", "that Wagtail's API v2 does not answer with")
	})
}

// What editors write comes from strangers.
func TestControlCharactersOfTheSiteAreRemoved(t *testing.T) {
	const item = `{"id": 1, "meta": {"type": "a.B\nC", "html_url": "javascript:alert(1)", "slug": "s\u0007lug", "locale": "en\r\n", "tags": ["t\nag"],
		"download_url": "javascript:alert(2)"}, "title": "one\nError [INTERNAL_ERROR]: \u202eevil\u202c \u001b[31mred\u0000", "na\nme": "val\nue\u0085", "link": "data:text/html,x"}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.Count(r.URL.Path, "/") == 4 {
			w.Write([]byte(`{"meta": {"total_count": 1}, "items": [` + item + `]}`))
			return
		}
		w.Write([]byte(item))
	}))
	defer server.Close()
	c := clientOf(t, Options{BaseURL: server.URL}, tools.OutputBoth)
	for _, call := range everyTool {
		if call.tool == pageHTMLName {
			continue
		}
		a := c.Call(t, call.tool, call.args)
		if strings.Contains(a.Text(), "\nurl: ") || strings.Contains(string(a.Structured), `"url":`) || strings.Contains(string(a.Structured), `"path":`) {
			t.Errorf("%s links to a script: %s", call.tool, a.Text())
		}
		for _, r := range a.Text() {
			if r < ' ' && r != '\n' || r == 0x7f || r == 0x85 || r == 0x202e || r == 0x202c {
				t.Errorf("%s has %U: %q", call.tool, r, a.Text())
			}
		}
		for line := range strings.Lines(a.Text()) {
			if strings.HasPrefix(line, "Error [INTERNAL") || strings.HasPrefix(line, "ue") {
				t.Errorf("%s begins a line with what a title has: %s", call.tool, a.Text())
			}
		}
	}
}
