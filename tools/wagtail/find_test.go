package wagtail

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/toolstest"
	"issues-index/tools/wagtail/wagtailtest"
)

// foundOf is the structured answer of going through pages.
func foundOf(t *testing.T, a toolstest.Answer) (f struct {
	Pages []struct {
		ID      int
		Matches []pageMatch
		More    int
	}
	LookedAt         int
	NextCursor, Note string
}) {
	t.Helper()
	if a.IsError {
		t.Fatal(a.Text())
	}
	if err := json.Unmarshal(a.Structured, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// idsFound are the pages of an answer, in ascending order.
func idsFound(t *testing.T, a toolstest.Answer) []int {
	t.Helper()
	var list []int
	for _, p := range foundOf(t, a).Pages {
		list = append(list, p.ID)
	}
	slices.Sort(list)
	return list
}

func TestEveryKindOfLinkToAPageIsFound(t *testing.T) {
	c, lab := newLab(t)
	slices.Sort(lab.ToPricing)
	for _, target := range []any{4, "4", "page:4", "wagtail:page/4", "/pricing/", "/pricing", lab.URL + "/pricing/", "http://127.0.0.1:8765/pricing/"} {
		a := c.Call(t, findName, with{"links_to": target})
		if got := idsFound(t, a); !slices.Equal(got, lab.ToPricing) {
			t.Errorf("%v: found %v, want %v: %s", target, got, lab.ToPricing, a.Text())
		}
		f := foundOf(t, a)
		if want := fmt.Sprintf("%d pages link to page 4 (Pricing). Looked through 60 of 60 pages.", len(lab.ToPricing)); f.LookedAt != 60 || f.NextCursor != "" || !strings.HasPrefix(a.Text(), want) {
			t.Errorf("%v: %.300s", target, a.Text())
		}
	}
	t.Run("with the field and the words around", func(t *testing.T) {
		a := c.Call(t, findName, with{"links_to": 4, "descendant_of": 6})
		if want := "\n10 Support (lab.StandardPage) /docs/support/ 2024-01-11 en\n  body: See the plans."; !strings.Contains(a.Text(), want) {
			t.Errorf("there is no %q: %s", want, a.Text())
		}
	})
	t.Run("an image", func(t *testing.T) {
		a := c.Call(t, findName, with{"links_to": "image:2"})
		if got := idsFound(t, a); len(got) != 24 || got[0] != 5 || !strings.Contains(a.Text(), "  feed_image: wagtailimages.Image 2 Model of the Esperance") {
			t.Errorf("%v: %s", got, a.Text())
		}
	})
	t.Run("a file by its address, as answers print it", func(t *testing.T) {
		c, s := newClient(t, Options{})
		want := idsFound(t, c.Call(t, findName, with{"links_to": "document:3"}))
		for _, address := range []string{"/documents/3/opening-hours.txt", "http://127.0.0.1:8765/documents/3/opening-hours.txt", s.URL + "/documents/3/opening-hours.txt"} {
			a := c.Call(t, findName, with{"links_to": address})
			if got := idsFound(t, a); len(got) == 0 || !slices.Equal(got, want) || !strings.Contains(a.Text(), "document 3 (Opening hours (plain text))") {
				t.Errorf("%s: found %v, want %v: %s", address, got, want, a.Text())
			}
		}
		image := s.URL + "/media/original_images/museum-facade-night.png"
		if got := idsFound(t, c.Call(t, findName, with{"links_to": image})); !slices.Contains(got, 5) {
			t.Errorf("%s: found %v", image, got)
		}
	})
	t.Run("what the site does not have", func(t *testing.T) {
		a := c.Call(t, findName, with{"links_to": "page:999"})
		if got := idsFound(t, a); !slices.Equal(got, []int{5}) || !strings.Contains(a.Text(), "these links are broken") {
			t.Error(a.Text())
		}
		if a = c.Call(t, findName, with{"links_to": "https://example.com/"}); !strings.HasPrefix(a.Text(), "No page links to 'https://example.com/'. Looked through 60 of 60 pages.") {
			t.Error(a.Text())
		}
	})
}

// The API gives choosers in blocks as bare numbers, and does not say of what: in a list or a struct
// only a name can tell.
func TestFindSaysWhichLinksItCannotSee(t *testing.T) {
	c, s := newClient(t, Options{})
	block := func(name string, value any) map[string]any {
		return map[string]any{"type": name, "value": value, "id": "b"}
	}
	s.Add(
		wagtailtest.AddedPage{ID: 90, Title: "Target", Path: "/target/", Parent: 3},
		wagtailtest.AddedPage{ID: 91, Title: "Unseen", Path: "/unseen/", Parent: 3, Fields: map[string]any{
			"body": []any{block("related", []int{4, 90}), block("card", map[string]any{"link": 90, "title": "A card"})},
		}},
	)
	a := c.Call(t, findName, with{"links_to": 90})
	if want := "No page links to page 90 (Target). Looked through 65 of 65 pages. " + unseen; a.Text() != want || foundOf(t, a).Note != want {
		t.Errorf("%s", a.Text())
	}
	s.Add(wagtailtest.AddedPage{ID: 92, Title: "Seen", Path: "/seen/", Parent: 3, Fields: map[string]any{
		"body": []any{block("linked_pages", []int{4, 90}), block("card", map[string]any{"page": 90})},
	}})
	c = clientOf(t, Options{BaseURL: s.URL}, tools.OutputBoth)
	if a = c.Call(t, findName, with{"links_to": 90}); !slices.Equal(idsFound(t, a), []int{92}) || !strings.Contains(a.Text(), unseen) {
		t.Errorf("%s", a.Text())
	}
}

func TestTextIsFoundWithItsSentence(t *testing.T) {
	c, lab := newLab(t)
	a := c.Call(t, findName, with{"text": "sla"})
	slices.Sort(lab.WithSLA)
	if got := idsFound(t, a); !slices.Equal(got, lab.WithSLA) || !strings.Contains(a.Text(), "\n  body: Every plan has an SLA of 99.9 %.") {
		t.Errorf("found %v, want %v: %s", got, lab.WithSLA, a.Text())
	}
	t.Run("a phrase through marked words, and accents", func(t *testing.T) {
		if got := idsFound(t, c.Call(t, findName, with{"text": "not the  sla OF"})); !slices.Equal(got, []int{28, 43, 58}) {
			t.Errorf("found %v", got)
		}
		if got := idsFound(t, c.Call(t, findName, with{"text": "a propos", "locale": "fr"})); !slices.Equal(got, []int{81}) {
			t.Errorf("found %v", got)
		}
	})
	t.Run("of a type that others are derived from, in their own fields too", func(t *testing.T) {
		if got := idsFound(t, c.Call(t, findName, with{"text": "sla", "type": "wagtailcore.Page"})); !slices.Equal(got, lab.WithSLA) {
			t.Errorf("found %v, want %v", got, lab.WithSLA)
		}
	})
	t.Run("of one type, without asking for others", func(t *testing.T) {
		lab.Forget()
		a := c.Call(t, findName, with{"text": "unheard of", "type": "lab.EventPage"})
		if !strings.HasPrefix(a.Text(), "No page has 'unheard of'. Looked through 3 of 3 pages.") {
			t.Error(a.Text())
		}
		for _, r := range lab.Requests() {
			if !strings.Contains(r.Query, "type=lab.EventPage") {
				t.Errorf("asked %s", r)
			}
		}
	})
}

func TestBrokenLinksAreFound(t *testing.T) {
	c, lab := newLab(t)
	a := c.Call(t, findName, with{"broken_links": true})
	if got := idsFound(t, a); !slices.Equal(got, lab.Broken) || !strings.Contains(a.Text(), "the old team and the deck. → page 999 → document 77") {
		t.Errorf("found %v, want %v: %s", got, lab.Broken, a.Text())
	}
	t.Run("none", func(t *testing.T) {
		a := c.Call(t, findName, with{"broken_links": true, "type": "lab.EventPage"})
		if want := "No page has broken links. Looked through 3 of 3 pages. Links that are written as addresses were not tried. " + unseen; a.Text() != want {
			t.Error(a.Text())
		}
	})
	t.Run("what fails is not taken for missing", func(t *testing.T) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/pages/999/") {
				http.Error(w, "no", http.StatusInternalServerError)
				return
			}
			lab.ServeHTTP(w, r)
		}))
		defer server.Close()
		a := clientOf(t, Options{BaseURL: server.URL}, tools.OutputBoth).Call(t, findName, with{"broken_links": true})
		if !strings.Contains(a.Text(), "1 link could not be looked up") || strings.Contains(a.Text(), "page 999") || !strings.Contains(a.Text(), "→ document 77") {
			t.Error(a.Text())
		}
	})
}

