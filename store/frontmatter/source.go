package frontmatter

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A source is a document's text in the parts that edits leave or replace. Joined, the
// parts are the file byte for byte.
type source struct {
	head  string // a byte order mark, if any, and the opening fence's line
	yaml  string // the lines between the fences
	fence string // the closing fence's line
	body  string

	eol  string     // the frontmatter's line end
	root *yaml.Node // the top level, nil when it is empty
}

// newSource cuts a document's text. A problem that freezes it is an *UneditableError.
func newSource(p Parsed) (*source, error) {
	text := p.raw
	if len(text) > MaxFileSize {
		reason := fmt.Sprintf("the file is %d bytes long, over the limit of %d", len(text), MaxFileSize)
		return nil, &UneditableError{reason, 0}
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
	return &source{
		head: text[:start], yaml: p.block.YAML, fence: text[end:p.block.End], body: text[p.block.End:],
		eol: lineEndOf(text), root: p.root,
	}, nil
}

// lineEndOf is how the first line of text ends.
func lineEndOf(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

func (s *source) text() string { return s.head + s.yaml + s.fence + s.body }

// with is the document with other YAML, between fences, and another body. Its root is the
// old one's until it is read.
func (s *source) with(yaml, body string) *source {
	edited := *s
	edited.yaml, edited.body = yaml, body
	if s.fence == "" {
		edited.head, edited.fence = s.head+"---"+s.eol, "---"+s.eol
	}
	if body != "" && !strings.HasSuffix(edited.fence, "\n") { // the file ended with the fence
		edited.fence += s.eol
	}
	return &edited
}

// read decodes the YAML of an edited document, which was before, from the bytes that will
// be written. The error is an *UneditableError where they are not cut as the edit has cut
// them.
func (s *source) read(before string) error {
	p := Parsed{raw: s.text()}
	problem := textProblem(p.raw)
	if problem == nil {
		p.block, _, problem = Split(p.raw)
	}
	if problem == nil {
		p.root, problem = parseYAML(p.block)
	}
	if problem != nil {
		if _, rest, ok := strings.Cut(problem.Message, "unknown anchor '"); ok {
			anchor, _, _ := strings.Cut(rest, "'")
			refused := unsafe("another value refers to its anchor &" + anchor)
			if at := strings.Index(before, "&"+anchor); at >= 0 {
				refused.Line = 1 + lineAt(before, at)
			}
			return refused
		}
		return &UneditableError{"the edit would leave a document that cannot be read: " + problem.Message, 0}
	}
	result, err := newSource(p)
	if err != nil {
		return err
	}
	s.root = result.root
	if *result != *s {
		return unsafe("it would end elsewhere")
	}
	return nil
}

func unsafe(reason string) *UneditableError {
	const message = "the edit cannot be made without touching anything else (%s): change the file by hand"
	return &UneditableError{fmt.Sprintf(message, reason), 0}
}
