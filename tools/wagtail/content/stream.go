package content

import (
	"bytes"
	"encoding/json"
	"strings"

	"golang.org/x/net/html"

	"issues-index/store/orderedjson"
	"issues-index/store/pattern"
)

// maxNesting is the deepest nesting of blocks that is shown as text; deeper ones are
// shown as JSON.
const maxNesting = 12

// A streamBlock is a block of a StreamField, or a field of a StructBlock, whose type is its
// name.
type streamBlock struct {
	Type  string
	Value json.RawMessage
}

// stream reads the blocks of a StreamField, or of a StreamBlock in one.
func stream(value json.RawMessage) ([]streamBlock, bool) {
	items, ok := list(value)
	if !ok || len(items) == 0 {
		return nil, false
	}
	blocks := make([]streamBlock, len(items))
	for i, item := range items {
		var b struct {
			Type      *string
			Value, ID json.RawMessage
		}
		if exactly(item, &b) != nil || b.Type == nil || b.Value == nil {
			return nil, false
		}
		blocks[i] = streamBlock{*b.Type, b.Value}
	}
	return blocks, true
}

var (
	headingName = pattern.Lazy(`(?i)^(?:(h[1-6])|(sub_?-?)?(heading|title|header|headline))$`)
	textName    = pattern.Lazy(`(?i)^(?:.*_)?(?:paragraph|text|rich_?text|body|content|html|intro|introduction|p)$`)
	quoteName   = pattern.Lazy(`(?i)^(?:.*_)?(?:block_?quote|quote|quotation|pull_?quote)$`)
	mdName      = pattern.Lazy(`(?i)^(?:.*_)?markdown$`)
	codeName    = pattern.Lazy(`(?i)^(?:.*_)?(?:code|source_code|snippet)$`)
	// choosers are blocks whose value is an id, by the last word of their name: nothing
	// else tells.
	choosers = map[string]string{
		"page": KindPage, "image": KindImage, "photo": KindImage, "picture": KindImage, "document": KindDocument,
	}
	// perhapsChoosers are names that choosers often have, but other numbers sometimes
	// have as well.
	perhapsChoosers = map[string]string{
		"link": KindPage, "related": KindPage, "target": KindPage, "destination": KindPage, "article": KindPage, "post": KindPage,
		"gallery": KindImage, "gallerie": KindImage, "slide": KindImage, "slideshow": KindImage, "carousel": KindImage,
		"thumbnail": KindImage, "logo": KindImage, "banner": KindImage, "icon": KindImage, "avatar": KindImage,
		"portrait": KindImage, "cover": KindImage, "background": KindImage, "illustration": KindImage, "poster": KindImage,
		"download": KindDocument, "attachment": KindDocument, "file": KindDocument, "pdf": KindDocument, "brochure": KindDocument,
	}
	// chooserTails are last words of a name that do not say what has the id.
	chooserTails = set("id chooser list item")
)

