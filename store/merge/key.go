package merge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"issues-index/store/frontmatter"
	"issues-index/store/orderedjson"
)

// A keyMerge is one key in the three versions. Where a version lacks it, its entry is the
// zero one.
type keyMerge struct {
	within, key        string // within is the path of a mapping around it, with a dot, or ""
	base, ours, theirs frontmatter.KeyLines
}

var (
	// timeKeys are the keys of which the later time counts.
	timeKeys = []string{"updatedAt", "updated_date", "updated", "closedAt"}
	// setKeys are the keys whose values are sets.
	setKeys = append(frontmatter.LinkKeys(), "labels", "formerIds")
)

// entry merges one key.
func (m *merging) entry(k keyMerge) {
	switch {
	case k.ours.Lines == k.theirs.Lines || k.base.Lines == k.theirs.Lines:
		m.keep(k, k.ours)
		return
	case k.base.Lines == k.ours.Lines:
		m.keep(k, k.theirs)
		return
	case m.below(k):
		return
	}
	candidates, note := m.decide(k)
	if i := slices.IndexFunc(candidates, k.commentsStay); i >= 0 {
		if note != "" {
			m.notes = append(m.notes, note)
		}
		m.keep(k, candidates[i])
		return
	}
	m.add(conflict(k.within+k.key, k.base.Lines, k.ours.Lines, k.theirs.Lines))
	if k.ours.Lines != "" {
		readEntry(m.values, k.within, k.ours)
	}
}

// keep takes one entry for a key; the zero entry removes it.
func (m *merging) keep(k keyMerge, e frontmatter.KeyLines) {
	if e.Lines != "" {
		m.add(piece{text: e.Lines})
		readEntry(m.values, k.within, e)
	}
}

// decide finds the entries, the best one first, that are the merge of a key that both
// sides have changed. There is none where no rule tells it.
func (m *merging) decide(k keyMerge) (candidates []frontmatter.KeyLines, note string) {
	base, ours, theirs := string(k.base.Value), string(k.ours.Value), string(k.theirs.Value)
	switch {
	case strings.Contains(k.ours.Lines+k.theirs.Lines, " !"): // a tag, which JSON does not show
		return nil, ""
	case ours == theirs: // in two spellings
		return []frontmatter.KeyLines{k.ours, k.theirs}, ""
	case base == theirs && base != "": // which is but spelt in another way
		return []frontmatter.KeyLines{k.ours}, ""
	case base == ours && base != "":
		return []frontmatter.KeyLines{k.theirs}, ""
	case k.within != "":
		return nil, ""
	case slices.Contains(timeKeys, k.key) || k.key == m.workspace.Updated || k.key == m.workspace.Closed:
		return k.later(), ""
	case slices.Contains(setKeys, k.key):
		return m.sets(k), ""
	case k.key == "status":
		return m.finished(k)
	}
	return nil, ""
}

// later is the entry with the later time.
func (k keyMerge) later() []frontmatter.KeyLines {
	ours, okOurs := frontmatter.ParseTime(text(k.ours))
	theirs, okTheirs := frontmatter.ParseTime(text(k.theirs))
	switch {
	case !okOurs || !okTheirs:
		return nil
	case ours.After(theirs):
		return []frontmatter.KeyLines{k.ours}
	case theirs.After(ours):
		return []frontmatter.KeyLines{k.theirs}
	}
	return []frontmatter.KeyLines{k.ours, k.theirs}
}

// text is the value of an entry that is one text, else "".
func text(e frontmatter.KeyLines) (s string) {
	_ = json.Unmarshal(e.Value, &s) // another value leaves ""
	return s
}

// finished is the status of the side that has finished the document, where the other side
// has not put it further back than it was.
func (m *merging) finished(k keyMerge) (candidates []frontmatter.KeyLines, note string) {
	rank := func(e frontmatter.KeyLines) int {
		return slices.Index(m.workspace.StatusNames(), text(e))
	}
	was, other, end := 0, k.theirs, k.ours // a document without a status is open
	if k.base.Lines != "" {
		was = rank(k.base)
	}
	if !m.workspace.Finished(text(end)) {
		other, end = end, other
	}
	if !m.workspace.Finished(text(end)) || m.workspace.Finished(text(other)) || was < 0 || rank(other) < was {
		return nil, ""
	}
	note = fmt.Sprintf("The status is %s in %s and %s in %s: it stays %s.",
		text(k.ours), m.labels.Ours, text(k.theirs), m.labels.Theirs, text(end))
	return []frontmatter.KeyLines{end}, note
}

