package store

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// The keys a time may stand under, the one that wins first.
var (
	createdKeys = []string{"createdAt", "created_date", "created"}
	updatedKeys = []string{"updatedAt", "updated_date", "updated"}
	closedKeys  = []string{"closedAt"}
)

// fields takes the frontmatter's pairs into the document.
func (p *draft) fields(list []pair) {
	d := p.doc
	p.times = map[string]pair{}
	for _, kv := range list {
		switch kv.key {
		case "id":
			if id := p.text(kv); id != "" {
				d.ID = id
			}
		case "title":
			d.Title = p.text(kv)
		case "type":
			p.setType(kv)
		case "status":
			d.Status = p.choice(kv, Statuses, ProblemUnknownStatus)
		case "priority":
			d.Priority = p.choice(kv, Priorities, ProblemUnknownPriority)
		case "labels":
			d.Labels = p.labels(kv)
		case "assignee":
			d.Assignee = strings.Join(p.texts(kv), ", ")
		case "project":
			d.Project = p.text(kv)
		case "wranglerContext":
			p.setContext(kv)
		case "parentTaskId", "parent_task_id":
			if parent := p.text(kv); d.Parent == "" {
				d.Parent = parent
			}
		default:
			if slices.Contains(createdKeys, kv.key) || slices.Contains(updatedKeys, kv.key) || slices.Contains(closedKeys, kv.key) {
				p.times[kv.key] = kv
				continue
			}
			p.extra = append(p.extra, kv)
		}
	}
	if p.parent != nil {
		d.Parent = p.text(pair{"wranglerContext.parentTaskId", p.parent, p.parent.Line})
	}
	d.Created = p.time(createdKeys, d.Created)
	d.Updated = p.time(updatedKeys, d.Updated)
	d.Closed = p.time(closedKeys, time.Time{})
	d.Extra = p.object(p.extra)
	if !idFits(d.ID, p.stem) {
		p.problem(ProblemIDFilename, 0, "the id is %q, but the file is named %q", d.ID, p.stem)
	}
}

// idFits reports whether a file of this stem is one that id would be stored in.
func idFits(id, stem string) bool {
	if len(stem) < len(id) || !strings.EqualFold(stem[:len(id)], id) {
		return strings.EqualFold(id, stem)
	}
	return len(stem) == len(id) || stem[len(id)] == '-' || stem[len(id)] == ' '
}

// text is a scalar's literal text on one line, "" for null. A list or mapping
// in its place is a problem.
func (p *draft) text(kv pair) string {
	n := target(kv.value)
	if isNull(n) {
		return ""
	}
	if n.Kind != yaml.ScalarNode {
		p.problem(ProblemBadValue, kv.line, "%s is a %s, where one value is expected", kv.key, kindName(n))
		return ""
	}
	return oneLine(n.Value)
}

// texts is a list's scalars, or the one scalar in its place.
func (p *draft) texts(kv pair) []string {
	n := target(kv.value)
	if n.Kind != yaml.SequenceNode {
		if s := p.text(kv); s != "" {
			return []string{s}
		}
		return nil
	}
	var list []string
	for _, item := range n.Content {
		if s := p.text(pair{kv.key + "'s item", item, item.Line}); s != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// labels accepts a list, or one string with commas.
func (p *draft) labels(kv pair) []string {
	list := p.texts(kv)
	if target(kv.value).Kind != yaml.ScalarNode || len(list) == 0 {
		return list
	}
	var split []string
	for label := range strings.SplitSeq(list[0], ",") {
		if label = strings.TrimSpace(label); label != "" && !slices.Contains(split, label) {
			split = append(split, label)
		}
	}
	return split
}

// choice is a text that should be one of allowed; others are kept and reported.
func (p *draft) choice(kv pair, allowed []string, code ProblemCode) string {
	s := p.text(kv)
	if s != "" && !slices.Contains(allowed, s) {
		p.problem(code, kv.line, "%s is %q; known are %s", kv.key, shorten(s), strings.Join(allowed, ", "))
	}
	return s
}

func (p *draft) setType(kv pair) {
	s := p.text(kv)
	switch {
	case slices.Contains(Types, s):
		p.doc.Type = s
	case s != "":
		p.problem(ProblemUnknownType, kv.line, "type is %q, so the document counts as %s; known are %s", shorten(s), p.doc.Type, strings.Join(Types, ", "))
		p.extra = append(p.extra, kv)
	}
}

func (p *draft) setContext(kv pair) {
	n := target(kv.value)
	if isNull(n) {
		return
	}
	if n.Kind != yaml.MappingNode {
		p.problem(ProblemBadValue, kv.line, "wranglerContext is a %s, where `key: value` lines are expected", kindName(n))
		p.extra = append(p.extra, kv)
		return
	}
	list := pairs(n)
	p.doc.Context = p.object(list)
	if p.doc.Context == nil {
		p.doc.Context = json.RawMessage("{}")
	}
	for _, c := range list {
		if c.key == "parentTaskId" && !isNull(target(c.value)) {
			p.parent = c.value
		}
	}
}

// time reads the first of keys that holds a date.
func (p *draft) time(keys []string, fallback time.Time) time.Time {
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
		p.problem(ProblemBadValue, kv.line, "%s is %q, which is no date: write it as 2026-02-15 or 2026-02-15T10:00:00Z", key, shorten(s))
	}
	return fallback
}

// object writes pairs as one JSON object, nil when there are none. A value that
// cannot be written is left out and reported.
func (p *draft) object(list []pair) json.RawMessage {
	if len(list) == 0 {
		return nil
	}
	dst := []byte{'{'}
	for _, kv := range list {
		value, err := appendJSON(nil, kv.value, 0)
		if err != nil {
			p.problem(ProblemBadValue, kv.line, "%s %v", shorten(kv.key), err)
			continue
		}
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(append(appendString(dst, kv.key), ':'), value...)
	}
	return append(dst, '}')
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.SequenceNode:
		return "list"
	case yaml.MappingNode:
		return "mapping"
	}
	return "single value"
}

// oneLine trims s, puts it on one line and takes NUL out, which no reader of
// the answer could show and SQLite would cut the text at.
func oneLine(s string) string {
	s = strings.TrimSpace(s)
	if strings.ContainsAny(s, "\n\r") {
		s = strings.Join(strings.Fields(s), " ")
	}
	return strings.ReplaceAll(s, "\x00", "\ufffd")
}
