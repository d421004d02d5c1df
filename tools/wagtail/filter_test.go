package wagtail

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestFiltersArePassedOnAsExactMatches(t *testing.T) {
	c, s := newClient(t, Options{})
	for _, list := range []struct {
		tool  string
		args  with
		asked string
		want  []int
	}{
		{listPagesName, with{"filter": with{"show_in_menus": true}}, "limit=20&show_in_menus=true", []int{4, 7, 16, 22, 28, 37, 68, 70}},
		{listPagesName, with{"type": "blog.BlogPage", "filter": with{"tags": "archive"}}, "limit=20&tags=archive&type=blog.BlogPage", []int{43, 49, 55, 61}},
		{listPagesName, with{"type": "blog.BlogPage", "filter": with{"tags": []string{"archive", "ships"}}}, "limit=20&tags=archive%2Cships&type=blog.BlogPage", nil},
		{listPagesName, with{"filter": `{"title": "Opening hours"}`}, "limit=20&title=Opening+hours", []int{5}},
		{listImagesName, with{"filter": with{"width": 1600}}, "limit=20&width=1600", nil},
		{listDocumentsName, with{"filter": with{"title": "Annual report 2023"}}, "limit=20&title=Annual+report+2023", []int{2}},
		{listDocumentsName, with{"endpoint": "redirects", "filter": with{"old_path": "/tarif"}}, "limit=20&old_path=%2Ftarif", []int{3}},
	} {
		s.Forget()
		p := parsed(t, c.Call(t, list.tool, list.args))
		if got := slices.Concat(ids(p.Pages), ids(p.Images), ids(p.Documents)); list.want != nil && !slices.Equal(got, list.want) {
			t.Errorf("%v lists %v, want %v", list.args, got, list.want)
		}
		if asked := s.Requests(); len(asked) != 1 || asked[0].Query != list.asked {
			t.Errorf("%v asks %v, want one request with %s", list.args, asked, list.asked)
		}
	}
	t.Run("a cursor keeps them", func(t *testing.T) {
		c, _ := newLab(t)
		p := parsed(t, c.Call(t, listPagesName, with{"type": "lab.BlogPage", "filter": with{"author": 2, "tags": "how-to"}, "limit": 3}))
		next := parsed(t, c.Call(t, listPagesName, with{"cursor": p.NextCursor}))
		if !slices.Equal(ids(p.Pages), []int{25, 37, 49}) || !slices.Equal(ids(next.Pages), []int{61}) {
			t.Errorf("the pages have %v and %v", ids(p.Pages), ids(next.Pages))
		}
		refused(t, c, listPagesName, with{"cursor": p.NextCursor, "filter": with{"tags": "news"}}, "INVALID_CURSOR", "cursor", "another filter")
	})
}

func TestFiltersThatTheSiteCannotAnswerAreRefusedWithoutAskingIt(t *testing.T) {
	c, s := newClient(t, Options{})
	for name, call := range map[string]struct {
		filter any
		says   []string
	}{
		"a name that is none":   {with{"a b": 1}, []string{"filter.a b: this is a separate argument, or not the name of a field"}},
		"an argument":           {with{"child_of": 4}, []string{"filter.child_of: this is a separate argument"}},
		"an object":             {with{"date": with{"gte": "2024-01-01"}}, []string{"filter.date: this is not a single value", "has no ranges"}},
		"null in a text":        {`{"feed_image": null}`, []string{"filter.feed_image: "}},
		"nothing":               {with{"feed_image": nil}, []string{"filter.feed_image: ", "list with fields: feed_image"}},
		"a control character":   {with{"title": "a\x00"}, []string{"it has a control character"}},
		"an empty list":         {with{"tags": []string{}}, []string{"this is not a single value"}},
		"a tag with a comma":    {with{"tags": []string{"a,b"}}, []string{"this is not a single value"}},
		"a long text":           {with{"title": strings.Repeat("x", 2100)}, []string{"The maximum is 2000."}},
		"something else at all": {"title", []string{"Invalid filter"}},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, c, listPagesName, with{"filter": call.filter}, "VALIDATION_ERROR", "filter", call.says...)
		})
	}
	t.Run("what is an argument beside it", func(t *testing.T) {
		refused(t, c, listImagesName, with{"tags": "a", "filter": with{"tags": "b"}}, "VALIDATION_ERROR", "filter", "each once")
	})
	if asked := s.Requests(); len(asked) > 0 {
		t.Errorf("the site was asked %v", asked)
	}
}

func TestUnknownFieldErrorListsTheFieldsOfTheType(t *testing.T) {
	c, _ := newClient(t, Options{})
	const known = "Fields there:\n"
	for _, call := range []struct {
		args  with
		field string
		says  []string
	}{
		{with{"type": "blog.BlogPage", "filter": with{"author": 1}}, "filter", []string{"recognised field: author", known, "authors", "feed_image"}},
		{with{"type": "blog.BlogPage", "fields": "nope"}, "fields", []string{"unknown fields: nope", known, "subtitle"}},
		{with{"type": "blog.BlogPage", "fields": "parent"}, "fields", []string{"unknown fields: parent", "parent of a page is in wagtail_get_page_details", known}},
		{with{"type": "blog.BlogPage", "order": "nope"}, "order", []string{"A minus before it", known, "date"}},
	} {
		refused(t, c, listPagesName, call.args, "VALIDATION_ERROR", call.field, call.says...)
	}
	t.Run("and with no other parameter", func(t *testing.T) {
		c, _ := newLab(t)
		a := c.Call(t, listPagesName, with{"type": "lab.BlogPage", "filter": with{"nope": 1}, "fields": "date"})
		if !a.IsError || strings.Contains(a.Text(), "rich_text_format") || !strings.Contains(a.Text(), "recognised field: nope.") {
			t.Error(a.Text())
		}
	})
	t.Run("without a type it is asked for", func(t *testing.T) {
		refused(t, c, listPagesName, with{"filter": with{"author": 1}}, "VALIDATION_ERROR", "filter", "needs type with that one type", "63 of 63 pages have these:\n", "blog.BlogPage")
	})
	t.Run("an unknown locale comes back with those that there are", func(t *testing.T) {
		refused(t, c, listPagesName, with{"locale": "xx"}, "VALIDATION_ERROR", "locale", "63 of 63 pages have these:\nen\nfr")
	})
	t.Run("a bare 500 blames the filter", func(t *testing.T) {
		server := httptest.NewServer(answers(http.StatusInternalServerError, "text/html", "<h1>Server Error (500)</h1>"))
		defer server.Close()
		refused(t, clientOf(t, Options{BaseURL: server.URL}, "both"), listPagesName, with{"filter": with{"starts": "x"}}, "PROVIDER_ERROR", "filter", "leave out starts")
	})
}

func TestFiltersUnderAnotherNameAreTakenForThem(t *testing.T) {
	c, _ := newLab(t)
	for _, name := range []string{"filters", "where"} {
		a := c.Call(t, listPagesName, with{name: with{"show_in_menus": true}, "limit": 2})
		if !strings.Contains(a.Text(), "Showing 2 of 5 pages.") || strings.Contains(a.Text(), "ignored") {
			t.Errorf("%s: %s", name, a.Text())
		}
	}
}
