package wagtail

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/tools/toolstest"
)

// structured is the structured answer of a list or search.
type structured struct {
	Pages, Images, Documents []view
	TotalCount               int
	Totals                   map[string]int
	NextCursor, Note         string
}

func parsed(t *testing.T, a toolstest.Answer) (s structured) {
	t.Helper()
	if a.IsError {
		t.Fatal(a.Text())
	}
	if err := json.Unmarshal(a.Structured, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// lines are those of an answer's text that begin with an id.
func lines(a toolstest.Answer) []string {
	var found []string
	for line := range strings.Lines(a.Text()) {
		if regexp.MustCompile(`^\d+ `).MatchString(line) && !strings.Contains(line, " match.") {
			found = append(found, strings.TrimSuffix(line, "\n"))
		}
	}
	return found
}

func ids(rows []view) (list []int) {
	for _, r := range rows {
		list = append(list, r.ID)
	}
	return list
}

func TestListPages(t *testing.T) {
	t.Run("a row is id, title, type, path, day and locale", func(t *testing.T) {
		c, s := newClient(t, Options{})
		a := c.Call(t, listPagesName, with{})
		first, _, _ := strings.Cut(a.Text(), "\n")
		if want := regexp.MustCompile(`^Showing 20 of 63 pages\. 43 more items match\. Pass cursor 'list_pages\?offset=20' to see next page\.$`); !want.MatchString(first) {
			t.Errorf("the first line is %s", first)
		}
		got := lines(a)
		if len(got) != 20 || got[0] != "3 Harbour Street Museum (home.HomePage) / 2024-01-02 en" || got[2] != "5 Opening hours (home.StandardPage) /visit/opening-hours/ 2024-01-04 en" {
			t.Errorf("the rows are\n%s", strings.Join(got, "\n"))
		}
		p := parsed(t, a)
		if len(p.Pages) != 20 || p.TotalCount != 63 || p.NextCursor == "" || !strings.Contains(p.Note, p.NextCursor) {
			t.Errorf("structured: %s", a.Structured)
		}
		if r := s.Requests(); len(r) != 1 || r[0].Query != "limit=20" {
			t.Errorf("asked %v", r)
		}
	})
	t.Run("a long answer says once how many follow, and at its end too how to go on", func(t *testing.T) {
		c, _ := newClient(t, Options{})
		a := c.Call(t, listPagesName, with{"limit": 40, "fields": "search_description"})
		if strings.Count(a.Text(), "23 more items match.") != 1 || !strings.HasSuffix(a.Text(), "\nPass cursor '"+parsed(t, a).NextCursor+"' to see next page.") {
			t.Error(a.Text())
		}
	})
	t.Run("cursors lead through all of it, with no argument besides, one request a page", func(t *testing.T) {
		c, s := newClient(t, Options{})
		for _, args := range []with{
			{}, {"limit": 7}, {"type": "blog.BlogPage", "order": "-title"}, {"descendant_of": 3, "fields": "seo_title,show_in_menus"}, {"search": "the", "limit": 5},
		} {
			s.Forget()
			var all []int
			p := structured{}
			for calls := 0; calls == 0 || p.NextCursor != ""; calls++ {
				if calls > 0 {
					args = with{"cursor": p.NextCursor}
				}
				p = parsed(t, c.Call(t, listPagesName, args))
				all = append(all, ids(p.Pages)...)
				if calls > 20 {
					t.Fatal("there is no end of it")
				}
				if asked := len(s.Requests()); asked != calls+1 {
					t.Fatalf("%d requests for %d pages", asked, calls+1)
				}
			}
			slices.Sort(all)
			if len(all) != p.TotalCount || len(slices.Compact(all)) != p.TotalCount {
				t.Errorf("%v: read %d of %d", args, len(all), p.TotalCount)
			}
		}
	})
	t.Run("the tree is walked down and up", func(t *testing.T) {
		c, _ := newClient(t, Options{})
		for _, walk := range []struct {
			args with
			want []int
		}{
			{with{"child_of": "root"}, []int{4, 16, 22, 28, 37}},
			{with{"child_of": 4}, []int{5, 6, 7, 11, 12, 13, 14, 15}},
			{with{"child_of": "8"}, nil},
			{with{"descendant_of": 7}, []int{8, 9, 10}},
			{with{"ancestor_of": 8}, []int{3, 4, 7}},
			{with{"translation_of": 5}, []int{69}},
			{with{"slug": "/opening-hours/"}, []int{5}},
			{with{"locale": "fr", "limit": 2}, []int{67, 68}},
			{with{"order": "-title,id", "child_of": 7}, []int{8, 10, 9}},
		} {
			if p := parsed(t, c.Call(t, listPagesName, walk.args)); !slices.Equal(ids(p.Pages), walk.want) {
				t.Errorf("%v lists %v, want %v", walk.args, ids(p.Pages), walk.want)
			}
		}
	})
	t.Run("fields of a type stand below their row, rich text as Markdown on one line", func(t *testing.T) {
		c, _ := newClient(t, Options{})
		a := c.Call(t, listPagesName, with{"type": "blog.BlogPage", "fields": []string{"date", "body"}, "limit": 1})
		for _, want := range []string{
			"\n38 A sextant comes home (blog.BlogPage) /blog/a-sextant-comes-home/ 2024-02-06 en\n",
			"\n  date: 2024-01-05", "\n  body: ## A sextant comes home, in short The pier instrument",
		} {
			if !strings.Contains(a.Text(), want) {
				t.Errorf("there is no %q: %s", want, a.Text())
			}
		}
		p := parsed(t, a)
		if f := p.Pages[0].Fields; textOf(f["date"]) != "2024-01-05" || !regexp.MustCompile(`^.{390,399}… \(\+\d{3}\)$`).MatchString(textOf(f["body"])) || !strings.Contains(p.Note, "(+n) counts the characters") {
			t.Errorf("%q", f)
		}
	})
	t.Run("no row loses its id, whatever fields are asked for", func(t *testing.T) {
		c, _ := newClient(t, Options{})
		for _, fields := range []any{"_,title", "_", "-id,-type,-title", "*", "*,title", "title, *", "*, -seo_title", []string{"meta.slug", " title "}, "title,title"} {
			p := parsed(t, c.Call(t, listPagesName, with{"fields": fields, "limit": 2}))
			if len(p.Pages) != 2 || p.Pages[0].ID != 3 || p.Pages[1].ID != 4 || p.Pages[0].Type == "" {
				t.Errorf("fields %v: %+v", fields, p.Pages)
			}
		}
	})
	t.Run("limit 0 counts", func(t *testing.T) {
		c, _ := newClient(t, Options{})
		if a := c.Call(t, listPagesName, with{"limit": 0, "type": "blog.BlogPage"}); a.Text() != "Showing 0 of 25 pages." || parsed(t, a).NextCursor != "" {
			t.Error(a.Text())
		}
	})
	t.Run("random has one page", func(t *testing.T) {
		c, _ := newClient(t, Options{})
		if a := c.Call(t, listPagesName, with{"order": "random", "limit": 3}); parsed(t, a).NextCursor != "" || len(lines(a)) != 3 {
			t.Error(a.Text())
		}
	})
	t.Run("nothing found, and nothing there any more", func(t *testing.T) {
		c, _ := newClient(t, Options{})
		if a := c.Call(t, listPagesName, with{"search": "zzz"}); !strings.Contains(a.Text(), "Nothing matches. Drop a filter") || parsed(t, a).Note == "" {
			t.Error(a.Text())
		}
		if a := c.Call(t, listPagesName, with{"offset": 100}); !strings.Contains(a.Text(), "Showing 0 of 63 pages. None of them is here: begin again") {
			t.Error(a.Text())
		}
	})
	t.Run("pairs of quotation marks are left out, and that is said", func(t *testing.T) {
		c, s := newClient(t, Options{})
		a := c.Call(t, listPagesName, with{"search": `"tide tables"`})
		if !strings.Contains(a.Text(), "no phrases") || !slices.Equal(ids(parsed(t, a).Pages), []int{39}) || strings.Contains(s.Requests()[0].Query, "%22") {
			t.Errorf("%s asked %v", a.Text(), s.Requests())
		}
	})
}

func TestListFiles(t *testing.T) {
	c, _ := newClient(t, Options{})
	a := c.Call(t, listImagesName, with{"tags": []string{"model", "ships"}})
	if got := lines(a); len(got) != 1 || !regexp.MustCompile(`^2 Model of the Esperance \[model,ships\] http://127\.0\.0\.1:\d+/media/original_images/model-of-the-esperance\.jpg$`).MatchString(got[0]) {
		t.Error(a.Text())
	}
	a = c.Call(t, listImagesName, with{"fields": "width,height", "limit": 1})
	if !strings.Contains(a.Text(), "1 Harbour at dawn [harbour] 1600x1200 ") || parsed(t, a).Images[0].Size != "1600x1200" {
		t.Error(a.Text())
	}
	a = c.Call(t, listDocumentsName, with{"search": "report"})
	if !strings.HasPrefix(a.Text(), "Showing 1 of 1 document.\n2 Annual report 2023 [report] http://127.0.0.1:8765/documents/2/annual-report-2023.pdf") {
		t.Error(a.Text())
	}
	p := parsed(t, c.Call(t, listDocumentsName, with{"limit": 2, "order": "title"}))
	p = parsed(t, c.Call(t, listDocumentsName, with{"cursor": p.NextCursor, "limit": 10}))
	if len(p.Documents) != 3 || p.NextCursor != "" {
		t.Errorf("%+v", p)
	}
}

// The API says how much it gives at most only when it is asked for more.
func TestMaximumPageSizeIsLearnedOnce(t *testing.T) {
	for _, site := range []struct {
		path  string
		limit int
		rows  int
		asked []string // of the first call
	}{
		{"/api/v2/", 50, 50, []string{"limit=50", "limit=20", "limit=20&offset=20", "limit=10&offset=40"}},
		{"/max5/api/v2/", 50, 25, []string{"limit=50", "limit=5", "limit=5&offset=5", "limit=5&offset=10", "limit=5&offset=15", "limit=5&offset=20"}},
		{"/max5/api/v2/", 5, 5, []string{"limit=5"}},
		{"/nomax/api/v2/", 50, 50, []string{"limit=50"}},
	} {
		t.Run(fmt.Sprint(site.path, site.limit), func(t *testing.T) {
			c, s := newClient(t, Options{APIPath: site.path})
			for range 2 {
				a := c.Call(t, listPagesName, with{"limit": site.limit})
				if got := len(lines(a)); got != site.rows {
					t.Errorf("%d rows, want %d", got, site.rows)
				}
				note := "The site's API gives at most 5 pages at a time, and a call asks it 5 times at most."
				if said := strings.Contains(a.Text(), note) && strings.Contains(parsed(t, a).Note, note); said != (site.rows < site.limit) {
					t.Errorf("said %t: %s", said, a.Text())
				}
			}
			var asked []string
			for _, r := range s.Requests() {
				asked = append(asked, r.Query)
			}
			again := site.asked
			if len(again) > 1 { // the first only told the maximum
				again = again[1:]
			}
			if want := slices.Concat(site.asked, again); !slices.Equal(asked, want) {
				t.Errorf("asked %q, want %q", asked, want)
			}
		})
	}
	t.Run("a call without limit asks for what most sites give", func(t *testing.T) {
		c, s := newClient(t, Options{APIPath: "/max5/api/v2/"})
		if a := c.Call(t, listPagesName, with{}); len(lines(a)) != 20 || len(s.Requests()) != 5 {
			t.Errorf("%v %s", s.Requests(), a.Text())
		}
		s.Forget()
		a := c.Call(t, searchName, with{"query": "the"})
		if p := parsed(t, a); len(p.Pages) != 10 || p.Totals["pages"] != 12 || len(s.Requests()) != 4 {
			t.Errorf("%v %s", s.Requests(), a.Text())
		}
	})
	t.Run("a site that gives more than it was asked for is not believed", func(t *testing.T) {
		items := strings.Repeat(`{"id": 1, "meta": {"type": "a.B"}, "title": "x"},`, 50)
		server := httptest.NewServer(answers(http.StatusOK, "application/json", `{"meta": {"total_count": 3}, "items": [`+strings.TrimSuffix(items, ",")+`]}`))
		defer server.Close()
		if p := parsed(t, clientOf(t, Options{BaseURL: server.URL}, "both").Call(t, listPagesName, with{"limit": 4})); len(p.Pages) != 4 {
			t.Errorf("%d rows", len(p.Pages))
		}
	})
}

func TestCursors(t *testing.T) {
	c, s := newClient(t, Options{})
	cursor := parsed(t, c.Call(t, listPagesName, with{"type": "blog.BlogPage", "limit": 5})).NextCursor
	s.Forget()
	for name, wrong := range map[string]string{"garbage": "garbage!", "too short": "AAAA", "cut": cursor[:len("list_pages?")], "broken": cursor + "%zz"} {
		t.Run(name, func(t *testing.T) {
			refused(t, c, listPagesName, with{"cursor": wrong}, "INVALID_CURSOR", "cursor", "is not a cursor of wagtail_list_pages", "without a cursor")
		})
	}
	t.Run("of another tool", func(t *testing.T) {
		refused(t, c, listImagesName, with{"cursor": cursor}, "INVALID_CURSOR", "cursor", "is not a cursor of wagtail_list_images")
		refused(t, c, searchName, with{"cursor": cursor}, "INVALID_CURSOR", "cursor", "is not a cursor of wagtail_search_content")
	})
	t.Run("with arguments that say otherwise", func(t *testing.T) {
		refused(t, c, listPagesName, with{"cursor": cursor, "type": "home.HomePage"}, "INVALID_CURSOR", "cursor", "made with another type")
		refused(t, c, listPagesName, with{"cursor": cursor, "search": "x"}, "INVALID_CURSOR", "cursor", "made with another search")
		refused(t, c, listPagesName, with{"cursor": cursor, "offset": 1}, "INVALID_CURSOR", "cursor", "made with another offset")
	})
	t.Run("written by someone else, to reach more than the API", func(t *testing.T) {
		refused(t, c, listDocumentsName, with{"cursor": "list_documents?endpoint=..%2F..%2Fadmin"}, "VALIDATION_ERROR", "cursor")
		refused(t, c, searchName, with{"cursor": "search_content?query=x"}, "VALIDATION_ERROR", "cursor")
	})
	if asked := s.Requests(); len(asked) > 0 {
		t.Errorf("the site was asked %v", asked)
	}
	t.Run("with arguments that say the same, or another limit", func(t *testing.T) {
		p := parsed(t, c.Call(t, listPagesName, with{"cursor": cursor, "type": "blog.BlogPage", "limit": 2}))
		if !slices.Equal(ids(p.Pages), []int{43, 44}) {
			t.Errorf("%v", ids(p.Pages))
		}
	})
}

// FuzzCursor holds that no cursor, whoever wrote it, breaks a tool.
func FuzzCursor(f *testing.F) {
	f.Add("list_pages?offset=20")
	f.Add("list_pages?limit=-1&offset=-5&order=x")
	f.Add("find_in_pages?text=a&offset=9999999999&looked=-1")
	f.Add("get_page_details?id=33&at=zz")
	f.Add("overview?types=99")
	f.Fuzz(func(t *testing.T, text string) {
		c, _ := newClient(t, Options{})
		for _, tool := range []string{listPagesName, searchName, findName, pageDetailsName, overviewName} {
			if a := c.Call(t, tool, with{"cursor": text}); a.IsError && a.Meta.Error.Code == "INTERNAL_ERROR" {
				t.Errorf("%s with %q: %s", tool, text, a.Text())
			}
		}
	})
}

func mustSite(t testing.TB, base string) *Site {
	t.Helper()
	s, err := Open(Options{BaseURL: base})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Whatever fields are asked for, their list is in the language of the API; of a name that is none,
// the API says so.
func TestFieldsAreInTheLanguageOfTheAPI(t *testing.T) {
	c, _ := newClient(t, Options{})
	parts := []string{"*", "_", "title", "slug", "-id", " ", "", "seo_title", "meta.slug", "locale", "title(a,b)", "x", "a b"}
	rapid.Check(t, func(r *rapid.T) {
		fields := rapid.SliceOfN(rapid.SampledFrom(parts), 0, 6).Draw(r, "fields")
		var asked any = fields
		if rapid.Bool().Draw(r, "as one text") {
			asked = strings.Join(fields, ",")
		}
		for _, call := range []struct {
			tool string
			args with
		}{{listPagesName, with{"fields": asked, "limit": 1}}, {pageDetailsName, with{"id": 4, "fields": asked}}} {
			if a := c.Call(t, call.tool, call.args); strings.Contains(a.Text(), "fields error") || !a.IsError && !strings.Contains(string(a.Structured), `"id":`) {
				r.Fatalf("%s with %v: %s", call.tool, asked, a.Text())
			}
		}
	})
}

func TestMalformedFieldsAreRefusedWithAdvice(t *testing.T) {
	c, _ := newClient(t, Options{})
	for _, fields := range []string{"-", "--title", "()", "a;b(", ")"} {
		refused(t, c, listPagesName, with{"fields": fields}, "VALIDATION_ERROR", "fields")
	}
}

func TestTypesAreBounded(t *testing.T) {
	c := clientOf(t, Options{BaseURL: manyTypes(t, 300, 100).URL}, "both")
	refused(t, c, listPagesName, with{"type": "app.Nope"}, "VALIDATION_ERROR", "type", "\napp.Type000\n", "\nand 70 more")
}
