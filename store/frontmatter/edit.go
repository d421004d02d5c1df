package frontmatter

import (
	"cmp"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"issues-index/store/yamlfile"
)

// An Edit changes some of a document's fields and, unless it is Unstamped, the times of change
// and closing: every other byte stays where it is. What cannot be changed so is refused, never guessed.
type Edit struct {
	Set     []Assignment // frontmatter keys; new ones are added in this order
	Context []Assignment // keys below wranglerContext; merged into those that are there
	// Body replaces the body, in the document's own line endings and with a
	// final newline where it had one. Blank lines before the old body stay
	// unless the new one brings its own. An empty or blank one changes nothing.
	Body *string
	// Exact replaces the body byte for byte. Body and Append count only without it.
	Exact *string
	// Append goes to the end of the body as a paragraph of its own. The lines before it
	// keep their bytes unless Body replaces them.
	Append string
	// Respells says that the new values mean what the old ones meant: a status
	// that only gets another spelling is not entered or left, so that closedAt
	// stays as it is.
	Respells bool
	// Unstamped leaves the times of the last change and of closing as they are.
	Unstamped bool
}

// An Assignment sets one key. Of several for one key the last one counts.
type Assignment struct {
	Key string
	// Value is a string, a []string, a json.RawMessage (any JSON; null is
	// the value null), or nil to remove the key.
	Value any
}

// Apply returns the edited bytes, with the time of the change in them unless the edit is
// Unstamped. When every value is as it was, out is what was parsed and changed is false;
// so it is beside an error, which is an *UneditableError where the document is the reason.
func (e Edit) Apply(p Parsed, now time.Time) (out []byte, changed bool, err error) {
	out = []byte(p.raw)
	if err := Editable(p.Problems); err != nil {
		return out, false, err
	}
	changes, err := changesOf(e.Set, p.root, false)
	if err != nil {
		return out, false, err
	}
	below, err := changesOf(e.Context, context(p.root), true)
	if err != nil {
		return out, false, err
	}
	if len(below) > 0 {
		changes = append(changes, change{key: ContextKey, below: below})
	}
	_, _, old := p.around()
	body, bodyField := e.body(old, lineEndOf(p.raw))
	if len(changes) == 0 && body == old {
		return out, false, nil
	}
	if !e.Unstamped {
		is := p.Status
		if i := slices.IndexFunc(changes, func(c change) bool { return c.key == "status" }); i >= 0 && !e.Respells {
			is = readText("status", changes[i].value)
		}
		changes = append(changes, p.stamps(p.Status, is, e.sets, now)...)
	}
	edited, err := p.write(changes, body, bodyField)
	if err != nil {
		return out, false, err
	}
	return edited, true, nil
}

// sets reports whether the caller has a value of his own for a key at the top level.
func (e Edit) sets(key string) bool {
	return slices.ContainsFunc(e.Set, func(a Assignment) bool { return a.Key == key })
}

// changesOf lists the assignments of keys of a mapping, which may be nil, that it does not
// say yet. An empty field is as good as a missing field.
func changesOf(assignments []Assignment, m *yaml.Node, context bool) (changes []change, err error) {
	for i, a := range assignments {
		if slices.ContainsFunc(assignments[i+1:], func(later Assignment) bool { return later.Key == a.Key }) {
			continue
		}
		c, err := a.change(context)
		if err != nil {
			return nil, err
		}
		old := lookup(m, a.Key)
		if c.value == nil && old != nil && len(target(old).Content) > 0 || !c.reads(old) {
			changes = append(changes, c)
		}
	}
	return changes, nil
}

// stamps are the changes of the times of a document whose status was and is such, but for those
// that are set otherwise. The time of closing comes and goes with the status. That of the change
// goes into the key that the reader takes it from, else into a new one, the layout's; a key that
// holds something else than a time is left alone, unless it is the layout's. Where no such times
// are written, those that are there are true no longer, and go.
func (p *Parsed) stamps(was, is string, isSet func(key string) bool, now time.Time) (changes []change) {
	l := p.workspace
	set := func(key string) {
		value := timeNode(now, lookup(p.root, key), l.TimeLayout())
		changes = append(changes, change{key: key, field: true, value: value})
	}
	switch was, is := l.Finished(was), l.Finished(is); {
	case l.Closed == "" || was == is || isSet(l.Closed):
	case is:
		set(l.Closed)
	case lookup(p.root, l.Closed) != nil:
		changes = append(changes, change{key: l.Closed})
	}
	keys, empty := updatedIn(l), ""
	if slices.ContainsFunc(keys, isSet) {
		return changes
	}
	for _, key := range keys {
		n := lookup(p.root, key)
		switch _, isTime := ParseTime(readText(key, n)); {
		case isTime && l.StampUpdates:
			set(key)
			return changes
		case isTime:
			changes = append(changes, change{key: key})
		case empty == "" && n != nil && yamlfile.IsNull(target(n)):
			empty = key
		}
	}
	if l.StampUpdates {
		set(cmp.Or(empty, l.Updated))
	}
	return changes
}

// Restamp returns a whole text that a person has written in place of another one, with the
// times that Apply would give it: that of the change, and that of closing in step with the status.
// A time that the person has changed stays as it is, and a text without frontmatter gets
// none. Errors are Apply's.
func Restamp(before, after Parsed, now time.Time) ([]byte, error) {
	if err := Editable(after.Problems); err != nil || after.block.End == 0 {
		return []byte(after.raw), err
	}
	changed := func(key string) bool {
		return readText(key, lookup(before.root, key)) != readText(key, lookup(after.root, key))
	}
	return after.write(after.stamps(before.Status, after.Status, changed, now), after.Body, "text")
}
