package frontmatter

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A style is how a document writes what is new in it.
type style struct {
	quotes yaml.Style // the kind of quotes that it uses first
	lists  bool       // whether there is a list to go by
	flow   bool       // whether lists stand in brackets
	indent int        // of a block list below its key
	// padding and comma stand inside and between the brackets of a list or mapping.
	padding, comma string
}

// newStyle is the style of a document's top level, which may be nil.
func newStyle(root *yaml.Node) style {
	st := style{quotes: yaml.SingleQuotedStyle, indent: 2, comma: ", "}
	if root == nil {
		return st
	}
	if i := slices.IndexFunc(root.Content, func(n *yaml.Node) bool { return quotes(n) != 0 }); i >= 0 {
		st.quotes = quotes(root.Content[i])
	}
	for i := 1; i < len(root.Content); i += 2 {
		if n := root.Content[i]; isPlainList(n) {
			st.lists, st.flow, st.indent = true, n.Style&yaml.FlowStyle != 0, listIndent(root.Content[i-1], n, st.indent)
			break
		}
	}
	return st
}

// isPlainList reports whether a node is a list with items, at its own place.
func isPlainList(n *yaml.Node) bool {
	return n.Kind == yaml.SequenceNode && len(n.Content) > 0 && n.Anchor == "" && n.Style&yaml.TaggedStyle == 0
}

// listIndent is how much deeper than its key a list in lines of its own is, else usual.
func listIndent(name, list *yaml.Node, usual int) int {
	if !isPlainList(list) || list.Style&yaml.FlowStyle != 0 {
		return usual
	}
	return max(list.Column-name.Column, 0)
}

// entry is a new key with its value, in lines of its own.
func (st style) entry(indent, key string, value *yaml.Node) string {
	name := indent + st.scalar(textNode(key), nil, false) + ":"
	if st.spreads(value, nil) {
		return name + "\n" + st.below(indent, value, nil)
	}
	return name + " " + st.inline(value, nil, false) + "\n"
}

// entries are a mapping's keys with their values, in lines of their own.
func (st style) entries(indent string, m *yaml.Node) string {
	var text strings.Builder
	for i := 0; i+1 < len(m.Content); i += 2 {
		text.WriteString(st.entry(indent, m.Content[i].Value, m.Content[i+1]))
	}
	return text.String()
}

// replaced is the lines of a key with another value. What stands before the value on the
// line of its name stays, as do the comment behind it and the kind of its quotes or list.
func (st style) replaced(k KeyLines, value *yaml.Node) string {
	first, _, _ := strings.Cut(k.Lines, "\n")
	indent := first[:len(first)-len(strings.TrimLeft(first, " "))]
	head, gap := indent+st.scalar(k.name, nil, false)+":", ""
	if k.value.Line == k.name.Line {
		before := string([]rune(first)[:k.value.Column-1])
		head = strings.TrimRight(before, " \t")
		gap = before[len(head):]
		st = st.spacedAs(first[len(before):])
	}
	comment := cmp.Or(k.name.LineComment, k.value.LineComment)
	if at := strings.LastIndex(k.Lines, comment); comment == "" || at < 0 {
		comment = ""
	} else {
		comment = k.Lines[len(strings.TrimRight(k.Lines[:at], " \t")):at] + comment
	}
	lines := head + cmp.Or(gap, " ") + st.inline(value, k.value, false) + comment + "\n"
	if st.spreads(value, k.value) {
		st.indent = listIndent(k.name, k.value, st.indent)
		lines = head + comment + "\n" + st.below(indent, value, k.value)
	}
	return strings.ReplaceAll(lines, "\n", lineEndOf(k.Lines))
}

// spacedAs is a style that spaces what stands in brackets as a text does that begins with
// them.
func (st style) spacedAs(text string) style {
	if strings.HasPrefix(text, "[ ") || strings.HasPrefix(text, "{ ") {
		st.padding = " "
	}
	if strings.Contains(text, ",") && !strings.Contains(text, ", ") && strings.ContainsAny(text, "]}") {
		st.comma = ","
	}
	return st
}

// spreads reports whether a value goes over lines of its own in place of old,
// which is nil for a new key. A list that has items is as the document's other
// lists are; an empty one in its place shows no style.
func (st style) spreads(value, old *yaml.Node) bool {
	if len(value.Content) == 0 {
		return false
	}
	isList := old != nil && old.Kind == yaml.SequenceNode && len(old.Content) > 0
	inFlow := old != nil && old.Style&yaml.FlowStyle != 0
	if value.Kind == yaml.MappingNode || isList {
		return !inFlow
	}
	if st.lists {
		return !st.flow
	}
	return !inFlow
}

