package content

import (
	"bytes"
	"encoding/json"

	"golang.org/x/net/html"

	"issues-index/store/pattern"
)

// Fields of StructBlocks that have a form in Markdown, by what they are named in
// Wagtail's own blocks and its demonstration sites.
var (
	quoted    = set("quote", "text")
	author    = set("attribution", "attribute_name", "author", "cite", "source")
	codeText  = set("code")
	codeLang  = set("lang", "language")
	headText  = set("heading", "heading_text", "text", "title")
	headLevel = set("level", "size")
	tableHead = set("first_row_is_table_header", "table_header_choice")
	tableRest = set("cell", "first_col_is_header", "mergeCells", "data", "table_caption")
)

var levelName = pattern.Lazy(`^[hH]?([1-6])$`)

// special writes a struct that is a quote, code, a heading or a table, and no other.
func (b block) special(out *html.Node) bool {
	fields, ok := object(b.Value)
	if !ok {
		return false
	}
	return quoteOf(out, fields) || codeOf(out, fields) || b.headingOf(out, fields) || tableOf(out, fields) || typedTableOf(out, fields)
}

// pair returns the text of the field that must be there, and of the one that may
// be. It is not ok when there is any other.
func pair(fields []block, must, may map[string]bool) (first, second string, ok bool) {
	found := false
	for _, f := range fields {
		s, isText := textOf(f.Value)
		switch {
		case must[f.Type] && isText && !found:
			first, found = s, true
		case may[f.Type] && (isText || empty(f.Value)) && second == "":
			second = s
		default:
			return "", "", false
		}
	}
	return first, second, found
}

func quoteOf(out *html.Node, fields []block) bool {
	quote, by, ok := pair(fields, quoted, author)
	if !ok || fields[0].Type == "text" && len(fields) == 1 {
		return false
	}
	q := wrap(out, "blockquote")
	appendText(q, quote)
	if by != "" {
		wrap(q, "p").AppendChild(text("— " + by))
	}
	return true
}

func codeOf(out *html.Node, fields []block) bool {
	source, lang, ok := pair(fields, codeText, codeLang)
	if !ok || lang != "" && !language().MatchString("language-"+lang) {
		return false
	}
	code(out, lang, source)
	return true
}

func (b block) headingOf(out *html.Node, fields []block) bool {
	if !headingName().MatchString(b.Type) && b.Type != "heading_block" {
		return false
	}
	title, level, ok := pair(fields, headText, headLevel)
	found := levelName().FindStringSubmatch(level)
	if !ok || level != "" && found == nil || isHTML(title) {
		return false
	}
	name := "h2"
	if found != nil {
		name = "h" + found[1]
	}
	wrap(out, name).AppendChild(text(title))
	return true
}

// tableOf writes the value of a TableBlock.
func tableOf(out *html.Node, fields []block) bool {
	var data [][]json.RawMessage
	caption, headed, found := "", false, false
	for _, f := range fields {
		switch {
		case f.Type == "data":
			found = json.Unmarshal(f.Value, &data) == nil && data != nil
		case f.Type == "table_caption":
			caption, _ = textOf(f.Value)
		case tableHead[f.Type]:
			headed = headed || string(f.Value) == "true" || string(f.Value) == `"row"` || string(f.Value) == `"both"`
		case !tableRest[f.Type]:
			return false
		}
	}
	if !found {
		return false
	}
	table := wrap(out, "table")
	if caption != "" {
		wrap(table, "caption").AppendChild(text(caption))
	}
	for i, row := range data {
		cell := "td"
		if headed && i == 0 {
			cell = "th"
		}
		tr := wrap(wrap(table, "tbody"), "tr")
		for _, value := range row {
			cellOf(wrap(tr, cell), "", value)
		}
	}
	return true
}

// typedTableOf writes the value of a TypedTableBlock.
func typedTableOf(out *html.Node, fields []block) bool {
	var (
		columns []struct{ Type, Heading string }
		rows    []struct{ Values []json.RawMessage }
		caption string
	)
	for _, f := range fields {
		var err error
		switch f.Type {
		case "columns":
			err = exactly(f.Value, &columns)
		case "rows":
			err = exactly(f.Value, &rows)
		case "caption":
			caption, _ = textOf(f.Value)
		default:
			return false
		}
		if err != nil {
			return false
		}
	}
	if len(columns) == 0 {
		return false
	}
	table := wrap(out, "table")
	if caption != "" {
		wrap(table, "caption").AppendChild(text(caption))
	}
	head := wrap(wrap(table, "thead"), "tr")
	for _, column := range columns {
		wrap(head, "th").AppendChild(text(column.Heading))
	}
	for _, row := range rows {
		tr := wrap(wrap(table, "tbody"), "tr")
		for i, value := range row.Values {
			name := ""
			if i < len(columns) {
				name = columns[i].Type
			}
			cellOf(wrap(tr, "td"), name, value)
		}
	}
	return true
}

// exactly decodes JSON that has no other fields than the value has.
func exactly(raw json.RawMessage, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// cellOf writes the value of a cell; its name is that of the column's block.
func cellOf(out *html.Node, name string, raw json.RawMessage) {
	if empty(raw) {
		return
	}
	b := block{name, raw}
	if nodes, ok := b.inline(); ok {
		for _, n := range nodes {
			out.AppendChild(n)
		}
		return
	}
	value(out, name, raw, 0)
}