// sets are the merged sets, in our bytes and in theirs.
func (m *merging) sets(k keyMerge) []frontmatter.KeyLines {
	base, okBase := m.base.items(k.base)
	ours, okOurs := m.ours.items(k.ours)
	theirs, okTheirs := m.theirs.items(k.theirs)
	if !okBase || !okOurs || !okTheirs {
		return nil
	}
	if k.key != "labels" && !isList(k.ours) && !isList(k.theirs) {
		return nil // two values where one is meant
	}
	inOurs := m.ours.withItems(k.ours, union(base, ours, theirs))
	inTheirs := m.theirs.withItems(k.theirs, union(base, theirs, ours))
	return append(inOurs, inTheirs...)
}

// union is a set with what each side added, and without what either has removed, in the
// order of the first side.
func union(base, first, second []string) (merged []string) {
	for _, item := range first {
		if slices.Contains(second, item) || !slices.Contains(base, item) {
			merged = append(merged, item)
		}
	}
	for _, item := range second {
		if !slices.Contains(base, item) && !slices.Contains(merged, item) {
			merged = append(merged, item)
		}
	}
	return merged
}

// isList reports whether an entry is a list of values.
func isList(e frontmatter.KeyLines) bool { return strings.HasPrefix(string(e.Value), "[") }

// items are the members of a set, each as JSON. A single value is a set of one; labels in
// one text are several.
func (p parts) items(e frontmatter.KeyLines) (items []string, ok bool) {
	var values []json.RawMessage
	switch {
	case len(e.Value) == 0 || string(e.Value) == "null":
		return nil, true
	case isList(e):
		if json.Unmarshal(e.Value, &values) != nil {
			return nil, false
		}
	case e.Key == "labels" && e.Value[0] == '"':
		for _, label := range p.parsed.Labels {
			values = append(values, orderedjson.Text(label))
		}
	default:
		values = []json.RawMessage{e.Value}
	}
	for _, value := range values {
		if value[0] == '{' || value[0] == '[' {
			return nil, false
		}
		if !slices.Contains(items, string(value)) {
			items = append(items, string(value))
		}
	}
	return items, true
}

// withItems is an entry of the document with another list of values, each as JSON: nothing when
// the entry is not there, or cannot be edited.
func (p parts) withItems(e frontmatter.KeyLines, items []string) []frontmatter.KeyLines {
	if e.Lines == "" {
		return nil
	}
	list := json.RawMessage("[" + strings.Join(items, ",") + "]")
	edit := frontmatter.Edit{Set: []frontmatter.Assignment{{Key: e.Key, Value: list}}, Unstamped: true}
	edited, _, err := edit.Apply(p.parsed, time.Time{})
	if err != nil {
		return nil
	}
	after, _, err := parse(string(edited)).Layout()
	if err != nil {
		return nil
	}
	if e := after.Find(e.Key); e != nil {
		return []frontmatter.KeyLines{*e}
	}
	return nil
}

// below merges a wranglerContext by its own keys, where these have lines of their own,
// indented alike.
func (m *merging) below(k keyMerge) bool {
	ours, theirs, base := k.ours.Below, k.theirs.Below, k.base.Below
	if isEmpty := slices.Contains([]string{"", "null", "{}"}, string(k.base.Value)); isEmpty {
		base = &frontmatter.Mapping{}
	}
	if ours == nil || theirs == nil || base == nil || indent(*ours) != indent(*theirs) {
		return false
	}
	head, ok := oneSided(base.Head, ours.Head, theirs.Head)
	if !ok {
		return false // a comment behind its name
	}
	m.add(piece{text: head})
	m.mapping(k.key+".", *base, *ours, *theirs)
	return true
}

// indent is how far the keys of a mapping are indented.
func indent(m frontmatter.Mapping) int {
	first := m.Keys[0].Lines
	return len(first) - len(strings.TrimLeft(first, " "))
}

// commentsStay reports whether the kept lines have the comments that either side has put
// into its own.
func (k keyMerge) commentsStay(kept frontmatter.KeyLines) bool {
	for line := range strings.Lines(k.ours.Lines + k.theirs.Lines) {
		at := strings.Index(" "+line, " #")
		if at < 0 {
			continue
		}
		comment := strings.TrimSpace(line[at:])
		if !strings.Contains(kept.Lines, comment) && !strings.Contains(k.base.Lines, comment) {
			return false
		}
	}
	return true
}
