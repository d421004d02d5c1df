package wagtailtest

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// museum is the model of the recorded site.
var museum = siteModel{
	types: []string{"wagtailcore.Page", "home.HomePage", "home.StandardPage", "home.BarePage", "blog.BlogIndexPage", "blog.BlogPage"},
	own: map[string][]string{
		"home.HomePage":      {"intro"},
		"blog.BlogIndexPage": {"intro"},
		"home.StandardPage":  {"introduction", "body", "body_html", "image", "image_thumbnail", "handout", "related_links"},
		"blog.BlogPage":      {"date", "subtitle", "tags", "feed_image", "feed_image_thumbnail", "body", "authors"},
	},
	columns: map[string][]string{"blog.BlogPage": {"date", "subtitle", "tags"}, "home.StandardPage": {"introduction"}},
}

// properType is a type as the site writes it: its model may be in any case.
func (m siteModel) properType(name string) string {
	for _, known := range m.types {
		app, _, _ := strings.Cut(known, ".")
		if given, _, _ := strings.Cut(name, "."); given == app && strings.EqualFold(name, known) {
			return known
		}
	}
	return ""
}

func (s *Server) filter(kind, pageType string, query url.Values) ([]siteObject, *apiRefusal) {
	rows, refused := s.ofSite(kind, query.Get("site"))
	if refused != nil {
		return nil, refused
	}
	all := rows
	rows = slices.Clone(rows)
	if wanted := query.Get("type"); wanted != "" {
		var proper []string
		for name := range strings.SplitSeq(wanted, ",") {
			if proper = append(proper, s.model.properType(name)); slices.Contains(proper, "") {
				return nil, refuse("type doesn't exist")
			}
		}
		rows = slices.DeleteFunc(rows, func(r siteObject) bool {
			return !slices.Contains(proper, r.Type) && !slices.Contains(proper, "wagtailcore.Page")
		})
	}
	if query.Has("child_of") && query.Has("descendant_of") {
		return nil, refuse("filtering by descendant_of with child_of is not supported")
	}
	for _, way := range []struct {
		name, missing string
		keeps         func(of int, r siteObject) bool
	}{
		{"child_of", "parent page doesn't exist", func(of int, r siteObject) bool { return r.Parent == of }},
		{"descendant_of", "ancestor page doesn't exist", func(of int, r siteObject) bool { return r.ID != of && s.below(r.ID, of) }},
		{"ancestor_of", "descendant page doesn't exist", func(of int, r siteObject) bool { return r.ID != of && s.below(of, r.ID) }},
		{"translation_of", "translation_of page doesn't exist", s.isTranslation},
	} {
		if !query.Has(way.name) {
			continue
		}
		of, err := strconv.Atoi(query.Get(way.name))
		switch {
		case query.Get(way.name) == "root" && way.name != "ancestor_of":
			of = 3
		case err != nil || of < 0:
			return nil, refuse("%s must be a positive integer", way.name)
		case of != 3 && !slices.ContainsFunc(all, func(r siteObject) bool { return r.ID == of }):
			return nil, refuse("%s", way.missing)
		}
		rows = slices.DeleteFunc(rows, func(r siteObject) bool { return !way.keeps(of, r) })
	}
	switch locale := query.Get("locale"); locale {
	case "", "en", "fr", "de":
		rows = slices.DeleteFunc(rows, func(r siteObject) bool { return locale != "" && r.Locale != locale })
	default:
		return nil, &apiRefusal{http.StatusNotFound, "No Locale matches the given query."}
	}
	for _, name := range s.columns(kind, pageType) {
		if !query.Has(name) {
			continue
		}
		value := query.Get(name)
		rows = slices.DeleteFunc(rows, func(r siteObject) bool {
			if name == "tags" {
				return slices.ContainsFunc(strings.Split(value, ","), func(tag string) bool { return !slices.Contains(r.Tags, tag) })
			}
			return s.column(r, name) != value
		})
	}
	return rows, nil
}

// translations are those that the site has.
var translations = map[int]int{3: 67, 67: 3, 4: 68, 68: 4, 5: 69, 69: 5, 37: 70, 70: 37, 38: 71, 71: 38}

// below reports whether a page is another or below it.
func (s *Server) below(id, of int) bool {
	for id != 0 && id != of {
		at := slices.IndexFunc(s.site["pages"], func(r siteObject) bool { return r.ID == id })
		if at < 0 {
			return false
		}
		id = s.site["pages"][at].Parent
	}
	return id == of
}
