package content

import (
	"encoding/json"
	"strings"

	"golang.org/x/net/html"

	"issues-index/store/pattern"
)

// maxNesting is how deep blocks are shown as such. What is deeper stands there as
// JSON.
const maxNesting = 12

// A block is one of a StreamField, or a field of a StructBlock, by its name.
type block struct {
	Type  string
	Value json.RawMessage
}

// streamTree returns the tree of a StreamField.
func streamTree(value json.RawMessage) (*html.Node, bool) {
	blocks, ok := stream(value)
	if !ok {
		return nil, false
	}
	tree := element("div")
	for _, b := range blocks {
		b.write(tree, 0)
	}
	return tree, true
}

// stream reads the blocks of a StreamField, or of a StreamBlock in one.
func stream(value json.RawMessage) ([]block, bool) {
	items, ok := list(value)
	if !ok || len(items) == 0 {
		return nil, false
	}
	blocks := make([]block, len(items))
	for i, item := range items {
		fields, ok := object(item)
		if !ok {
			return nil, false
		}
		found := 0
		for _, f := range fields {
			switch f.Type {
			case "type":
				if json.Unmarshal(f.Value, &blocks[i].Type) == nil {
					found++
				}
			case "value":
				blocks[i].Value = f.Value
				found++
			case "id":
			default:
				return nil, false
			}
		}
		if found != 2 {
			return nil, false
		}
	}
	return blocks, true
}

var (
	headingName = pattern.Lazy(`(?i)^(?:(h[1-6])|(sub_?-?)?(heading|title|header|headline))$`)
	textName    = pattern.Lazy(`(?i)^(?:.*_)?(?:paragraph|text|rich_?text|body|content|html|intro|introduction|p)$`)
	quoteName   = pattern.Lazy(`(?i)^(?:.*_)?(?:block_?quote|quote|quotation|pull_?quote)$`)
	mdName      = pattern.Lazy(`(?i)^(?:.*_)?markdown$`)
	codeName    = pattern.Lazy(`(?i)^(?:.*_)?(?:code|source_code|snippet)$`)
	// choosers are blocks whose value is the id of something, by the last word of
	// their name: nothing else tells.
	choosers = map[string]string{
		"page": KindPage, "image": KindImage, "photo": KindImage, "picture": KindImage, "document": KindDocument,
	}
	// perhapsChoosers are names that choosers often have, and other numbers
	// sometimes.
	perhapsChoosers = map[string]string{
		"link": KindPage, "related": KindPage, "target": KindPage, "destination": KindPage, "article": KindPage, "post": KindPage,
		"gallery": KindImage, "gallerie": KindImage, "slide": KindImage, "slideshow": KindImage, "carousel": KindImage,
		"thumbnail": KindImage, "logo": KindImage, "banner": KindImage, "icon": KindImage, "avatar": KindImage,
		"portrait": KindImage, "cover": KindImage, "background": KindImage, "illustration": KindImage, "poster": KindImage,
		"download": KindDocument, "attachment": KindDocument, "file": KindDocument, "pdf": KindDocument, "brochure": KindDocument,
	}
	// chooserTails are last words of a name that say no more than that there is an id.
	chooserTails = set("id", "chooser", "list", "item")
)

// write writes a block of a stream: what is text or a picture as it is, anything
// else with its name before it.
func (b block) write(out *html.Node, depth int) {
	if s, ok := textOf(b.Value); ok {
		switch {
		case headingName().MatchString(b.Type) && !isHTML(s):
			wrap(out, headingLevel(b.Type)).AppendChild(text(s))
			return
		case quoteName().MatchString(b.Type):
			appendText(wrap(out, "blockquote"), s)
			return
		case codeName().MatchString(b.Type):
			code(out, "", s)
			return
		case mdName().MatchString(b.Type):
			appendMarkdown(out, s)
			return
		case textName().MatchString(b.Type), isHTML(s):
			appendText(out, s)
			return
		}
	}
	if b.special(out) {
		return
	}
	if kind, id, ok := b.chosen(choosers); ok {
		wrap(out, "p").AppendChild(reference(kind, id))
		return
	}
	b.named(out, depth)
}

// named writes a value with its name before it.
func (b block) named(out *html.Node, depth int) {
	if empty(b.Value) {
		return
	}
	label := wrap(out, "p")
	label.AppendChild(text(b.Type + ":"))
	if nodes, ok := b.inline(); ok {
		label.AppendChild(text(" "))
		for _, n := range nodes {
			label.AppendChild(n)
		}
		return
	}
	value(out, b.Type, b.Value, depth+1)
}