// write writes a block of a stream: a text or a picture without its name, anything else
// with its name before it.
func (b streamBlock) write(out *html.Node, depth int) {
	if s, ok := textOf(b.Value); ok {
		switch {
		case headingName().MatchString(b.Type) && !isHTML(s):
			appended(out, headingLevel(b.Type)).AppendChild(text(s))
			return
		case quoteName().MatchString(b.Type):
			appendText(appended(out, "blockquote"), s)
			return
		case codeName().MatchString(b.Type):
			appendCode(out, "", s)
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
		appended(out, "p").AppendChild(reference(kind, id))
		return
	}
	b.named(out, depth)
}

// named writes a value with its name before it.
func (b streamBlock) named(out *html.Node, depth int) {
	if empty(b.Value) {
		return
	}
	label := appended(out, "p")
	label.AppendChild(text(b.Type + ":"))
	if n := b.inline(); n != nil {
		label.AppendChild(text(" "))
		label.AppendChild(n)
		return
	}
	value(out, b.Type, b.Value, depth+1)
}

// inline returns a value that fits on a line, nil for any other.
func (b streamBlock) inline() *html.Node {
	if kind, id, ok := b.chosen(choosers); ok {
		n := reference(kind, id)
		setAttribute(n, numbered, id)
		return n
	}
	if kind, id, ok := b.chosen(perhapsChoosers); ok {
		return element(guess, "kind", kind, "id", id)
	}
	if s, ok := textOf(b.Value); ok {
		if isHTML(s) {
			return single(parse(s))
		}
		if strings.Contains(strings.TrimSpace(s), "\n") || codeName().MatchString(b.Type) {
			return nil
		}
		return line(s)
	}
	if first := b.Value[0]; first == '{' || first == '[' {
		return nil
	}
	return text(string(b.Value))
}

// single returns the content of a tree that is one paragraph, nil for any other.
func single(tree *html.Node) *html.Node {
	p := tree.FirstChild
	if p == nil || p.NextSibling != nil || p.Data != "p" || p.FirstChild == nil {
		return nil
	}
	return moved(p, "span")
}

// value writes a value of any shape.
func value(out *html.Node, name string, raw json.RawMessage, depth int) {
	if depth > maxNesting {
		appendCode(out, "json", compact(raw))
		return
	}
	if s, ok := textOf(raw); ok {
		if codeName().MatchString(name) {
			appendCode(out, "", s)
		} else {
			appendText(out, s)
		}
		return
	}
	if (streamBlock{name, raw}).special(out) {
		return
	}
	if blocks, ok := stream(raw); ok {
		for _, b := range blocks {
			b.write(out, depth+1)
		}
		return
	}
	if items, ok := list(raw); ok {
		ul := appended(out, "ul")
		for _, item := range items {
			b := streamBlock{strings.TrimSuffix(name, "s"), item}
			li := appended(ul, "li")
			if empty(item) {
				li.AppendChild(text(string(item)))
			} else if n := b.inline(); n != nil {
				li.AppendChild(n)
			} else {
				value(li, b.Type, item, depth+1)
			}
		}
		return
	}
	if fields, ok := members(raw); ok {
		ul := appended(out, "ul")
		for _, f := range fields {
			if !empty(f.Value) {
				f.named(appended(ul, "li"), depth+1)
			}
		}
		return
	}
	appendText(out, string(raw))
}

// chosen returns the object that a block refers to, when its value is a number and its
// name is in a table of names.
func (b streamBlock) chosen(names map[string]string) (kind, id string, ok bool) {
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

// numbered is an attribute of our own on references whose number is shown, too: their
// name may mean no more than a number.
const numbered = "numbered"

// reference returns a link to an object by its id, or a picture, as in rich text.
func reference(kind, id string) *html.Node {
	if kind == KindImage {
		return element("embed", "embedtype", KindImage, "id", id)
	}
	return element("a", "linktype", kind, "id", id)
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

// appendCode appends a block of code.
func appendCode(out *html.Node, lang, source string) {
	pre := appended(out, "pre")
	if lang != "" {
		setAttribute(pre, "class", "language-"+lang)
	}
	pre.AppendChild(text(source))
}

// textOf returns a value that is a text.
func textOf(raw json.RawMessage) (string, bool) {
	var s string
	return s, bytes.HasPrefix(raw, []byte(`"`)) && json.Unmarshal(raw, &s) == nil
}

// list returns the items of a JSON list. null is no list.
func list(raw json.RawMessage) ([]json.RawMessage, bool) {
	var items []json.RawMessage
	return items, json.Unmarshal(raw, &items) == nil && items != nil
}

// members returns the members of a JSON object in their order.
func members(raw json.RawMessage) ([]streamBlock, bool) {
	object, err := orderedjson.Parse(raw)
	fields := make([]streamBlock, len(object))
	for i, m := range object {
		fields[i] = streamBlock{m.Name, m.Value}
	}
	return fields, err == nil
}

// empty reports whether a value has nothing to show.
func empty(raw json.RawMessage) bool {
	switch raw = bytes.TrimSpace(raw); string(raw[:min(len(raw), len("null "))]) {
	case "", "null", `""`, "[]", "{}":
		return true
	}
	return false
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