// Each call makes no more requests than it may, and the cursor goes on where it ended.
func TestFindIsBoundedAndContinues(t *testing.T) {
	const bound = 8
	for _, args := range []with{{"links_to": 4}, {"text": "nothing"}, {"text": "no such thing"}, {"broken_links": true}} {
		t.Run(fmt.Sprint(args), func(t *testing.T) {
			lab := wagtailtest.NewLab(t)
			c := clientOf(t, Options{BaseURL: lab.URL, APIPath: "/max5/api/v2/", WalkRequests: bound}, tools.OutputBoth)
			var got []int
			calls := 0
			for args := args; args != nil; calls++ {
				lab.Forget()
				a := c.Call(t, findName, args)
				got = append(got, idsFound(t, a)...)
				if asked := len(lab.Requests()); asked > bound+2 { // the first tells the maximum, and another the form of rich text
					t.Errorf("call %d made %d requests", calls, asked)
				}
				f := foundOf(t, a)
				if args = nil; f.NextCursor != "" {
					args = with{"cursor": f.NextCursor}
				} else if f.LookedAt != 60 {
					t.Errorf("looked at %d pages: %s", f.LookedAt, a.Text())
				}
				if calls > 30 {
					t.Fatal("there is no end of it")
				}
			}
			slices.Sort(got)
			all := clientOf(t, Options{BaseURL: lab.URL, WalkRequests: 1000}, tools.OutputBoth)
			var want []int
			for args := args; args != nil; {
				a := all.Call(t, findName, args)
				want = append(want, idsFound(t, a)...)
				if args = nil; foundOf(t, a).NextCursor != "" {
					args = with{"cursor": foundOf(t, a).NextCursor}
				}
			}
			slices.Sort(want)
			if calls < 2 || !slices.Equal(got, want) {
				t.Errorf("in %d calls found %v, at once %v", calls, got, want)
			}
		})
	}
}

