package frontmatter

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// replace gives a mapping's key another value. The key itself, and comments on
// the lines of its name and of its value's end, stay.
func (s *source) replace(m *yaml.Node, i int, c change) ([]splice, error) {
	key, old, value := m.Content[i], m.Content[i+1], c.value
	if old.Kind == yaml.SequenceNode && value.Kind == yaml.SequenceNode && len(old.Content) > 0 && len(value.Content) > 0 {
		return s.mergeList(old, c)
	}
	start, end, err := s.span(old)
	if err != nil {
		return nil, err
	}
	flow := m.Style&yaml.FlowStyle != 0
	if !flow && s.spreads(value, old) {
		return s.replaceByLines(key, old, start, end, value)
	}
	text := s.inline(value, old, flow)
	switch {
	case start == end: // nothing there
		colon, err := s.colon(key)
		if err != nil || strings.Trim(s.yaml[colon:max(colon, start)], " \t") != "" {
			return nil, errPlace
		}
		return []splice{s.afterColon(colon, text)}, nil
	case old.Kind != yaml.ScalarNode && old.Kind != yaml.AliasNode && old.Style&yaml.FlowStyle == 0:
		return s.replaceLines(key, start, end, text)
	}
	return []splice{{start, end, text + s.headerComment(old, start)}}, nil
}

// afterColon puts a value behind a key that has none on its line.
func (s *source) afterColon(colon int, text string) splice {
	rest := s.blanks(colon)
	if rest != s.lineEnd(colon) { // a comment
		rest = colon
	}
	return splice{colon, rest, " " + text}
}

// replaceLines puts a value on its key's line in place of the lines below.
func (s *source) replaceLines(key *yaml.Node, start, end int, text string) ([]splice, error) {
	colon, err := s.colon(key)
	if err != nil {
		return nil, err
	}
	lineEnd := s.lineEnd(colon)
	if start <= lineEnd { // behind an anchor or tag
		return []splice{{colon, end, " " + text}}, nil
	}
	return []splice{s.afterColon(colon, text), {lineEnd, end, ""}}, nil
}

// replaceByLines puts lines below the key in place of any other value.
func (s *source) replaceByLines(key, old *yaml.Node, start, end int, value *yaml.Node) ([]splice, error) {
	colon, err := s.colon(key)
	if err != nil {
		return nil, err
	}
	indent, err := s.indent(key)
	if err != nil {
		return nil, err
	}
	from, lineEnd := colon, s.lineEnd(end)
	if start > s.lineEnd(colon) {
		from = s.lineEnd(colon)
	}
	if s.blanks(end) == lineEnd {
		end = lineEnd
	}
	return []splice{
		{from, end, s.headerComment(old, start)},
		{lineEnd, lineEnd, s.below(indent, value)},
	}, nil
}

// headerComment is the comment after a block scalar's indicator, with the blanks
// before it.
func (s *source) headerComment(n *yaml.Node, start int) string {
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
		return ""
	}
	_, i := s.properties(start)
	line := s.yaml[i:s.lineEnd(i)]
	if at := strings.Index(line, " #"); at >= 0 {
		return line[at:]
	}
	return ""
}

// colon is the offset after the colon of a mapping's key.
func (s *source) colon(key *yaml.Node) (int, error) {
	_, end, err := s.span(key)
	if err != nil {
		return 0, err
	}
	if end = s.space(end); end >= len(s.yaml) || s.yaml[end] != ':' {
		return 0, errPlace
	}
	return end + 1, nil
}

// spreads reports whether a value goes over lines of its own in place of old,
// which is nil for a new key. A list that has items is as the document's other
// lists are; an empty one in its place shows no style.
func (s *source) spreads(value, old *yaml.Node) bool {
	if len(value.Content) == 0 {
		return false
	}
	inFlow := old != nil && old.Style&yaml.FlowStyle != 0
	if value.Kind == yaml.MappingNode || inFlow && len(old.Content) > 0 {
		return !inFlow
	}
	if like, _ := s.likeList(); like != nil {
		return like.Style&yaml.FlowStyle == 0
	}
	return !inFlow
}

// likeList is the document's first list that has items, and how much deeper
// than its key it is indented when it is a block.
func (s *source) likeList() (list *yaml.Node, deeper int) {
	for i := 1; s.root != nil && i < len(s.root.Content); i += 2 {
		n, key := s.root.Content[i], s.root.Content[i-1]
		if n.Kind == yaml.SequenceNode && len(n.Content) > 0 && n.Anchor == "" && n.Style&yaml.TaggedStyle == 0 {
			return n, max(n.Column-key.Column, 0)
		}
	}
	return nil, 2
}

// entry is a key with its value, without indentation and line end.
func (s *source) entry(indent, key string, value *yaml.Node) string {
	name := s.scalar(textNode(key), nil, false) + ":"
	if s.spreads(value, nil) {
		return name + s.below(indent, value)
	}
	return name + " " + s.inline(value, nil, false)
}

// entries are a mapping's keys with their values, on lines of their own.
func (s *source) entries(indent string, m *yaml.Node) string {
	var text strings.Builder
	for i := 0; i+1 < len(m.Content); i += 2 {
		text.WriteString(indent + s.entry(indent, m.Content[i].Value, m.Content[i+1]) + s.eol)
	}
	return text.String()
}

// below is a value on lines of its own, each with the line end before it.
func (s *source) below(indent string, value *yaml.Node) string {
	if value.Kind == yaml.MappingNode {
		return s.eol + strings.TrimSuffix(s.entries(indent+"  ", value), s.eol)
	}
	var text strings.Builder
	deeper := 2
	if like, depth := s.likeList(); like != nil && like.Style&yaml.FlowStyle == 0 {
		deeper = depth
	}
	for _, item := range value.Content {
		text.WriteString(s.eol + indent + strings.Repeat(" ", deeper) + "- " + s.inline(item, nil, false))
	}
	return text.String()
}

// inline is a value on one line.
func (s *source) inline(value, like *yaml.Node, flow bool) string {
	switch value.Kind {
	case yaml.SequenceNode:
		items := make([]string, len(value.Content))
		for i, item := range value.Content {
			items[i] = s.inline(item, nil, true)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case yaml.MappingNode:
		return "{" + s.flowEntries(value, nil) + "}"
	}
	return s.scalar(value, like, flow)
}

// flowEntries are a mapping's keys with their values between braces, quoted as
// like is.
func (s *source) flowEntries(m, like *yaml.Node) string {
	var items []string
	for i := 0; i+1 < len(m.Content); i += 2 {
		items = append(items, s.scalar(m.Content[i], like, true)+": "+s.inline(m.Content[i+1], like, true))
	}
	return strings.Join(items, ", ")
}
