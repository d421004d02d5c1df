package wagtail

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"issues-index/tools/wagtail/wagtailtest"
)

// The values are as the API writes them: related objects with their id and meta,
// those of another endpoint with a detail_url.
func TestRelatedObjectsAreShort(t *testing.T) {
	owner := objectRef{73, "blog.BlogPage", true}
	for name, c := range map[string]struct{ value, want string }{
		"an image and what was asked of it": {
			`{"id": 2, "meta": {"type": "wagtailimages.Image", "detail_url": "http://x/api/v2/images/2/", "download_url": "/media/2.jpg"}, "title": "Model", "width": 320, "height": 240}`,
			"wagtailimages.Image 2 Model /media/2.jpg (width: 320, height: 240)"},
		"a snippet that only has an id": {`{"id": 1, "meta": {"type": "blog.Person"}}`, "blog.Person 1"},
		"a snippet with its name":       {`{"id": 1, "meta": {"type": "blog.Person"}, "name": "Ada Okafor"}`, "blog.Person 1 Ada Okafor"},
		"children that refer to persons": {
			`[{"id": 5, "meta": {"type": "blog.Rel"}, "page": {"id": 73, "meta": {"type": "blog.BlogPage", "detail_url": "http://x/api/v2/pages/73/"}, "title": "Post"}, "person": {"id": 1, "meta": {"type": "base.Person"}, "first_name": "Lightnin'", "last_name": "Hopkins"}},
			  {"id": 6, "meta": {"type": "blog.Rel"}, "page": {"id": 73, "meta": {"type": "blog.BlogPage", "detail_url": "http://x/api/v2/pages/73/"}, "title": "Post"}, "person": {"id": 2, "meta": {"type": "base.Person"}, "first_name": "Roberta", "last_name": "Johnson"}}]`,
			"person: Lightnin' Hopkins; person: Roberta Johnson"},
		"a child that refers to its page by another type": {
			`[{"id": 5, "meta": {"type": "blog.Rel"}, "page": {"id": 73, "meta": {"type": "wagtailcore.Page", "detail_url": "http://x/api/v2/pages/73/"}, "title": "Post"}, "note": "x"}]`, "note: x"},
		"children with several fields": {
			`[{"id": 1, "meta": {"type": "blog.A"}, "person": {"id": 1, "meta": {"type": "blog.Person"}, "name": "Ada", "job_title": "Curator"}, "role": "text"}]`,
			"person: Ada (job_title: Curator), role: text"},
		"children with a title": {
			`[{"id": 1, "meta": {"type": "home.Link"}, "title": "Tide tables", "url": "https://example.com/tides", "linked_page": null},
			  {"id": 2, "meta": {"type": "home.Link"}, "title": "Tickets", "url": "", "linked_page": {"id": 6, "meta": {"type": "home.StandardPage", "detail_url": "http://x/api/v2/pages/6/", "slug": "tickets"}, "title": "Prices"}}]`,
			"Tide tables (url: https://example.com/tides); Tickets (linked_page: home.StandardPage 6 Prices (slug: tickets))"},
		"texts":           {`["a", "b"]`, "a, b"},
		"a rendition":     {`{"url": "/m/1.jpg", "width": 5}`, `{"url":"/m/1.jpg","width":5}`},
		"nothing":         {`[]`, ""},
		"a control in it": {`{"id": 1, "meta": {"type": "a.B"}, "name": "x\u001b[31m\ny"}`, "a.B 1 x[31m y"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := brief(json.RawMessage(c.value), owner); got != c.want {
				t.Errorf("written as %s, want %s", got, c.want)
			}
		})
	}
	t.Run("relations without end are not followed", func(t *testing.T) {
		value := strings.Repeat(`{"id": 1, "meta": {"type": "a.B"}, "next": `, 2000) + "null" + strings.Repeat("}", 2000)
		if got := brief(json.RawMessage(value), owner); !strings.Contains(got, "next: ") {
			t.Errorf("%.200s", got)
		}
	})
}

func TestNestedFieldsThatWereAskedForAreShown(t *testing.T) {
	server := httptest.NewServer(answers(http.StatusOK, "application/json", string(wagtailtest.Recorded(t, "pages-list-fields-nested").Bytes())))
	defer server.Close()
	c := clientOf(t, Options{BaseURL: server.URL}, "both")
	a := c.Call(t, listPagesName, with{"type": "blog.BlogPage", "fields": "feed_image(width,height),authors(person(name,job_title),role)", "limit": 3})
	for _, want := range []string{
		"\n  feed_image: wagtailimages.Image 2 Model of the Esperance /media/original_images/model-of-the-esperance.jpg (width: 1200, height: 1600)\n",
		"person: Bruno Keller (job_title: Archivist), role: text; person: Céline Dubois (job_title: Conservator), role: pictures",
	} {
		if !strings.Contains(a.Text(), want) {
			t.Errorf("there is no %q: %s", want, a.Text())
		}
	}
}

