package sanitize

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// endless are the elements of texts that have no end.
var endless = []string{"br", "hr", "input"}

// Closed ends each element of a text with the element that it is in, and leaves out ends of what was
// not begun: a table or a bold word that is left open would go on in the page behind the text.
func Closed(text string) string {
	var out strings.Builder
	var open []string
	opened := map[string]int{}
	end := func() (name string) {
		name, open = open[len(open)-1], open[:len(open)-1]
		opened[name]--
		out.WriteString("</" + name + ">")
		return name
	}
	tokens := html.NewTokenizer(strings.NewReader(text))
	for {
		kind, raw := tokens.Next(), tokens.Raw()
		switch kind {
		case html.ErrorToken:
			for len(open) > 0 {
				end()
			}
			return out.String()
		case html.EndTagToken:
			name, _ := tokens.TagName()
			for opened[string(name)] > 0 {
				if end() == string(name) {
					break
				}
			}
			continue
		case html.StartTagToken:
			out.Write(raw)
			if name, _ := tokens.TagName(); !slices.Contains(endless, string(name)) {
				open = append(open, string(name))
				opened[string(name)]++
			}
			continue
		}
		out.Write(raw)
	}
}
