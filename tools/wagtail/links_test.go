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

// brokenSite serves the recorded site, except that page 4 is answered as told while
// it is, and counts how often it was asked for.
func brokenSite(t *testing.T) (c *toolstest.Client, answer *http.HandlerFunc, asked *int) {
	t.Helper()
	site := wagtailtest.NewServer(t)
	answer, asked = new(http.HandlerFunc), new(int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v2/pages/4/" {
			*asked++
			if *answer != nil {
				(*answer)(w, r)
				return
			}
		}
		site.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return clientOf(t, Options{BaseURL: server.URL}, tools.OutputBoth), answer, asked
}

const (
	deadLink = "[Visit](wagtail:page/4)"
	liveLink = "[Visit](http://127.0.0.1:8765/visit/)"
	legend   = "a link such as wagtail:page/4 leads to what the API does not show: it is deleted, a draft, private or of another site"
)

func TestLinkIsDeadOnlyWhenTheAPISaysSo(t *testing.T) {
	for name, failure := range map[string]http.HandlerFunc{
		"a server error":    answers(500, "text/html", "<h1>Server Error"),
		"too many requests": answers(429, "application/json", `{"detail": "slow"}`, "Retry-After", "60"),
		"maintenance":       answers(503, "text/html", "<h1>Back soon"),
		"a wrong key":       answers(403, "application/json", `{"detail": "no"}`),
		"a web page":        answers(200, "text/html", "<h1>Welcome"),
		"a 404 of a proxy":  answers(404, "text/html", "<h1>Not found"),
		"another object":    answers(200, "application/json", `{"id": 7, "title": "Other"}`),
		"a cut connection":  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			c, answer, asked := brokenSite(t)
			*answer = failure
			a := c.Call(t, pageDetailsName, with{"id": 5})
			if !strings.Contains(a.Text(), deadLink) || !strings.Contains(a.Text(), "1 link could not be looked up and may work") || strings.Contains(a.Text(), legend) {
				t.Errorf("%s", a.Text())
			}
			*answer, *asked = nil, 0
			a = c.Call(t, pageDetailsName, with{"id": 5})
			if !strings.Contains(a.Text(), liveLink) || strings.Contains(a.Text(), "could not be looked up") || *asked != 1 {
				t.Errorf("asked %d times: %s", *asked, a.Text())
			}
		})
	}
	t.Run("a 404 of the API", func(t *testing.T) {
		c, answer, asked := brokenSite(t)
		*answer = answers(404, "application/json", `{"message": "No Page matches the given query."}`)
		for range 2 {
			if a := c.Call(t, pageDetailsName, with{"id": 5}); !strings.Contains(a.Text(), deadLink) || !strings.Contains(a.Text(), legend) || strings.Contains(a.Text(), "looked up") {
				t.Errorf("%s", a.Text())
			}
		}
		if *asked != 1 {
			t.Errorf("it was asked for %d times", *asked)
		}
	})
}

// A look-up that failed is tried again by the next call. If it succeeds, the text is another one, and
// the cursor of a chunk says so.
func TestChunksAreOfOneText(t *testing.T) {
	fails := true
	body := `<p><a linktype='page' id='2'>a link</a></p>` + strings.Repeat("<p>A sentence of the page. Another sentence.</p>", 2000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/pages/1/"):
			answers(200, "application/json", `{"id":1,"meta":{"type":"a.B"},"title":"Links","body":"`+body+`"}`)(w, r)
		case fails:
			answers(500, "text/html", "")(w, r)
		default:
			answers(200, "application/json", `{"id":2,"meta":{"html_url":"http://site.example/2/"},"title":"Two"}`)(w, r)
		}
	}))
	defer server.Close()
	c := clientOf(t, Options{BaseURL: server.URL}, tools.OutputBoth)
	first := decode(t, c.Call(t, pageDetailsName, with{"id": 1}))
	fails = false
	refused(t, c, pageDetailsName, with{"cursor": first.NextCursor}, "INVALID_CURSOR", "cursor", "The text of page 1 changed")
	if again := decode(t, c.Call(t, pageDetailsName, with{"id": 1})); !strings.Contains(again.Page.Text, "(http://site.example/2/)") {
		t.Errorf("%.200s", again.Page.Text)
	}
}