// inline returns a value that takes no more than a line.
func (b block) inline() ([]*html.Node, bool) {
	if kind, id, ok := b.chosen(choosers); ok {
		n := reference(kind, id)
		n.Attr = append(n.Attr, html.Attribute{Key: numbered, Val: id})
		return []*html.Node{n}, true
	}
	if kind, id, ok := b.chosen(perhapsChoosers); ok {
		return []*html.Node{withAttributes(guessed, "kind", kind, "id", id)}, true
	}
	if s, ok := textOf(b.Value); ok {
		if isHTML(s) {
			return single(parse(s))
		}
		if strings.Contains(strings.TrimSpace(s), "\n") || codeName().MatchString(b.Type) {
			return nil, false
		}
		return []*html.Node{line(s)}, true
	}
	if first := b.Value[0]; first == '{' || first == '[' {
		return nil, false
	}
	return []*html.Node{text(string(b.Value))}, true
}

// single returns what is in the one paragraph that a tree has.
func single(tree *html.Node) ([]*html.Node, bool) {
	p := tree.FirstChild
	if p == nil || p.NextSibling != nil || p.Data != "p" || p.FirstChild == nil {
		return nil, false
	}
	span := element("span")
	for child := p.FirstChild; child != nil; child = p.FirstChild {
		p.RemoveChild(child)
		span.AppendChild(child)
	}
	return []*html.Node{span}, true
}

// value writes a value of any shape.
func value(out *html.Node, name string, raw json.RawMessage, depth int) {
	if depth > maxNesting {
		code(out, "json", compact(raw))
		return
	}
	if s, ok := textOf(raw); ok {
		if codeName().MatchString(name) {
			code(out, "", s)
		} else {
			appendText(out, s)
		}
		return
	}
	if (block{name, raw}).special(out) {
		return
	}
	if blocks, ok := stream(raw); ok {
		for _, b := range blocks {
			b.write(out, depth+1)
		}
		return
	}
	if items, ok := list(raw); ok {
		ul := wrap(out, "ul")
		for _, item := range items {
			b := block{strings.TrimSuffix(name, "s"), item}
			li := wrap(ul, "li")
			if empty(item) {
				li.AppendChild(text(string(item)))
			} else if nodes, ok := b.inline(); ok {
				for _, n := range nodes {
					li.AppendChild(n)
				}
			} else {
				value(li, b.Type, item, depth+1)
			}
		}
		return
	}
	if fields, ok := object(raw); ok {
		ul := wrap(out, "ul")
		for _, f := range fields {
			if !empty(f.Value) {
				f.named(wrap(ul, "li"), depth+1)
			}
		}
		return
	}
	appendText(out, string(raw))
}

// chosen returns what a block refers to whose value is the id of a page, image or
// document, as its name tells by a table of names.
func (b block) chosen(names map[string]string) (kind, id string, ok bool) {
	words := strings.FieldsFunc(strings.ToLower(b.Type), func(r rune) bool { return r == '_' || r == '-' || r == ' ' })
	for len(words) > 1 && chooserTails[words[len(words)-1]] {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return "", "", false
	}
	last := words[len(words)-1]
	if kind, ok = names[last]; !ok {
		kind, ok = names[strings.TrimSuffix(last, "s")]
	}
	id = string(b.Value)
	return kind, id, ok && wholeNumber().MatchString(id)
}

var wholeNumber = pattern.Lazy(`^[1-9][0-9]{0,17}$`)

// numbered is the attribute of our own on a reference by a name that may mean no
// more than a number: the number is shown, too.
const numbered = "numbered"

// guessed is the element of our own for a number that may be the id of something.
const guessed = "guessed"

// reference is a link to what has an id, or a picture, as rich text has it.
func reference(kind, id string) *html.Node {
	if kind == KindImage {
		return withAttributes("embed", "embedtype", KindImage, "id", id)
	}
	return withAttributes("a", "linktype", kind, "id", id)
}

func withAttributes(name string, pairs ...string) *html.Node {
	n := element(name)
	for i := 0; i < len(pairs); i += 2 {
		n.Attr = append(n.Attr, html.Attribute{Key: pairs[i], Val: pairs[i+1]})
	}
	return n
}

// wrap appends an element and returns it.
func wrap(out *html.Node, name string) *html.Node {
	n := element(name)
	out.AppendChild(n)
	return n
}

func headingLevel(name string) string {
	found := headingName().FindStringSubmatch(name)
	switch {
	case found[1] != "":
		return strings.ToLower(found[1])
	case found[2] != "":
		return "h3"
	}
	return "h2"
}

func code(out *html.Node, lang, source string) {
	pre := wrap(out, "pre")
	if lang != "" {
		pre.Attr = []html.Attribute{{Key: "class", Val: "language-" + lang}}
	}
	pre.AppendChild(text(source))
}
