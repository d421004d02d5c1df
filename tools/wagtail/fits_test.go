package wagtail

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"issues-index/tools"
)

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
