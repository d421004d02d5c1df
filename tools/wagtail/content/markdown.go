package content

import (
	"bytes"
	"strings"
	"sync"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/marker"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

// writer writes clean trees whose text is escaped: only the escaper knows what is text.
// Links, pictures and quotes have renderers of their own: the converter does not escape
// addresses and descriptions, nor prefix lines of code inside a quote.
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

// markdown writes a clean tree.
func markdown(tree *html.Node) string {
	s := escaper{lineStart: true}
	s.children(tree, textContext{})
	out, err := writer().ConvertNode(tree)
	if err != nil { // plugins that contradict each other
		return content(tree)
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
	to := attribute(n, "href")
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

// unescaped undoes escape for the characters of addresses.
func unescaped(text string) string {
	return strings.NewReplacer(`\_`, "_", `\~`, "~", `\*`, "*", `\#`, "#", `\!`, "!", `\&`, "&").Replace(strings.TrimSpace(text))
}

func writeImage(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	alt := escape(strings.TrimSpace(collapse(printable(attribute(n, "alt")))), textContext{link: true, cell: true})
	return wrote(w, "![", alt, "](", attribute(n, "src"), titleOf(n), ")")
}

// titleOf returns the title of a link or picture as Markdown has it after the address.
func titleOf(n *html.Node) string {
	if title := attribute(n, "title"); title != "" {
		return ` "` + title + `"`
	}
	return ""
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
