package frontmatter

import (
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Mapping is a text of `key: value` lines, cut by its keys: Head, then Above and Lines
// of every key, then Tail, are the text byte for byte.
type Mapping struct {
	Head string // what comes before the first key and is no comment
	Keys []KeyLines
	Tail string // comments and blank lines after the last key
}

// KeyLines are the lines of one key of a Mapping.
type KeyLines struct {
	Key   string
	Above string          // comments and blank lines between it and the key before
	Lines string          // from the name to the end of the value
	Value json.RawMessage // the value as JSON
	// Below are the keys of wranglerContext, where they are on lines of their own.
	Below *Mapping
}

// Find returns the lines of a key, nil when there are none.
func (m Mapping) Find(key string) *KeyLines {
	i := slices.IndexFunc(m.Keys, func(e KeyLines) bool { return e.Key == key })
	if i < 0 {
		return nil
	}
	return &m.Keys[i]
}

// errLines says that a document has no Layout.
var errLines = &UneditableError{Reason: "the keys of the frontmatter do not stand on lines of their own"}

// Layout cuts a document: its frontmatter, whose Head includes the opening fence, and the
// line of the closing fence. Body follows. Both are empty, but for a byte order mark,
// without frontmatter. The error is an *UneditableError where the lines of one key cannot
// be moved without touching those of another.
func (p Parsed) Layout() (m Mapping, fence string, err error) {
	s, err := newSource(p)
	if err != nil {
		return m, "", err
	}
	if strings.ContainsAny(s.yaml, "\u0085\u2028\u2029") || strings.Contains(strings.ReplaceAll(s.yaml, "\r\n", ""), "\r") {
		return m, "", errLines // YAML has other lines there than the file
	}
	end := 0
	if s.root != nil {
		if m, end, err = s.mapping(s.root, 0); err != nil {
			return Mapping{}, "", errLines
		}
	}
	m.Head, m.Tail = s.head, s.yaml[end:]
	if s.space(end) < len(s.yaml) {
		return Mapping{}, "", errLines
	}
	return m, s.fence, nil
}

// mapping cuts the lines of a mapping from an offset on, up to end.
func (s *source) mapping(n *yaml.Node, from int) (m Mapping, end int, err error) {
	if n.Kind != yaml.MappingNode || n.Style&yaml.FlowStyle != 0 || len(n.Content) == 0 {
		return m, 0, errPlace
	}
	end = from
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		start, err := s.offset(key)
		if err != nil {
			return m, 0, err
		}
		line := s.lineStart(start)
		if line < end || s.space(end) != start || strings.Trim(s.yaml[line:start], " ") != "" || shared(key) || shared(value) {
			return m, 0, errPlace
		}
		e := KeyLines{Key: key.Value, Above: s.yaml[end:line]}
		if end, err = s.entryEnd(start, key, value); err != nil {
			return m, 0, err
		}
		e.Lines = s.yaml[line:end]
		if e.Value, err = appendJSON(nil, value, 0); err != nil {
			return m, 0, err
		}
		if below := s.nextLine(start); e.Key == ContextKey {
			if inner, innerEnd, err := s.mapping(value, below); err == nil && innerEnd == end {
				inner.Head = s.yaml[line:below]
				e.Below = &inner
			}
		}
		m.Keys = append(m.Keys, e)
	}
	return m, end, nil
}

// entryEnd is where the lines of a key that begins at start end.
func (s *source) entryEnd(start int, key, value *yaml.Node) (int, error) {
	if key.Kind != yaml.ScalarNode || key.Value == "<<" {
		return 0, errPlace
	}
	_, end, err := s.span(value)
	if isNull(value) && value.Value == "" && value.Style == 0 { // which stands nowhere
		end, err = s.colon(key)
	}
	if err != nil {
		return 0, err
	}
	rest := s.blanks(end)
	if end < start || rest < s.lineEnd(end) && s.yaml[rest] != '#' {
		return 0, errPlace
	}
	return s.nextLine(end), nil
}

// shared reports whether a value, or a part of it, is an alias or has an anchor.
func shared(n *yaml.Node) bool {
	return n.Kind == yaml.AliasNode || n.Anchor != "" || slices.ContainsFunc(n.Content, shared)
}
