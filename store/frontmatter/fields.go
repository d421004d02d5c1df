package frontmatter

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"issues-index/store/layout"
	"issues-index/store/orderedjson"
	"issues-index/store/words"
	"issues-index/store/yamlfile"
)

// A Header is what a document's frontmatter says.
type Header struct {
	ID       string // literal text
	Title    string
	Type     string // one of layout.Types
	Status   string // as written, "" when absent
	Priority string // as written, "" when absent
	Labels   []string
	Assignee string
	Project  string

	Created time.Time // UTC, millisecond precision; zero when absent, as are the others
	Updated time.Time
	Closed  time.Time

	// Context is wranglerContext as one JSON object, nil when absent.
	Context json.RawMessage
	// Parent is wranglerContext.parentTaskId (else parent, parentTaskId or
	// parent_task_id at the top level), "" when absent. ParentKeys are the keys that hold
	// a parent, the key that counts first.
	Parent     string
	ParentKeys []string
	// Links has each key of links to other documents, in the file's order; Deferred is the
	// time until which the document waits, zero when absent.
	Links    []LinkList
	Deferred time.Time
	// Extra holds the keys that no field above Links stands for, as one JSON object in
	// the file's key order; nil when there are none.
	Extra json.RawMessage
}

// Parsed is a document's file, taken apart.
type Parsed struct {
	Header
	// Body is everything after the closing fence's line end, byte for byte; the
	// whole file when the frontmatter cannot be read or there is none.
	Body     string
	BodyLine int // of the file, from 1, that Body starts on
	Problems []Problem

	raw       string     // the whole file
	block     Block      // its End is 0 without frontmatter
	root      *yaml.Node // of the frontmatter
	workspace *layout.Layout
}

// Parse reads a document's file as the layout of its workspace has it. It never fails: what
// cannot be read becomes a problem. A document that names no known type has docType.
func Parse(data []byte, docType string, workspace *layout.Layout) Parsed {
	text := string(data)
	p := &parser{Parsed: Parsed{Header: Header{Type: docType}, Body: text, BodyLine: 1, raw: text, workspace: workspace}}
	p.read()
	p.fields(pairs(p.root))
	return p.Parsed
}

// A parser fills in what is parsed.
type parser struct {
	Parsed
	parent *yaml.Node // wranglerContext.parentTaskId
	times  map[string]pair
	extra  []pair
}

// problem adds a problem; line is the YAML's, 0 for none.
func (p *parser) problem(code ProblemCode, line int, format string, args ...any) {
	if line > 0 {
		line = p.block.fileLine(line)
	}
	p.Problems = append(p.Problems, Problem{Code: code, Message: fmt.Sprintf(format, args...), Line: line})
}

// read finds the frontmatter and the body. Bytes that are no text spoil the frontmatter only
// when they are in it.
func (p *Parsed) read() {
	text := p.raw
	notText := textProblem(text)
	if notText != nil {
		p.Problems = append(p.Problems, *notText)
	}
	b, found, problem := Split(text)
	if !found {
		return
	}
	if notText != nil && (problem != nil || notText.Line < b.BodyLine) {
		return
	}
	var root *yaml.Node
	if problem == nil {
		root, problem = parseYAML(b)
	}
	if problem != nil {
		p.Problems = append(p.Problems, *problem)
		return
	}
	p.block, p.root = b, root
	p.Body, p.BodyLine = text[b.End:], b.BodyLine
}

// The keys a time may stand under besides the layout's own, the key that wins first.
var (
	createdKeys = []string{"createdAt", "created_date", "created"}
	updatedKeys = []string{"updatedAt", "updated_date", "updated"}
	closedKeys  = []string{"closedAt"}
	deferKeys   = []string{"deferUntil", "defer_until"}
)

// withOwn is the keys with the layout's own in front, "" for none.
func withOwn(own string, keys []string) []string {
	if own == "" || own == keys[0] {
		return keys
	}
	return append([]string{own}, keys...)
}

// updatedIn are the keys of the last change in documents of the workspace.
func updatedIn(workspace *layout.Layout) []string { return withOwn(workspace.Updated, updatedKeys) }

// fields reads the pairs of the top level.
func (p *parser) fields(list []pair) {
	d := &p.Header
	p.times = map[string]pair{}
	created, updated := withOwn(p.workspace.Created, createdKeys), updatedIn(p.workspace)
	closed := withOwn(p.workspace.Closed, closedKeys)
	for _, kv := range list {
		switch kv.key {
		case "id":
			d.ID = p.text(kv)
		case "title":
			d.Title = p.text(kv)
		case "type":
			p.setType(kv)
		case "status":
			d.Status = p.choice(kv, p.workspace.StatusNames(), ProblemUnknownStatus)
		case "priority":
			d.Priority = p.choice(kv, p.workspace.Priorities, ProblemUnknownPriority)
		case "labels":
			d.Labels = p.labels(kv)
		case "assignee":
			d.Assignee = strings.Join(p.texts(kv), ", ")
		case "project":
			d.Project = p.text(kv)
		case "wranglerContext":
			p.setContext(kv)
		default:
			if slices.Contains(parentKeys, kv.key) {
				p.setParent(kv)
				continue
			}
			if linkKinds[kv.key] != "" {
				d.Links = append(d.Links, p.links(kv))
			}
			if slices.Contains(deferKeys, kv.key) {
				p.times[kv.key] = kv
			}
			if slices.Contains(created, kv.key) || slices.Contains(updated, kv.key) || slices.Contains(closed, kv.key) {
				p.times[kv.key] = kv
				continue
			}
			p.extra = append(p.extra, kv)
		}
	}
	if p.parent != nil {
		d.Parent = p.text(pair{layout.ContextParent, p.parent, p.parent.Line})
		d.ParentKeys = slices.Insert(d.ParentKeys, 0, layout.ContextParent)
	}
	d.Created = p.time(created)
	d.Updated = p.time(updated)
	d.Closed = p.time(closed)
	d.Deferred = p.time(deferKeys)
	d.Extra = p.object(p.extra)
}