// A row of a list has the ids of links, live ones too: they are looked up only where a page is read.
func TestRowsShowLinksByTheirIDs(t *testing.T) {
	c, _ := newClient(t, Options{})
	row := c.Call(t, listPagesName, with{"child_of": 4, "type": "home.StandardPage", "fields": "body", "limit": 1})
	if !strings.Contains(row.Text(), deadLink) || strings.Contains(row.Text(), "does not show") {
		t.Error(row.Text())
	}
	if a := c.Call(t, pageDetailsName, with{"id": "wagtail:page/4"}); a.IsError || pageOf(t, a).ID != 4 {
		t.Error(a.Text())
	}
}

func TestLinksOfAnotherSiteAreLookedUpThere(t *testing.T) {
	c, s := newClient(t, Options{})
	s.Add(wagtailtest.AddedPage{ID: 90, Title: "Start", Path: "/start/", Parent: 72, Host: wagtailtest.OtherHost, Fields: map[string]any{
		"body": `<p data-block-key="a">See <a linktype="page" id="73">the rota</a> and <a linktype="page" id="4">visits</a>.</p>`,
	}})
	a := c.Call(t, pageDetailsName, with{"id": "http://" + wagtailtest.OtherHost + "/start/"})
	if !strings.Contains(a.Text(), "[the rota](http://"+wagtailtest.OtherHost+"/rota/) and [visits](http://127.0.0.1:8765/visit/)") {
		t.Error(a.Text())
	}
}

func TestPageCursorNeedsNoOtherArgument(t *testing.T) {
	c, _ := newClient(t, Options{})
	first := decode(t, c.Call(t, pageDetailsName, with{"id": 33, "fields": "body"}))
	next := decode(t, c.Call(t, pageDetailsName, with{"cursor": first.NextCursor}))
	if next.Page.ID != 33 || *next.ChunkIndex != 1 || next.TotalChunks != first.TotalChunks || next.Page.Text == first.Page.Text {
		t.Errorf("%+v", next.Shown)
	}
	for name, args := range map[string]with{
		"beside the id":               {"id": 33, "cursor": first.NextCursor},
		"beside the id and the field": {"id": 33, "fields": "body", "cursor": first.NextCursor},
	} {
		if p := decode(t, c.Call(t, pageDetailsName, args)); *p.ChunkIndex != 1 {
			t.Errorf("%s: %+v", name, p.Shown)
		}
	}
	refused(t, c, pageDetailsName, with{"id": 52, "cursor": first.NextCursor}, "INVALID_CURSOR", "cursor", "made with another id")
	for name, cursor := range map[string]string{
		"of another page":  strings.Replace(first.NextCursor, "id=33", "id=52", 1),
		"of other fields":  strings.Replace(first.NextCursor, "fields=", "fields=_,title,", 1),
		"cut at its end":   first.NextCursor[:len(first.NextCursor)-1],
		"without a page":   strings.Replace(first.NextCursor, "id=33", "", 1),
		"of no page":       strings.Replace(first.NextCursor, "id=33", "id=x", 1),
		"too large":        strings.Replace(first.NextCursor, "id=33", "id=99999999999", 1),
		"no cursor at all": "hello",
	} {
		if a := c.Call(t, pageDetailsName, with{"cursor": cursor}); !a.IsError || a.Meta.Error.Remediation == "" {
			t.Errorf("%s: %s", name, a.Text())
		}
	}
}

