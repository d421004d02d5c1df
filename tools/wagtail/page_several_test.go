package wagtail

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/toolstest"
)

func severalIn(t *testing.T, a toolstest.Answer) (s struct {
	Pages []struct {
		ID       int
		Text     string
		TextLeft int
	}
	NotFound []missingPage
	Note     string
}) {
	t.Helper()
	if a.IsError {
		t.Fatal(a.Text())
	}
	if err := json.Unmarshal(a.Structured, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSeveralPagesAreReadInOneCall(t *testing.T) {
	c, _ := newClient(t, Options{})
	a := c.Call(t, pageDetailsName, with{"ids": []any{5, "/visit/", 34, "nosuch", 99999}})
	s := severalIn(t, a)
	if len(s.Pages) != 3 || s.Pages[0].ID != 5 || s.Pages[1].ID != 4 || len(s.NotFound) != 2 || s.NotFound[0].ID != "nosuch" || !strings.Contains(s.NotFound[1].Error, "no page '99999'") {
		t.Errorf("%s", a.Structured)
	}
	for _, want := range []string{
		"3 of 5 pages. 'nosuch': The site has no page 'nosuch', or it is a draft or private.",
		"\n=== Page 5: Opening hours (home.StandardPage) http://127.0.0.1:8765/visit/opening-hours/ ", "We are open **daily from 10 am to 5 pm**",
		"\n=== Page 34: Imprint (home.BarePage) ",
	} {
		if !strings.Contains(a.Text(), want) {
			t.Errorf("there is no %q: %s", want, a.Text())
		}
	}
	if m := toolstest.ReadMarked(a.Text()); len(m.Documents) != 3 {
		t.Errorf("%d documents: %s", len(m.Documents), a.Text())
	}
	t.Run("what is long is cut, and that is said", func(t *testing.T) {
		body := `{"id": ID, "meta": {"type": "a.B"}, "title": "T", "body": "` + strings.Repeat(`<p data-block-key=\"a\">`+strings.Repeat("A line of words to read. ", 20)+`</p>`, 100) + `"}`
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id := strings.Split(r.URL.Path, "/")[4]
			answers(http.StatusOK, "application/json", strings.ReplaceAll(body, "ID", id))(w, r)
		}))
		defer server.Close()
		for _, output := range []tools.Output{tools.OutputBoth, tools.OutputText} {
			a := clientOf(t, Options{BaseURL: server.URL}, output).Call(t, pageDetailsName, with{"ids": []int{7, 8, 9}})
			if len(a.Text()) > 10_000 || len(a.Text()) < 7_000 || strings.Count(a.Text(), "\nleft out of the text: ") != 3 || !strings.Contains(a.Text(), "Read each page with id") || !strings.Contains(a.Text(), "\n=== Page 9: T") {
				t.Errorf("%d bytes: %.300s", len(a.Text()), a.Text())
			}
			if output == tools.OutputBoth {
				for _, p := range severalIn(t, a).Pages {
					if p.TextLeft < 1000 || len(p.Text) < 1000 {
						t.Errorf("page %d: %d characters and %d left", p.ID, len(p.Text), p.TextLeft)
					}
				}
			}
		}
	})
	t.Run("fields that are long are cut beside no text", func(t *testing.T) {
		body := `{"id": ID, "meta": {"type": "a.B"}, "title": "T", "tags": ["` + strings.Repeat("a word of many, ", 1000) + `"]}`
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answers(http.StatusOK, "application/json", strings.ReplaceAll(body, "ID", strings.Split(r.URL.Path, "/")[4]))(w, r)
		}))
		defer server.Close()
		a := clientOf(t, Options{BaseURL: server.URL}, tools.OutputBoth).Call(t, pageDetailsName, with{"ids": []int{7, 8, 9}})
		if len(a.Text()) > 10_000 || len(a.Structured) > 10_000 || strings.Count(a.Text(), "\ntags: a word of many") != 3 || !strings.Contains(a.Text(), "fields are cut") {
			t.Errorf("%d and %d bytes: %.300s", len(a.Text()), len(a.Structured), a.Text())
		}
	})
	t.Run("what does not go together is refused", func(t *testing.T) {
		refused(t, c, pageDetailsName, with{"ids": []int{5}, "id": 4}, "VALIDATION_ERROR", "id", "id does not go with ids")
		refused(t, c, pageDetailsName, with{"ids": []int{5}, "cursor": "x"}, "VALIDATION_ERROR", "cursor", "cursor does not go with ids")
		refused(t, c, pageDetailsName, with{"ids": []string{"5", "file:///x"}}, "VALIDATION_ERROR", "ids", "it is no address")
		refused(t, c, pageDetailsName, with{"ids": []string{"4", "a\x00b"}}, "VALIDATION_ERROR", "ids", "it has a control character")
		refused(t, c, pageDetailsName, with{"ids": []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}, "VALIDATION_ERROR", "ids", "the maximum is 10")
		refused(t, c, pageDetailsName, with{"ids": []string{"nosuch"}}, "RESOURCE_NOT_FOUND", "ids", "no page 'nosuch'")
	})
}
