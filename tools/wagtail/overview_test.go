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
)

func overviewIn(t *testing.T, a toolstest.Answer) (o overview) {
	t.Helper()
	if a.IsError {
		t.Fatal(a.Text())
	}
	if err := json.Unmarshal(a.Structured, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestOverviewSaysWhatTheSiteHas(t *testing.T) {
	c, lab := newLab(t)
	a := c.Call(t, overviewName, with{})
	for _, want := range []string{
		"The site at " + lab.URL + " has 60 pages of 6 types. Its API gives at most 20 objects at a time.",
		"\nLocales: en 58, fr 2\n", "\nAddresses of pages: http://127.0.0.1:8765 60\n",
		"\nimages 12: ", "\ndocuments 5: ", "\nredirects 3: location, old_path\n",
		"\nlab.BlogPage 45: author (lab.Author), body (blocks), date, feed_image (wagtailimages.Image), last_published_at, subtitle, tags (list)",
		"\nlab.EventPage 3: body (rich text), date\n",
	} {
		if !strings.Contains(a.Text(), want) {
			t.Errorf("there is no %q: %s", want, a.Text())
		}
	}
	o := overviewIn(t, a)
	if o.TotalPages != 60 || len(o.Types) != 6 || o.Types[0].Name != "lab.HomePage" || o.Locales["fr"] != 2 || o.MaxLimit != 20 || len(o.Endpoints) != 3 || o.NextCursor != "" {
		t.Errorf("%s", a.Structured)
	}
	if asked := len(lab.Requests()); asked < 1+3+1+6+3 || asked > 1+3+4+6+3 { // the maximum, three lists, the form of rich text, six types, three endpoints
		t.Errorf("%d requests: %v", asked, lab.Requests())
	}
	t.Run("of a site with another maximum, and fields that are null", func(t *testing.T) {
		c, _ := newClient(t, Options{APIPath: "/max5/api/v2/"})
		if a := c.Call(t, overviewName, with{}); !strings.Contains(a.Text(), "63 pages of 5 types. Its API gives at most 5") || !strings.Contains(a.Text(), "\nhome.HomePage 2: intro (rich text)\n") || strings.Contains(a.Text(), "handout (list)") {
			t.Error(a.Text())
		}
	})
}

// manyTypes is a site with a type for each so many pages, a hundred pages at a time.
func manyTypes(t *testing.T, pages, types int) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		limit, offset := numberOf(query, "limit"), numberOf(query, "offset")
		switch {
		case strings.HasSuffix(r.URL.Path, "/redirects/"):
			http.NotFound(w, r)
			return
		case query.Get("type") == "app.Nope":
			answers(http.StatusBadRequest, "application/json", `{"message": "type doesn't exist"}`)(w, r)
			return
		case limit > 100:
			answers(http.StatusBadRequest, "application/json", `{"message": "limit cannot be higher than 100"}`)(w, r)
			return
		}
		total, each, items := pages, pages/types, []string{}
		if query.Has("type") {
			total = each
		}
		for n := offset; n < min(offset+limit, total); n++ {
			name := fmt.Sprintf("app.Type%03d", n/each)
			if query.Has("type") {
				name = query.Get("type")
			}
			items = append(items, fmt.Sprintf(`{"id": %d, "meta": {"type": %q, "locale": "en", "html_url": "https://x.example/%d/"}, "title": "T", "field_with_a_name": 1, "another_one": null}`, n+1, name, n))
		}
		answers(http.StatusOK, "application/json", fmt.Sprintf(`{"meta": {"total_count": %d}, "items": [%s]}`, total, strings.Join(items, ",")))(w, r)
	}))
	t.Cleanup(server.Close)
	return server
}

func TestOverviewOfManyTypesComesInParts(t *testing.T) {
	c := clientOf(t, Options{BaseURL: manyTypes(t, 1000, 50).URL}, tools.OutputBoth)
	names := map[string]bool{}
	args, calls := with{}, 0
	for args != nil {
		a := c.Call(t, overviewName, args)
		o := overviewIn(t, a)
		for _, row := range o.Types {
			if names[row.Name] || row.Pages != 20 {
				t.Errorf("%+v", row)
			}
			names[row.Name] = true
		}
		if calls++; calls == 1 && !strings.Contains(a.Text(), "Endpoints that do not answer: redirects") {
			t.Error(a.Text())
		}
		if args = nil; o.NextCursor != "" {
			args = with{"cursor": o.NextCursor}
		}
	}
	if len(names) != 50 || calls != 3 {
		t.Errorf("%d types in %d calls", len(names), calls)
	}
}

