package frontmatter

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// A source is a document's text, cut where edits begin and end. Joined, its
// parts are the file byte for byte.
type source struct {
	head  string // a byte order mark, if any, and the opening fence's line
	yaml  string // the lines between the fences
	fence string // the closing fence's line
	body  string

	eol   string     // the frontmatter's line end
	root  *yaml.Node // the top level, nil when it is empty
	lines []int      // where in yaml its lines begin, as the YAML library counts them
}

// A splice replaces the bytes of a source's YAML from start up to end.
type splice struct {
	start, end int
	text       string
}

// newSource cuts a document's text. A problem that freezes it is an *UneditableError.
func newSource(p Parsed) (*source, error) {
	text := p.raw
	if len(text) > MaxFileSize {
		return nil, &UneditableError{fmt.Sprintf("the file is %d bytes long, over the limit of %d", len(text), MaxFileSize), 0}
	}
	if err := Editable(p.Problems); err != nil {
		return nil, err
	}
	if p.block.End == 0 {
		body := strings.TrimPrefix(text, BOM)
		return &source{head: text[:len(text)-len(body)], body: body, eol: lineEndOf(text)}, nil
	}
	start := strings.IndexByte(text, '\n') + 1
	end := start + len(p.block.YAML)
	s := &source{head: text[:start], fence: text[end:p.block.End], body: text[p.block.End:], eol: lineEndOf(text)}
	return s.withRoot(p.block.YAML, p.root)
}

// lineEndOf is how the first line of text ends.
func lineEndOf(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

func (s *source) text() string { return s.head + s.yaml + s.fence + s.body }

// withYAML is the same document with other frontmatter.
func (s *source) withYAML(text string) (*source, error) {
	root, err := decodeYAML(text)
	if err != nil {
		return nil, err
	}
	return s.withRoot(text, root)
}

// withRoot is withYAML for frontmatter that is decoded already.
func (s *source) withRoot(text string, root *yaml.Node) (*source, error) {
	if root != nil && root.Kind == yaml.ScalarNode { // a lone null
		if root.Value != "" {
			return nil, &UneditableError{fmt.Sprintf("the frontmatter is nothing but %s: remove it", root.Value), root.Line + 1}
		}
		root = nil
	}
	edited := *s
	edited.yaml, edited.root, edited.lines = text, root, []int{0}
	for i := 0; i < len(text); {
		n := breakAt(text, i)
		if n == 0 {
			i++
			continue
		}
		i += n
		edited.lines = append(edited.lines, i)
	}
	return &edited, nil
}

// fenced is the document with frontmatter, which may be empty.
func (s *source) fenced() *source {
	if s.fence != "" {
		return s
	}
	edited := *s
	edited.head, edited.fence, edited.lines = s.head+"---"+s.eol, "---"+s.eol, []int{0}
	return &edited
}

// spliced is the document with some of its YAML replaced.
func (s *source) spliced(splices []splice) (*source, error) {
	slices.SortStableFunc(splices, func(a, b splice) int { return a.start - b.start })
	var text strings.Builder
	at := 0
	for _, p := range splices {
		if p.start < at || p.end < p.start {
			return nil, errPlace
		}
		text.WriteString(s.yaml[at:p.start])
		text.WriteString(p.text)
		at = p.end
	}
	text.WriteString(s.yaml[at:])
	return s.withYAML(text.String())
}

// breakAt is the length of the line break at offset i, 0 when there is none.
// YAML 1.1 knows more of them than files have lines.
func breakAt(text string, i int) int {
	switch text[i] {
	case '\n':
		return 1
	case '\r':
		if strings.HasPrefix(text[i+1:], "\n") {
			return 2
		}
		return 1
	case 0xc2, 0xe2:
		for _, mark := range []string{"\u0085", "\u2028", "\u2029"} {
			if strings.HasPrefix(text[i:], mark) {
				return len(mark)
			}
		}
	}
	return 0
}

// offset is where a node begins: at its anchor or tag if it has one.
func (s *source) offset(n *yaml.Node) (int, error) {
	if n.Line < 1 || n.Line > len(s.lines) {
		return 0, errPlace
	}
	i := s.lines[n.Line-1]
	for range n.Column - 1 {
		if i >= len(s.yaml) {
			return 0, errPlace
		}
		_, size := utf8.DecodeRuneInString(s.yaml[i:])
		i += size
	}
	return i, nil
}

// lineStart is where the line of offset i begins.
func (s *source) lineStart(i int) int {
	n, found := slices.BinarySearch(s.lines, i)
	if found {
		return i
	}
	return s.lines[n-1]
}

// lineEnd is where the line of offset i ends, before its break.
func (s *source) lineEnd(i int) int {
	for i < len(s.yaml) && breakAt(s.yaml, i) == 0 {
		i++
	}
	return i
}

// nextLine is where the line after that of offset i begins.
func (s *source) nextLine(i int) int {
	if i = s.lineEnd(i); i < len(s.yaml) {
		i += breakAt(s.yaml, i)
	}
	return i
}

// blanks is the offset of the first byte from i on that is no blank.
func (s *source) blanks(i int) int {
	for i < len(s.yaml) && (s.yaml[i] == ' ' || s.yaml[i] == '\t') {
		i++
	}
	return i
}