func TestFindNamesUnreadPages(t *testing.T) {
	lab := wagtailtest.NewLab(t)
	failing := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		switch {
		case failing == "down" && query.Get("type") == "lab.StandardPage":
			http.Error(w, "no", http.StatusInternalServerError)
		case failing == "large" && query.Get("fields") == "*" && query.Get("type") == "lab.EventPage" && (query.Get("limit") != "1" || query.Get("offset") == "1"):
			answers(http.StatusOK, "application/json", strings.Repeat(" ", 9<<20))(w, r)
		default:
			lab.ServeHTTP(w, r)
		}
	}))
	defer server.Close()
	t.Run("a site that stops answering", func(t *testing.T) {
		failing = "down"
		c := clientOf(t, Options{BaseURL: server.URL}, tools.OutputBoth)
		a := c.Call(t, findName, with{"links_to": "page:4"})
		if f := foundOf(t, a); !strings.Contains(a.Text(), "Stopped there: The site answered 500") || f.NextCursor == "" || f.LookedAt >= 60 {
			t.Error(a.Text())
		}
		failing = ""
		if a = c.Call(t, findName, with{"cursor": foundOf(t, a).NextCursor}); foundOf(t, a).LookedAt != 60 {
			t.Error(a.Text())
		}
	})
	t.Run("a page that is too large", func(t *testing.T) {
		failing = "large"
		a := clientOf(t, Options{BaseURL: server.URL}, tools.OutputBoth).Call(t, findName, with{"text": "come by", "type": "lab.EventPage"})
		if got := idsFound(t, a); !slices.Equal(got, []int{13, 15}) || !strings.Contains(a.Text(), "1 page is too large") {
			t.Error(a.Text())
		}
	})
}

