package frontmatter

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"issues-index/store/yamlfile"
)

// replaced is the lines of a key with another value. What stands before the value on the
// line of its name stays, as do the comment behind it and the kind of its quotes or list.
func (k KeyLines) replaced(value *yaml.Node) string {
	first, _, _ := strings.Cut(k.Lines, "\n")
	l := entryLines{head: strings.Repeat(" ", k.name.Column-1) + scalar(k.name, nil, false) + ":", indent: 2, old: k.value}
	if k.value.Line == k.name.Line {
		l.head = strings.TrimRight(string([]rune(first)[:k.value.Column-1]), " \t")
	} else if k.value.Kind == yaml.SequenceNode {
		l.indent = max(k.value.Column-k.name.Column, 0)
	}
	comment := cmp.Or(k.name.LineComment, k.value.LineComment)
	if at := strings.LastIndex(k.Lines, comment); comment != "" && at > 0 {
		l.comment = k.Lines[len(strings.TrimRight(k.Lines[:at], " \t")):at] + comment
	}
	return strings.ReplaceAll(l.with(value), "\n", lineEndOf(k.Lines))
}

// entryLines are the lines of a key around a value.
type entryLines struct {
	head    string // up to the colon
	comment string // behind the value
	indent  int    // of a block list below its key
	old     *yaml.Node
}

// entry is a new key with its value, in lines of its own behind an indent.
func entry(indent, key string, value *yaml.Node) string {
	return entryLines{head: indent + scalar(textNode(key), nil, false) + ":", indent: 2}.with(value)
}

// with is the key with a value, on one line or below it.
func (l entryLines) with(value *yaml.Node) string {
	if len(value.Content) == 0 || l.old != nil && l.old.Style&yaml.FlowStyle != 0 {
		return l.head + " " + inline(value, l.old, false) + l.comment + "\n"
	}
	var text strings.Builder
	text.WriteString(l.head + l.comment + "\n")
	indent := l.head[:len(l.head)-len(strings.TrimLeft(l.head, " "))]
	if value.Kind == yaml.MappingNode {
		for _, kv := range pairs(value) {
			text.WriteString(entry(indent+"  ", kv.key, kv.value))
		}
		return text.String()
	}
	indent += strings.Repeat(" ", l.indent)
	for _, item := range value.Content {
		for line := range strings.Lines(item.HeadComment) {
			text.WriteString(indent + strings.TrimSpace(line) + "\n")
		}
		text.WriteString(strings.TrimRight(indent+"- "+inline(item, l.old, false)+" "+item.LineComment, " ") + "\n")
	}
	return text.String()
}

// inline is a value on one line, quoted as the last of what stood in its place, which may be
// nil.
func inline(value, old *yaml.Node, flow bool) string {
	brackets := "[]"
	var items []string
	switch value.Kind {
	case yaml.AliasNode:
		return "*" + value.Value
	case yaml.SequenceNode:
		for _, item := range value.Content {
			items = append(items, inline(item, old, true))
		}
	case yaml.MappingNode:
		brackets = "{}"
		for pair := range slices.Chunk(value.Content, 2) {
			items = append(items, scalar(pair[0], old, true)+": "+inline(pair[1], old, true))
		}
	default:
		return scalar(value, old, flow)
	}
	return brackets[:1] + strings.Join(items, ", ") + brackets[1:]
}

// scalar writes one value on one line. A value of the document, which has a line, keeps
// its spelling; others are bare, or quoted as old is, which may be nil, as far as they
// then are read as the same text.
func scalar(v, old *yaml.Node, flow bool) string {
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
	return yamlfile.Scalar(v.Value, yaml.SingleQuotedStyle, flow)
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
