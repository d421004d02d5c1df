package wagtail

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/wagtail/wagtailtest"
)

func TestPageOfAnotherHostIsNotTheSitesOwn(t *testing.T) {
	c, s := newClient(t, Options{})
	s.Add(wagtailtest.AddedPage{ID: 90, Title: "About the intranet", Path: "/about/", Parent: 72, Host: wagtailtest.OtherHost})
	t.Run("the second site of the same Wagtail", func(t *testing.T) {
		p := pageOf(t, c.Call(t, pageDetailsName, with{"id": "http://" + wagtailtest.OtherHost + "/about/"}))
		if p.ID != 90 || p.URL != "http://"+wagtailtest.OtherHost+"/about/" {
			t.Errorf("%+v", p)
		}
		if p := pageOf(t, c.Call(t, pageDetailsName, with{"id": "/about/"})); p.ID != 28 {
			t.Errorf("the path alone is page %d", p.ID)
		}
		if p := pageOf(t, c.Call(t, pageDetailsName, with{"id": "http://" + wagtailtest.OtherHost + "/"})); p.ID != 72 {
			t.Errorf("its home page is page %d", p.ID)
		}
	})
	t.Run("whose parent has its URL, since its path is another page here", func(t *testing.T) {
		a := c.Call(t, pageDetailsName, with{"id": "http://" + wagtailtest.OtherHost + "/about/"})
		home := "http://" + wagtailtest.OtherHost + "/"
		if p := pageOf(t, a).Parent; p == nil || p.URL != home || p.Path != "" || !strings.HasSuffix(a.Text(), "\nparent: 72 Intranet "+home) {
			t.Error(a.Text())
		}
	})
	t.Run("a host that no site has", func(t *testing.T) {
		for _, tool := range []string{pageDetailsName, pageHTMLName} {
			for _, path := range []string{"/about/", "/", "/nosuch/"} {
				refused(t, c, tool, with{"id": "https://other.example" + path}, "RESOURCE_NOT_FOUND", "id",
					"is on another host: this service reads the site at "+strings.TrimPrefix(s.URL, "http://"))
			}
		}
		refused(t, c, pageDetailsName, with{"id": "https://other.example/about/"}, "RESOURCE_NOT_FOUND", "id",
			"Pass the path without its host for the page http://127.0.0.1:8765/about/")
	})
	t.Run("the host that the site takes for its own", func(t *testing.T) {
		c, _ := newClient(t, Options{APIPath: "/othersite/api/v2/"})
		if p := pageOf(t, c.Call(t, pageDetailsName, with{"id": "https://www.museum.example/visit/"})); p.ID != 4 {
			t.Errorf("page %d", p.ID)
		}
	})
	t.Run("the base's own host in other spellings", func(t *testing.T) {
		s := mustSite(t, "https://Example.org/cms")
		for address, want := range map[string]bool{
			"https://example.org/a/": false, "https://EXAMPLE.org:443/a/": false, "http://example.org/a/": false,
			"https://example.org:8443/a/": true, "https://www.example.org/a/": true,
		} {
			who := identity{}
			if !s.readAddress(&who, address) || s.foreign(who) != want {
				t.Errorf("%s: foreign is %t", address, s.foreign(who))
			}
		}
	})
	t.Run("a page of it is not read as visitors of the site see theirs", func(t *testing.T) {
		s.Forget()
		refused(t, c, pageHTMLName, with{"id": "http://" + wagtailtest.OtherHost + "/about/"}, "RESOURCE_NOT_FOUND", "id",
			"is of another site, '"+wagtailtest.OtherHost+"'", "wagtail_get_page_details {id: 'http://"+wagtailtest.OtherHost+"/about/'}")
		for _, r := range s.Requests() {
			if !strings.HasPrefix(r.Path, "/api/v2/") {
				t.Errorf("asked for %s", r)
			}
		}
	})
}

func TestOtherSiteIsListedReadAndSearched(t *testing.T) {
	c, s := newClient(t, Options{})
	list := parsed(t, c.Call(t, listPagesName, with{"site": wagtailtest.OtherHost}))
	if list.TotalCount != 4 || list.Pages[1].URL != "http://"+wagtailtest.OtherHost+"/rota/" || list.Pages[1].Path != "" {
		t.Errorf("%+v", list)
	}
	for _, id := range []string{list.Pages[1].URL, "http://" + wagtailtest.OtherHost + "/rota", "http://" + wagtailtest.OtherHost + ":80/rota/"} {
		if p := pageOf(t, c.Call(t, pageDetailsName, with{"id": id})); p.ID != 73 {
			t.Errorf("%s is page %d", id, p.ID)
		}
	}
	refused(t, c, pageDetailsName, with{"id": 73}, "RESOURCE_NOT_FOUND", "id", "A page of another site is named by its URL")
	refused(t, c, pageDetailsName, with{"id": "http://" + wagtailtest.OtherHost + "/visit/"}, "RESOURCE_NOT_FOUND", "id", "/visit/'")
	for _, args := range []with{{"child_of": "root", "site": wagtailtest.OtherHost}, {"child_of": "http://" + wagtailtest.OtherHost + "/"}} {
		if list := parsed(t, c.Call(t, listPagesName, args)); list.TotalCount != 3 {
			t.Errorf("%v: %+v", args, list)
		}
	}
	if a := c.Call(t, searchName, with{"query": "Rota", "site": wagtailtest.OtherHost}); !strings.Contains(a.Text(), "\n73 Rota") || strings.Contains(a.Text(), "images") {
		t.Error(a.Text())
	}
	refused(t, c, listPagesName, with{"site": "nosuch.example"}, "VALIDATION_ERROR", "site", "has no site 'nosuch.example'", "Pass the host and port of one of its sites")
	s.Forget()
	if c.Call(t, listPagesName, with{"site": s.URL}); strings.Contains(s.Requests()[0].Query, "site") {
		t.Errorf("the configured site is asked for by name: %s", s.Requests()[0])
	}
}

