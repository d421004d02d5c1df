package wagtail

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"issues-index/store/pattern"
	"issues-index/store/words"
	"issues-index/tools"
)

// unknownName matches the API's refusal of an unknown field to show, order by or
// filter by.
var unknownName = pattern.Lazy(`^unknown fields: |^query parameter is not an operation|^cannot order by .*\(unknown field\)`)

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
// of object that was asked for, or the known page types.
func (s *Site) advised(ctx context.Context, err error, kind string, query url.Values) error {
	r, ok := errors.AsType[*siteError](err)
	switch {
	case !ok:
		return err
	case errorField(err) == "site" && len(filtersOf(query)) > 0:
		r.worded = r.worded.Try("%s If the site is right, a value of filter may not have the form of its field.", r.worded.Remediation)
		return err
	case r.status == http.StatusInternalServerError && len(filtersOf(query)) > 0:
		r.worded = r.worded.On("filter").Try("A value of filter may not have the form of its field: leave out %s, one after the other.", strings.Join(filtersOf(query), ", "))
		return err
	case !unknownName().MatchString(r.message), kind == kindPages && (!query.Has("type") || strings.Contains(query.Get("type"), ",")):
		return s.naming(err)
	}
	names, of := s.fieldNames(ctx, kind, query), kind
	if kind == kindPages {
		of = query.Get("type")
	}
	if len(names) == 0 {
		r.worded = r.worded.Try("Leave it out: no object of %s is there to take the names of its fields from.", of)
		return err
	}
	hint := ""
	switch {
	case strings.HasPrefix(r.message, "cannot order"):
		hint = r.worded.Remediation + " "
	case strings.HasPrefix(r.message, unknownFields) && strings.Contains(r.message, "parent"):
		hint = fmt.Sprintf("The parent of a page is shown by %s, and lists take child_of. ", pageDetailsName)
	}
	r.worded = r.worded.Try("%sFields of %s:", hint, of).Among(strings.Join(names, ", "))
	return err
}

// filtersOf returns the names of the fields that a query filters by.
func filtersOf(query url.Values) []string {
	names := slices.Sorted(maps.Keys(query))
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(operations, name) })
}

// fieldNames returns the fields of a page type, or of the objects of an endpoint, from one
// such object; nil when none can be read.
func (s *Site) fieldNames(ctx context.Context, kind string, asked url.Values) []string {
	query := siteQuery(asked.Get("site"), "type", asked.Get("type"))
	query.Set("fields", "*")
	b, err := s.once(ctx, kind, query, 1, 0)
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

// naming adds the known page types to an error about a type or a field.
func (s *Site) naming(err error) error {
	r, ok := errors.AsType[*siteError](err)
	if !ok || !strings.HasPrefix(r.message, "type doesn't exist") && !unknownName().MatchString(r.message) {
		return err
	}
	if names := s.typeNames(); len(names) > 0 {
		r.worded = r.worded.Try("%s Types seen so far:", r.worded.Remediation).Among(names[:min(mostTypes, len(names))]...)
		r.worded.More = max(0, len(names)-mostTypes)
	}
	return err
}

// sawTypes remembers the page types and locales of an answer, to name them in errors.
// A site has a few dozen; a hostile one cannot add more than the maximum.
func (s *Site) sawTypes(pages []apiObject) {
	const most = 200
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range pages {
		tally(s.types, p.typeName(), most)
		tally(s.locales, words.Cut(p.text("locale"), 40), most)
	}
}

// typeNames returns the page types of all answers so far.
func (s *Site) typeNames() []string { return s.seen(s.types) }

func (s *Site) seen(names map[string]int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(names))
}

// unknownLocale rewords the 404 of a list with an unknown locale.
func (s *Site) unknownLocale(err error, query url.Values) error {
	if !absent(err) || errorField(err) == "site" || !query.Has("locale") {
		return err
	}
	e := tools.Errorf(tools.CodeValidation, "The site has no locale %s.", tools.Quote(query.Get("locale"))).On("locale").
		Try("Pass the code of one of its languages in the exact case, or leave locale out.")
	if names := s.seen(s.locales); len(names) > 0 {
		e = e.Try("%s Locales seen so far:", e.Remediation).Among(names[:min(mostTypes, len(names))]...)
	}
	return e
}
