// Package content turns the content of a Wagtail site into Markdown: rich text in
// Wagtail's storage form, StreamFields of any shape, and the site's own web pages.
//
// It knows nothing about HTTP, the API or MCP: it is functions over HTML and JSON.
// StreamFields become HTML (stream.go), HTML is sanitized and parsed (html.go), made into a
// tree that has a form in Markdown (clean.go, link.go, table.go), and written (markdown.go).
// Its invariants:
//
//   - no result has a script, a frame, a form, an event handler or a link that is more
//     than an address, neither as Markdown nor as the HTML made of it;
//   - no text that a reader of the site sees is lost; a reference that cannot be
//     resolved is shown as `wagtail:page/4`, and a number that may be a reference as
//     that number;
//   - text stays text: nothing in it becomes a heading, a link or a list;
//   - no input causes an error or a panic; time and output grow with the input, not
//     with its square.
package content

import (
	"encoding/json"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// The kinds of a [Ref].
const (
	KindPage     = "page"
	KindImage    = "image"
	KindDocument = "document"
)

// A Ref is a reference to an object of the site by its id.
type Ref struct {
	Kind string // KindPage, KindImage or KindDocument
	ID   int
}

// A Target is the object that a Ref resolves to. Either field may be empty.
type Target struct {
	URL   string
	Title string
}

// A Resolver returns the target of a Ref, false when it is not known. A nil Resolver
// knows none.
type Resolver = func(Ref) (Target, bool)

// A RichText is the value of a page's field that is rich text or a StreamField.
type RichText struct {
	source string // sanitized HTML
}

// ReadField reads the value of a page's field. It reports false for anything other than
// rich text and StreamFields, including plain text.
func ReadField(value json.RawMessage) (RichText, bool) {
	var source string
	if json.Unmarshal(value, &source) == nil {
		if !isHTML(source) {
			return RichText{}, false
		}
		return RichText{sanitized(source)}, true
	}
	blocks, ok := stream(value)
	var b strings.Builder
	for _, block := range blocks {
		b.WriteString(block.html(0))
	}
	return RichText{b.String()}, ok
}

// Markdown returns the field as Markdown.
func (f RichText) Markdown(resolve Resolver) string { return write(parse(f.source), resolve, nil) }

// Refs returns the references in the field, in order, each once.
func (f RichText) Refs() []Ref {
	var refs []Ref
	seen := make(map[Ref]bool)
	clean(parse(f.source), func(r Ref) (Target, bool) {
		if !seen[r] {
			seen[r] = true
			refs = append(refs, r)
		}
		return Target{}, false
	}, nil)
	return refs
}

// Text returns plain text as Markdown that reads the same, with its paragraphs and lines.
func Text(plain string) string { return write(parse(plainHTML(plain)), nil, nil) }

// write returns a tree as Markdown.
func write(tree *html.Node, resolve Resolver, base *url.URL) string {
	return markdown(clean(tree, resolve, base))
}