func TestInvalidFindSendsNoRequest(t *testing.T) {
	c, lab := newLab(t)
	for _, call := range []struct {
		args        with
		code, field string
		says        string
	}{
		{with{}, "MISSING_REQUIRED_FIELD", "text", "Pass one of text, links_to and broken_links: true."},
		{with{"broken_links": false}, "MISSING_REQUIRED_FIELD", "text", "Pass one of"},
		{with{"text": "ab", "links_to": 4}, "VALIDATION_ERROR", "text", "more than one thing"},
		{with{"text": "a "}, "VALIDATION_ERROR", "text", "at least two characters"},
		{with{"cursor": "xx"}, "INVALID_CURSOR", "cursor", "is not a cursor of"},
	} {
		refused(t, c, findName, call.args, call.code, call.field, call.says)
	}
	if asked := lab.Requests(); len(asked) > 0 {
		t.Errorf("asked %v", asked)
	}
	for _, wrong := range []string{"pricing", "mailto:a@b.example"} {
		refused(t, c, findName, with{"links_to": wrong}, "VALIDATION_ERROR", "links_to", "document:3, image:2")
	}
	refused(t, c, findName, with{"links_to": "page:0"}, "VALIDATION_ERROR", "links_to", "The minimum is 1.")
	refused(t, c, findName, with{"text": "ab", "type": "BlogPage"}, "VALIDATION_ERROR", "type", "type doesn't exist", "Did you mean lab.BlogPage?")
	refused(t, c, findName, with{"text": "ab", "type": "lab.Nope"}, "VALIDATION_ERROR", "type", "type doesn't exist", "lab.BlogPage")
}

// What goes through many pages, or reads several, knows sites and paths as the other
// tools do.
func TestToolsOverManyPagesTakeSitesAndPaths(t *testing.T) {
	for what, of := range map[string]struct {
		tool string
		args with
		says []string
	}{
		"a text on another site":             {findName, with{"text": "rota", "site": wagtailtest.OtherHost}, []string{"1 page has 'rota'.", "73 Rota"}},
		"links to a page of another site":    {findName, with{"links_to": "http://" + wagtailtest.OtherHost + "/rota/"}, []string{"1 page links to page 73 (Rota).", "93 Board"}},
		"broken links of another site":       {findName, with{"broken_links": true, "site": wagtailtest.OtherHost}, []string{"1 page has broken links.", "94 Notes", "→ page 404"}},
		"a text below a path":                {findName, with{"text": "hours", "descendant_of": "/visit/"}, []string{"5 Opening hours"}},
		"links to a view of a page":          {findName, with{"links_to": "/posts/tags/soda/"}, []string{"No page links to '/posts/tags/soda/'."}},
		"links to the page of the view":      {findName, with{"links_to": "/posts/"}, []string{"1 page links to page 95 (Posts).", "93 Board"}},
		"several pages of several sites":     {pageDetailsName, with{"ids": []string{"5", "http://" + wagtailtest.OtherHost + "/rota/"}}, []string{"2 of 2 pages.", "Page 5: Opening hours", "Page 73: Rota"}},
		"several pages in another language":  {pageDetailsName, with{"ids": []string{"/visit/"}, "locale": "fr"}, []string{"Page 68: Visiter"}},
		"a filter of pages on another site":  {listPagesName, with{"filter": with{"title": "Rota"}, "site": wagtailtest.OtherHost}, []string{"73 Rota"}},
		"a search on the site":               {searchName, with{"query": "rota", "site": wagtailtest.OtherHost}, []string{"73 Rota"}},
		"an address where only numbers name": {documentDetailsName, with{"endpoint": "redirects", "id": "/old/tarif.pdf"}, []string{"it is no number and no address"}},
	} {
		t.Run(what, func(t *testing.T) {
			c, s := newClient(t, Options{Key: wagtailtest.ReaderKey})
			s.Add(
				wagtailtest.AddedPage{ID: 93, Title: "Board", Path: "/board/", Parent: 3, Fields: map[string]any{
					"body": `<p>See the <a linktype="page" id="73">duties</a> and the <a linktype="page" id="95">posts</a>.</p>`,
				}},
				wagtailtest.AddedPage{ID: 95, Title: "Posts", Path: "/posts/", Parent: 3, Routes: true},
				wagtailtest.AddedPage{ID: 94, Title: "Notes", Path: "/notes/", Parent: 71, Host: wagtailtest.OtherHost, Fields: map[string]any{
					"body": `<p><a linktype="page" id="73">fine</a>, <a linktype="page" id="5">fine too</a>, <a linktype="page" id="404">gone</a></p>`,
				}},
			)
			a := c.Call(t, of.tool, of.args)
			for _, words := range of.says {
				if !strings.Contains(a.Text(), words) {
					t.Errorf("no %q in %s", words, a.Text())
				}
			}
		})
	}
}

