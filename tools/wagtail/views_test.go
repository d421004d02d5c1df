package wagtail

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/toolstest"
	"issues-index/tools/wagtail/wagtailtest"
)

// blogSite is the recorded site with a routable page /news/. Below it, and wherever
// else visitors ask, they are shown the address that they asked for.
func blogSite(t *testing.T, visitors http.HandlerFunc) (*toolstest.Client, *wagtailtest.Server, string) {
	t.Helper()
	site := wagtailtest.NewServer(t)
	site.Add(wagtailtest.AddedPage{ID: 92, Title: "News", Type: "blog.BlogIndexPage", Path: "/news/", Parent: 3, Routes: true})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/v2/") {
			site.ServeHTTP(w, r)
			return
		}
		if r.Header.Get("Authorization") != "" {
			t.Errorf("%s was asked with the key", r.URL)
		}
		visitors(w, r)
	}))
	t.Cleanup(server.Close)
	return clientOf(t, Options{BaseURL: server.URL, Key: wagtailtest.ReaderKey}, tools.OutputBoth), site, server.URL
}

func echo(w http.ResponseWriter, r *http.Request) {
	page200(w, "<title>Site</title><main><h1>Shown</h1><p>"+r.URL.RequestURI()+"</p></main>")
}

func TestViewIsReadAtItsOwnAddress(t *testing.T) {
	c, _, base := blogSite(t, echo)
	for _, of := range []struct {
		args  with
		shows string // path and query that the site was asked for
		page  int    // 0 for none of the API's
		title string
	}{
		{with{"id": 92}, "/news/", 92, "News"},
		{with{"id": "/news/"}, "/news/", 92, "News"},
		{with{"id": "/news"}, "/news/", 92, "News"},
		{with{"id": "/news/tags/soda/"}, "/news/tags/soda/", 92, "News"},
		{with{"html_path": "news/tags/soda"}, "/news/tags/soda", 92, "News"},
		{with{"id": "/news/?page=2"}, "/news/?page=2", 92, "News"},
		{with{"id": "/news?page=2&q=a b#top"}, "/news/?page=2&q=a%20b", 92, "News"},
		{with{"id": base + "/news/tags/soda/?page=2"}, "/news/tags/soda/?page=2", 92, "News"},
		{with{"id": "/news/tags/caf%C3%A9%2Fbar/"}, "/news/tags/caf%C3%A9%2Fbar/", 92, "News"},
		{with{"id": "http://127.0.0.1:8765/news/tags/soda/"}, "/news/tags/soda/", 92, "News"},
		{with{"id": "/search/?query=tide"}, "/search/?query=tide", 0, "Shown"},
		{with{"id": "?query=tide"}, "/?query=tide", 3, "Harbour Street Museum"},
		{with{"id": "//elsewhere.example/x/"}, "/elsewhere.example/x/", 0, "Shown"},
		{with{"id": "/x/../../secret/"}, "/secret/", 0, "Shown"},
	} {
		a := c.Call(t, pageHTMLName, of.args)
		p := decode(t, a)
		if p.Page.ID != of.page || p.Page.Title != of.title || p.Page.Text != "# Shown\n\n"+of.shows || p.Page.URL != base+of.shows {
			t.Errorf("%v: %+v", of.args, p.Page)
		}
		if of.page == 0 && !strings.HasPrefix(a.Text(), "Page: Shown http") {
			t.Errorf("%v: %s", of.args, a.Text())
		}
	}
}

func TestRedirectOnTheSiteIsFollowedAndNoted(t *testing.T) {
	t.Run("to another page", func(t *testing.T) {
		c, s := newClient(t, Options{})
		a := c.Call(t, pageHTMLName, with{"id": "/hours/"})
		p := decode(t, a)
		if p.Page.ID != 5 || p.Page.Title != "Opening hours" || p.Page.URL != s.URL+"/visit/opening-hours/" ||
			!strings.Contains(a.Text(), "Note: the site redirects /hours/ to /visit/opening-hours/, which was read.") {
			t.Error(a.Text())
		}
	})
	t.Run("of a page itself", func(t *testing.T) {
		c, _, _ := blogSite(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/about/" {
				http.Redirect(w, r, "/about/team/", http.StatusFound)
				return
			}
			echo(w, r)
		})
		a := c.Call(t, pageHTMLName, with{"id": 28})
		if p := decode(t, a); p.Page.ID != 31 || p.Page.Title != "Team" || !strings.Contains(a.Text(), "redirects /about/ to /about/team/") {
			t.Error(a.Text())
		}
	})
	t.Run("to a page that has a login in its name", func(t *testing.T) {
		c, _, _ := blogSite(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/about/" {
				http.Redirect(w, r, "/new-login-rules/", http.StatusFound)
				return
			}
			echo(w, r)
		})
		if p := decode(t, c.Call(t, pageHTMLName, with{"id": 28})); !strings.Contains(p.Page.Text, "/new-login-rules/") {
			t.Errorf("%+v", p)
		}
	})
	t.Run("to what is no page of the API", func(t *testing.T) {
		c, _, _ := blogSite(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/about/" {
				http.Redirect(w, r, "/app/?from=about", http.StatusFound)
				return
			}
			echo(w, r)
		})
		a := c.Call(t, pageHTMLName, with{"id": 28})
		if p := decode(t, a); p.Page.ID != 0 || p.Page.Title != "Shown" || !strings.Contains(a.Text(), "redirects /about/ to /app/?from=about") {
			t.Error(a.Text())
		}
	})
}

