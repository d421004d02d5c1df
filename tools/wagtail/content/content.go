// Package content turns what a Wagtail site holds into Markdown: rich text in
// Wagtail's storage form, StreamFields of any shape, and the pages of the site
// itself.
//
// It knows nothing about HTTP, about the API or about MCP: it is functions over
// HTML and JSON. Its invariants:
//
//   - nothing that it returns has a script, a frame, a form, an event handler or a
//     link that is more than an address: as Markdown and as the HTML of it;
//   - no text that a reader of the site sees is lost, and what a reference cannot
//     be resolved to stands there as `wagtail:page/4`, and where it was only guessed
//     that a number refers to something, as that number;
//   - text stays text: nothing in it becomes a heading, a link or a list;
//   - no input is an error or a panic, and no nesting is too deep; time and output
//     grow with the input, and not with its square.
package content

import (
	"encoding/json"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"issues-index/store/pattern"
)

// The kinds of a [Ref].
const (
	KindPage     = "page"
	KindImage    = "image"
	KindDocument = "document"
)

// A Ref is what content refers to by its id alone.
type Ref struct {
	Kind string // KindPage, KindImage or KindDocument
	ID   int
	// Guess is true where only the name of a field suggests that its number is an id.
	Guess bool
}

// A Target is what a Ref resolves to. Either may be empty.
type Target struct {
	URL   string
	Title string
}

// A Resolver says what a Ref stands for, false when it is not known. A nil one
// knows nothing.
type Resolver = func(Ref) (Target, bool)

// A Field is the value of a page's field that is rich text or a StreamField, read
// once to be asked several things.
type Field struct{ tree *html.Node }

// ReadField reads the value of a page's field. Anything other than rich text and
// StreamFields, plain text among it, is not ok.
func ReadField(value json.RawMessage) (Field, bool) {
	var source string
	if err := json.Unmarshal(value, &source); err == nil {
		if !isHTML(source) {
			return Field{}, false
		}
		return Field{parse(source)}, true
	}
	tree, ok := streamTree(value)
	return Field{tree}, ok
}

// Markdown returns the field as Markdown.
func (f Field) Markdown(resolve Resolver) string { return write(f.tree, resolve, nil) }

// RichText returns HTML, in Wagtail's storage form or in any other, as Markdown.
func RichText(source string, resolve Resolver) string {
	return write(parse(source), resolve, nil)
}

// Text returns plain text as Markdown that says just that, its paragraphs and lines
// kept.
func Text(plain string) string {
	tree := element("div")
	appendPlain(tree, plain)
	return write(tree, nil, nil)
}

// StreamField returns the blocks of a StreamField as Markdown, false when the value
// is no StreamField: a list with at least one block, each with a type and a value.
func StreamField(blocks json.RawMessage, resolve Resolver) (string, bool) {
	tree, ok := streamTree(blocks)
	if !ok {
		return "", false
	}
	return write(tree, resolve, nil), true
}

// Refs returns what the field refers to, in order, each once.
func (f Field) Refs() []Ref {
	var refs []Ref
	seen := make(map[Ref]bool)
	clean(f.tree, func(r Ref) (Target, bool) {
		if !seen[r] {
			seen[r] = true
			refs = append(refs, r)
		}
		return Target{}, false
	}, nil)
	return refs
}

// tagged is how HTML that begins with an element begins.
var tagged = pattern.Lazy(`^\s*<([a-zA-Z][a-zA-Z0-9]*)[\s/>]`)

// isHTML tells HTML from plain text that may speak of it.
func isHTML(s string) bool {
	if strings.Contains(s, "data-block-key=") {
		return true
	}
	found := tagged().FindStringSubmatch(s)
	if len(found) < 2 || !strings.HasSuffix(strings.TrimRight(s[len(found[0]):], "\t\n\f\r "), ">") {
		return false // it does not end with one
	}
	return atom.Lookup([]byte(strings.ToLower(found[1]))) != 0
}
