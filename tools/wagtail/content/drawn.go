package content

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"issues-index/store/pattern"
)

// littleText is the most characters of a page that says next to nothing without
// its scripts: a loading notice and a line of copyright.
const littleText = 300

var (
	// needsScripts is how a page tells a reader to turn them on.
	needsScripts = pattern.Lazy(`(?i)\b(java ?script|scripting|js)\b`)
	// mountPoint is the id of the element that a script fills, by the habit of the
	// common frameworks.
	mountPoint = pattern.Lazy(`(?i)^(__next|__nuxt|___gatsby|svelte|app|root|app-root|react-root|main-app|application)$`)
)

// drawnByScript reports whether a page whose Markdown is known is one that scripts
// draw in the browser: it has scripts, next to no text, and either an empty place
// that they fill or words for readers without them.
func drawnByScript(source, markdown string) bool {
	if utf8.RuneCountInString(markdown) > littleText {
		return false
	}
	z := html.NewTokenizer(strings.NewReader(source))
	scripts, noscript, empty := false, false, false
	mount := "" // the element that may be an empty place for scripts
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		t := z.Token()
		switch {
		case kind == html.TextToken && strings.TrimSpace(t.Data) != "":
			empty = empty || noscript && needsScripts().MatchString(t.Data)
			if !noscript {
				mount = ""
			}
		case kind == html.StartTagToken && t.Data == "noscript", kind == html.EndTagToken && t.Data == "noscript":
			noscript = kind == html.StartTagToken
		case kind == html.StartTagToken && t.Data == "script":
			scripts = true
			mount = ""
			z.Next() // its text
		case kind == html.StartTagToken:
			mount = ""
			if mountPoint().MatchString(idOf(t)) {
				mount = t.Data
			}
		case kind == html.EndTagToken && mount != "" && t.Data == mount:
			empty = true
		}
	}
	return scripts && empty
}

func idOf(t html.Token) string {
	for _, a := range t.Attr {
		if a.Key == "id" {
			return a.Val
		}
	}
	return ""
}
