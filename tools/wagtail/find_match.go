package wagtail

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"issues-index/tools"
	"issues-index/tools/wagtail/content"
)

// contextWidth is how many characters of a line a match shows.
const contextWidth = 140

// A pageMatch is a match on a page.
type pageMatch struct {
	Field string `json:"field"`
	Text  string `json:"text"` // the line around it
}

// A fieldLine is a line of a page's field.
type fieldLine struct {
	content.TextLine
	field string
}

// place returns where a link begins in the line, in characters.
func (l fieldLine) place(link content.TextLink) int {
	return utf8.RuneCountInString(l.Text[:min(link.At, len(l.Text))])
}

// pageLines returns the lines of a page with their links: its rich text and
// StreamFields, its texts and related objects. A field x_html repeats the field x and
// is left out.
func (i apiObject) pageLines() []fieldLine {
	var lines []fieldLine
	for _, m := range i.members {
		if m.name == "show_in_menus" || m.name != "title" && slices.Contains(placedMembers, m.name) {
			continue // neither text nor links
		}
		if of, rendered := strings.CutSuffix(m.name, "_html"); rendered && i.get(of) != nil {
			continue
		}
		name := tools.Line(m.name)
		if read, ok := content.ReadField(m.value); ok {
			for _, line := range read.Lines() {
				lines = append(lines, fieldLine{line, name})
			}
			continue
		}
		if text := textOf(m.value); text != "" {
			for line := range strings.SplitSeq(text, "\n") {
				if line = tools.Line(line); line != "" {
					lines = append(lines, fieldLine{content.TextLine{Text: line, Links: addressIn(line)}, name})
				}
			}
			continue
		}
		if line := brief(m.value, i.reference()); line != "" {
			lines = append(lines, fieldLine{content.TextLine{Text: line, Links: relationLinks(m.value, i.reference(), 0)}, name})
		}
	}
	return lines
}

// addressIn returns a text that is nothing but a URL as a link.
func addressIn(text string) []content.TextLink {
	if strings.ContainsAny(text, " <>") || !strings.HasPrefix(text, "/") && !strings.Contains(text, "://") {
		return nil
	}
	return []content.TextLink{{To: text}}
}

// relationLinks returns the objects and URLs in a value that is no text.
func relationLinks(value json.RawMessage, owner objectRef, depth int) []content.TextLink {
	var links []content.TextLink
	if depth > deepest {
		return nil
	}
	if i, ok := related(value); ok {
		if i.reference().is(owner) {
			return nil
		}
		if kind, ok := kindOf(i); ok {
			links = append(links, content.TextLink{To: refAddress(content.Ref{Kind: kind, ID: i.ID})})
		}
		for _, m := range i.members {
			if !m.meta {
				links = append(links, relationLinks(m.value, owner, depth+1)...)
			}
		}
		return links
	}
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil {
		for _, value := range list {
			links = append(links, relationLinks(value, owner, depth+1)...)
		}
		return links
	}
	return addressIn(textOf(value))
}

// kindOf returns the kind of a related object in a reference.
func kindOf(i apiObject) (string, bool) {
	address := textOf(i.get("detail_url"))
	for kind, name := range singular {
		if strings.Contains(address, "/"+kind+"/") {
			return name, true
		}
	}
	return "", false
}

// refAddress returns a reference as the links of a text have it.
func refAddress(ref content.Ref) string { return fmt.Sprintf("wagtail:%s/%d", ref.Kind, ref.ID) }

// folded returns a text as it is searched for: without case and accents, one character for each
// of its own, so that a place in it is one in the text.
func folded(text string) []rune {
	line := []rune(tools.Line(norm.NFC.String(text)))
	for n, r := range line {
		if parts := []rune(norm.NFD.String(string(r))); len(parts) > 1 && unicode.Is(unicode.Mn, parts[1]) {
			r = parts[0]
		}
		line[n] = unicode.ToLower(r)
	}
	return line
}

// placeOf returns where a folded text begins in a line, in characters; -1 when the line does not
// have it.
func placeOf(line, wanted string) int {
	before, _, found := strings.Cut(string(folded(line)), wanted)
	if !found {
		return -1
	}
	return utf8.RuneCountInString(before)
}

// around returns a line cut to a few characters around a place in it.
func around(line string, at int) string {
	runes := []rune(tools.Line(norm.NFC.String(line)))
	start := max(0, min(at-contextWidth/3, len(runes)-contextWidth))
	end := min(len(runes), start+contextWidth)
	shown := strings.TrimSpace(string(runes[start:end]))
	if start > 0 {
		shown = "…" + shown
	}
	if end < len(runes) {
		shown += "…"
	}
	return shown
}
