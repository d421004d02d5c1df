package wagtailtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A wish is one of the fields that a request names.
type wish struct {
	name    string
	negated bool
	nested  bool
	inner   string // the fields inside
}

// parseFields reads a list of fields as Wagtail does, with its error messages.
func parseFields(text string) ([]wish, *apiRefusal) {
	var wishes []wish
	for at := 0; at < len(text); {
		w := wish{}
		if text[at] == '-' {
			w.negated = true
			at++
		}
		start := at
		for at < len(text) && !strings.ContainsRune(",() ", rune(text[at])) {
			at++
		}
		w.name = text[start:at]
		if w.name == "" && at < len(text) && text[at] != ' ' {
			return nil, refuse("fields error: unexpected char '%c' at position %d", text[at], at)
		}
		if at < len(text) && text[at] == ' ' {
			return nil, refuse("fields error: unexpected whitespace at position %d", at)
		}
		if at < len(text) && text[at] == '(' {
			depth, open := 0, at
			for w.nested = true; at < len(text); at++ {
				if text[at] == '(' {
					depth++
				}
				if text[at] == ')' {
					if depth--; depth == 0 {
						break
					}
				}
			}
			if at == len(text) {
				return nil, refuse("fields error: unexpected end of input (did you miss out a close bracket?)")
			}
			w.inner = text[open+1 : at]
			at++
		}
		if (w.name == "*" || w.name == "_") && len(wishes) > 0 {
			return nil, refuse("fields error: '%s' must be in the first position", w.name)
		}
		if len(wishes) > 0 && wishes[0].name == "*" && !w.negated && !w.nested {
			return nil, refuse("fields error: additional fields with '*' doesn't make sense")
		}
		if len(wishes) > 0 && wishes[0].name == "_" && w.negated {
			return nil, refuse("fields error: negated fields with '_' doesn't make sense")
		}
		wishes = append(wishes, w)
		if at < len(text) {
			if text[at] != ',' {
				return nil, refuse("fields error: unexpected char '%c' at position %d", text[at], at)
			}
			at++
		}
	}
	return wishes, nil
}

// meta are the fields in an object's meta.
var meta = []string{"type", "detail_url", "html_url", "slug", "show_in_menus", "seo_title", "search_description",
	"first_published_at", "alias_of", "parent", "locale", "tags", "download_url"}

// item returns one object with the fields that are wanted.
func (s *Server) item(r siteObject, kind, pageType string, wishes []wish, detail bool) (map[string]any, *apiRefusal) {
	all := s.whole(r, kind, pageType, detail)
	wanted, inside := map[string]bool{}, map[string]string{}
	everything := detail
	for _, w := range wishes {
		everything = (everything || w.name == "*") && w.name != "_"
	}
	listed := []string{"id", "type", "detail_url", "html_url", "slug", "first_published_at", "locale", "title", "download_url"}
	if kind != "pages" {
		listed = append(listed, "tags")
	}
	for name := range all {
		wanted[name] = everything || slices.Contains(listed, name)
	}
	var unknown []string
	for _, w := range wishes {
		_, known := all[w.name]
		switch {
		case w.name == "*":
		case w.name == "_":
			wanted = map[string]bool{}
		case !known:
			unknown = append(unknown, w.name)
		case w.nested && (w.name == "parent" || !relation(all[w.name])):
			return nil, refuse("'%s' does not support nested fields", w.name)
		default:
			wanted[w.name], inside[w.name] = !w.negated, w.inner
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return nil, refuse("unknown fields: %s", strings.Join(unknown, ", "))
	}
	out, inner := map[string]any{}, map[string]any{}
	for name := range maps.Keys(all) {
		switch {
		case !wanted[name]:
		case slices.Contains(meta, name) && (name != "tags" || kind != "pages"):
			inner[name] = all[name]
		default:
			out[name] = related(all[name], inside[name])
		}
	}
	if len(inner) > 0 {
		out["meta"] = inner
	}
	return out, nil
}

// relation reports whether a value may have fields inside.
func relation(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		return value["id"] != nil
	case []any:
		return true
	}
	return value == nil
}

// whole returns an object with all its fields. A page has those of its type only where
// the request names that type.
func (s *Server) whole(r siteObject, kind, pageType string, detail bool) map[string]any {
	api := fmt.Sprintf("%s/api/v2/%s/%d/", origin, kind, r.ID)
	all := map[string]any{"id": r.ID, "type": r.Type, "detail_url": api, "title": r.Title}
	if kind != "pages" {
		all["tags"], all["download_url"] = append([]string{}, r.Tags...), r.DownloadURL
		if kind == "images" {
			all["width"], all["height"] = r.Width, r.Height
		}
		return all
	}
	all["html_url"], all["slug"], all["first_published_at"], all["locale"] = r.address(), r.Slug, r.Published, r.Locale
	all["show_in_menus"], all["seo_title"], all["search_description"] = r.ShowInMenus, "", ""
	if r.Described {
		all["search_description"] = "About " + r.Title + "."
	}
	all["alias_of"] = nil
	if detail {
		all["parent"] = s.parent(r)
	}
	if pageType != r.Type {
		return all
	}
	for _, name := range s.model.own[r.Type] {
		all[name] = s.details[r.ID][name]
	}
	maps.Copy(all, r.fields)
	return all
}

// parent returns the page above, as a detail has it.
func (s *Server) parent(r siteObject) any {
	for _, p := range s.site["pages"] {
		if p.ID == r.Parent {
			return map[string]any{"id": p.ID, "title": p.Title, "meta": map[string]any{
				"type": p.Type, "detail_url": fmt.Sprintf("%s/api/v2/pages/%d/", origin, p.ID), "html_url": p.address(),
			}}
		}
	}
	return nil
}
