package wagtail

import (
	"maps"
	"net/url"
	"slices"

	"issues-index/tools"
)

// sawTypes remembers page types and locales that an answer had, to name them when one
// is wanted. There are a few dozen in a site; a hostile one is not let grow.
func (s *Site) sawTypes(pages []item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range pages {
		remember(s.types, p.typeName())
		remember(s.locales, cut(p.text("locale"), 40))
	}
}

func remember(names map[string]bool, name string) {
	const atMost = 200
	if name != "" && len(names) < atMost {
		names[name] = true
	}
}

// typeNames returns the page types that answers have had so far.
func (s *Site) typeNames() []string { return s.seen(s.types) }

// localeNames returns the locales that answers have had so far.
func (s *Site) localeNames() []string { return s.seen(s.locales) }

func (s *Site) seen(names map[string]bool) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(names))
}

// localeOf words the 404 of a list, which an unknown language is.
func (s *Site) localeOf(err error, query url.Values) error {
	if !absent(err) || !query.Has("locale") {
		return err
	}
	e := tools.Errorf(tools.CodeValidation, "The site has no locale %s.", tools.Quote(query.Get("locale"))).On("locale")
	if names := s.localeNames(); len(names) > 0 {
		return e.Try("Pass the code of one of its languages in the exact case, or leave locale out. Locales seen so far:").Among(names[:min(mostTypes, len(names))]...)
	}
	return e.Try("Pass the code of one of its languages in the exact case, or leave locale out.")
}
