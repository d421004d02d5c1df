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

// folded returns a text as [foldedIndex] searches for it.
func folded(text string) string {
	wanted, _ := fold(text)
	return wanted
}

// foldedIndex returns where a folded text begins in a line, in bytes; -1 when the line does
// not have it. Case, accents and the width of blanks make no difference.
func foldedIndex(line, wanted string) int {
	shown, places := fold(line)
	if at := strings.Index(shown, wanted); at >= 0 {
		return places[at]
	}
	return -1
}

// fold returns a text without case and accents, and the position that each of its
// bytes comes from.
func fold(text string) (folded string, places []int) {
	var b strings.Builder
	places = make([]int, 0, len(text))
	blank := true
	for at, r := range text {
		if unicode.IsSpace(r) {
			if !blank {
				b.WriteByte(' ')
				places = append(places, at)
			}
			blank = true
			continue
		}
		blank = false
		letters := string(unicode.ToLower(r))
		if r >= utf8.RuneSelf {
			letters = strings.Map(func(r rune) rune {
				if unicode.Is(unicode.Mn, r) {
					return -1
				}
				return unicode.ToLower(r)
			}, norm.NFD.String(string(r)))
		}
		b.WriteString(letters)
		for range len(letters) {
			places = append(places, at)
		}
	}
	return strings.TrimSuffix(b.String(), " "), places
}

// around returns a line cut to a few characters around a byte.
func around(line string, at int) string {
	line = tools.Line(line)
	if utf8.RuneCountInString(line) <= contextWidth {
		return line
	}
	before := []rune(line[:min(at, len(line))])
	runes := []rune(line)
	start := max(0, min(len(before)-contextWidth/3, len(runes)-contextWidth))
	shown := strings.TrimSpace(string(runes[start:min(len(runes), start+contextWidth)]))
	if start > 0 {
		shown = "…" + shown
	}
	if start+contextWidth < len(runes) {
		shown += "…"
	}
	return shown
}
