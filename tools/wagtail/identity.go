package wagtail

import (
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode"

	"issues-index/store/pattern"
	"issues-index/tools"
	"issues-index/tools/wagtail/content"
)

// An identity is how a call names a page.
type identity struct {
	id     int      // 0 for none
	host   string   // of an address, "" for a path; see hostOf
	paths  []string // possible paths of the page on the site, the likeliest first
	view   string   // the path that a visitor requests: as it was given, with its query
	slug   string
	locale string
	site   string // the other site of this Wagtail that has the page, "" for the configured one
	field  string // the argument that names the page
	given  string // as it was given
}

const wayToName = "Pass a page's number, URL, path (such as /visit/opening-hours/) or slug."

// pageArguments reads the arguments that both tools for one page have, and their cursor.
func pageArguments(args *tools.Args, tool string, query url.Values) (url.Values, bool) {
	set(query, "id", text(args, "id"))
	set(query, "locale", text(args, "locale"))
	set(query, "section", strings.TrimSpace(args.String("section")))
	query, again := resumed(args, tool, query)
	if query.Get("id") == "" && args.Err() == nil {
		args.Fail(tools.Errorf(tools.CodeMissingField, "No page is named.").On("id").Try(wayToName))
	}
	return query, again
}

// identify reads how a page is named: by a number or a handle that answers print, a URL, a
// path or a slug.
func (s *Site) identify(field, given, locale string) (identity, *tools.Error) {
	who := identity{field: field, given: given, locale: locale}
	ref, numbered, wrong := readHandle(field, given, content.KindPage)
	switch {
	case wrong != nil:
		return who, wrong
	case numbered:
		who.id = ref.ID
	case !strings.ContainsAny(given, "/?"):
		who.slug = given
	case !s.readAddress(&who, given):
		return who, invalid(field, given, ": it is no address of a page", wayToName)
	}
	for _, p := range who.paths {
		if strings.ContainsFunc(p, unicode.IsControl) { // such as %00
			return who, invalid(field, given, ": it has a control character", wayToName)
		}
	}
	return who, nil
}

// identified is [Site.identify] for an argument.
func (s *Site) identified(args *tools.Args, field, given, locale string) identity {
	who, wrong := s.identify(field, given, locale)
	if wrong != nil {
		args.Fail(wrong)
	}
	return who
}

// handle matches a number, and the handles that answers print, such as page/4 and wagtail:image/2.
var handle = pattern.Lazy(`^(?:(?:wagtail:)?(page|image|document)[:/ ] ?)?(\d+)$`)

// readHandle reads the number of an object, or a handle of one of the kinds; a number alone is of
// the first kind. It reports false for any other text.
func readHandle(name, text string, kinds ...string) (ref content.Ref, is bool, wrong *tools.Error) {
	found := handle().FindStringSubmatch(strings.ToLower(text))
	if found == nil {
		return content.Ref{}, false, nil
	}
	ref = content.Ref{Kind: kinds[0]}
	for _, kind := range kinds {
		if found[1] == kind {
			ref.Kind = kind
		}
	}
	var tooLarge error
	ref.ID, tooLarge = strconv.Atoi(found[2])
	switch {
	case found[1] != "" && found[1] != ref.Kind:
		wrong = invalid(name, text, ": it is no "+ref.Kind, "Pass it to the tool for "+found[1]+"s.")
	case tooLarge != nil || ref.ID > maxID:
		wrong = invalid(name, text, "", "The maximum is "+strconv.Itoa(maxID)+".")
	case ref.ID < 1:
		wrong = invalid(name, text, "", "The minimum is 1.")
	}
	return ref, true, wrong
}

// readAddress reads a URL or a path. It reports false for anything else.
func (s *Site) readAddress(who *identity, value string) bool {
	whole := strings.Contains(value, "://")
	if !whole {
		value = "/" + strings.TrimLeft(value, "/")
	}
	u, err := url.Parse(value)
	if err != nil || whole && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return false
	}
	if strings.Contains(u.Path, "/.") {
		u.Path, u.RawPath = clean(u.Path), ""
	}
	where := s.pathBelow(u)
	who.paths = []string{clean(where)}
	if whole {
		who.host = hostOf(u)
	} else if given := clean(u.EscapedPath()); given != who.paths[0] {
		// Answers show paths from the host on, so the base's own path was removed. But a
		// page's path may begin with the same part.
		who.paths = append(who.paths, given)
	}
	who.view = "/" + strings.TrimLeft(where, "/")
	if u.RawQuery != "" {
		who.view += "?" + strings.ReplaceAll(u.RawQuery, " ", "%20")
	}
	return true
}

// pathBelow returns the path of a URL on the site, whichever of the site's hosts it
// has.
func (s *Site) pathBelow(u *url.URL) string {
	if hostOf(u) == hostOf(s.front) {
		return pathIn(s.front, u.EscapedPath())
	}
	return pathIn(s.base, u.EscapedPath())
}

// pathIn returns a path without that of a base.
func pathIn(base *url.URL, path string) string {
	above := strings.TrimRight(base.EscapedPath(), "/")
	if rest, ok := strings.CutPrefix(path, above); ok && (rest == "" || rest[0] == '/') {
		return rest
	}
	return path
}

// clean returns a path in the form in which paths are compared: unescaped, with
// slashes at both ends.
func clean(given string) string {
	if unescaped, err := url.PathUnescape(given); err == nil {
		given = unescaped
	}
	given = path.Clean("/" + given)
	if given != "/" {
		given += "/"
	}
	return given
}

// hostOf returns the host of a URL as Wagtail names a site: in lower case, with its
// port unless it is the scheme's own.
func hostOf(u *url.URL) string {
	host := strings.ToLower(u.Hostname())
	if port := u.Port(); port != "" && (u.Scheme != "http" || port != "80") && (u.Scheme != "https" || port != "443") {
		return host + ":" + port
	}
	return host
}
