package wagtail

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
	"issues-index/tools/wagtail/wagtailtest"
)

// shownPage is the structured answer of wagtail_get_page_html and
// wagtail_get_page_details.
type shownPage struct {
	Page struct {
		ID    int
		Title string
		URL   string
		Text  string
	}
	answer.Shown
}

func decode(t *testing.T, a toolstest.Answer) shownPage {
	t.Helper()
	var p shownPage
	if err := json.Unmarshal(a.Structured, &p); err != nil {
		t.Fatalf("%v: %s", err, a.Text())
	}
	return p
}

func TestPageAsItIsShown(t *testing.T) {
	c, server := newClient(t, Options{Key: wagtailtest.ReaderKey})
	t.Run("its main part as Markdown, with absolute links", func(t *testing.T) {
		a := c.Call(t, pageHTMLName, with{"id": 5})
		p := decode(t, a)
		if p.Page.ID != 5 || p.Page.Title != "Opening hours" || p.Page.URL != server.URL+"/visit/opening-hours/" {
			t.Errorf("%+v", p.Page)
		}
		for _, want := range []string{"# Opening hours", "**daily from 10 am to 5 pm**", "](" + server.URL + "/documents/3/opening-hours.txt)"} {
			if !strings.Contains(p.Page.Text, want) || !strings.Contains(a.Text(), want) {
				t.Errorf("no %q in\n%s", want, a.Text())
			}
		}
		for _, frame := range []string{"analytics", "font-family", "Open daily", "Search"} {
			if strings.Contains(a.Text(), frame) {
				t.Errorf("%q is in\n%s", frame, a.Text())
			}
		}
		if p.NextCursor != "" || p.Note != "" || p.TotalLines != 0 {
			t.Errorf("what fits speaks of paging: %+v", p.Shown)
		}
	})
	t.Run("in another encoding than UTF-8", func(t *testing.T) {
		site := wagtailtest.NewServer(t)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/api/") {
				site.ServeHTTP(w, r)
				return
			}
			answers(200, "text/html; charset=ISO-8859-1", "<main><p>Caf\xe9</p></main>")(w, r)
		}))
		defer server.Close()
		c := clientOf(t, Options{BaseURL: server.URL}, tools.OutputBoth)
		for format, want := range map[string]string{"markdown": "Café", "html": "<main><p>Café</p></main>"} {
			if p := decode(t, c.Call(t, pageHTMLName, with{"id": 5, "format": format})); p.Page.Text != want {
				t.Errorf("%s: %q", format, p.Page.Text)
			}
		}
	})
	t.Run("its source, as the site sent it", func(t *testing.T) {
		p := decode(t, c.Call(t, pageHTMLName, with{"id": 38, "format": "html"}))
		if want := string(wagtailtest.Recorded(t, "html-page-blog-post").Bytes()); p.Page.Text != want {
			t.Errorf("%q", p.Page.Text)
		}
	})
	t.Run("found by path, and by path in another language", func(t *testing.T) {
		if p := decode(t, c.Call(t, pageHTMLName, with{"html_path": "/visit/opening-hours"})); p.Page.ID != 5 {
			t.Errorf("%+v", p)
		}
		if p := decode(t, c.Call(t, pageHTMLName, with{"html_path": "/fr/visiter/"})); !strings.Contains(p.Page.Text, "Préparez votre journée") {
			t.Errorf("%+v", p)
		}
	})
	t.Run("without the key", func(t *testing.T) {
		server.Forget()
		c.Call(t, pageHTMLName, with{"id": 5})
		asked := 0
		for _, r := range server.Requests() {
			if strings.Contains(r.Path, "/api/v2/") {
				continue
			}
			asked++
			if r.Authorization != "" || r.Accept != "text/html" {
				t.Errorf("%+v", r)
			}
		}
		if asked != 1 {
			t.Errorf("the page was asked for %d times: %v", asked, server.Requests())
		}
	})
	t.Run("no control character reaches the site", func(t *testing.T) {
		server.Forget()
		a := c.Call(t, pageHTMLName, with{"html_path": "/visit/%00"})
		if !a.IsError || a.Meta.Error.Code != string(tools.CodeValidation) || len(server.Requests()) > 0 {
			t.Errorf("%s %v", a.Text(), server.Requests())
		}
	})
}

