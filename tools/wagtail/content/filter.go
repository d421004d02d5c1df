package content

import (
	"strings"

	"golang.org/x/net/html"
)

// maxOpen is how many elements may be open at a time, of those that nest. The
// parser gives up at 512 of any.
const maxOpen = 100

// silent are elements whose content no reader sees as text.
var silent = set("applet", "canvas", "datalist", "iframe", "math", "noembed", "noframes", "noscript", "object",
	"script", "select", "style", "svg", "template", "textarea", "title")

// players show what is at their address.
var players = set("audio", "iframe", "source", "video")

// kept are elements that mean something to the tree that is made of the HTML.
var kept = set("a", "address", "article", "aside", "b", "blockquote", "body", "br", "caption", "code", "dd", "del", "details",
	"div", "dl", "dt", "em", "embed", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
	"header", "hgroup", "hr", "html", "i", "img", "input", "kbd", "li", "main", "menu", "nav", "ol", "p", "pre", "q", "s",
	"samp", "section", "strike", "strong", "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "tt", "ul",
	"var")

// unending are elements that may be open without an end in sound HTML.
var unending = set("body", "br", "dd", "dt", "embed", "hr", "html", "img", "input", "li", "p", "tbody", "td", "tfoot",
	"th", "thead", "tr")

// apart is what the words of elements that are not kept are set apart by.
var apart = map[string]string{"button": " ", "label": " ", "legend": " ", "option": " "}

// attributes are those that are kept, by element; "" is any.
var attributes = map[string]map[string]bool{
	"":      set("hidden", "role"),
	"a":     set("aria-label", "href", "id", "linktype", "title"),
	"code":  set("class"),
	"embed": set("alt", "embedtype", "id", "src", "title", "url"),
	"img":   set("alt", "src", "title"),
	"input": set("name", "type"),
	"ol":    set("start"),
	"pre":   set("class"),
	"td":    set("colspan", "rowspan"),
	"th":    set("colspan", "rowspan"),
}

// set makes a set of names.
func set(names ...string) map[string]bool {
	s := make(map[string]bool, len(names))
	for _, name := range names {
		s[name] = true
	}
	return s
}

// A filter writes the elements that mean something, with the attributes that do,
// and the text between them. What the parser makes of that is bounded: it nests
// no deeper than maxOpen, and no paragraph repeats formatting that was left open
// under hundreds of attributes.
type filter struct {
	out   strings.Builder
	title strings.Builder // of the document

	open  map[string]int // of each element that nests
	depth int            // their sum

	seen     map[string]bool // silent elements that never end, and so are not
	skipping string          // the silent element that is being left out, "" for none
	inside   int             // how many of that name are open
	titled   bool            // the document's title was begun
}

// filtered returns the HTML without what nobody sees, and the document's title.
func filtered(source string) (clean, title string) {
	seen := make(map[string]bool)
	for {
		f := filter{open: make(map[string]int), seen: seen}
		z := html.NewTokenizer(strings.NewReader(source))
		for z.Next() != html.ErrorToken {
			f.token(z.Token())
		}
		if f.skipping == "" {
			return f.out.String(), strings.Join(strings.Fields(f.title.String()), " ")
		}
		seen[f.skipping] = true
	}
}

func (f *filter) token(t html.Token) {
	switch {
	case f.skipping != "":
		f.skip(t)
	case t.Type == html.TextToken:
		f.out.WriteString(html.EscapeString(t.Data))
	case t.Type == html.StartTagToken, t.Type == html.SelfClosingTagToken:
		f.start(t)
	case t.Type == html.EndTagToken:
		f.end(t.Data)
	}
}

// skip leaves out what is in a silent element.
func (f *filter) skip(t html.Token) {
	switch {
	case t.Type == html.TextToken && f.skipping == "title" && !f.titled:
		f.title.WriteString(t.Data)
		f.titled = true
	case t.Type == html.StartTagToken && t.Data == f.skipping:
		f.inside++
	case t.Type == html.EndTagToken && t.Data == f.skipping:
		if f.inside--; f.inside == 0 {
			f.skipping = ""
		}
	}
}

func (f *filter) start(t html.Token) {
	name := t.Data
	if players[name] {
		f.write("embed", append(t.Attr, html.Attribute{Key: "embedtype", Val: "media"}))
	}
	switch {
	case silent[name] && !f.seen[name]:
		if t.Type == html.StartTagToken {
			f.skipping, f.inside = name, 1
		}
	case !kept[name]:
		f.out.WriteString(apart[name])
	case unending[name]:
		f.write(name, t.Attr)
	case f.depth < maxOpen:
		f.open[name]++
		f.depth++
		f.write(name, t.Attr)
	}
}

func (f *filter) end(name string) {
	switch {
	case !kept[name]:
		f.out.WriteString(apart[name])
		return
	case !unending[name]:
		if f.open[name] == 0 {
			return
		}
		f.open[name]--
		f.depth--
	}
	f.out.WriteString("</" + name + ">")
}

func (f *filter) write(name string, given []html.Attribute) {
	t := html.Token{Type: html.StartTagToken, Data: name}
	for _, a := range given {
		if attributes[""][a.Key] || attributes[name][a.Key] {
			t.Attr = append(t.Attr, html.Attribute{Key: a.Key, Val: a.Val})
		}
	}
	f.out.WriteString(t.String())
}
