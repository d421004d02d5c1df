package merge

import (
	"errors"
	"fmt"
	"maps"
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

// errMoved says that the merged frontmatter does not read as it was meant.
var errMoved = errors.New("the frontmatter cannot be merged key by key with certainty")

// mergeFrontmatter makes the pieces of the frontmatter, the last of which is the closing fence.
// An error says why the documents are merged by lines.
func mergeFrontmatter(workspace *layout.Layout, base, ours, theirs string, labels Labels) (*merging, error) {
	m := &merging{workspace: workspace, labels: labels, values: make(map[string]string)}
	for _, v := range []struct {
		text, label string
		to          *parts
	}{{base, labels.Base, &m.base}, {ours, labels.Ours, &m.ours}, {theirs, labels.Theirs, &m.theirs}} {
		v.to.parsed = parse(v.text)
		var err error
		if v.to.Mapping, v.to.fence, err = v.to.parsed.Layout(); err != nil {
			return nil, fmt.Errorf("%s: %w", v.label, err)
		}
	}
	if m.base.fence != "" && (m.ours.fence == "" || m.theirs.fence == "") {
		return nil, errors.New("one side has removed the frontmatter")
	}
	head := pick(m.base.Head, m.ours.Head, m.theirs.Head)
	fence := pick(m.base.fence, m.ours.fence, m.theirs.fence)
	if m.ours.fence == "" {
		head, fence = m.theirs.Head, m.theirs.fence
	}
	m.add(piece{text: head})
	m.mapping("", m.base.Mapping, m.ours.Mapping, m.theirs.Mapping)
	m.comments(Text, m.base.Tail, m.ours.Tail, m.theirs.Tail)
	m.add(piece{text: fence})
	err := m.verify()
	return m, err
}

func (m *merging) add(pieces ...piece) { m.pieces = append(m.pieces, pieces...) }

// mapping merges mappings key by key, in our order. within is "", or the path of the
// mapping's own key and a dot.
func (m *merging) mapping(within string, base, ours, theirs frontmatter.Mapping) {
	b, o, t := byKey(base), byKey(ours), byKey(theirs)
	for _, key := range keyOrder(ours, theirs) {
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
func keyOrder(ours, theirs frontmatter.Mapping) (keys []string) {
	for _, e := range ours.Keys {
		keys = append(keys, e.Key)
	}
	at := 0
	for _, e := range theirs.Keys {
		if i := slices.Index(keys, e.Key); i >= 0 {
			at = i + 1
			continue
		}
		for at < len(keys) && theirs.Find(keys[at]) == nil {
			at++
		}
		keys = slices.Insert(keys, at, e.Key)
		at++
	}
	return keys
}

// comments merges the lines between two keys, as one value.
func (m *merging) comments(in string, base, ours, theirs string) {
	if one, ok := oneSided(base, ours, theirs); ok {
		m.add(piece{text: one})
	} else {
		m.add(conflict(in, base, ours, theirs))
	}
}

// verify holds that the frontmatter, with our side of each conflict, reads as it was
// meant: a value can end differently before other lines.
func (m *merging) verify() error {
	var text strings.Builder
	for _, p := range m.pieces {
		text.WriteString(p.text)
	}
	merged, _, err := parse(text.String()).Layout()
	if err != nil {
		return errMoved
	}
	values := make(map[string]string)
	read(values, "", merged.Keys...)
	if !maps.Equal(values, m.values) {
		return errMoved
	}
	return nil
}

// read notes the values of keys, or of the keys below them.
func read(values map[string]string, within string, keys ...frontmatter.KeyLines) {
	for _, e := range keys {
		if e.Below != nil {
			read(values, within+e.Key+".", e.Below.Keys...)
			continue
		}
		values[within+e.Key] = string(e.Value)
	}
}
