package frontmatter

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"issues-index/store/yamlfile"
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
	quoted := yaml.Style(0)
	for pair := range slices.Chunk(root.Content, 2) {
		name, n := pair[0], pair[1]
		quoted = cmp.Or(quoted, quotes(n))
		if n.Kind == yaml.SequenceNode && len(n.Content) > 0 && !st.lists {
			st = st.indentedAs(name, n)
			st.lists, st.flow = true, n.Style&yaml.FlowStyle != 0
		}
	}
	st.quotes = cmp.Or(quoted, st.quotes)
	return st
}

// indentedAs is a style that indents lists as one is below its key.
func (st style) indentedAs(name, list *yaml.Node) style {
	if list.Kind == yaml.SequenceNode && list.Line > name.Line && list.Style&yaml.FlowStyle == 0 {
		st.indent = max(list.Column-name.Column, 0)
	}
	return st
}

// replaced is the lines of a key with another value. What stands before the value on the
// line of its name stays, as do the comment behind it and the kind of its quotes or list.
func (st style) replaced(k KeyLines, value *yaml.Node) string {
	first, _, _ := strings.Cut(k.Lines, "\n")
	l := entryLines{head: strings.Repeat(" ", k.name.Column-1) + st.scalar(k.name, nil, false) + ":", old: k.value}
	if k.value.Line == k.name.Line {
		before := string([]rune(first)[:k.value.Column-1])
		l.head = strings.TrimRight(before, " \t")
		l.gap = before[len(l.head):]
		st = st.spacedAs(first[len(before):])
	}
	comment := cmp.Or(k.name.LineComment, k.value.LineComment)
	if at := strings.LastIndex(k.Lines, comment); comment != "" && at > 0 {
		l.comment = k.Lines[len(strings.TrimRight(k.Lines[:at], " \t")):at] + comment
	}
	return strings.ReplaceAll(st.indentedAs(k.name, k.value).lines(l, value), "\n", lineEndOf(k.Lines))
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

// entryLines are the lines of a key around a value.
type entryLines struct {
	head         string // up to the colon
	gap, comment string // before the value, "" for a blank; behind it
	old          *yaml.Node
}

// entry is a new key with its value, in lines of its own.
func (st style) entry(head string, value *yaml.Node) string {
	return st.lines(entryLines{head: head}, value)
}

// lines are a key with a value, on one line or below it.
func (st style) lines(l entryLines, value *yaml.Node) string {
	if !st.spreads(value, l.old) {
		return l.head + cmp.Or(l.gap, " ") + st.inline(value, l.old, false) + l.comment + "\n"
	}
	var text strings.Builder
	text.WriteString(l.head + l.comment + "\n")
	indent := l.head[:len(l.head)-len(strings.TrimLeft(l.head, " "))]
	if value.Kind == yaml.MappingNode {
		for _, kv := range pairs(value) {
			text.WriteString(st.entry(indent+"  "+st.scalar(textNode(kv.key), nil, false)+":", kv.value))
		}
		return text.String()
	}
	indent += strings.Repeat(" ", st.indent)
	for _, item := range value.Content {
		for line := range strings.Lines(item.HeadComment) {
			text.WriteString(indent + strings.TrimSpace(line) + "\n")
		}
		text.WriteString(strings.TrimRight(indent+"- "+st.inline(item, l.old, false)+" "+item.LineComment, " ") + "\n")
	}
	return text.String()
}

// spreads reports whether a value goes over lines of its own in place of old,
// which is nil for a new key. A list that has items is as the document's other
// lists are; an empty one in its place shows no style.
func (st style) spreads(value, old *yaml.Node) bool {
	isList := old != nil && old.Kind == yaml.SequenceNode && len(old.Content) > 0
	switch {
	case len(value.Content) == 0:
		return false
	case value.Kind != yaml.MappingNode && !isList && st.lists:
		return !st.flow
	}
	return old == nil || old.Style&yaml.FlowStyle == 0
}

// inline is a value on one line, quoted as the last of what stood in its place, which may be
// nil.
func (st style) inline(value, old *yaml.Node, flow bool) string {
	brackets := "[]"
	var items []string
	switch value.Kind {
	case yaml.AliasNode:
		return "*" + value.Value
	case yaml.SequenceNode:
		for _, item := range value.Content {
			items = append(items, st.inline(item, old, true))
		}
	case yaml.MappingNode:
		brackets = "{}"
		for pair := range slices.Chunk(value.Content, 2) {
			items = append(items, st.scalar(pair[0], old, true)+": "+st.inline(pair[1], old, true))
		}
	default:
		return st.scalar(value, old, flow)
	}
	if len(items) == 0 {
		return brackets
	}
	return brackets[:1] + st.padding + strings.Join(items, st.comma) + st.padding + brackets[1:]
}

// scalar writes one value on one line. A value of the document, which has a line, keeps
// its spelling; others are bare, or quoted as old is, which may be nil, as far as they
// then are read as the same text.
func (st style) scalar(v, old *yaml.Node, flow bool) string {
	isTime, quoted := v.Tag == "!!timestamp", quotes(v)
	if v.Tag != "!!str" && !isTime {
		return v.Value // a number, true, false, null
	}
	if v.Line == 0 {
		quoted = cmp.Or(quotes(old), quoted)
	}
	switch {
	case quoted != 0:
		return yamlfile.Quoted(v.Value, quoted)
	case (isTime || v.Line > 0 && v.Style == 0) && yamlfile.Bare(v.Value, flow):
		return v.Value
	}
	return yamlfile.Scalar(v.Value, st.quotes, flow)
}

// quotes is the kind of quotes around a scalar, or around the last one in a list or mapping:
// 0 for none.
func quotes(n *yaml.Node) yaml.Style {
	for n != nil && len(n.Content) > 0 {
		n = n.Content[len(n.Content)-1]
	}
	if n == nil {
		return 0
	}
	return n.Style & (yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle)
}
