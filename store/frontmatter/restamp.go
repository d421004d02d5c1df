package frontmatter

import (
	"slices"
	"time"
)

// Restamp returns a whole text that a person has written in place of another one, with the
// times that Apply would give it: that of the change, and that of closing in step with the status.
// A time that the person has changed stays as it is, and a text without frontmatter gets
// none. Errors are Apply's.
func Restamp(before, after Parsed, now time.Time) ([]byte, error) {
	if after.block.End == 0 {
		return []byte(after.raw), Editable(after.Problems)
	}
	s, err := newSource(after)
	if err != nil {
		return nil, err
	}
	changed := func(key string) bool {
		return readText(key, lookup(before.root, key)) != readText(key, lookup(s.root, key))
	}
	var changes []change
	workspace := after.workspace
	if !changed(workspace.Closed) {
		changes = closing(workspace.Finished(before.Status), workspace.Finished(after.Status), s.root, workspace, now)
	}
	if !slices.ContainsFunc(updatedIn(workspace), changed) {
		changes = append(changes, stamp(s.root, workspace, now)...)
	}
	return Edit{Exact: &s.body}.write(s, changes, s.body)
}
