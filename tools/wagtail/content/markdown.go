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

	"issues-index/store/pattern"
	"issues-index/store/words"
)

// The marks of the converter: before a character that may need an escape, and for a new line in
// a block of code.
const (
	mark     = string(marker.MarkerEscaping)
	codeLine = string(marker.MarkerCodeBlockNewline)
)

// writer writes clean trees. Links, pictures and quotes have renderers of their own: the
// converter changes addresses, and escapes neither descriptions nor the first character of a
// line inside a quote.
var writer = sync.OnceValue(func() *converter.Converter {
	w := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false), commonmark.WithHorizontalRule("---")),
		strikethrough.NewStrikethroughPlugin(),
		table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal)),
	))
	w.Register.RendererFor("a", converter.TagTypeInline, writeLink, converter.PriorityEarly)
	w.Register.RendererFor("img", converter.TagTypeInline, writeImage, converter.PriorityEarly)
	w.Register.RendererFor("blockquote", converter.TagTypeBlock, writeQuote, converter.PriorityEarly)
	w.Register.RendererFor("td", converter.TagTypeBlock, writeCell, converter.PriorityEarly)
	w.Register.RendererFor("th", converter.TagTypeBlock, writeCell, converter.PriorityEarly)
	w.Register.EscapedChar('<', ':')
	w.Register.TextTransformer(keepEntities, converter.PriorityEarly)
	w.Register.TextTransformer(keepBrackets, converter.PriorityStandard+1)
	w.Register.UnEscaper(alsoEscaped, converter.PriorityEarly)
	return w
})

// markdown writes a clean tree.
func markdown(tree *html.Node) string {
	out, err := writer().ConvertNode(tree)
	if err != nil { // plugins that contradict each other
		return content(tree)
	}
	return string(out)
}

// keepEntities keeps text that looks like an entity as it is.
func keepEntities(_ converter.Context, text string) string {
	return entity().ReplaceAllString(text, "&amp;$1;")
}

// brackets undoes the entities that the converter writes, which agents would have to decode.
var brackets = strings.NewReplacer("&lt;", mark+"<", "&gt;", mark+">")

// inWords matches an underscore inside a word, which has no meaning in Markdown.
var inWords = pattern.Lazy(`([0-9A-Za-z])` + mark + `_([0-9A-Za-z])`)

func keepBrackets(_ converter.Context, text string) string {
	text = brackets.Replace(text)
	if !strings.Contains(text, mark+"_") { // the expression would be a quarter of all the work
		return text
	}
	return inWords().ReplaceAllString(text, "${1}_$2")
}

// alsoEscaped reports by 1 that a character of a text needs an escape where the converter
// would leave it out, or would read on to the end of the line to know.
func alsoEscaped(chars []byte, at int) int {
	after := bytes.TrimLeft(chars[at+1:min(at+3, len(chars))], mark)
	switch chars[at] {
	case '[':
		return 1
	case '<':
		if len(after) > 0 && after[0] != ' ' && after[0] != '\n' {
			return 1
		}
	case ':', '|':
		line := bytes.TrimRight(chars[:at], " "+mark)
		if len(line) == 0 || line[len(line)-1] == '\n' {
			return 1
		}
	}
	return -1
}

func wrote(w converter.Writer, texts ...string) converter.RenderStatus {
	for _, t := range texts {
		_, _ = w.WriteString(t)
	}
	return converter.RenderSuccess
}

// inside returns the content of an element.
func inside(ctx converter.Context, n *html.Node) string {
	var b bytes.Buffer
	ctx.RenderChildNodes(ctx, &b, n)
	return b.String()
}

func writeLink(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	to, title := attribute(n, "href"), attribute(n, "title")
	if content(n) == to && title == "" && strings.HasPrefix(to, "http") && !entity().MatchString(to) {
		return wrote(w, "<", to, ">")
	}
	label := inside(ctx.WithValue("is_inside_link", true), n) // as the converter's own renderer says
	shown := strings.TrimSpace(label)
	before, after, _ := strings.Cut(label, shown)
	return wrote(w, before, "[", lineEnds().ReplaceAllString(shown, " "), "](", to, title, ")", after)
}

func writeImage(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	alt := string(ctx.EscapeContent([]byte(keepEntities(ctx, words.OneLine(printable(attribute(n, "alt")))))))
	return wrote(w, "![", strings.ReplaceAll(alt, mark+"]", `\]`), "](", attribute(n, "src"), attribute(n, "title"), ")")
}

var blankLines = pattern.Lazy(`\n{3,}`)

func writeQuote(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	text := string(ctx.UnEscapeContent([]byte(strings.TrimSpace(inside(ctx, n)))))
	if text == "" {
		return converter.RenderSuccess
	}
	text = blankLines().ReplaceAllString(text, "\n\n")
	text = strings.NewReplacer("\n", "\n> ", codeLine, codeLine+"> ").Replace(text)
	return wrote(w, "\n\n> ", text, "\n\n")
}

var (
	lineEnds = pattern.Lazy(`\s*\n\s*`)
	pipes    = strings.NewReplacer(mark+"|", `\|`, "|", `\|`)
)

func writeCell(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	return wrote(w, lineEnds().ReplaceAllString(pipes.Replace(strings.TrimSpace(inside(ctx, n))), "<br>"))
}