// An error may be the first answer of a large site: it says how many pages it knows.
func TestRefusalDoesNotClaimToNameAllTypes(t *testing.T) {
	c := clientOf(t, Options{BaseURL: manyTypes(t, 6000, 20).URL}, tools.OutputBoth)
	refused(t, c, listPagesName, with{"type": "app.Nope"}, "VALIDATION_ERROR", "type",
		"wagtail_overview names all; 2500 of 6000 pages have these:\napp.Type000\n")
	for range 2 {
		c.Call(t, overviewName, with{})
	}
	refused(t, c, listPagesName, with{"type": "app.Nope"}, "VALIDATION_ERROR", "type", "6000 of 6000 pages have these:\napp.Type000\n")
}

// No type is missed, however large the site is and wherever its only page stands.
func TestOverviewAndFindMissNoType(t *testing.T) {
	site, lab := largeLab(t)
	for name, requests := range map[string]int{"in one call": 60, "over several calls": 20} {
		t.Run(name, func(t *testing.T) {
			c := clientOf(t, Options{BaseURL: lab.URL, WalkRequests: requests}, tools.OutputBoth)
			pages, types := 0, map[string]int{}
			for args, calls := (with{}), 0; args != nil; calls++ {
				a := c.Call(t, overviewName, args)
				o := overviewIn(t, a)
				for _, row := range o.Types {
					pages += row.Pages
					types[row.Name] = row.Pages
				}
				if calls == 0 && (o.Locales["fr"] != site.fr || o.Locales["en"] != site.total-site.fr) {
					t.Errorf("the locales are %v", o.Locales)
				}
				if args = nil; o.NextCursor != "" {
					args = with{"cursor": o.NextCursor}
				}
				if calls > 10 {
					t.Fatal("there is no end of it")
				}
			}
			if pages != site.total || types["lab.EventPage"] != 1 {
				t.Errorf("%d of %d pages: %v", pages, site.total, types)
			}
		})
	}
	t.Run("and their texts are found", func(t *testing.T) {
		c := clientOf(t, Options{BaseURL: lab.URL}, tools.OutputBoth)
		var found []int
		for args := (with{"text": "quokka"}); args != nil; {
			f := c.Call(t, findName, args)
			found = append(found, idsFound(t, f)...)
			if args = nil; foundOf(t, f).NextCursor != "" {
				args = with{"cursor": foundOf(t, f).NextCursor}
			} else if !strings.Contains(f.Text(), fmt.Sprintf("Looked through %d of %d pages.", site.total, site.total)) {
				t.Error(f.Text())
			}
		}
		if !slices.Equal(found, []int{site.event}) {
			t.Errorf("found %v", found)
		}
	})
}

// A largeSite is a site of many pages, one of them of a type of its own.
type largeSite struct{ total, fr, event int }

// largeLab serves 1,167 pages, 20 at a time; the 1,053rd is the only one of its type.
func largeLab(t *testing.T) (largeSite, *httptest.Server) {
	t.Helper()
	site := largeSite{total: 1167, event: 1053}
	typeOf := func(n int) string {
		if n == site.event {
			return "lab.EventPage"
		}
		return "lab.StandardPage"
	}
	localeOf := func(n int) string {
		if n%40 == 7 {
			return "fr"
		}
		return "en"
	}
	for n := range site.total {
		if localeOf(n+1) == "fr" {
			site.fr++
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		limit, offset := numberOf(query, "limit"), numberOf(query, "offset")
		switch {
		case !strings.HasSuffix(r.URL.Path, "/pages/"):
			http.NotFound(w, r)
			return
		case limit > 20:
			answers(http.StatusBadRequest, "application/json", `{"message": "limit cannot be higher than 20"}`)(w, r)
			return
		}
		var items []string
		total := 0
		for n := 1; n <= site.total; n++ {
			if query.Has("type") && typeOf(n) != query.Get("type") || query.Has("locale") && localeOf(n) != query.Get("locale") {
				continue
			}
			if total++; total <= offset || total > offset+limit {
				continue
			}
			body := "Nothing."
			if n == site.event {
				body = "Come and see the quokka."
			}
			items = append(items, fmt.Sprintf(`{"id": %d, "meta": {"type": %q, "locale": %q, "html_url": "https://x.example/%d/"}, "title": "T", "body": "<p>%s</p>"}`,
				n, typeOf(n), localeOf(n), n, body))
		}
		answers(http.StatusOK, "application/json", fmt.Sprintf(`{"meta": {"total_count": %d}, "items": [%s]}`, total, strings.Join(items, ",")))(w, r)
	}))
	t.Cleanup(server.Close)
	return site, server
}