func TestLocaleIsRespectedForEveryKindOfIdentity(t *testing.T) {
	c, s := newClient(t, Options{Key: wagtailtest.ReaderKey})
	for _, args := range []with{
		{"id": 5, "locale": "fr"}, {"id": "/visit/opening-hours/", "locale": "fr"}, {"slug": "opening-hours", "locale": "fr"},
		{"slug": "horaires", "locale": "fr"}, {"id": s.URL + "/visit/opening-hours/", "locale": "fr"}, {"id": 69, "locale": "fr"}, {"id": 5, "locale": "FR"},
		{"id": 5, "locale": "fr", "fields": "introduction"},
	} {
		if p := pageOf(t, c.Call(t, pageDetailsName, args)); p.ID != 69 || p.Locale != "fr" {
			t.Errorf("%v is page %d in %q", args, p.ID, p.Locale)
		}
	}
	if p := pageOf(t, c.Call(t, pageDetailsName, with{"id": "/fr/visiter/horaires/", "locale": "en"})); p.ID != 5 {
		t.Errorf("page %d", p.ID)
	}
	if p := decode(t, c.Call(t, pageHTMLName, with{"id": 4, "locale": "fr"})); p.Page.ID != 68 || !strings.Contains(p.Page.Text, "Préparez votre journée") {
		t.Errorf("%+v", p)
	}
	refused(t, c, pageDetailsName, with{"id": 5, "locale": "de"}, "RESOURCE_NOT_FOUND", "locale",
		"Page 5 has no translation in 'de'", "wagtail_list_pages {translation_of: 5}")
	refused(t, c, pageDetailsName, with{"id": "/about/", "locale": "xx"}, "RESOURCE_NOT_FOUND", "locale", "no translation in 'xx'", "{translation_of: 28}")
}

func TestPagesAreFoundByThePathsThatAnswersShow(t *testing.T) {
	t.Run("the home page of a language", func(t *testing.T) {
		c, _ := newClient(t, Options{})
		if p := pageOf(t, c.Call(t, pageDetailsName, with{"id": "/fr/"})); p.ID != 67 {
			t.Errorf("page %d", p.ID)
		}
	})
	t.Run("one of many pages with the same slug", func(t *testing.T) {
		c, s := newClient(t, Options{})
		for n := range 65 {
			s.Add(wagtailtest.AddedPage{ID: 1000 + n, Title: "Detail", Path: fmt.Sprintf("/fr/s%d/detail/", n), Parent: 67, Locale: "fr"})
		}
		for _, n := range []int{0, 19, 20, 64} {
			if p := pageOf(t, c.Call(t, pageDetailsName, with{"id": fmt.Sprintf("/fr/s%d/detail/", n)})); p.ID != 1000+n {
				t.Errorf("page %d, want %d", p.ID, 1000+n)
			}
		}
		refused(t, c, pageDetailsName, with{"id": "/fr/s65/detail/"}, "RESOURCE_NOT_FOUND", "id", "no page '/fr/s65/detail/'")
	})
	t.Run("a site below a path of its host", func(t *testing.T) {
		server := wagtailtest.NewServer(t)
		c := clientOf(t, Options{BaseURL: server.URL + "/cms/"}, tools.OutputBoth)
		shown := parsed(t, c.Call(t, listPagesName, with{"child_of": 3})).Pages[0]
		if shown.Path != "/cms/visit/" {
			t.Fatalf("%+v", shown)
		}
		for _, path := range []string{shown.Path, "/visit/", "http://127.0.0.1:8765/cms/visit/", server.URL + "/cms/visit/", "/cms/fr/visiter/", "/cms/", "/cms/fr/"} {
			want := map[string]int{"/cms/fr/visiter/": 68, "/cms/": 3, "/cms/fr/": 67}[path]
			if want == 0 {
				want = 4
			}
			if p := pageOf(t, c.Call(t, pageDetailsName, with{"id": path})); p.ID != want {
				t.Errorf("%s is page %d, want %d", path, p.ID, want)
			}
		}
		if p := decode(t, c.Call(t, pageHTMLName, with{"id": "/cms/visit/opening-hours/"})); p.Page.ID != 5 || p.Page.URL != server.URL+"/cms/visit/opening-hours/" {
			t.Errorf("%+v", p.Page)
		}
	})
	t.Run("a page whose path begins like that of the base", func(t *testing.T) {
		server := wagtailtest.NewServer(t)
		server.Add(wagtailtest.AddedPage{ID: 91, Title: "CMS", Path: "/cms/", Parent: 3})
		c := clientOf(t, Options{BaseURL: server.URL + "/cms/"}, tools.OutputBoth)
		if p := pageOf(t, c.Call(t, pageDetailsName, with{"id": "/cms/cms/"})); p.ID != 91 {
			t.Errorf("page %d", p.ID)
		}
	})
	t.Run("a site that knows no languages", func(t *testing.T) {
		site := wagtailtest.NewServer(t)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Has("translation_of") {
				answers(http.StatusBadRequest, "application/json", `{"message": "query parameter is not an operation or a recognised field: translation_of"}`)(w, r)
				return
			}
			site.ServeHTTP(w, r)
		}))
		defer server.Close()
		refused(t, clientOf(t, Options{BaseURL: server.URL}, tools.OutputBoth), pageDetailsName, with{"id": "/fr/"}, "RESOURCE_NOT_FOUND", "id", "no page '/fr/'")
	})
}

