package answer

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// A node is a JSON value: what of it may be cut, and how it is written when
// nothing is, byte for byte.
type node struct {
	kind byte   // '{', '[', '"', or another character for what is never cut
	raw  []byte // of a string or a lesser value

	names    [][]byte // of an object's members, as they are written
	children []*node  // members or elements
	key      string   // under which the value stands; an element has its list's

	held bool // as a member it is never left out
	kept bool // as a string it is never cut

	text  string // of a string that may be cut, once it was asked for
	runes int
}

// identifying are the members that say which thing an answer is about and how to
// go on. So are those whose name ends in one of the suffixes.
var (
	identifying = []string{
		"id", "ids", "path", "paths", "cursor", "note", "code", "error", "status", "type", "priority",
		"operation", "phase", "groupBy", "notFound", "url",
	}
	identifyingEnds = []string{"Id", "Ids", "ID", "Path", "Cursor", "At", "Url", "Sha", "Hash"}
)

// maxIdentifying bounds what passes for an identifying string, in bytes. A file's
// path can be as long; a longer one comes from a document that only looks alike.
const maxIdentifying = 4096

func identifies(key string) bool {
	return slices.Contains(identifying, key) ||
		slices.ContainsFunc(identifyingEnds, func(end string) bool { return strings.HasSuffix(key, end) })
}

// A shape is what of a JSON schema says what an answer must keep.
type shape struct {
	Properties map[string]*shape `json:"properties"`
	Required   []string          `json:"required"`
	Items      *shape            `json:"items"`
	Enum       json.RawMessage   `json:"enum"`
	Const      json.RawMessage   `json:"const"`
	Pattern    string            `json:"pattern"`
	Format     string            `json:"format"`
}

// exact reports whether a string of the shape cannot be any other.
func (s *shape) exact() bool {
	return s != nil && (s.Enum != nil || s.Const != nil || s.Pattern != "" || s.Format != "")
}

func (s *shape) property(name string) *shape {
	if s == nil {
		return nil
	}
	return s.Properties[name]
}

func (s *shape) items() *shape {
	if s == nil {
		return nil
	}
	return s.Items
}

func (s *shape) requires(name string) bool { return s != nil && slices.Contains(s.Required, name) }

// A parser reads JSON that is known to be valid.
type parser struct {
	json      []byte
	at        int
	shapeless bool // there is no schema at all
}

// next skips white space and returns the byte after it.
func (p *parser) next() byte {
	for p.at < len(p.json) && (p.json[p.at] == ' ' || p.json[p.at] == '\n' || p.json[p.at] == '\t' || p.json[p.at] == '\r') {
		p.at++
	}
	return p.json[p.at]
}

func (p *parser) value(key string, s *shape) *node {
	n := &node{kind: p.next(), key: key}
	switch n.kind {
	case '{':
		p.members(n, s)
	case '[':
		p.elements(n, s)
	case '"':
		n.raw = p.quoted()
		n.kept = s.exact() || identifies(key) && len(n.raw) <= maxIdentifying
	default:
		start := p.at
		if end := bytes.IndexAny(p.json[start:], ",]} \n\t\r"); end >= 0 {
			p.at += end
		} else {
			p.at = len(p.json)
		}
		n.raw = p.json[start:p.at]
	}
	return n
}

func (p *parser) members(n *node, s *shape) {
	for p.at++; p.next() != '}'; {
		if p.json[p.at] == ',' {
			p.at++
			continue
		}
		name := p.quoted()
		key := plainText(name)
		p.next() // the colon
		p.at++
		child := p.value(key, s.property(key))
		// Of what a document brings along, any member may have such a name.
		known := p.shapeless || s.property(key) != nil
		child.held = s.requires(key) || known && identifies(key) && child.kind != '{' && len(child.raw) <= maxIdentifying
		n.names, n.children = append(n.names, name), append(n.children, child)
	}
	p.at++
}

func (p *parser) elements(n *node, s *shape) {
	for p.at++; p.next() != ']'; {
		if p.json[p.at] == ',' {
			p.at++
			continue
		}
		n.children = append(n.children, p.value(n.key, s.items()))
	}
	p.at++
}

// quoted returns the string that begins here, its quotation marks included.
func (p *parser) quoted() []byte {
	start := p.at
	for p.at++; p.json[p.at] != '"'; p.at++ {
		if p.json[p.at] == '\\' {
			p.at++
		}
	}
	p.at++
	return p.json[start:p.at]
}

// plainText returns the text of a JSON string.
func plainText(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1])
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

// quote writes a text as JSON, without escapes for HTML.
func quote(out *bytes.Buffer, text string) {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(text) == nil { // a string always has a JSON form
		out.Truncate(out.Len() - 1) // the line end
	}
}
