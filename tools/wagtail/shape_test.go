package wagtail

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/toolstest"
)

// shapedSite serves the tools over a site that answers every list with one text and
// everything else with another.
func shapedSite(t *testing.T, list, single string) *toolstest.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := single
		for _, kind := range kinds {
			if strings.HasSuffix(r.URL.Path, "/"+kind+"/") {
				body = list
			}
		}
		answers(http.StatusOK, "application/json", body)(w, r)
	}))
	t.Cleanup(server.Close)
	return clientOf(t, Options{BaseURL: server.URL}, tools.OutputBoth)
}

// TestJSONOfAnotherShapeIsRefused holds that what is no answer of the API is not shown as
// one.
func TestJSONOfAnotherShapeIsRefused(t *testing.T) {
	for name, list := range map[string]string{
		"no items":             `{"meta": {"total_count": 3}}`,
		"items that are null":  `{"meta": {"total_count": 3}, "items": null}`,
		"an item without id":   `{"meta": {"total_count": 1}, "items": [{"title": "T"}]}`,
		"an item that is null": `{"meta": {"total_count": 1}, "items": [null]}`,
		"an id of 0":           `{"meta": {"total_count": 1}, "items": [{"id": 0}]}`,
		"an id below 0":        `{"meta": {"total_count": 1}, "items": [{"id": -4}]}`,
		"an id that is text":   `{"meta": {"total_count": 1}, "items": [{"id": "4"}]}`,
		"a count that is text": `{"meta": {"total_count": "1"}, "items": []}`,
		"no meta":              `{"items": []}`,
	} {
		t.Run(name, func(t *testing.T) {
			c := shapedSite(t, list, `{"id": -5}`)
			for _, call := range everyTool {
				refused(t, c, call.tool, call.args, "PROVIDER_ERROR", "", "Wagtail's API v2 does not answer with")
			}
		})
	}
	t.Run("another object than was asked for", func(t *testing.T) {
		c := shapedSite(t, `{}`, `{"id": 99, "title": "T"}`)
		for _, call := range everyTool {
			if call.args["id"] != nil {
				refused(t, c, call.tool, call.args, "PROVIDER_ERROR", "", "Wagtail's API v2 does not answer with")
			}
		}
	})
	t.Run("a byte order mark is none", func(t *testing.T) {
		c := shapedSite(t, "\ufeff"+`{"meta": {"total_count": 1}, "items": [{"id": 4, "title": "T"}]}`, "")
		if a := c.Call(t, listPagesName, with{}); a.IsError || !strings.Contains(a.Text(), "4 T") {
			t.Error(a.Text())
		}
	})
}

// TestListWithMissingItemsIsReadToItsEnd holds that a site whose search index is behind
// is read to its end, each item once, and that nothing is said to be past the end
// that is not.
func TestListWithMissingItemsIsReadToItsEnd(t *testing.T) {
	const total, limit = 50, 20
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var offset, most int
		fmt.Sscan(r.URL.Query().Get("offset"), &offset)
		fmt.Sscan(r.URL.Query().Get("limit"), &most)
		var items []string
		for id := offset + 1; id <= min(offset+most, total); id++ {
			if id > 20 && id%3 != 0 { // the first are gone, and of the others each third
				items = append(items, fmt.Sprintf(`{"id": %d, "title": "Page"}`, id))
			}
		}
		answers(http.StatusOK, "application/json", fmt.Sprintf(`{"meta": {"total_count": %d}, "items": [%s]}`, total, strings.Join(items, ",")))(w, r)
	}))
	defer server.Close()
	c := clientOf(t, Options{BaseURL: server.URL}, tools.OutputBoth)
	t.Run("a search", func(t *testing.T) {
		seen := map[int]bool{}
		args, calls := with{"search": "page", "limit": limit}, 0
		for args != nil {
			p := parsed(t, c.Call(t, listPagesName, args))
			for _, r := range p.Pages {
				if seen[r.ID] {
					t.Errorf("page %d is listed again", r.ID)
				}
				seen[r.ID] = true
			}
			if calls++; calls == 1 && !strings.Contains(p.Note, "Showing 0 of 50 pages.") {
				t.Errorf("the note is %q", p.Note)
			}
			if args = nil; p.NextCursor != "" {
				args = with{"cursor": p.NextCursor, "limit": limit}
			}
		}
		if len(seen) != 20 || calls != 3 {
			t.Errorf("%d pages in %d calls", len(seen), calls)
		}
	})
	t.Run("a search of all", func(t *testing.T) {
		a := c.Call(t, searchName, with{"query": "page"})
		if a.IsError || !strings.HasPrefix(a.Text(), "Showing 0 of 50 pages, 0 of 50 images") || !strings.Contains(a.Text(), "Pass cursor '") {
			t.Error(a.Text())
		}
	})
	t.Run("a list that is no search has an end", func(t *testing.T) {
		a := c.Call(t, listPagesName, with{"limit": limit})
		if a.IsError || !strings.Contains(a.Text(), "Showing 0 of 50 pages.") || strings.Contains(a.Text(), "cursor") {
			t.Error(a.Text())
		}
	})
	t.Run("pages of a slug", func(t *testing.T) {
		refused(t, c, pageDetailsName, with{"slug": "visit"}, "AMBIGUOUS_ID", "id", "50 pages have the slug 'visit'", "Pass the id")
	})
}