// below is a list or mapping in lines of its own, in place of old, which may be nil.
func (st style) below(indent string, value, old *yaml.Node) string {
	var text strings.Builder
	if value.Kind == yaml.MappingNode {
		return st.entries(indent+"  ", value)
	}
	indent += strings.Repeat(" ", st.indent)
	for _, item := range value.Content {
		for line := range strings.Lines(item.HeadComment) {
			text.WriteString(strings.TrimRight(indent+strings.TrimSpace(line), " ") + "\n")
		}
		if item.Line > 0 && item.Kind == yaml.MappingNode && item.Style&yaml.FlowStyle == 0 {
			text.WriteString(indent + "- " + strings.TrimLeft(st.entries(indent+"  ", item), " "))
			continue
		}
		text.WriteString(indent + "- " + st.inline(item, lastItem(old), false))
		if item.LineComment != "" {
			text.WriteString(" " + item.LineComment)
		}
		text.WriteString("\n")
	}
	return text.String()
}

// lastItem is what new items of a list are quoted as, nil when there is nothing.
func lastItem(list *yaml.Node) *yaml.Node {
	if list == nil || list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
		return nil
	}
	return list.Content[len(list.Content)-1]
}

// inline is a value on one line, quoted as like is, which may be nil.
func (st style) inline(value, like *yaml.Node, flow bool) string {
	opening, closing := "[", "]"
	var items []string
	switch value.Kind {
	case yaml.AliasNode:
		return "*" + value.Value
	case yaml.SequenceNode:
		for _, item := range value.Content {
			items = append(items, st.inline(item, lastItem(like), true))
		}
	case yaml.MappingNode:
		opening, closing = "{", "}"
		for i := 0; i+1 < len(value.Content); i += 2 {
			name, first := value.Content[i], value.Content[0]
			items = append(items, st.scalar(name, first, true)+": "+st.inline(value.Content[i+1], first, true))
		}
	default:
		return st.scalar(value, like, flow)
	}
	if len(items) == 0 {
		return opening + closing
	}
	return opening + st.padding + strings.Join(items, st.comma) + st.padding + closing
}

// scalar writes one value on one line. A value of the document, which has a line, keeps
// its spelling; others are bare, or quoted as like is, which may be nil, as far as they
// then are read as the same text.
func (st style) scalar(v, like *yaml.Node, flow bool) string {
	text := v.Tag == "!!str"
	if !text && v.Tag != "!!timestamp" {
		return v.Value // a number, true, false, null
	}
	quoted, old := quotes(v), v.Line > 0
	if !old && like != nil && like.Kind == yaml.ScalarNode && quotes(like) != 0 {
		quoted = quotes(like)
	}
	if quoted == 0 {
		if bareFits(v.Value, flow) && (old && v.Style == 0 || !text || !looksTyped(v.Value)) {
			return v.Value
		}
		quoted = st.quotes
	}
	if quoted&yaml.DoubleQuotedStyle == 0 && !strings.ContainsFunc(v.Value, needsEscape) {
		return "'" + strings.ReplaceAll(v.Value, "'", "''") + "'"
	}
	return doubleQuoted(v.Value)
}

// quotes is the kind of quotes around a scalar, 0 for none.
func quotes(n *yaml.Node) yaml.Style {
	return n.Style & (yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle)
}

// bareFits reports whether YAML reads bare text as one scalar of these
// characters. It is stricter than YAML, for the sake of other readers.
func bareFits(text string, flow bool) bool {
	if text == "" || strings.TrimSpace(text) != text || strings.Contains(text, "\t") ||
		strings.ContainsFunc(text, needsEscape) {
		return false
	}
	if strings.IndexByte("-?:,[]{}#&*!|>'\"%@`", text[0]) >= 0 {
		return false
	}
	if strings.Contains(text, ": ") || strings.HasSuffix(text, ":") || strings.Contains(text, " #") {
		return false
	}
	return !flow || !strings.ContainsAny(text, ",[]{}?")
}

// typedWords are the words that some version of YAML takes for something else
// than text.
var typedWords = []string{
	"null", "~", "true", "false", "yes", "no", "on", "off", "y", "n", "=", "<<",
	".nan", ".inf", "+.inf", "-.inf",
}

// looksTyped reports whether some reader of YAML could take bare text for a
// number, date, truth value or null.
func looksTyped(text string) bool {
	if slices.Contains(typedWords, strings.ToLower(text)) {
		return true
	}
	return strings.IndexByte("0123456789+-.", text[0]) >= 0 &&
		strings.Trim(text, "0123456789abcdefABCDEFxXoO_+-.:TtZz ") == ""
}

// needsEscape reports whether a character can stand in double quotes only, or is
// one that YAML would fold or refuse.
func needsEscape(r rune) bool {
	switch {
	case r == '\t':
		return false
	case r < ' ', r >= 0x7f && r < 0xa0, r == 0x2028, r == 0x2029, r == 0xfeff, r == 0xfffe, r == 0xffff:
		return true
	}
	return false
}

// doubleQuoted escapes no more than it must.
func doubleQuoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\t' || needsEscape(r):
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
