package content

import (
	"bytes"
	"encoding/json"

	"golang.org/x/net/html"

	"issues-index/store/pattern"
)

// The names of fields of StructBlocks that have a form in Markdown, from Wagtail's own
// blocks and its demonstration sites.
var (
	quoted    = set("quote text")
	author    = set("attribution attribute_name author cite source")
	codeText  = set("code")
	codeLang  = set("lang language")
	headText  = set("heading heading_text text title")
	headLevel = set("level size")
	tableHead = set("first_row_is_table_header table_header_choice")
	tableRest = set("cell first_col_is_header mergeCells data table_caption")
)

var levelName = pattern.Lazy(`^[hH]?([1-6])$`)

// special writes a struct that is a quote, code, a heading or a table. It reports false
// for any other.
func (b streamBlock) special(out *html.Node) bool {
	fields, ok := members(b.Value)
	if !ok {
		return false
	}
	return quoteOf(out, fields) || codeOf(out, fields) || b.headingOf(out, fields) || tableOf(out, fields) || typedTableOf(out, fields)
}

// pair returns the text of a required and of an optional field. It reports false when
// there is any other.
func pair(fields []streamBlock, must, may map[string]bool) (first, second string, ok bool) {
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

func quoteOf(out *html.Node, fields []streamBlock) bool {
	quote, by, ok := pair(fields, quoted, author)
	if !ok || fields[0].Type == "text" && len(fields) == 1 {
		return false
	}
	q := appended(out, "blockquote")
	appendText(q, quote)
	if by != "" {
		appended(q, "p").AppendChild(text("— " + by))
	}
	return true
}

func codeOf(out *html.Node, fields []streamBlock) bool {
	source, lang, ok := pair(fields, codeText, codeLang)
	if !ok || lang != "" && !language().MatchString("language-"+lang) {
		return false
	}
	appendCode(out, lang, source)
	return true
}

func (b streamBlock) headingOf(out *html.Node, fields []streamBlock) bool {
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
	appended(out, name).AppendChild(text(title))
	return true
}

// tableOf writes the value of a TableBlock.
func tableOf(out *html.Node, fields []streamBlock) bool {
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
	table := captioned(out, caption)
	for i, row := range data {
		cell := "td"
		if headed && i == 0 {
			cell = "th"
		}
		tr := appended(appended(table, "tbody"), "tr")
		for _, value := range row {
			cellOf(appended(tr, cell), "", value)
		}
	}
	return true
}

// typedTableOf writes the value of a TypedTableBlock.
func typedTableOf(out *html.Node, fields []streamBlock) bool {
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
	if len(columns) == 0 || rows == nil {
		return false
	}
	table := captioned(out, caption)
	head := appended(appended(table, "thead"), "tr")
	for _, column := range columns {
		appended(head, "th").AppendChild(text(column.Heading))
	}
	for _, row := range rows {
		tr := appended(appended(table, "tbody"), "tr")
		for i, value := range row.Values {
			name := ""
			if i < len(columns) {
				name = columns[i].Type
			}
			cellOf(appended(tr, "td"), name, value)
		}
	}
	return true
}

// captioned appends a table with a caption, "" for none.
func captioned(out *html.Node, caption string) *html.Node {
	table := appended(out, "table")
	if caption != "" {
		appended(table, "caption").AppendChild(text(caption))
	}
	return table
}

// exactly decodes JSON. Fields that the value does not have are an error.
func exactly(raw json.RawMessage, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// cellOf writes the value of a cell. name is the block type of its column.
func cellOf(out *html.Node, name string, raw json.RawMessage) {
	if empty(raw) {
		return
	}
	b := streamBlock{name, raw}
	if n := b.inline(); n != nil {
		out.AppendChild(n)
	} else {
		value(out, name, raw, 0)
	}
}