// siteOf serves a page of a site whose API knows one page; visitors get what the
// handler gives.
func siteOf(t *testing.T, htmlURL string, visitors http.HandlerFunc) (*toolstest.Client, *httptest.Server) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/api/v2/") {
			visitors(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		address, err := json.Marshal(htmlURL)
		if htmlURL == "" || err != nil {
			address = []byte("null")
		}
		_, _ = w.Write([]byte(`{"id":9,"meta":{"type":"a.B","html_url":` + string(address) + `,"slug":"nine"},"title":"Nine"}`))
	}))
	t.Cleanup(server.Close)
	return clientOf(t, Options{BaseURL: server.URL, Key: "the-secret-key"}, tools.OutputBoth), server
}

func page200(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(body))
}

func TestPageThatIsNotShown(t *testing.T) {
	for name, of := range map[string]struct {
		htmlURL  string
		visitors http.HandlerFunc
		code     tools.Code
		says     []string
	}{
		"a page without an address": {
			"", func(http.ResponseWriter, *http.Request) { panic("asked for") },
			tools.CodeNotFound, []string{"Page 9 has no address", pageDetailsName},
		},
		"a page for which a password is wanted": {
			"/nine/", func(w http.ResponseWriter, _ *http.Request) {
				page200(w, `<title>Password required</title><h1>Password required</h1><p>You need a password to access this page.</p>
					<form method="post"><input type="hidden" name="return_url"><input type="password" name="password"></form>`)
			},
			tools.CodePermissionDenied, []string{"asks visitors for a password", "key does not open it"},
		},
		"a redirect to a login page": {
			"/nine/", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "/_util/login/?next=/nine/", http.StatusFound)
			},
			tools.CodePermissionDenied, []string{"sends visitors of /nine/ to a login page"},
		},
		"a redirect to another host": {
			"/nine/", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://elsewhere.example/nine/", http.StatusMovedPermanently)
			},
			tools.CodeProvider, []string{"redirects the page /nine/ to http://elsewhere.example/nine/", "Nothing was asked there"},
		},
		"redirects in a circle": {
			"/nine/", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path+"x/", http.StatusFound) },
			tools.CodeProvider, []string{"again and again"},
		},
		"a file": {
			"/nine/", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/pdf")
				_, _ = w.Write([]byte("%PDF"))
			},
			tools.CodeProvider, []string{"application/pdf"},
		},
		"a page that is gone": {"/nine/", http.NotFound, tools.CodeNotFound, []string{"no page at /nine/"}},
		"a server that breaks": {
			"/nine/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
			tools.CodeProvider, []string{"500"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := siteOf(t, of.htmlURL, of.visitors)
			a := c.Call(t, pageHTMLName, with{"id": 9})
			if !a.IsError || a.Meta.Error.Code != string(of.code) {
				t.Fatalf("%s", a.Text())
			}
			for _, say := range of.says {
				if !strings.Contains(a.Text(), say) {
					t.Errorf("no %q in %s", say, a.Text())
				}
			}
			if strings.Contains(a.Text(), "the-secret-key") {
				t.Errorf("the key is in %s", a.Text())
			}
		})
	}
}

func TestRedirectsOfAPage(t *testing.T) {
	const home = "http://cms.example/nine/"
	c, server := siteOf(t, home, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/nine/": // the site names the host that it takes for its own
			http.Redirect(w, r, "http://cms.example/ten/", http.StatusMovedPermanently)
		case "/ten/":
			http.Redirect(w, r, "/eleven/?page=2", http.StatusFound)
		default:
			page200(w, `<main><h1>Here</h1><a href="next/">`+r.URL.RequestURI()+` `+r.Header.Get("Authorization")+`</a></main>`)
		}
	})
	p := decode(t, c.Call(t, pageHTMLName, with{"id": 9}))
	if p.Page.Text != "# Here\n\n[/eleven/?page=2]("+server.URL+"/eleven/next/)" {
		t.Errorf("%q", p.Page.Text)
	}
}
