package merge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"issues-index/store/frontmatter"
	"issues-index/store/orderedjson"
	"issues-index/store/words"
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
	merged, ok := k.oneSided(func(e frontmatter.KeyLines) string { return e.Lines })
	note := ""
	if !ok {
		if m.below(k) {
			return
		}
		merged, note, ok = m.decide(k)
		ok = ok && k.commentsStay(merged)
	}
	switch {
	case !ok:
		m.add(conflict(k.within+k.key, k.base.Lines, k.ours.Lines, k.theirs.Lines))
		merged = k.ours
	case note != "":
		m.notes = append(m.notes, note)
		fallthrough
	default:
		m.add(piece{text: merged.Lines})
	}
	if merged.Lines != "" { // else the key is removed
		read(m.values, k.within, merged)
	}
}

// oneSided is the entry of the side that has changed it, or ours where both have the same.
func (k keyMerge) oneSided(of func(frontmatter.KeyLines) string) (e frontmatter.KeyLines, ok bool) {
	merged, ok := oneSided(of(k.base), of(k.ours), of(k.theirs))
	if merged == of(k.ours) {
		return k.ours, ok
	}
	return k.theirs, ok
}

// decide finds the entry that is the merge of a key whose lines both sides have changed. ok is
// false where no rule tells it.
func (m *merging) decide(k keyMerge) (e frontmatter.KeyLines, note string, ok bool) {
	if strings.Contains(k.ours.Lines+k.theirs.Lines, " !") { // a tag, which JSON does not show
		return e, "", false
	}
	e, ok = k.oneSided(func(e frontmatter.KeyLines) string { return string(e.Value) })
	switch {
	case ok || k.within != "": // the other has but another spelling
	case slices.Contains(timeKeys, k.key) || k.key == m.workspace.Updated || k.key == m.workspace.Closed:
		e, ok = k.later()
	case slices.Contains(setKeys, k.key):
		e, ok = k.sets()
	case k.key == "status":
		return m.finished(k)
	}
	return e, "", ok
}

// later is the entry with the later time.
func (k keyMerge) later() (e frontmatter.KeyLines, ok bool) {
	ours, okOurs := frontmatter.ParseTime(text(k.ours))
	theirs, okTheirs := frontmatter.ParseTime(text(k.theirs))
	ok = okOurs && okTheirs
	if ours.Before(theirs) {
		return k.theirs, ok
	}
	return k.ours, ok
}

// text is the value of an entry that is one text, else "".
func text(e frontmatter.KeyLines) (s string) {
	_ = json.Unmarshal(e.Value, &s) // another value leaves ""
	return s
}

// finished is the status of the side that has finished the document, where the other side
// has not put it further back than it was.
func (m *merging) finished(k keyMerge) (end frontmatter.KeyLines, note string, ok bool) {
	rank := func(e frontmatter.KeyLines) int {
		return slices.Index(m.workspace.StatusNames(), text(e))
	}
	was, other := 0, k.theirs // a document without a status is open
	if k.base.Lines != "" {
		was = rank(k.base)
	}
	if end = k.ours; !m.workspace.Finished(text(end)) {
		other, end = end, other
	}
	note = fmt.Sprintf("The status is %s in %s and %s in %s: it stays %s.",
		text(k.ours), m.labels.Ours, text(k.theirs), m.labels.Theirs, text(end))
	isFurther := was >= 0 && rank(other) >= was
	return end, note, isFurther && m.workspace.Finished(text(end)) && !m.workspace.Finished(text(other))
}

// sets is the merged set, in our form, or in theirs.
func (k keyMerge) sets() (e frontmatter.KeyLines, ok bool) {
	base, okBase := items(k.base)
	ours, okOurs := items(k.ours)
	theirs, okTheirs := items(k.theirs)
	isSet := k.key == "labels" || isList(k.ours) || isList(k.theirs) // not two values where one is meant
	if !okBase || !okOurs || !okTheirs || !isSet {
		return e, false
	}
	if e, ok = k.ours.WithItems(union(base, ours, theirs)); ok && k.commentsStay(e) {
		return e, true
	}
	return k.theirs.WithItems(union(base, theirs, ours))
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
func items(e frontmatter.KeyLines) (items []string, ok bool) {
	var values []json.RawMessage
	switch {
	case len(e.Value) == 0 || string(e.Value) == "null":
		return nil, true
	case isList(e):
		if json.Unmarshal(e.Value, &values) != nil {
			return nil, false
		}
	case e.Key == "labels" && e.Value[0] == '"':
		for _, label := range words.List(text(e)) {
			values = append(values, orderedjson.Text(label))
		}
	default:
		values = []json.RawMessage{e.Value}
	}
	for _, value := range values {
		if value[0] == '{' || value[0] == '[' {
			return nil, false
		}
		items = append(items, string(value))
	}
	return words.Once(items), true
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