// What goes through many pages keeps to its budget whatever they hold, and gets to the
// end.
func TestWalksFit(t *testing.T) {
	const pages = 40
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if !strings.HasSuffix(r.URL.Path, "/pages/") {
			http.NotFound(w, r)
			return
		}
		var items []string
		limit, offset := numberOf(query, "limit"), numberOf(query, "offset")
		for n := offset; n < min(offset+limit, pages); n++ {
			var fields strings.Builder
			for f := range 30 {
				fmt.Fprintf(&fields, `, "%s_%d": "<p data-block-key=\"a\">%s needle %s</p>"`, strings.Repeat("field", 30), f, strings.Repeat("wörd ", 60), strings.Repeat("=== ", 60))
			}
			items = append(items, fmt.Sprintf(`{"id": %d, "meta": {"type": %q, "html_url": %q}, "title": %q%s}`,
				n+1, fmt.Sprintf("%s%d.B", strings.Repeat("app", 30), n/20), "https://x.org/"+strings.Repeat("path/", 40), strings.Repeat("Überschrift ", 30), fields.String()))
		}
		total := pages
		if query.Has("type") {
			total, items = pages/2, nil
			for n := offset; n < min(offset+limit, total); n++ {
				items = append(items, fmt.Sprintf(`{"id": %d, "meta": {"type": %q}, "title": %q, "body": %q}`,
					n+1, query.Get("type"), strings.Repeat("Überschrift ", 30), `<p data-block-key="a">`+strings.Repeat("wörd ", 60)+"needle</p>"))
			}
		}
		answers(http.StatusOK, "application/json", fmt.Sprintf(`{"meta": {"total_count": %d}, "items": [%s]}`, total, strings.Join(items, ",")))(w, r)
	}))
	defer server.Close()
	for _, output := range []tools.Output{tools.OutputBoth, tools.OutputText} {
		for name, args := range map[string]with{overviewName: {}, findName: {"text": "needle"}} {
			c := clientOf(t, Options{BaseURL: server.URL}, output)
			for calls := 0; args != nil; calls++ {
				a := c.Call(t, name, args)
				if a.IsError || len(a.Text()) > 10_000 || len(a.Structured) > 10_000 || calls > 20 {
					t.Fatalf("%s, call %d: %d and %d bytes: %.300s", name, calls, len(a.Text()), len(a.Structured), a.Text())
				}
				args = nil
				if _, rest, more := strings.Cut(a.Text(), "Pass cursor '"); more {
					cursor, _, _ := strings.Cut(rest, "'")
					args = with{"cursor": cursor}
				}
			}
		}
	}
}
