package content

import (
	"bytes"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	renderer "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"

	"issues-index/store/pattern"
)

// appendText writes text: HTML as such, and else paragraphs and lines as they are.
func appendText(out *html.Node, s string) {
	if isHTML(s) {
		out.AppendChild(parse(s))
		return
	}
	appendPlain(out, s)
}

// appendPlain writes text that is no HTML, whatever it looks like.
func appendPlain(out *html.Node, s string) {
	for _, paragraph := range paragraphs().Split(strings.TrimSpace(s), -1) {
		p := wrap(out, "p")
		for i, l := range strings.Split(paragraph, "\n") {
			if i > 0 {
				p.AppendChild(element("br"))
			}
			p.AppendChild(line(l))
		}
	}
}

// maxMarkdown bounds the Markdown that is read as such, in bytes: of some input the
// reader takes time that grows with its square.
const maxMarkdown = 64 << 10

var markdownReader = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough), goldmark.WithRendererOptions(renderer.WithUnsafe()))
})

// appendMarkdown writes what is Markdown on the site, too: by way of its HTML, so
// that nothing is in it that would not be in any other text.
func appendMarkdown(out *html.Node, s string) {
	var shown bytes.Buffer
	if len(s) > maxMarkdown || markdownReader().Convert([]byte(s), &shown) != nil {
		appendPlain(out, s)
		return
	}
	out.AppendChild(parse(shown.String()))
}

var (
	paragraphs = pattern.Lazy(`\n[ \t\r]*\n\s*`)
	webAddress = pattern.Lazy(`^\s*https?://\S+\s*$`)
)

// line is a line of text, a link when it is the address of one.
func line(s string) *html.Node {
	if webAddress().MatchString(s) {
		a := withAttributes("a", "href", strings.TrimSpace(s))
		a.AppendChild(text(strings.TrimSpace(s)))
		return a
	}
	return text(s)
}
