package wagtail

import (
	"strings"
	"testing"

	"issues-index/tools/toolstest"
)

// refused calls a tool and holds that its error has this code, field and words.
func refused(t *testing.T, c *toolstest.Client, tool string, args with, code, field string, says ...string) {
	t.Helper()
	answer := c.Call(t, tool, args)
	if !answer.IsError {
		t.Fatalf("%s %v is answered: %s", tool, args, answer.Text())
	}
	e := answer.Meta.Error
	if e.Code != code || e.Field != field || e.Remediation == "" {
		t.Errorf("%s %v: code %s of field %q, want %s of %q: %s", tool, args, e.Code, e.Field, code, field, answer.Text())
	}
	for _, words := range says {
		if !strings.Contains(answer.Text(), words) {
			t.Errorf("%s %v does not say %q: %s", tool, args, words, answer.Text())
		}
	}
}

// What the API answers with a bare 500, and what it can only refuse, is refused
// without asking it.
func TestInvalidArgumentsSendNoRequest(t *testing.T) {
	c, s := newClient(t, Options{})
	for _, call := range []struct {
		tool  string
		args  with
		code  string
		field string
		says  string
	}{
		{listImagesName, with{"search": `"`}, "VALIDATION_ERROR", "search", "there is no word in it"},
		{listDocumentsName, with{"search": `""`}, "VALIDATION_ERROR", "search", "there is no word in it"},
		{searchName, with{"query": "tide\x00"}, "VALIDATION_ERROR", "query", "control character"},
		{listPagesName, with{"search": "tide\x00"}, "VALIDATION_ERROR", "search", "control character"},
		{listPagesName, with{"slug": "a\x00b"}, "VALIDATION_ERROR", "slug", "control character"},
		{listImagesName, with{"tags": []string{"a\x00"}}, "VALIDATION_ERROR", "tags", "control character"},
		{searchName, with{"query": strings.Repeat("word ", 500)}, "VALIDATION_ERROR", "query", "The maximum is 2000."},
		{searchName, with{}, "MISSING_REQUIRED_FIELD", "query", "Missing required argument query"},
		{searchName, with{"query": "  "}, "MISSING_REQUIRED_FIELD", "query", "query"},
		{searchName, with{"query": "a", "kinds": []string{"snippets"}}, "VALIDATION_ERROR", "kinds", "pages, images, documents"},
		{searchName, with{"query": "a", "kinds": "images", "type": "blog.BlogPage"}, "VALIDATION_ERROR", "type", "Only pages have a type and a site."},
		{listPagesName, with{"offset": 1e30}, "VALIDATION_ERROR", "offset", "The maximum is 1000000."},
		{listPagesName, with{"offset": -1}, "VALIDATION_ERROR", "offset", "The minimum is 0."},
		{listPagesName, with{"limit": -1}, "VALIDATION_ERROR", "limit", "The minimum is 1."},
		{listPagesName, with{"order": strings.Repeat("title,", 900)}, "VALIDATION_ERROR", "order", "The maximum is 2000."},
		{listPagesName, with{"limit": "ten"}, "VALIDATION_ERROR", "limit", "whole number"},
		{listPagesName, with{"type": "blog.BlogPage", "author": 1}, "VALIDATION_ERROR", "author", "Unknown argument 'author'"},
		{findName, with{"text": "tide", "author": 1}, "VALIDATION_ERROR", "author", "Unknown argument 'author'"},
		{listPagesName, with{"child_of": "visit"}, "VALIDATION_ERROR", "child_of", "child_of"},
		{listPagesName, with{"child_of": 0}, "VALIDATION_ERROR", "child_of", "The minimum is 1."},
		{listPagesName, with{"descendant_of": 1e15}, "VALIDATION_ERROR", "descendant_of", "The maximum is 2147483647."},
		{listPagesName, with{"ancestor_of": "root"}, "VALIDATION_ERROR", "ancestor_of", "ancestor_of"},
		{pageDetailsName, with{}, "MISSING_REQUIRED_FIELD", "id", "No page is named. Pass a page's number"},
		{pageDetailsName, with{"id": 0}, "VALIDATION_ERROR", "id", "The minimum is 1."},
		{pageDetailsName, with{"id": "99999999999"}, "VALIDATION_ERROR", "id", "The maximum is 2147483647."},
		{pageDetailsName, with{"id": "http://[::1/x"}, "VALIDATION_ERROR", "id", "it is no address"},
		{pageDetailsName, with{"id": "file:///etc/passwd"}, "VALIDATION_ERROR", "id", "it is no address"},
		{pageDetailsName, with{"html_path": "/a\x00/"}, "VALIDATION_ERROR", "id", "control character"},
		{pageHTMLName, with{}, "MISSING_REQUIRED_FIELD", "id", "No page is named."},
		{"wagtail_get_image_details", with{}, "MISSING_REQUIRED_FIELD", "id", "id"},
		{"wagtail_get_image_details", with{"id": "abc"}, "VALIDATION_ERROR", "id", "it is no number and no address of a file"},
		{"wagtail_get_document_details", with{"id": 1.5}, "VALIDATION_ERROR", "id", "it is no number"},
	} {
		refused(t, c, call.tool, call.args, call.code, call.field, call.says)
	}
	if asked := s.Requests(); len(asked) > 0 {
		t.Errorf("the site was asked %v", asked)
	}
}