func TestPathBelowRoutablePageIsCalledAView(t *testing.T) {
	c, s := newClient(t, Options{})
	s.Add(wagtailtest.AddedPage{ID: 92, Title: "News", Path: "/news/", Parent: 3, Routes: true})
	a := c.Call(t, pageDetailsName, with{"id": "/news/tags/soda/"})
	if p := pageOf(t, a); p.ID != 92 || !strings.Contains(a.Text(), "'/news/tags/soda/' is a view of this page: wagtail_get_page_html") {
		t.Error(a.Text())
	}
	if a := c.Call(t, pageDetailsName, with{"id": "/news/?utm=1"}); strings.Contains(a.Text(), "view") {
		t.Error(a.Text())
	}
	refused(t, c, listPagesName, with{"child_of": "/news/tags/soda/"}, "RESOURCE_NOT_FOUND", "child_of", "a view of page 92")
}

func TestTreeFiltersTakePathsAndAddresses(t *testing.T) {
	c, s := newClient(t, Options{})
	for _, filter := range treeFilters {
		want := parsed(t, c.Call(t, listPagesName, with{filter: 4}))
		for _, named := range []string{"/visit/", "4", "http://127.0.0.1:8765/visit/", s.URL + "/visit"} {
			got := parsed(t, c.Call(t, listPagesName, with{filter: named}))
			if got.TotalCount != want.TotalCount || want.TotalCount == 0 || got.Pages[0].ID != want.Pages[0].ID {
				t.Errorf("%s %s: %d pages, want %d", filter, named, got.TotalCount, want.TotalCount)
			}
		}
		refused(t, c, listPagesName, with{filter: "/nosuch/"}, "RESOURCE_NOT_FOUND", filter, "no page '/nosuch/'")
		refused(t, c, listPagesName, with{filter: "visit"}, "VALIDATION_ERROR", filter, "Pass the id, path or URL of a page")
	}
	if list := parsed(t, c.Call(t, listPagesName, with{"translation_of": "root"})); list.TotalCount != 1 || list.Pages[0].ID != 67 {
		t.Errorf("%+v", list)
	}
	t.Run("over pages of the list", func(t *testing.T) {
		first := parsed(t, c.Call(t, listPagesName, with{"descendant_of": "/visit/", "limit": 5}))
		second := parsed(t, c.Call(t, listPagesName, with{"cursor": first.NextCursor}))
		if len(second.Pages) != 5 || second.Pages[0].ID == first.Pages[0].ID || second.TotalCount != first.TotalCount {
			t.Errorf("%+v", second)
		}
	})
}

func TestLimitOverTheMaximumBecomesTheMaximum(t *testing.T) {
	c, _ := newClient(t, Options{APIPath: "/nomax/api/v2/"})
	for _, call := range []struct {
		tool string
		args with
	}{{listPagesName, with{"limit": 1000}}, {listImagesName, with{"limit": 1000}}, {searchName, with{"query": "harbour", "limit": 1000}}} {
		a := c.Call(t, call.tool, call.args)
		if a.IsError || !strings.Contains(a.Text(), "limit 1000 is over the maximum of 100, which was used") || !strings.Contains(string(a.Structured), "over the maximum of 100") {
			t.Errorf("%s: %s", call.tool, a.Text())
		}
	}
	if a := c.Call(t, listPagesName, with{"limit": 1000}); !strings.HasPrefix(a.Text(), "Showing 63 of 63 pages.") {
		t.Error(a.Text())
	}
}
