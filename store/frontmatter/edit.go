package frontmatter

import (
	"cmp"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"issues-index/store/layout"
	"issues-index/store/yamlfile"
)

// An Edit changes some of a document's fields and nothing else: every other
// byte stays where it is. What cannot be changed so is refused, never guessed.
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
	// Unstamped leaves the time of the last change as it is.
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
	status := slices.IndexFunc(changes, func(c change) bool { return c.key == "status" })
	if status >= 0 && !e.Respells && !e.sets(p.workspace.Closed) {
		was := p.workspace.Finished(readText("status", lookup(p.root, "status")))
		n := changes[status].value
		is := n != nil && p.workspace.Finished(n.Value)
		changes = append(changes, closing(was, is, p.root, p.workspace, now)...)
	}
	if !e.Unstamped && !slices.ContainsFunc(updatedIn(p.workspace), e.sets) {
		changes = append(changes, stamp(p.root, p.workspace, now)...)
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
// say yet. A field that is empty is as good as one that is not there.
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

// closing is the change of the time of closing when a document is finished or opened again.
// There is none where the layout has no key for it.
func closing(was, is bool, root *yaml.Node, workspace *layout.Layout, now time.Time) []change {
	key := workspace.Closed
	old := lookup(root, key)
	switch {
	case key == "":
	case is && !was:
		return []change{timeChange(key, old, workspace, now)}
	case was && !is && old != nil:
		return []change{{key: key}}
	}
	return nil
}

// timeChange sets a key to a time, in the form of the old one, which may be nil.
func timeChange(key string, old *yaml.Node, workspace *layout.Layout, now time.Time) change {
	return change{key: key, field: true, value: timeNode(now, old, workspace.TimeLayout())}
}

// stamp puts the time of the change into the key that the reader takes it from,
// else into a new one, the layout's. A key that holds something else than a time is
// left alone, unless it is the layout's. Where no such times are written, those that are
// there are true no longer, and go.
func stamp(root *yaml.Node, workspace *layout.Layout, now time.Time) (changes []change) {
	empty := ""
	for _, key := range updatedIn(workspace) {
		n := lookup(root, key)
		if n == nil {
			continue
		}
		if _, ok := ParseTime(readText(key, n)); ok {
			if workspace.StampUpdates {
				return []change{timeChange(key, n, workspace, now)}
			}
			changes = append(changes, change{key: key})
		}
		if empty == "" && yamlfile.IsNull(target(n)) {
			empty = key
		}
	}
	if !workspace.StampUpdates {
		return changes
	}
	return []change{timeChange(cmp.Or(empty, workspace.Updated), nil, workspace, now)}
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
	var changes []change
	workspace := after.workspace
	if !changed(workspace.Closed) {
		changes = closing(workspace.Finished(before.Status), workspace.Finished(after.Status), after.root, workspace, now)
	}
	if !slices.ContainsFunc(updatedIn(workspace), changed) {
		changes = append(changes, stamp(after.root, workspace, now)...)
	}
	return after.write(changes, after.Body, "text")
}
