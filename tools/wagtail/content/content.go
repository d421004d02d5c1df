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
//     be resolved to stands there as `wagtail:page/4`;
//   - text stays text: nothing in it becomes a heading, a link or a list;
//   - no input is an error or a panic, and no nesting is too deep; time and output
//     grow with the input, and not with its square.
package content

import (
	"encoding/json"
	"net/url"
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
}

// A Target is what a Ref resolves to. Either may be empty.
type Target struct {
	URL   string
	Title string
}

// A Resolver says what a Ref stands for, false when it is not known. A nil one
// knows nothing.
type Resolver = func(Ref) (Target, bool)

// Field returns the value of a page's field as Markdown, when it is rich text or a
// StreamField. Anything else, plain text among it, is not ok.
func Field(value json.RawMessage, resolve Resolver) (markdown string, ok bool) {
	if text, rich := richText(value); rich {
		return RichText(text, resolve), true
	}
	return StreamField(value, resolve)
}

// RichText returns HTML, in Wagtail's storage form or in any other, as Markdown.
func RichText(html string, resolve Resolver) string {
	return html
}

// StreamField returns the blocks of a StreamField as Markdown, false when the value
// is no StreamField: a list with at least one block, each with a type and a value.
func StreamField(blocks json.RawMessage, resolve Resolver) (string, bool) {
	return "", false
}

// Refs returns what a field's value refers to, in order, each once. What is no
// field for [Field] refers to nothing.
func Refs(value json.RawMessage) []Ref {
	return nil
}

// richText returns the HTML of a value that is rich text.
func richText(value json.RawMessage) (string, bool) {
	return "", false
}

// An Article is the main part of a page of the site.
type Article struct {
	Title    string // the first heading of the main part, else the page's title
	Markdown string

	// PasswordRequired is true for a page that asks for a password in place of
	// its content.
	PasswordRequired bool
}

// Page returns the main part of a page of the site. Its links are made absolute by
// the address that the page was read from.
func Page(page []byte, base *url.URL) (Article, error) {
	return Article{}, nil
}