func TestPageIsNamedByTheHandlesThatAnswersPrint(t *testing.T) {
	c, _ := newClient(t, Options{})
	for _, handle := range []string{"page/5", "wagtail:page/5", "page:5", "Page 5"} {
		if p := pageOf(t, c.Call(t, pageDetailsName, with{"id": handle})); p.ID != 5 {
			t.Errorf("%s is page %d", handle, p.ID)
		}
	}
	if s := severalIn(t, c.Call(t, pageDetailsName, with{"ids": []string{"page/5", "wagtail:page/4"}})); len(s.Pages) != 2 {
		t.Errorf("%+v", s)
	}
	if p := parsed(t, c.Call(t, listPagesName, with{"child_of": "wagtail:page/4"})); p.TotalCount != 8 {
		t.Errorf("%+v", p)
	}
	if a := c.Call(t, imageDetailsName, with{"id": "wagtail:image/12"}); !strings.HasPrefix(a.Text(), "Image 12: ") {
		t.Error(a.Text())
	}
	if a := c.Call(t, documentDetailsName, with{"id": "document:3"}); !strings.HasPrefix(a.Text(), "Document 3: ") {
		t.Error(a.Text())
	}
	refused(t, c, pageDetailsName, with{"id": "image/12"}, "VALIDATION_ERROR", "id", "it is no page")
}

// A legend that named another page than a dead one would send its reader to a live page.
func TestLegendNamesADeadLinkOfThePage(t *testing.T) {
	c, s := newClient(t, Options{})
	s.Add(wagtailtest.AddedPage{ID: 90, Title: "Start", Path: "/start/", Parent: 3, Fields: map[string]any{
		"body": `<p><a linktype="page" id="4">live</a>, <a linktype="page" id="404">gone</a></p>`,
	}})
	a := c.Call(t, pageDetailsName, with{"id": 90})
	if !strings.Contains(a.Text(), "a link such as wagtail:page/404 leads to what the API does not show") || strings.Contains(a.Text(), "wagtail:page/4 ") {
		t.Error(a.Text())
	}
}

func TestASectionIsAHeadingOfTheText(t *testing.T) {
	c, _ := newClient(t, Options{})
	for section, want := range map[string]string{"body": "# body\n", "Holidays": "## Holidays\n"} {
		if p := decode(t, c.Call(t, pageDetailsName, with{"id": 5, "section": section})); !strings.HasPrefix(p.Page.Text, want) {
			t.Errorf("%s: %s", section, p.Page.Text)
		}
	}
	refused(t, c, pageDetailsName, with{"id": 5, "section": "nosuch"}, "VALIDATION_ERROR", "section", "No section 'nosuch'", "body")
}

func TestDetailsShowValuesWhole(t *testing.T) {
	title := "A  title " + strings.Repeat("of many words ", 17) + "end"
	c := apiOf(t, `{"id":1,"meta":{"type":"a.B","first_published_at":"2024-01-04T12:34:56Z","html_url":"http://x.org/a/","slug":"a"},"title":"`+title+`",
		"settings":{"zebra":1.50,"detail_url":"http://x.org/api/","apple":{"type":"x","detail_url":1,"b":[1,{"detail_url":2,"c":"<&>"}]},"list":["detail_url"]}}`)
	a := c.Call(t, pageDetailsName, with{"id": 1})
	p := pageOf(t, a)
	if p.Title != title || !strings.HasPrefix(a.Text(), "Page 1: "+title+" (a.B) http://x.org/a/ 2024-01-04T12:34:56Z") || p.Published != "2024-01-04T12:34:56Z" {
		t.Errorf("%q %s", p.Title, a.Text())
	}
	if got, want := string(p.Fields["settings"]), `{"zebra":1.50,"apple":{"type":"x","b":[1,{"c":"<&>"}]},"list":["detail_url"]}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, fields := range []any{"first_published_at", []string{"title", "meta.first_published_at"}} {
		if a := c.Call(t, pageDetailsName, with{"id": 1, "fields": fields}); pageOf(t, a).Published != "2024-01-04T12:34:56Z" || !strings.Contains(a.Text(), " 2024-01-04T12:34:56Z") {
			t.Error(a.Text())
		}
	}
}
