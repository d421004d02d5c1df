package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"html/template"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"issues-index/store/markdown"
	"issues-index/store/words"
	"issues-index/tools/sanitize"
)

// maxRawText is how much of a text is shown that is not rendered, in bytes.
const maxRawText = 1 << 20

// A renderedText is the text of a document as a page shows it.
type renderedText struct {
	HTML   template.HTML
	Raw    string // instead of HTML, for a text that would take too long to render
	Reason string // why
	Cut    bool   // Raw is not the whole text

	Ticking bool // its boxes are buttons of the form with the id tick
}

// render renders the Markdown of a document, which must not be costly. address returns where
// the page of a document is that the text names, "" when there is none. Raw HTML is kept as
// far as it is harmless. With ticking its boxes are buttons of the form with the id tick, which
// name them as edits do. Between steps that each take a part of a tenth of a second it looks
// whether anybody still waits, and returns the context's error when nobody does.
func render(ctx context.Context, body string, references []markdown.Reference, address func(markdown.Reference) string,
	ticking bool) (template.HTML, error) {
	source := []byte(body)
	tree := parse(source, headingIDs{})
	if err := ctx.Err(); err != nil {
		return "", err
	}
	linkDocuments(tree, references, address)
	var buttons *strings.Replacer
	if ticking {
		buttons = placeButtons(tree, body)
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	var out, clean bytes.Buffer
	if err := markdownRenderer().Renderer().Render(&out, source, tree); err != nil {
		return "", err
	}
	if err := sanitiser().Copy(&clean, &awaited{ctx, &out}); err != nil {
		return "", err
	}
	shown := focusable.Replace(clean.String())
	if ticking {
		shown = buttons.Replace(shown)
	}
	return template.HTML(sanitize.Closed(shown)), nil //nolint:gosec // it was sanitised
}

// parse parses the Markdown of a document, whose headings get ids.
func parse(source []byte, ids headingIDs) ast.Node {
	return markdownRenderer().Parser().Parse(text.NewReader(source),
		parser.WithContext(markdown.RenderContext(parser.WithIDs(ids))))
}

// awaited reads for as long as anybody waits for what becomes of it.
type awaited struct {
	ctx context.Context
	io.Reader
}

// Read ends with the context's error.
func (r *awaited) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// placeButtons has the boxes of a text rendered as marks that no text can contain, and
// returns what puts a button in the place of each. So the sanitiser need not let buttons
// through. A box that edits do not number, as one of two in a line, stays as it is.
func placeButtons(tree ast.Node, body string) *strings.Replacer {
	numbers := map[int]markdown.Box{} // by line
	twice := map[int]bool{}
	for _, box := range markdown.Boxes(body) {
		_, known := numbers[box.Line]
		twice[box.Line] = known
		numbers[box.Line] = box
	}
	secret := rand.Text()
	var pairs []string
	line, counted := 1, 0
	// which returns the function's error, and that has none
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		box, ok := n.(*extast.TaskCheckBox)
		if !ok || !entering || n.Parent() == nil || n.Parent().Lines().Len() == 0 {
			return ast.WalkContinue, nil
		}
		start := n.Parent().Lines().At(0).Start
		if start < counted { // texts are walked in their order; this is for those that are not
			line, counted = 1, 0
		}
		line, counted = line+strings.Count(body[counted:start], "\n"), start
		at, ok := numbers[line]
		if !ok || twice[line] || at.Checked != box.IsChecked {
			return ast.WalkContinue, nil
		}
		mark := "box" + secret + strconv.Itoa(len(pairs)) + "."
		n.SetAttributeString("mark", mark)
		name, checked := "check", "false"
		if at.Checked {
			name, checked = "uncheck", "true"
		}
		number := strconv.Itoa(at.N)
		pairs = append(pairs, mark, `<button class="box" form="tick" name="`+name+`" value="`+number+
			`" role="checkbox" aria-checked="`+checked+`" aria-label="box `+number+`"></button>`)
		return ast.WalkContinue, nil
	})
	return strings.NewReplacer(pairs...)
}