// text is a scalar's literal text on one line, "" for null, or a wiki link. Another list or
// mapping in its place is a problem.
func (p *parser) text(kv pair) string {
	n := target(kv.value)
	if link, ok := unquotedWikiLink(n); ok || yamlfile.IsNull(n) {
		return link
	}
	if n.Kind != yaml.ScalarNode {
		p.problem(ProblemBadValue, kv.line, "%s is %s, where one value is expected", kv.key, yamlfile.Describe(n))
		return ""
	}
	return OneLine(n.Value)
}

// texts is a list's scalars, or the one scalar in its place.
func (p *parser) texts(kv pair) []string {
	n := target(kv.value)
	if _, isLink := unquotedWikiLink(n); isLink || n.Kind != yaml.SequenceNode {
		if s := p.text(kv); s != "" {
			return []string{s}
		}
		return nil
	}
	var list []string
	for _, item := range n.Content {
		list = append(list, p.text(pair{kv.key + "'s item", item, item.Line}))
	}
	return words.Once(list)
}

// labels accepts a list, or one string with commas.
func (p *parser) labels(kv pair) []string {
	list := p.texts(kv)
	if target(kv.value).Kind != yaml.ScalarNode || len(list) == 0 {
		return list
	}
	if list = words.List(list[0]); len(list) == 0 {
		return nil
	}
	return list
}

// choice is a text that should be one of allowed; others are kept and reported.
func (p *parser) choice(kv pair, allowed []string, code ProblemCode) string {
	s := p.text(kv)
	if s != "" && !slices.Contains(allowed, s) {
		p.problem(code, kv.line, "%s is %q; known are %s", kv.key, shorten(s), strings.Join(allowed, ", "))
	}
	return s
}

func (p *parser) setType(kv pair) {
	s := p.text(kv)
	switch {
	case slices.Contains(layout.Types, s):
		p.Type = s
	case s != "" && p.workspace.Mapped(p.Type): // a key of the program whose documents these are
		p.extra = append(p.extra, kv)
	case s != "":
		const message = "type is %q, so the document counts as %s; known are %s"
		p.problem(ProblemUnknownType, kv.line, message, shorten(s), p.Type, strings.Join(layout.Types, ", "))
		p.extra = append(p.extra, kv)
	}
}

// setParent reads a parent at the top level; the first one counts.
func (p *parser) setParent(kv pair) {
	parent := p.text(kv)
	if parent == "" {
		return
	}
	if p.Parent == "" {
		p.Parent = parent
	}
	p.ParentKeys = append(p.ParentKeys, kv.key)
}

func (p *parser) setContext(kv pair) {
	n := target(kv.value)
	if yamlfile.IsNull(n) {
		return
	}
	if n.Kind != yaml.MappingNode {
		const message = "wranglerContext is %s, where `key: value` lines are expected"
		p.problem(ProblemBadValue, kv.line, message, yamlfile.Describe(n))
		p.extra = append(p.extra, kv)
		return
	}
	list := pairs(n)
	p.Context = p.object(list)
	if p.Context == nil {
		p.Context = json.RawMessage("{}")
	}
	for _, c := range list {
		if c.key == "parentTaskId" && !yamlfile.IsNull(target(c.value)) {
			p.parent = c.value
		}
	}
}

// time reads the first of keys that holds a date. It is zero when none does.
func (p *parser) time(keys []string) time.Time {
	for _, key := range keys {
		kv, ok := p.times[key]
		if !ok {
			continue
		}
		s := p.text(kv)
		if s == "" {
			continue
		}
		if t, ok := ParseTime(s); ok {
			return t
		}
		const message = "%s is %q, which is no date: write it as 2026-02-15 or 2026-02-15T10:00:00Z"
		p.problem(ProblemBadValue, kv.line, message, key, shorten(s))
	}
	return time.Time{}
}

// object writes pairs as one JSON object, nil when there are none. A value that
// cannot be written is left out and reported.
func (p *parser) object(list []pair) json.RawMessage {
	if len(list) == 0 {
		return nil
	}
	var o orderedjson.Object
	size := 0
	for _, kv := range list {
		var value []byte
		err := errTooLarge // what one value may expand to, all together may
		if size <= maxJSON {
			value, err = appendJSON(nil, kv.value, 0)
		}
		size += len(value)
		if err != nil {
			p.problem(ProblemBadValue, kv.line, "%s %v", shorten(kv.key), err)
			continue
		}
		o = append(o, orderedjson.Member{Name: kv.key, Value: value})
	}
	data, _ := o.MarshalJSON() // never fails
	return data
}

// OneLine trims s, puts it on one line and takes out what is hidden in it, and NUL, which no
// reader of the answer could show and SQLite would cut the text at.
func OneLine(s string) string {
	s = strings.TrimSpace(words.Shown(s))
	if strings.ContainsAny(s, "\n\r") {
		s = strings.Join(strings.Fields(s), " ")
	}
	return strings.ReplaceAll(s, "\x00", "\ufffd")
}
