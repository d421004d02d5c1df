package wagtail

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/wagtail/wagtailtest"
)

func TestSearch(t *testing.T) {
	t.Run("pages, images and documents at once", func(t *testing.T) {
		c, s := newClient(t, Options{})
		a := c.Call(t, searchName, with{"query": "map"})
		if !strings.HasPrefix(a.Text(), "Showing 0 of 0 pages, 0 of 0 images, 1 of 1 document.\nDocuments:\n1 Visitor map [map,visit] http://127.0.0.1:8765/documents/1/visitor-map.pdf") {
			t.Error(a.Text())
		}
		var asked []string
		for _, r := range s.Requests() {
			asked = append(asked, r.Path)
		}
		slices.Sort(asked)
		if !slices.Equal(asked, []string{"/api/v2/documents/", "/api/v2/images/", "/api/v2/pages/"}) {
			t.Errorf("asked %v", asked)
		}
	})
	t.Run("a cursor goes on with what is not shown of any kind", func(t *testing.T) {
		c, s := newClient(t, Options{})
		a := c.Call(t, searchName, with{"query": "the", "limit": 2})
		p := parsed(t, a)
		if len(p.Pages) != 2 || len(p.Images) != 2 || p.Totals["pages"] != 12 || p.Totals["images"] != 3 || !strings.Contains(a.Text(), "11 more items match. Pass cursor '"+p.NextCursor+"'") {
			t.Error(a.Text())
		}
		all := ids(p.Pages)
		s.Forget()
		next := parsed(t, c.Call(t, searchName, with{"cursor": p.NextCursor, "limit": 20}))
		all = append(all, ids(next.Pages)...)
		slices.Sort(all)
		if len(next.Images) != 1 || len(slices.Compact(all)) != 12 || next.NextCursor != "" || len(s.Requests()) != 2 {
			t.Errorf("%+v asked %v", next, s.Requests())
		}
		refused(t, c, searchName, with{"cursor": p.NextCursor, "query": "a"}, "INVALID_CURSOR", "cursor", "made with another query")
	})
	t.Run("narrowed by kinds and type", func(t *testing.T) {
		c, s := newClient(t, Options{})
		for _, call := range []struct {
			args with
			want []string
		}{
			{with{"query": "the", "kinds": "images"}, []string{"/api/v2/images/?limit=10&search=the"}},
			{with{"query": "the", "type": "blog.BlogPage"}, []string{"/api/v2/pages/?limit=10&search=the&type=blog.BlogPage"}},
			{with{"query": "the tide", "kinds": []string{"documents"}}, []string{"/api/v2/documents/?limit=10&search=the+tide"}},
		} {
			s.Forget()
			parsed(t, c.Call(t, searchName, call.args))
			var asked []string
			for _, r := range s.Requests() {
				asked = append(asked, r.String())
			}
			if !slices.Equal(asked, call.want) {
				t.Errorf("%v asks %v, want %v", call.args, asked, call.want)
			}
		}
	})
	t.Run("nothing found says what to try", func(t *testing.T) {
		c, _ := newClient(t, Options{})
		if a := c.Call(t, searchName, with{"query": "zzz"}); !strings.HasPrefix(a.Text(), "Nothing matches. Drop a filter, or try other words: the site's search only finds whole words") || parsed(t, a).Note == "" {
			t.Error(a.Text())
		}
	})
	t.Run("a kind that cannot be searched is named, and the others are answered", func(t *testing.T) {
		site := wagtailtest.NewServer(t)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "/images/") {
				http.NotFound(w, r)
				return
			}
			site.ServeHTTP(w, r)
		}))
		defer server.Close()
		a := clientOf(t, Options{BaseURL: server.URL}, tools.OutputBoth).Call(t, searchName, with{"query": "the"})
		p := parsed(t, a)
		if len(p.Pages) != 10 || !strings.Contains(a.Text(), "The images could not be searched: ") || !strings.Contains(p.Note, "images could not be searched") || strings.Contains(a.Text(), " images,") {
			t.Error(a.Text())
		}
	})
}

// A search is filled as a list is, however few hits the site gives at a time.
func TestSearchIsFilled(t *testing.T) {
	c, s := newClient(t, Options{})
	for n := range 70 {
		s.Add(wagtailtest.AddedPage{ID: 1000 + n, Title: fmt.Sprintf("Quokka %d", n), Path: fmt.Sprintf("/q%d/", n), Parent: 3})
	}
	a := c.Call(t, searchName, with{"query": "quokka", "limit": 100})
	if p := parsed(t, a); len(p.Pages) < 60 || p.Totals["pages"] != 70 || p.NextCursor != "" && len(p.Pages) == 70 {
		t.Errorf("%d pages: %s", len(p.Pages), a.Text())
	}
	t.Run("which words stand where is told by another tool", func(t *testing.T) {
		refused(t, c, searchName, with{"query": "quokka", "excerpts": true}, "VALIDATION_ERROR", "excerpts", "Use wagtail_find_in_pages {text}")
		refused(t, c, searchName, with{"query": "a b", "search_operator": "or"}, "VALIDATION_ERROR", "search_operator", "one of them at a time")
	})
}

// Every list keeps to its budget with fewer rows, and goes on where it ended.
func TestListsFit(t *testing.T) {
	title := strings.Repeat("Überschrift ", 30)
	var items []string
	for range 100 {
		items = append(items, `{"id": `+"ID"+`, "meta": {"type": "a.B", "html_url": "https://x.org/`+strings.Repeat("path/", 40)+`"}, "title": "`+title+`", "body": "<p>`+strings.Repeat("word ", 300)+`</p>"}`)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		offset, limit := numberOf(r.URL.Query(), "offset"), numberOf(r.URL.Query(), "limit")
		answers(http.StatusOK, "application/json", `{"meta": {"total_count": 100}, "items": [`+strings.ReplaceAll(strings.Join(items[offset:min(offset+limit, 100)], ","), "ID", "7")+`]}`)(w, r)
	}))
	defer server.Close()
	for _, output := range []tools.Output{tools.OutputBoth, tools.OutputText} {
		c := clientOf(t, Options{BaseURL: server.URL}, output)
		for _, call := range []struct {
			tool string
			args with
		}{{listPagesName, with{"limit": 100, "fields": "body"}}, {listImagesName, with{"limit": 100}}, {searchName, with{"query": "x", "limit": 100}}} {
			a := c.Call(t, call.tool, call.args)
			if a.IsError || len(a.Text()) > 10_000 || len(a.Structured) > 10_000 || !strings.Contains(a.Text(), "Pass cursor '") {
				t.Errorf("%s: %d and %d bytes: %.200s", call.tool, len(a.Text()), len(a.Structured), a.Text())
			}
			if shown := strings.Count(a.Text(), "\n7 "); shown < 3 || shown == 100 {
				t.Errorf("%s shows %d rows", call.tool, shown)
			}
		}
	}
}