func TestEmptyFieldsThatWereAskedForAreNamed(t *testing.T) {
	lab, _ := newLab(t)
	a := lab.Call(t, listPagesName, with{"type": "lab.BlogPage", "fields": "date,feed_image", "limit": 2})
	p := parsed(t, a)
	if p.Pages[0].Empty != nil || !slices.Equal(p.Pages[1].Empty, []string{"feed_image"}) || !strings.Contains(a.Text(), "\n  date: 2023-02-10\n  empty: feed_image") {
		t.Error(a.Text())
	}
	c, _ := newClient(t, Options{})
	if a := c.Call(t, listPagesName, with{"type": "blog.BlogPage", "limit": 1}); strings.Contains(a.Text(), "empty") {
		t.Errorf("nothing was asked for: %s", a.Text())
	}
	if a := c.Call(t, pageDetailsName, with{"id": 38, "fields": "feed_image,show_in_menus"}); !strings.Contains(a.Text(), "\nempty: feed_image") || !strings.Contains(a.Text(), "\nshow_in_menus: false") {
		t.Error(a.Text())
	}
	server := httptest.NewServer(answers(http.StatusOK, "application/json", `{"id": 7, "meta": {"type": "lab.LabImage"}, "title": "T", "alt_text": "", "caption": "x"}`))
	defer server.Close()
	images := clientOf(t, Options{BaseURL: server.URL}, "both")
	if a := images.Call(t, imageDetailsName, with{"id": 7, "fields": "alt_text,caption"}); !strings.Contains(a.Text(), "\ncaption: x\nempty: alt_text") {
		t.Error(a.Text())
	}
}

// Wagtail 8.0 lets a project set its API to another form of rich text.
func TestRichTextIsRequestedInStorageForm(t *testing.T) {
	for name, site := range map[string]struct {
		takes bool // the parameter, in lists
		asked int  // requests of two lists
	}{"Wagtail 8.0": {true, 2}, "Wagtail 7.4": {false, 3}} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests++
				format, body := r.URL.Query().Get("rich_text_format"), `## Who\n\n**Lab**`
				list := strings.HasSuffix(r.URL.Path, "/pages/")
				if format == "db_html" || !site.takes {
					body = `<h2 data-block-key=\"a\">Who</h2><p data-block-key=\"b\"><b>Lab</b></p>`
				}
				page := `{"id": 5, "meta": {"type": "a.B"}, "title": "T", "body": "` + body + `"}`
				switch {
				case list && format != "" && !site.takes:
					answers(http.StatusBadRequest, "application/json", `{"message": "query parameter is not an operation or a recognised field: rich_text_format"}`)(w, r)
				case list:
					answers(http.StatusOK, "application/json", `{"meta": {"total_count": 1}, "items": [`+page+`]}`)(w, r)
				default:
					answers(http.StatusOK, "application/json", page)(w, r)
				}
			}))
			defer server.Close()
			c := clientOf(t, Options{BaseURL: server.URL}, "both")
			for range 2 {
				if a := c.Call(t, listPagesName, with{"type": "a.B", "fields": "body"}); !strings.Contains(a.Text(), "body: ## Who **Lab**") {
					t.Error(a.Text())
				}
			}
			if requests != site.asked {
				t.Errorf("%d requests, want %d", requests, site.asked)
			}
			if a := c.Call(t, pageDetailsName, with{"id": 5}); !strings.Contains(a.Text(), "\n## Who\n\n**Lab**") {
				t.Error(a.Text())
			}
		})
	}
}

func TestOtherEndpointsAreListedAndRead(t *testing.T) {
	c, s := newClient(t, Options{})
	a := c.Call(t, listDocumentsName, with{"endpoint": "redirects"})
	if want := "Showing 3 of 3 redirects.\n1\n  old_path: /hours\n  location: http://127.0.0.1:8765/visit/opening-hours/\n"; !strings.HasPrefix(a.Text(), want) {
		t.Error(a.Text())
	}
	p := parsed(t, c.Call(t, listDocumentsName, with{"endpoint": "/redirects/", "limit": 2}))
	if p = parsed(t, c.Call(t, listDocumentsName, with{"cursor": p.NextCursor})); len(p.Documents) != 1 || textOf(p.Documents[0].Fields["old_path"]) != "/tarif" {
		t.Errorf("the second page is %+v", p)
	}
	a = c.Call(t, documentDetailsName, with{"endpoint": "redirects", "id": 1})
	if want := "Object of redirects 1 (wagtailredirects.Redirect)\nold_path: /hours\nlocation: http://127.0.0.1:8765/visit/opening-hours/"; a.Text() != want {
		t.Error(a.Text())
	}
	s.Forget()
	for name, says := range map[string]string{"pages": "Use wagtail_list_pages", "images": "Use wagtail_list_images", "../admin": "Invalid endpoint"} {
		refused(t, c, listDocumentsName, with{"endpoint": name}, "VALIDATION_ERROR", "endpoint", says)
		refused(t, c, documentDetailsName, with{"endpoint": name, "id": 1}, "VALIDATION_ERROR", "endpoint", says)
	}
	if len(s.Requests()) > 0 {
		t.Errorf("asked %v", s.Requests())
	}
	refused(t, c, listDocumentsName, with{"endpoint": "persons"}, "PROVIDER_ERROR", "", "404 Not Found with a web page at /api/v2/persons/", "registers the endpoint persons",
		"wagtail_overview names those that answer, among them:\nimages\ndocuments\nredirects")
	refused(t, c, documentDetailsName, with{"endpoint": "redirects", "id": 9}, "RESOURCE_NOT_FOUND", "id", "no object of redirects '9'")
	if _, recorded := wagtailtest.Recordings(t)["redirects-list"]; !recorded {
		t.Error("the redirects are no recorded ones")
	}
}
