package content

import (
	"bytes"
	"net/url"
	"strings"
	"sync"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/marker"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// writer writes clean trees. Text is escaped before, for only there is it known
// what is text; links and pictures are written by us, for their addresses and
// descriptions are not escaped by the converter, nor are lines of code in a quote
// marked as the quote's.
var writer = sync.OnceValue(newWriter)

func newWriter() *converter.Converter {
	w := converter.NewConverter(
		converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(
			base.NewBasePlugin(),
			commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false), commonmark.WithHorizontalRule("---")),
			strikethrough.NewStrikethroughPlugin(),
			table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal)),
		),
	)
	w.Register.RendererFor("a", converter.TagTypeInline, writeLink, converter.PriorityEarly)
	w.Register.RendererFor("img", converter.TagTypeInline, writeImage, converter.PriorityEarly)
	w.Register.RendererFor("blockquote", converter.TagTypeBlock, writeQuote, converter.PriorityEarly)
	w.Register.RendererFor(cellBreak, converter.TagTypeInline, func(_ converter.Context, w converter.Writer, _ *html.Node) converter.RenderStatus {
		return wrote(w, "<br>")
	}, converter.PriorityEarly)
	return w
}

// parse returns the tree of a piece of HTML.
func parse(source string) *html.Node {
	root := element("div")
	filtered, _ := filtered(source)
	nodes, err := html.ParseFragment(strings.NewReader(filtered), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil { // nested too deep even so: its text is what is left
		nodes = []*html.Node{text(plain(filtered))}
	}
	for _, n := range nodes {
		root.AppendChild(n)
	}
	return root
}

// plain is the text of HTML without its elements.
func plain(source string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(source))
	for z.Next() != html.ErrorToken {
		if t := z.Token(); t.Type == html.TextToken {
			b.WriteString(t.Data)
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// write returns a tree as Markdown.
func write(tree *html.Node, resolve Resolver, base *url.URL) string {
	out, err := writer().ConvertNode(clean(tree, resolve, base))
	if err != nil { // of plugins that do not go together
		return escape(collapse(printable(content(tree))), spot{start: true})
	}
	return brackets.Replace(strings.TrimSpace(string(out)))
}

func wrote(w converter.Writer, texts ...string) converter.RenderStatus {
	for _, t := range texts {
		_, _ = w.WriteString(t)
	}
	return converter.RenderSuccess
}

func writeLink(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	to, _ := attribute(n, "href")
	title := titleOf(n)
	if label := n.FirstChild; label != nil && label.NextSibling == nil && label.Type == html.TextNode && title == "" &&
		strings.HasPrefix(to, "http") && !entity().MatchString(to) && unescaped(label.Data) == to {
		return wrote(w, string(less), to, string(greater))
	}
	var label bytes.Buffer
	ctx.RenderChildNodes(ctx, &label, n)
	shown := strings.TrimSpace(label.String())
	before, after, _ := strings.Cut(label.String(), shown)
	return wrote(w, before, "[", shown, "](", to, title, ")", after)
}

// unescaped undoes escape for the characters that addresses have.
func unescaped(text string) string {
	return strings.NewReplacer(`\_`, "_", `\~`, "~", `\*`, "*", `\#`, "#", `\!`, "!", `\&`, "&").Replace(strings.TrimSpace(text))
}

func writeImage(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	src, _ := attribute(n, "src")
	alt, _ := attribute(n, "alt")
	shown := escape(strings.TrimSpace(collapse(printable(alt))), spot{link: true, cell: true})
	return wrote(w, "![", shown, "](", src, titleOf(n), ")")
}

// titleOf is the title of a link or picture as it stands behind its address.
func titleOf(n *html.Node) string {
	title, ok := attribute(n, "title")
	if !ok {
		return ""
	}
	return ` "` + title + `"`
}

func writeQuote(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	var quoted bytes.Buffer
	ctx.RenderChildNodes(ctx, &quoted, n)
	code := string(marker.MarkerCodeBlockNewline)
	text := strings.TrimSpace(quoted.String())
	if text == "" {
		return converter.RenderSuccess
	}
	for strings.Contains(text, "\n\n\n") {
		text = strings.ReplaceAll(text, "\n\n\n", "\n\n")
	}
	text = strings.NewReplacer("\n", "\n> ", code, code+"> ").Replace(text)
	return wrote(w, "\n\n> ", text, "\n\n")
}
