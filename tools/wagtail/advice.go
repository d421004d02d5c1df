package wagtail

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"issues-index/store/pattern"
	"issues-index/store/words"
	"issues-index/tools"
)

const pageIsMissing = "There is no such page, or it is a draft or private. 'root' stands for the home page."

// argumentMessages are the messages of the API about an argument: what they begin with or say, the
// argument, and what to do.
var argumentMessages = []struct{ says, field, try string }{
	{"unknown fields:", "fields",
		"Fields of a page type need type with that one type; the parent of a page is in " + pageDetailsName + "."},
	{"fields error: ", "fields",
		"Name fields with commas between them; * is all of them, -x all but x, x(a,b) fields of a related object."},
	{"nested fields", "fields", "Name fields of a related object as x(a,b)."},
	{"type doesn't exist", "type", "A type is app_label.ModelName with the app in its exact case."},
	{"order", "order", "Order by id or title, pages by first_published_at as well, and by a type's own field with that " +
		"one type and without search. A minus before it turns it round."},
	{"filtering by tag with a search", "tags", "Leave search or tags out."},
	{"parent page doesn't exist", "child_of", pageIsMissing},
	{"ancestor page doesn't exist", "descendant_of", pageIsMissing},
	{"descendant page doesn't exist", "ancestor_of", pageIsMissing},
	{"search is disabled", "search",
		"This site's API has no search: list pages and narrow them by type, child_of or slug."},
	{"query parameter is not an operation", "filter", "A field of a page type needs type with that one type."},
	{"field filter error", "filter",
		"Pass a value of the field's own kind: an id for a related object, true or false, a number."},
	{"limit ", "limit", "Leave limit out."},
	{"", "", "Change or leave out what it names."},
}

// adviseArgument says what to do about a message of the API about the arguments of a request.
func adviseArgument(r *siteError, path string) {
	if kind, id, _ := strings.Cut(path, "/"); id != "" && strings.HasPrefix(r.message, "unknown fields:") {
		r.worded.On("fields").Try("Leave fields out: the answer then has all that this %s has.", singularOf(kind))
		return
	}
	for _, m := range argumentMessages {
		if strings.Contains(r.message, m.says) {
			r.worded.On(m.field).Try("%s", m.try)
			return
		}
	}
}

// unknownName matches the API's refusal of an unknown field to show, order by or
// filter by.
var unknownName = pattern.Lazy(`^unknown fields:|^query parameter is not an operation|` +
	`^cannot order by .*\(unknown field\)`)

// refusedParameter reports whether the API refused a parameter of a list as unknown.
func refusedParameter(err error, name string) bool {
	r, ok := errors.AsType[*siteError](err)
	if !ok || !strings.HasPrefix(r.message, "query parameter is not an operation") {
		return false
	}
	_, names, _ := strings.Cut(r.message, ": ")
	return slices.Contains(strings.Split(names, ", "), name)
}

// advised adds to the refusal of a list what the site has: the fields of the one kind
// of object that was asked for, its page types or its locales.
func (s *Site) advised(ctx context.Context, err error, kind string, query url.Values) error {
	r, ok := errors.AsType[*siteError](err)
	if !ok {
		return err
	}
	filters := slices.DeleteFunc(slices.Sorted(maps.Keys(query)),
		func(name string) bool { return slices.Contains(operations, name) })
	oneType := kind != kindPages || query.Has("type") && !strings.Contains(query.Get("type"), ",")
	switch {
	case missing(err) && !r.json && kind != kindPages:
		answering, _ := s.endpoints(ctx, nil)
		for _, e := range answering {
			r.worded.Candidates = append(r.worded.Candidates, e.Name)
		}
		if len(answering) > 0 {
			r.worded.Try("%s %s names those that answer, among them:", r.worded.Remediation, overviewName)
		}
	case r.status == http.StatusInternalServerError && len(filters) > 0:
		r.worded.Try("%s A value of filter may not have the form of its field: leave out %s, one after the other.",
			r.worded.Remediation, strings.Join(filters, ", "))
		if r.worded.Field == "" {
			r.worded.On("filter")
		}
	case unknownName().MatchString(r.message) && oneType:
		if names := s.fieldNames(ctx, kind, query); len(names) > 0 {
			r.worded.Try("%s Fields there:", r.worded.Remediation).Among(strings.Join(names, ", "))
		}
	case unknownName().MatchString(r.message) || strings.HasPrefix(r.message, "type doesn't exist"):
		s.offer(ctx, r, query.Get("type"), typeOf)
	case strings.HasPrefix(r.message, "No Locale"):
		r.worded.Code = tools.CodeValidation
		r.worded.On("locale").Try("Pass the code of one of its languages in the exact case, or leave locale out.")
		s.offer(ctx, r, query.Get("locale"), localeOf)
	}
	return r
}

// offer adds to an error the types or locales of the site, and the one that was probably meant.
func (s *Site) offer(ctx context.Context, r *siteError, given string, of func(pageFacts) string) {
	const most = 30
	c, err := s.census(ctx, url.Values{}, s.walk())
	names := slices.Sorted(maps.Keys(c.counts(of)))
	if err != nil || len(names) == 0 {
		return // the error says enough without
	}
	for _, name := range names {
		if _, model, _ := strings.Cut(name, "."); words.Fold(model) == words.Fold(given) ||
			words.Fold(name) == words.Fold(given) {
			r.worded.Try("Did you mean %s? %s", name, r.worded.Remediation)
		}
	}
	r.worded.Try("%s %s names all; %d of %d pages have these:", r.worded.Remediation, overviewName, len(c.pages),
		c.total).Among(names[:min(most, len(names))]...)
	r.worded.More = max(0, len(names)-most)
}

// fieldNames returns the fields of a page type, or of the objects of an endpoint, from one
// such object; nil when none can be read.
func (s *Site) fieldNames(ctx context.Context, kind string, asked url.Values) []string {
	b, err := s.sample(ctx, kind, siteQuery(asked.Get("site"), "type", asked.Get("type")))
	if err != nil || len(b.items) == 0 {
		return nil
	}
	var names []string
	for _, m := range b.items[0].members {
		if m.name != "detail_url" && m.name != "type" {
			names = append(names, words.Cut(tools.Line(m.name), 60))
		}
	}
	return names
}
