package content

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
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
	items := list(value)
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
	return blocks, len(items) > 0
}

// The types of blocks that have a form in Markdown, from Wagtail's own blocks and its demonstration
// sites. A block whose value is an id has only its name to tell what the id is of.
var (
	headingName  = pattern.Lazy(`(?i)^(?:h([1-6])|(sub_?-?)?(?:heading|title|header|headline))(?:_block)?$`)
	textName     = pattern.Lazy(`(?i)^(?:.*_)?(?:paragraph|rich_?text|text|body|content|html|intro|introduction|p)$`)
	quoteName    = pattern.Lazy(`(?i)^(?:.*_)?(?:block_?quote|quote|quotation|pull_?quote)$`)
	markdownName = pattern.Lazy(`(?i)^(?:.*_)?markdown$`)
	codeName     = pattern.Lazy(`(?i)^(?:.*_)?(?:code|source_code|snippet)$`)
	chooserName  = pattern.Lazy(`(?i)(?:^|[_ -])(page|image|photo|picture|document)s?(?:[_ -](?:id|chooser|list|item))*$`)
	wholeNumber  = pattern.Lazy(`^[1-9][0-9]{0,17}$`)
)

// html returns the HTML of a block: a value that shows what it is without its name, anything else
// with its name before it.
func (b streamBlock) html(depth int) string {
	if heading := b.heading(); heading != "" {
		return heading
	}
	shown, reference := b.value(depth), b.reference()
	switch {
	case reference != "":
		shown = reference
	case quoteName().MatchString(b.Type):
		return "<blockquote>" + shown + "</blockquote>"
	case shown == "", textName().MatchString(b.Type), markdownName().MatchString(b.Type),
		shown[0] == '<' && !strings.HasPrefix(shown, "<ul>"):
	default:
		shown = html.EscapeString(b.Type) + ": " + shown
	}
	return "<div>" + shown + "</div>"
}

// heading returns a heading: a text, or a struct of a text and its level; "" for another block.
func (b streamBlock) heading() string {
	declared := headingName().FindStringSubmatch(b.Type)
	var h struct {
		Heading     string
		HeadingText string `json:"heading_text"`
		Title, Text string
		Level, Size string
	}
	if declared == nil || exactly(b.Value, &h.Text) != nil && exactly(b.Value, &h) != nil {
		return ""
	}
	title, level := h.Heading+h.HeadingText+h.Title+h.Text, strings.TrimLeft(h.Level+h.Size, "hH")
	if title == "" || isHTML(title) || len(level) > 1 || level > "6" {
		return ""
	}
	if level = cmp.Or(level, declared[1], "2"); level == "2" && declared[2] != "" {
		level = "3"
	}
	return "<h" + level + ">" + html.EscapeString(title) + "</h" + level + ">"
}

// value returns the HTML of a value of any shape, "" when it has nothing to show.
func (b streamBlock) value(depth int) string {
	if empty(b.Value) {
		return ""
	}
	s, isText := textOf(b.Value)
	switch {
	case depth > maxNesting:
		return "<pre>\n" + html.EscapeString(string(b.Value)) + "</pre>"
	case isText && codeName().MatchString(b.Type):
		return "<pre>\n" + html.EscapeString(s) + "</pre>"
	case isText && markdownName().MatchString(b.Type):
		return markdownHTML(s)
	case isText:
		return textHTML(s)
	}
	if reference := b.reference(); reference != "" { // its name may mean no more than a number
		return string(b.Value) + " " + reference
	}
	if table := tableHTML(b.Value); table != "" {
		return table
	}
	var shown strings.Builder
	if blocks, ok := stream(b.Value); ok {
		for _, block := range blocks {
			shown.WriteString(block.html(depth + 1))
		}
		return shown.String()
	}
	for _, item := range list(b.Value) {
		shown.WriteString("<li>" + streamBlock{strings.TrimSuffix(b.Type, "s"), item}.value(depth+1))
	}
	for _, f := range members(b.Value) {
		if v := f.value(depth + 1); v != "" {
			shown.WriteString("<li>" + html.EscapeString(f.Type) + ": " + v)
		}
	}
	if shown.Len() == 0 {
		return html.EscapeString(string(b.Value))
	}
	return "<ul>" + shown.String() + "</ul>"
}

// reference returns a link to the object that a block refers to, or a picture, as rich text has
// them; "" when its value is no number, or its name does not say what has the number.
func (b streamBlock) reference() string {
	id, found := string(b.Value), chooserName().FindStringSubmatch(b.Type)
	if found == nil || !wholeNumber().MatchString(id) {
		return ""
	}
	switch kind := strings.ToLower(found[1]); kind {
	case KindPage, KindDocument:
		return `<a linktype="` + kind + `" id="` + id + `"></a>`
	}
	return `<embed embedtype="image" id="` + id + `">`
}

// A streamTable is the value of a TableBlock, which has Data, or of a TypedTableBlock.
type streamTable struct {
	Data         [][]json.RawMessage
	TableCaption string          `json:"table_caption"`
	FirstRow     bool            `json:"first_row_is_table_header"`
	FirstColumn  bool            `json:"first_col_is_header"`
	Header       string          `json:"table_header_choice"`
	Cell         json.RawMessage // classes of cells
	MergeCells   json.RawMessage
	Caption      string
	Columns      []struct{ Type, Heading string }
	Rows         []struct{ Values []json.RawMessage }
}

// tableHTML returns a table, "" for any other value.
func tableHTML(value json.RawMessage) string {
	var t streamTable
	if exactly(value, &t) != nil || (t.Data == nil) == (len(t.Columns) == 0 || t.Rows == nil) {
		return ""
	}
	var b strings.Builder
	b.WriteString("<table><caption>" + html.EscapeString(t.TableCaption+t.Caption) + "</caption>")
	for _, column := range t.Columns {
		b.WriteString("<th>" + html.EscapeString(column.Heading))
	}
	for _, row := range t.Rows {
		t.Data = append(t.Data, row.Values)
	}
	for i, row := range t.Data {
		b.WriteString("<tr>")
		for j, value := range row {
			cell := streamBlock{Value: value}
			if j < len(t.Columns) {
				cell.Type = t.Columns[j].Type
			}
			if i == 0 && (t.FirstRow || t.Header == "row" || t.Header == "both") {
				b.WriteString("<th>" + cell.value(0))
			} else {
				b.WriteString("<td>" + cell.value(0))
			}
		}
	}
	return b.String() + "</table>"
}

// exactly decodes JSON. Fields that the value does not have are an error.
func exactly(raw json.RawMessage, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// textOf returns a value that is a text.
func textOf(raw json.RawMessage) (string, bool) {
	var s string
	return s, bytes.HasPrefix(raw, []byte(`"`)) && json.Unmarshal(raw, &s) == nil
}

// list returns the items of a JSON list, nil for any other value.
func list(raw json.RawMessage) []json.RawMessage {
	var items []json.RawMessage
	_ = json.Unmarshal(raw, &items) // which leaves nil
	return items
}

// members returns the members of a JSON object in their order, nil for any other value.
func members(raw json.RawMessage) []streamBlock {
	object, _ := orderedjson.Parse(raw)
	var fields []streamBlock
	for _, m := range object {
		fields = append(fields, streamBlock{m.Name, m.Value})
	}
	return fields
}

// empty reports whether a value has nothing to show.
func empty(raw json.RawMessage) bool {
	return slices.Contains([]string{"", "null", `""`, "[]", "{}"}, string(raw))
}