func TestPathWithoutPageIsRefused(t *testing.T) {
	t.Run("because visitors are shown none either", func(t *testing.T) {
		c, _ := newClient(t, Options{})
		refused(t, c, pageHTMLName, with{"id": "/visit/nosuch/bus/"}, "RESOURCE_NOT_FOUND", "id", "no page '/visit/nosuch/bus/'")
	})
	t.Run("because visitors have to log in", func(t *testing.T) {
		c, s := newClient(t, Options{Key: wagtailtest.ReaderKey})
		refused(t, c, pageHTMLName, with{"html_path": "/staff/"}, "PERMISSION_DENIED", "id", "sends visitors of /staff/ to a login page, "+s.URL+"/_util/login/", "key does not log a visitor in")
		for _, r := range s.Requests() {
			if r.Path == "/staff/" && r.Authorization != "" {
				t.Errorf("%+v", r)
			}
		}
	})
	t.Run("because it is on another host", func(t *testing.T) {
		c, _, _ := blogSite(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://shop.example"+r.URL.Path, http.StatusFound)
		})
		a := c.Call(t, pageHTMLName, with{"id": "/about/"})
		if !a.IsError || !strings.Contains(a.Text(), "redirects the page /about/ to https://shop.example/about/. Nothing was asked there.") {
			t.Error(a.Text())
		}
	})
}

func TestPageDrawnByScriptsIsNoted(t *testing.T) {
	c, _ := siteOf(t, "/nine/", func(w http.ResponseWriter, _ *http.Request) {
		page200(w, `<title>Nine</title><noscript>Please enable JavaScript.</noscript><div id="root"></div><script src="/app.js"></script>`)
	})
	a := c.Call(t, pageHTMLName, with{"id": 9})
	if a.IsError || !strings.Contains(a.Text(), "drawn by JavaScript in the browser") || !strings.Contains(a.Text(), pageDetailsName+" reads its fields") {
		t.Error(a.Text())
	}
}

func TestViewCursorNeedsNoOtherArgument(t *testing.T) {
	long := "<main><h1>Long</h1>" + strings.Repeat("<p>A sentence of the page. Another sentence.</p>", 700) + "</main>"
	c, _, base := blogSite(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RequestURI() == "/news/?page=2" || r.URL.Path == "/search/" {
			page200(w, long)
			return
		}
		echo(w, r)
	})
	for _, args := range []with{{"id": "/news/?page=2"}, {"id": "/search/", "format": "html"}} {
		text, first, calls := joined(t, c, pageHTMLName, args, false)
		if calls < 3 || calls != first.TotalChunks || strings.Count(text, "Another sentence.") != 700 || !strings.HasPrefix(first.Page.URL, base) {
			t.Errorf("%v: %d calls, %d bytes", args, calls, len(text))
		}
	}
	t.Run("beside the address, too", func(t *testing.T) {
		next := decode(t, c.Call(t, pageHTMLName, with{"id": "/news/?page=2"})).NextCursor
		if p := decode(t, c.Call(t, pageHTMLName, with{"id": "/news/?page=2", "cursor": next})); *p.ChunkIndex != 1 {
			t.Errorf("%+v", p.Shown)
		}
	})
}

func TestRedirectToHTTPSDoesNotLoop(t *testing.T) {
	c, _ := siteOf(t, "https://127.0.0.1/nine/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://127.0.0.1"+r.URL.Path, http.StatusMovedPermanently)
	})
	refused(t, c, pageHTMLName, with{"id": 9}, "PROVIDER_ERROR", "", "to https://127.0.0.1/nine/", "set WAGTAIL_BASE_URL")
}

func TestPagesAreReadAtTheFrontEndWhereThereIsOne(t *testing.T) {
	site := wagtailtest.NewServer(t)
	var asked []string
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked = append(asked, r.URL.RequestURI()); r.Header.Get("Authorization") != "" {
			t.Errorf("the key was sent to %s", r.URL)
		}
		if r.URL.Path == "/web/hours/" {
			http.Redirect(w, r, "/web/visit/opening-hours/", http.StatusFound)
			return
		}
		echo(w, r)
	}))
	defer front.Close()
	c := clientOf(t, Options{BaseURL: site.URL, FrontendURL: front.URL + "/web", Key: wagtailtest.ReaderKey}, tools.OutputBoth)
	for _, of := range []struct {
		named any
		asks  string
		page  int
	}{
		{5, "/web/visit/opening-hours/", 5},
		{"/visit/opening-hours/", "/web/visit/opening-hours/", 5},
		{front.URL + "/web/visit/opening-hours/?a=b", "/web/visit/opening-hours/?a=b", 5},
		{site.URL + "/visit/opening-hours/", "/web/visit/opening-hours/", 5},
		{"/cart/?item=1", "/web/cart/?item=1", 0},
		{"/hours/", "/web/visit/opening-hours/", 5},
	} {
		asked = nil
		p := decode(t, c.Call(t, pageHTMLName, with{"id": of.named}))
		if p.Page.ID != of.page || p.Page.URL != front.URL+of.asks || asked[len(asked)-1] != of.asks {
			t.Errorf("%v asks for %v: %+v", of.named, asked, p.Page)
		}
	}
	if p := pageOf(t, c.Call(t, pageDetailsName, with{"id": front.URL + "/web/visit/"})); p.ID != 4 {
		t.Errorf("page %d", p.ID)
	}
	for _, r := range site.Requests() {
		if !strings.HasPrefix(r.Path, "/api/v2/") {
			t.Errorf("the site itself was asked for %s", r)
		}
	}
}