// What only the site can know it says itself, and what to do about it is added.
func TestRefusalsOfTheAPI(t *testing.T) {
	c, s := newClient(t, Options{})
	for _, call := range []struct {
		tool  string
		args  with
		code  string
		field string
		says  []string
	}{
		{listPagesName, with{"fields": "body"}, "VALIDATION_ERROR", "fields", []string{"400 Bad Request: unknown fields: body.", "\nblog.BlogPage\n"}},
		{listPagesName, with{"fields": "title(x)"}, "VALIDATION_ERROR", "fields", []string{"'title' does not support nested fields"}},
		{listPagesName, with{"type": "blog.NoSuchPage"}, "VALIDATION_ERROR", "type", []string{"type doesn't exist", "app_label.ModelName"}},
		{listPagesName, with{"order": "nosuch"}, "VALIDATION_ERROR", "order", []string{"cannot order by 'nosuch' (unknown field)", "first_published_at"}},
		{listPagesName, with{"search": "harbour", "order": "seo_title"}, "VALIDATION_ERROR", "order", []string{"field is not indexed", "without search"}},
		{listPagesName, with{"search": "harbour", "slug": "visit"}, "VALIDATION_ERROR", "", []string{"cannot filter by 'slug' while searching", "leave out what it names"}},
		{listPagesName, with{"child_of": 99999}, "VALIDATION_ERROR", "child_of", []string{"parent page doesn't exist", "'root' stands for the home page"}},
		{listPagesName, with{"child_of": 63}, "VALIDATION_ERROR", "child_of", []string{"a draft or private"}},
		{listPagesName, with{"descendant_of": 99999}, "VALIDATION_ERROR", "descendant_of", []string{"ancestor page doesn't exist"}},
		{listPagesName, with{"ancestor_of": 99999}, "VALIDATION_ERROR", "ancestor_of", []string{"descendant page doesn't exist"}},
		{listPagesName, with{"child_of": 4, "descendant_of": 3}, "VALIDATION_ERROR", "", []string{"filtering by descendant_of with child_of is not supported"}},
		{listPagesName, with{"locale": "xx"}, "VALIDATION_ERROR", "locale", []string{"No Locale matches"}},
		{listImagesName, with{"search": "harbour", "tags": "harbour"}, "VALIDATION_ERROR", "tags", []string{"tag with a search query is not supported"}},
		{listImagesName, with{"order": "created_at"}, "VALIDATION_ERROR", "order", []string{"cannot order by 'created_at'", "Order by id or title", "Fields there:\ndownload_url, tags, height, title, width"}},
		{listImagesName, with{"fields": "file"}, "VALIDATION_ERROR", "fields", []string{"unknown fields: file", "Fields there:\n"}},
		{pageDetailsName, with{"id": 5, "fields": "date"}, "VALIDATION_ERROR", "fields", []string{"unknown fields: date", "all that this page has"}},
		{"wagtail_get_image_details", with{"id": 1, "fields": "nosuch"}, "VALIDATION_ERROR", "fields", []string{"unknown fields: nosuch", "Fields there:\n"}},
		{pageDetailsName, with{"id": 99999}, "RESOURCE_NOT_FOUND", "id", []string{"no page '99999', or it is a draft or private", searchName}},
		{pageDetailsName, with{"html_path": "/nosuch/"}, "RESOURCE_NOT_FOUND", "id", []string{"no page '/nosuch/'"}},
		{pageDetailsName, with{"slug": "nosuch"}, "RESOURCE_NOT_FOUND", "id", []string{"no page 'nosuch'"}},
		{pageDetailsName, with{"id": "/visit/nosuch/bus/"}, "RESOURCE_NOT_FOUND", "id", []string{"no page '/visit/nosuch/bus/'"}},
		{"wagtail_get_image_details", with{"id": 999}, "RESOURCE_NOT_FOUND", "id", []string{"no image '999', or it is private", listImagesName}},
		{"wagtail_get_document_details", with{"id": 6}, "RESOURCE_NOT_FOUND", "id", []string{"no document '6', or it is private", listDocumentsName}},
	} {
		s.Forget()
		refused(t, c, call.tool, call.args, call.code, call.field, call.says...)
		if len(s.Requests()) == 0 {
			t.Errorf("%s %v: the site was not asked", call.tool, call.args)
		}
	}

	t.Run("a wrong type is told the types that there are", func(t *testing.T) {
		c, _ := newClient(t, Options{})
		refused(t, c, listPagesName, with{"type": "blog.Nope"}, "VALIDATION_ERROR", "type", "63 of 63 pages have these:\nblog.BlogIndexPage\nblog.BlogPage\nhome.BarePage\nhome.HomePage")
		refused(t, c, listPagesName, with{"type": "BlogPage"}, "VALIDATION_ERROR", "type", "Did you mean blog.BlogPage?")
	})
	t.Run("a site without search", func(t *testing.T) {
		c, _ := newClient(t, Options{APIPath: "/nosearch/api/v2/"})
		refused(t, c, searchName, with{"query": "harbour"}, "VALIDATION_ERROR", "search", "search is disabled", "list pages and narrow them")
	})
	t.Run("an API of another version", func(t *testing.T) {
		server := v3(t)
		refused(t, clientOf(t, Options{BaseURL: server}, "both"), listPagesName, with{}, "PROVIDER_ERROR", "", "that Wagtail's API v2 does not answer with")
	})
}
