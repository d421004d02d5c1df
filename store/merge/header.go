package merge

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"issues-index/store/frontmatter"
	"issues-index/store/layout"
)

// A merging is the merge of three documents that can be taken apart.
type merging struct {
	workspace          *layout.Layout
	base, ours, theirs parts
	labels             Labels
	endings            lineEnds
	appends            bool // there is a base that texts can be appended to

	pieces []piece
	notes  []string
	// values are what the keys of the frontmatter shall read as, a key of
	// wranglerContext behind its name. A conflict counts as ours.
	values map[string]string
}

// parts are one document, taken apart.
type parts struct {
	frontmatter.Mapping
	fence  string
	parsed frontmatter.Parsed
}

// takeApart reads the three documents. An error says why they are merged by lines.
func takeApart(workspace *layout.Layout, base, ours, theirs []byte, labels Labels) (*merging, error) {
	m := &merging{workspace: workspace, labels: labels, endings: lineEndsOf(ours), appends: len(base) > 0, values: make(map[string]string)}
	for _, v := range []struct {
		data  []byte
		label string
		to    *parts
	}{{base, labels.Base, &m.base}, {ours, labels.Ours, &m.ours}, {theirs, labels.Theirs, &m.theirs}} {
		if hasMarkers(string(v.data)) {
			return nil, fmt.Errorf("%s: there are conflict markers in it already", v.label)
		}
		v.to.parsed = parse(v.data)
		var err error
		if v.to.Mapping, v.to.fence, err = v.to.parsed.Layout(); err != nil {
			return nil, fmt.Errorf("%s: %w", v.label, err)
		}
	}
	if m.base.fence != "" && (m.ours.fence == "" || m.theirs.fence == "") {
		return nil, errors.New("one side has removed the frontmatter")
	}
	return m, nil
}

// errMoved says that the merged frontmatter does not read as it was meant.
var errMoved = errors.New("the frontmatter cannot be merged key by key with certainty")

// merge makes the pieces.
func (m *merging) merge() error {
	head, fence := pick(m.base.Head, m.ours.Head, m.theirs.Head), pick(m.base.fence, m.ours.fence, m.theirs.fence)
	if m.ours.fence == "" {
		head, fence = m.theirs.Head, m.theirs.fence
	}
	body := prose(m.base.parsed.Body, m.ours.parsed.Body, m.theirs.parsed.Body, m.appends, m.endings)
	m.add(piece{text: head})
	m.mapping("", m.base.Mapping, m.ours.Mapping, m.theirs.Mapping)
	m.comments(Text, m.base.Tail, m.ours.Tail, m.theirs.Tail)
	if fence != "" && !strings.HasSuffix(fence, "\n") && slices.ContainsFunc(body, func(p piece) bool { return p.conflict || p.text != "" }) {
		fence += m.endings.mark()
	}
	m.add(piece{text: fence})
	if err := m.verify(); err != nil {
		return err
	}
	m.add(body...)
	return nil
}

func (m *merging) add(pieces ...piece) { m.pieces = append(m.pieces, pieces...) }

// mapping merges mappings key by key, in our order. within is "", or the path of the
// mapping's own key and a dot.
func (m *merging) mapping(within string, base, ours, theirs frontmatter.Mapping) {
	b, o, t := byKey(base), byKey(ours), byKey(theirs)
	for _, key := range keyOrder(ours, theirs, o, t) {
		m.comments(within+key, b[key].Above, o[key].Above, t[key].Above)
		m.entry(keyMerge{within, key, b[key], o[key], t[key]})
	}
}

// byKey finds the entries of a mapping. What has no entry has the zero entry.
func byKey(m frontmatter.Mapping) map[string]frontmatter.KeyLines {
	entries := make(map[string]frontmatter.KeyLines, len(m.Keys))
	for _, e := range m.Keys {
		entries[e.Key] = e
	}
	return entries
}

// keyOrder lists the keys of both sides: ours in their order, and each other one of theirs
// after the key that it follows there, and after what we added there.
func keyOrder(ours, theirs frontmatter.Mapping, inOurs, inTheirs map[string]frontmatter.KeyLines) []string {
	after := make(map[string][]string) // by our key, "" at the beginning
	at := ""
	for _, e := range theirs.Keys {
		if inOurs[e.Key].Lines != "" {
			at = e.Key
			continue
		}
		after[at] = append(after[at], e.Key)
	}
	var keys, waiting []string
	waiting = after[""]
	for _, e := range ours.Keys {
		if inTheirs[e.Key].Lines != "" {
			keys = append(keys, waiting...)
			waiting = after[e.Key]
		}
		keys = append(keys, e.Key)
	}
	return append(keys, waiting...)
}

// comments merges the lines between two keys.
func (m *merging) comments(in string, base, ours, theirs string) {
	for _, p := range byLines(base, ours, theirs) {
		p.in = in
		m.add(p)
	}
}

// verify holds that the frontmatter, with our side of each conflict, reads as it was
// meant: a value can end differently before other lines.
func (m *merging) verify() error {
	var text strings.Builder
	for _, p := range m.pieces {
		text.WriteString(p.text)
	}
	merged, _, err := parse([]byte(text.String())).Layout()
	if err != nil {
		return errMoved
	}
	values := make(map[string]string)
	read(values, "", merged)
	if len(values) != len(m.values) {
		return errMoved
	}
	for key, value := range m.values {
		if values[key] != value {
			return errMoved
		}
	}
	return nil
}

// read notes the values of a mapping's keys, and of those below.
func read(values map[string]string, within string, m frontmatter.Mapping) {
	for _, e := range m.Keys {
		readEntry(values, within, e)
	}
}

// readEntry notes the value of a key, or of the keys below it.
func readEntry(values map[string]string, within string, e frontmatter.KeyLines) {
	if e.Below != nil {
		read(values, within+e.Key+".", *e.Below)
		return
	}
	values[within+e.Key] = string(e.Value)
}
