package wagtail

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"issues-index/tools/toolstest"
)

// What editors ask of a site takes one call each, and the answer is right.
func TestEditorsQuestionsTakeOneCall(t *testing.T) {
	for question, q := range map[string]struct {
		tool string
		args with
		ids  []int    // of the rows, in order; nil for any
		says []string // in the answer
	}{
		"which posts did Bruno write in 2024?": {
			listPagesName, with{"type": "lab.BlogPage", "filter": with{"author": 2}, "fields": "date,author(name)", "order": "date", "limit": 50},
			nil, []string{"Showing 15 of 15 pages.", "46 Post 25 (lab.BlogPage) /blog/post-25/ 2024-01-19 en\n  author: lab.Author 2 Bruno\n  date: 2024-02-10\n"}},
		"which images are over 1,500 pixels wide?": {listImagesName, with{"fields": "width,height", "limit": 100}, nil, []string{"1 Harbour at dawn [harbour] 1600x1200 "}},
		"which posts changed last?": {
			listPagesName, with{"type": "lab.BlogPage", "fields": "last_published_at", "order": "-last_published_at", "limit": 2},
			[]int{65, 64}, []string{"last_published_at: 2026-02-17T08:00:00Z"}},
		"how many pages of each type are there?": {overviewName, with{}, nil, []string{"lab.BlogPage 45: ", "lab.EventPage 3: ", "lab.HomePage 2: ", "lab.LandingPage 1: ", "lab.StandardPage 8: "}},
		"which pages are in the menu?":           {listPagesName, with{"filter": with{"show_in_menus": true}}, []int{4, 5, 6, 12, 20}, []string{"Showing 5 of 5 pages."}},
		"which pages have no search description?": {
			listPagesName, with{"filter": with{"search_description": ""}, "limit": 50},
			[]int{6, 21, 26, 31, 36, 41, 46, 51, 56, 61, 81}, nil},
		"what is below Documentation?": {listPagesName, with{"descendant_of": 6}, []int{7, 8, 9, 10}, []string{"10 Support (lab.StandardPage) /docs/support/", "Showing 4 of 4 pages."}},
		"where do we mention the SLA, in which sentence?": {
			findName, with{"text": "SLA"}, nil, []string{"4 pages have 'SLA'.", "body: Every plan has an SLA of 99.9 %.", "body: Our sla is not the SLA of others."}},
		"what does the Pro plan cost?":       {pageDetailsName, with{"id": 4, "section": "Pro plan"}, nil, []string{"The Pro plan costs 49 a month."}},
		"which links are broken?":            {findName, with{"broken_links": true}, []int{5}, []string{"→ page 999 → document 77"}},
		"which posts have the tag how-to?":   {listPagesName, with{"type": "lab.BlogPage", "filter": with{"tags": "how-to"}, "limit": 50}, nil, []string{"Showing 12 of 12 pages."}},
		"who wrote this post?":               {pageDetailsName, with{"id": 22, "fields": "author(name)"}, nil, []string{"author: lab.Author 2 Bruno"}},
		"which redirects are there?":         {listDocumentsName, with{"endpoint": "redirects"}, nil, []string{"3\n  location: /visit/tickets/\n  old_path: /tarif"}},
		"which languages and sites is it in": {overviewName, with{}, nil, []string{"Locales: en 58, fr 2", "Addresses of pages: http://127.0.0.1:8765 60"}},
		"which posts show that photo?":       {findName, with{"links_to": "image:2", "type": "lab.BlogPage"}, nil, []string{"23 pages link to image 2 (Model of the Esperance)."}},
	} {
		t.Run(question, func(t *testing.T) {
			c, _ := newLab(t)
			a := c.Call(t, q.tool, q.args)
			if a.IsError {
				t.Fatal(a.Text())
			}
			if q.ids != nil && !slices.Equal(rowsOf(a), q.ids) {
				t.Errorf("the rows are %v, want %v: %s", rowsOf(a), q.ids, a.Text())
			}
			for _, words := range q.says {
				if !strings.Contains(a.Text(), words) {
					t.Errorf("there is no %q: %s", words, a.Text())
				}
			}
		})
	}
	t.Run("which pages link to the pricing page?", func(t *testing.T) {
		c, lab := newLab(t)
		slices.Sort(lab.ToPricing)
		if got := idsFound(t, c.Call(t, findName, with{"links_to": "/pricing/"})); !slices.Equal(got, lab.ToPricing) {
			t.Errorf("found %v, want %v", got, lab.ToPricing)
		}
	})
}

// rowsOf are the ids that the lines of an answer begin with.
func rowsOf(a toolstest.Answer) []int {
	var list []int
	for line := range strings.Lines(a.Text()) {
		id, title := 0, ""
		if n, _ := fmt.Sscan(line, &id, &title); n == 2 && id > 0 && !strings.HasPrefix(title, "page") {
			list = append(list, id)
		}
	}
	return list
}

// The API's words for a value that a field cannot have come from Wagtail's own filter.
func TestRefusedFilterValueSaysWhatToPass(t *testing.T) {
	server := httptest.NewServer(answers(http.StatusBadRequest, "application/json",
		`{"message": "field filter error. 'x' is not a valid value for author (Field 'id' expected a number but got 'x'.)"}`))
	defer server.Close()
	c := clientOf(t, Options{BaseURL: server.URL}, "both")
	refused(t, c, listPagesName, with{"filter": with{"author": "x"}}, "VALIDATION_ERROR", "filter", "an id for a related object")
}