// focusable lets what may be wider than the page be scrolled with the keyboard. The sanitiser
// leaves no attribute on these elements, and no such text elsewhere.
var focusable = strings.NewReplacer("<pre>", `<pre tabindex="0">`, "<table>", `<table tabindex="0">`)

// markdownRenderer renders GitHub's Markdown. It writes raw HTML out, so that its result has
// to be sanitised.
var markdownRenderer = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify, extension.TaskList),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(html.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(boxRenderer{}, 1))),
	)
})

// sanitiser keeps what the text of a document may have on a page: no script, style, form or
// image, and links to pages and addresses only. What reads the page must be able to tell the
// text from the page around it, so that no class, style or data attribute stays, and ids
// only on headings.
var sanitiser = sync.OnceValue(func() *sanitize.Policy {
	empty := sanitize.Matching(`^$`)
	number := sanitize.Matching(`^[1-9][0-9]?$`)
	cell := sanitize.Attributes{
		"align":   sanitize.Matching(`^(left|center|right)$`),
		"colspan": number,
		"rowspan": number,
	}
	elements := map[string]sanitize.Attributes{
		"a":       {"href": sanitize.Address},
		"details": {"open": empty},
		"input": {
			"type":       sanitize.Matching(`^checkbox$`),
			"disabled":   empty,
			"checked":    empty,
			"aria-label": sanitize.Matching(`^box [0-9]{1,7}$`),
		},
		"ol": {"start": sanitize.Matching(`^[0-9]{1,9}$`)},
		"td": cell,
		"th": cell,
	}
	for name := range strings.FieldsSeq("p br hr blockquote pre code kbd samp var em strong b i u s del ins sub sup " +
		"mark small abbr q cite ul li dl dt dd table caption thead tbody tfoot tr summary") {
		elements[name] = nil
	}
	heading := sanitize.Attributes{"id": sanitize.Matching(`^h-[\p{L}\p{N}_-]{1,200}$`)}
	for name := range strings.FieldsSeq("h1 h2 h3 h4 h5 h6") {
		elements[name] = heading
	}
	return &sanitize.Policy{
		Elements:    elements,
		Incomplete:  map[string]bool{"a": true, "input": true},
		WithContent: sanitize.Unseen(),
		Unfollowed:  true,
	}
})

// headingIDs are the ids of the headings of one text, each with the last number that was tried
// for a heading of the same text. All begin with h-, so that they are none of the page's own.
type headingIDs map[string]int

// Generate is the id of a heading.
func (h headingIDs) Generate(value []byte, _ ast.NodeKind) []byte {
	const most = 100 // bytes
	base := "h-" + words.CutBytes(slug(string(value)), most)
	id := base
	for h[id] > 0 { // each number of a text is tried once
		h[base]++
		id = base + "-" + strconv.Itoa(h[base])
	}
	h[id] = 1
	return []byte(id)
}

// Put remembers an id that a text gives a heading itself.
func (h headingIDs) Put(value []byte) { h[string(value)] = max(h[string(value)], 1) }

// boxRenderer renders the boxes of task lists with a name for those who do not see them.
type boxRenderer struct{}

// RegisterFuncs is called by goldmark.
func (boxRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(extast.KindTaskCheckBox, func(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus,
		error) {
		box, ok := node.(*extast.TaskCheckBox)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		if mark, ok := node.AttributeString("mark"); ok {
			text, _ := mark.(string)
			_, err := w.WriteString(text + " ")
			return ast.WalkContinue, err
		}
		checked := ""
		if box.IsChecked {
			checked = ` checked=""`
		}
		number, _ := node.AttributeString("number")
		label, _ := number.(string)
		_, err := w.WriteString(`<input type="checkbox" disabled=""` + checked + ` aria-label="box ` + label + `"> `)
		return ast.WalkContinue, err
	})
}
