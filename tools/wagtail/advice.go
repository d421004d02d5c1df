package wagtail

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"issues-index/store/pattern"
	"issues-index/tools"
)

// unknownName is how the API refuses a field that it does not have, to show, to
// order by or to filter by.
var unknownName = pattern.Lazy(`^unknown fields: |^query parameter is not an operation|^cannot order by .*\(unknown field\)`)

// refusedParameter reports whether a parameter of a list is among those that the API
// does not know.
func refusedParameter(err error, name string) bool {
	var r *refusal
	if !errors.As(err, &r) || !strings.HasPrefix(r.message, "query parameter is not an operation") {
		return false
	}
	_, names, _ := strings.Cut(r.message, ": ")
	return slices.Contains(strings.Split(names, ", "), name)
}

// advised adds to a refusal of a list what the site has instead: the fields of the one
// kind of object that was asked for, or the page types that are known.
func (s *Site) advised(ctx context.Context, err error, kind string, query url.Values) error {
	var r *refusal
	switch {
	case !errors.As(err, &r):
		return err
	case errorField(err) == "site" && filtersOf(query) != nil:
		r.worded = r.worded.Try("%s If the site is right, a value of filter may not have the form of its field.", r.worded.Remediation)
		return err
	case r.status == http.StatusInternalServerError && filtersOf(query) != nil:
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

// filtersOf are the names of the fields that a query filters by.
func filtersOf(query url.Values) []string {
	var names []string
	for name := range query {
		if !slices.Contains(operations, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// fieldNames are the fields of a page type, or of the objects of an endpoint, as one
// of them has them; nil when there is none, or none can be read.
func (s *Site) fieldNames(ctx context.Context, kind string, asked url.Values) []string {
	query := siteQuery(asked.Get("site"), "type", asked.Get("type"))
	query.Set("fields", "*")
	b, err := s.once(ctx, kind, query, 1, 0)
	if err != nil || len(b.items) == 0 {
		return nil
	}
	return b.items[0].fieldNames()
}

// fieldNames are the members of an object that a reader may ask for.
func (i item) fieldNames() []string {
	var names []string
	for _, m := range i.members {
		if m.name != "detail_url" && m.name != "type" {
			names = append(names, cut(tools.Line(m.name), 60))
		}
	}
	return names
}

// naming adds the page types that are known of the site to an error that wants one.
func (s *Site) naming(err error) error {
	var r *refusal
	if !errors.As(err, &r) || !strings.HasPrefix(r.message, "type doesn't exist") && !unknownName().MatchString(r.message) {
		return err
	}
	if names := s.typeNames(); len(names) > 0 {
		r.worded = r.worded.Try("%s Types seen so far:", r.worded.Remediation).Among(names[:min(mostTypes, len(names))]...)
		r.worded.More = max(0, len(names)-mostTypes)
	}
	return err
}
