package resources

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"issues-index/tools"
)

// The URIs of resources. A workspace is Here or a name of the user's: a URI holds no path.
const (
	scheme           = "issues://"
	documentTemplate = scheme + "{workspace}/{id}"
	sectionTemplate  = documentTemplate + "/section/{heading}"
	sectionPart      = "section"

	// Here is the workspace of a call that names none.
	Here = "here"
)

// maxPart is the longest part of a URI, in bytes, as it is meant.
const maxPart = 500

// A resourceName is what a URI names: a document, or a section of it.
type resourceName struct {
	workspace string // Here, or a name of the user's
	id        string
	heading   string // "" for the whole document
}

// parseURI reads a URI. The errors are for clients.
func parseURI(uri string) (resourceName, error) {
	wrong := func(reason string) error {
		return tools.Errorf(tools.CodeValidation, "%s is no URI of a document: %s.", tools.Quote(uri), reason).On("uri").
			Try("Write %s or %s, each part percent-encoded.", documentTemplate, sectionTemplate)
	}
	rest, ok := strings.CutPrefix(uri, scheme)
	if !ok {
		return resourceName{}, wrong("it does not begin with " + scheme)
	}
	if strings.ContainsAny(rest, "?#") {
		return resourceName{}, wrong("it has a query or a fragment")
	}
	parts := strings.Split(rest, "/")
	if len(parts) != 2 && (len(parts) != 4 || parts[2] != sectionPart) {
		return resourceName{}, wrong("it has other parts")
	}
	for i, part := range parts {
		plain, err := url.PathUnescape(part)
		if err != nil {
			return resourceName{}, wrong("a part is not percent-encoded")
		}
		if reason := unfit(plain); reason != "" {
			return resourceName{}, wrong(reason)
		}
		parts[i] = plain
	}
	n := resourceName{workspace: parts[0], id: parts[1]}
	if len(parts) == 4 {
		n.heading = parts[3]
	}
	return n, nil
}

// unfit says what keeps a text from being a part of a URI, "" for nothing. What names a
// folder, or leads out of one, is never passed on.
func unfit(part string) string {
	switch {
	case part == "":
		return "a part is empty"
	case part == ".", part == "..":
		return "a part is \".\" or \"..\""
	case strings.ContainsAny(part, `/\`):
		return "a part has a slash in it, which cannot be addressed"
	case len(part) > maxPart:
		return "a part is too long"
	case !utf8.ValidString(part):
		return "a part is not UTF-8"
	case strings.ContainsFunc(part, unicode.IsControl):
		return "a part has control characters"
	}
	return ""
}

// String is the URI of the name.
func (n resourceName) String() string {
	uri := scheme + url.PathEscape(n.workspace) + "/" + url.PathEscape(n.id)
	if n.heading != "" {
		uri += "/" + sectionPart + "/" + url.PathEscape(n.heading)
	}
	return uri
}
