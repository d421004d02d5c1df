package wagtail

import (
	"strings"
	"testing"

	"issues-index/tools/wagtail/wagtailtest"
)

// What goes through many pages, or reads several, knows sites and paths as the other
// tools do.
func TestToolsOverManyPagesTakeSitesAndPaths(t *testing.T) {
	for what, of := range map[string]struct {
		tool string
		args with
		says []string
	}{
		"a text on another site":              {findName, with{"text": "rota", "site": wagtailtest.OtherHost}, []string{"1 page has 'rota'.", "73 Rota"}},
		"links to a page of another site":     {findName, with{"links_to": "http://" + wagtailtest.OtherHost + "/rota/"}, []string{"1 page links to page 73 (Rota).", "93 Board"}},
		"broken links of another site":        {findName, with{"broken_links": true, "site": wagtailtest.OtherHost}, []string{"1 page has broken links.", "94 Notes", "→ page 404"}},
		"a text below a path":                 {findName, with{"text": "hours", "descendant_of": "/visit/"}, []string{"5 Opening hours"}},
		"links to a view of a page":           {findName, with{"links_to": "/posts/tags/soda/"}, []string{"No page links to '/posts/tags/soda/'."}},
		"links to the page of the view":       {findName, with{"links_to": "/posts/"}, []string{"1 page links to page 95 (Posts).", "93 Board"}},
		"several pages of several sites":      {pageDetailsName, with{"ids": []string{"5", "http://" + wagtailtest.OtherHost + "/rota/"}}, []string{"2 of 2 pages.", "Page 5: Opening hours", "Page 73: Rota"}},
		"several pages in another language":   {pageDetailsName, with{"ids": []string{"/visit/"}, "locale": "fr"}, []string{"Page 68: Visiter"}},
		"a filter of pages on another site":   {listPagesName, with{"filter": with{"title": "Rota"}, "site": wagtailtest.OtherHost}, []string{"73 Rota"}},
		"a search with excerpts, on the site": {searchName, with{"query": "rota", "excerpts": true, "site": wagtailtest.OtherHost}, []string{"73 Rota"}},
		"an address where only numbers name":  {documentDetailsName, with{"endpoint": "redirects", "id": "/old/tarif.pdf"}, []string{"an object of redirects is named by its number"}},
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
