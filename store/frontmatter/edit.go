package frontmatter

import (
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
	// Value is a string, a []string, a Time, a json.RawMessage (any JSON; null is
	// the value null), or nil to remove the key.
	Value any
}

// Apply returns the edited bytes, with the time of the change in them unless the edit is
// Unstamped. When every value is as it was, out is what was parsed and changed is false;
// so it is beside an error, which is an *UneditableError where the document is the reason.
func (e Edit) Apply(p Parsed, now time.Time) (out []byte, changed bool, err error) {
	data := []byte(p.raw)
	old, err := newSource(p)
	if err != nil {
		return data, false, err
	}
	changes, err := e.changes(old)
	if err != nil {
		return data, false, err
	}
	body, rewritten := e.body(old)
	if len(changes) == 0 && !rewritten {
		return data, false, nil
	}
	changes = append(changes, e.closing(old, p.workspace, now)...)
	if !e.Unstamped && !slices.ContainsFunc(updatedIn(p.workspace), e.sets) {
		changes = append(changes, stamp(old.root, p.workspace, now)...)
	}
	if out, err = e.write(old, changes, body); err != nil {
		return data, false, err
	}
	return out, true, nil
}

// write is the document with these changes and this body.
func (e Edit) write(old *source, changes []change, body string) ([]byte, error) {
	text, err := old.changed(changes)
	if err != nil {
		return nil, err
	}
	edited := old.with(text, body)
	out := []byte(edited.text())
	if err := tooLong(len(out), len(text), e.bodyField(), changes); err != nil {
		return nil, err
	}
	return out, old.verify(edited, changes)
}

// bodyField is the field that the body comes from.
func (e Edit) bodyField() string {
	switch {
	case e.Exact != nil:
		return "text"
	case e.Body != nil:
		return "description"
	}
	return "note"
}

// changes lists what the document does not say yet, and then what it says too
// much, so that a mapping is never empty in between.
func (e Edit) changes(s *source) ([]change, error) {
	var sets, removals []change
	for _, from := range []struct {
		assignments []Assignment
		context     bool
	}{{e.Set, false}, {e.Context, true}} {
		for i, a := range from.assignments {
			if slices.ContainsFunc(from.assignments[i+1:], func(later Assignment) bool { return later.Key == a.Key }) {
				continue
			}
			c, err := a.change(from.context)
			if err != nil {
				return nil, err
			}
			switch {
			case c.holds(s):
			case c.value == nil:
				removals = append(removals, c)
			default:
				sets = append(sets, c)
			}
		}
	}
	return append(sets, removals...), nil
}

// last finds the assignment of a top-level key that counts.
func (e Edit) last(key string) (a Assignment, ok bool) {
	for _, each := range e.Set {
		if each.Key == key {
			a, ok = each, true
		}
	}
	return a, ok
}

// sets reports whether the caller has a value of his own for a key.
func (e Edit) sets(key string) bool {
	_, ok := e.last(key)
	return ok
}

// closing keeps the time of closing in step with the status.
func (e Edit) closing(s *source, workspace *layout.Layout, now time.Time) []change {
	a, ok := e.last("status")
	if !ok || e.Respells || e.sets(workspace.Closed) {
		return nil
	}
	status, err := a.change(false)
	was := workspace.Finished(readText("status", lookup(s.root, "status")))
	is := err == nil && status.value != nil && workspace.Finished(status.value.Value)
	return closing(was, is, s.root, workspace, now)
}

// closing is the change of the time of closing when a document is finished or opened again.
// There is none where the layout has no key for it.
func closing(was, is bool, root *yaml.Node, workspace *layout.Layout, now time.Time) []change {
	key := workspace.Closed
	old := lookup(root, key)
	switch {
	case key == "":
	case is && !was:
		return []change{{key: key, value: timeNode(now, old, workspace.TimeLayout())}}
	case was && !is && old != nil:
		return []change{{key: key}}
	}
	return nil
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
				return []change{{key: key, value: timeNode(now, n, workspace.TimeLayout())}}
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
	if empty == "" {
		empty = workspace.Updated
	}
	added := change{key: empty, value: timeNode(now, nil, workspace.TimeLayout())}
	if workspace.Updated != updatedKeys[0] { // other programs keep the times together
		added.after = workspace.Created
	}
	return []change{added}
}

// lookup is the value of a mapping's key, nil when there is none.
func lookup(m *yaml.Node, key string) *yaml.Node {
	if i := indexKey(m, key); i >= 0 {
		return m.Content[i+1]
	}
	return nil
}

// indexKey is where in the mapping's content a key stands, -1 when nowhere.
func indexKey(m *yaml.Node, key string) int {
	if m == nil || m.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if k := m.Content[i]; k.Kind == yaml.ScalarNode && k.Value == key {
			return i
		}
	}
	return -1
}
