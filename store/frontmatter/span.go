package frontmatter

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"
)

// errPlace says that the bytes of a value cannot be told from its neighbours'.
var errPlace = errors.New("its place in the file is not certain")

// span is where a value begins, at its anchor or tag if it has one, and ends.
// The YAML library tells the first only. A block's end is that of its last line
// of content, before the line break.
func (s *source) span(n *yaml.Node) (start, end int, err error) {
	if start, err = s.offset(n); err != nil {
		return 0, 0, err
	}
	given, i := s.properties(start)
	switch {
	case n.Kind == yaml.AliasNode:
		end = i + len("*") + len(n.Value)
	case n.Kind == yaml.ScalarNode && n.Value == "" && n.Style&^yaml.TaggedStyle == 0:
		end = given
	case n.Kind == yaml.ScalarNode:
		end, err = s.scalarEnd(i, n)
	default:
		end, err = s.collectionEnd(i, n)
	}
	if err == nil && end > len(s.yaml) {
		err = errPlace
	}
	return start, end, err
}

// properties passes over anchors and tags: they end at given, and the value
// proper begins at content.
func (s *source) properties(i int) (given, content int) {
	given = i
	for i < len(s.yaml) && (s.yaml[i] == '!' || s.yaml[i] == '&') {
		ends := " \t\r\n,]}"
		if strings.HasPrefix(s.yaml[i:], "!<") {
			ends = " \t\r\n"
		}
		given = len(s.yaml)
		if n := strings.IndexAny(s.yaml[i:], ends); n >= 0 {
			given = i + n
		}
		i = s.space(given)
	}
	return given, i
}

// space passes over blanks, line breaks and comments.
func (s *source) space(i int) int {
	for i < len(s.yaml) {
		switch n := breakAt(s.yaml, i); {
		case n > 0:
			i += n
		case s.yaml[i] == ' ', s.yaml[i] == '\t':
			i++
		case s.yaml[i] == '#' && (i == 0 || s.yaml[i-1] == ' ' || s.yaml[i-1] == '\t' || s.lineStart(i) == i):
			i = s.lineEnd(i)
		default:
			return i
		}
	}
	return i
}

func (s *source) scalarEnd(i int, n *yaml.Node) (int, error) {
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return s.blockEnd(i, n)
	case n.Style&yaml.SingleQuotedStyle != 0:
		return s.quotedEnd(i, '\'')
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return s.quotedEnd(i, '"')
	}
	return s.plainEnd(i, n.Value)
}

// quotedEnd is the offset after the closing quote.
func (s *source) quotedEnd(i int, quote byte) (int, error) {
	if i >= len(s.yaml) || s.yaml[i] != quote {
		return 0, errPlace
	}
	for i++; i < len(s.yaml); i++ {
		switch {
		case s.yaml[i] == '\\' && quote == '"':
			i++
		case s.yaml[i] != quote:
		case quote == '\'' && strings.HasPrefix(s.yaml[i+1:], "'"):
			i++
		default:
			return i + 1, nil
		}
	}
	return 0, errPlace
}

// plainEnd follows a bare value through the text. They differ only in white
// space, where the value goes over several lines.
func (s *source) plainEnd(i int, value string) (int, error) {
	end := i
	for rest := value; rest != ""; {
		space := len(rest) - len(strings.TrimLeft(rest, " \t\n"))
		if rest = rest[space:]; space > 0 {
			if i = s.plainSpace(i); i == end {
				return 0, errPlace
			}
		}
		word := rest
		if n := strings.IndexAny(rest, " \t\n"); n >= 0 {
			word = rest[:n]
		}
		if !strings.HasPrefix(s.yaml[i:], word) {
			return 0, errPlace
		}
		i += len(word)
		end, rest = i, rest[len(word):]
	}
	return end, nil
}

// plainSpace passes over white space within a bare value.
func (s *source) plainSpace(i int) int {
	for i < len(s.yaml) {
		n := breakAt(s.yaml, i)
		if n == 0 && s.yaml[i] != ' ' && s.yaml[i] != '\t' {
			break
		}
		i += max(n, 1)
	}
	return i
}

// blockEnd is the end of a literal or folded value: the lines that are indented
// as deep as its first one, or, where a digit tells the depth, deeper than the
// line it is on.
func (s *source) blockEnd(i int, n *yaml.Node) (int, error) {
	if i >= len(s.yaml) || s.yaml[i] != '|' && s.yaml[i] != '>' {
		return 0, errPlace
	}
	header := i + 1
	for header < len(s.yaml) && strings.IndexByte("+-0123456789", s.yaml[header]) >= 0 {
		header++
	}
	keep := strings.Contains(s.yaml[i:header], "+")
	depth, end := -1, header
	if strings.ContainsAny(s.yaml[i:header], "123456789") {
		line := s.lineStart(i)
		depth = s.blanks(line) - line + 1
	}
	empty := strings.Trim(n.Value, "\n") == ""
	for at := s.nextLine(i); at < len(s.yaml); at = s.nextLine(at) {
		indent, lineEnd := s.blanks(at)-at, s.lineEnd(at)
		blank := at+indent == lineEnd
		if depth < 0 && !blank {
			depth = indent
		}
		switch {
		case !blank && (empty || indent < depth):
			return end, nil
		case !blank, keep, depth >= 0 && indent > depth:
			end = lineEnd
		}
	}
	return end, nil
}

func (s *source) collectionEnd(i int, n *yaml.Node) (int, error) {
	open, closing := byte('['), byte(']')
	if n.Kind == yaml.MappingNode {
		open, closing = '{', '}'
	}
	flow := n.Style&yaml.FlowStyle != 0 && i < len(s.yaml) && s.yaml[i] == open
	end := i
	if flow {
		end++
	}
	if len(n.Content) > 0 {
		var err error
		if _, end, err = s.span(n.Content[len(n.Content)-1]); err != nil {
			return 0, err
		}
	}
	if !flow {
		return end, nil
	}
	for i = s.space(end); i < len(s.yaml); i = s.space(i + 1) {
		switch s.yaml[i] {
		case closing:
			return i + 1, nil
		case ',', ':', '?':
		default:
			return 0, errPlace
		}
	}
	return 0, errPlace
}
