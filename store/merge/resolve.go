package merge

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"issues-index/store/frontmatter"
	"issues-index/store/layout"
)

// Resolve merges the two sides of the conflicts that git has left in a document's
// frontmatter, as Documents merges them, with or without the common version between the
// markers. Without it the labels of both are kept, and a status must not differ. The text
// below is left as it is, with any markers in it. Where the frontmatter would keep one marker,
// all stay: the error says which lines they are on, and why.
func Resolve(workspace *layout.Layout, data []byte) (Merged, error) {
	block, _, _ := frontmatter.Split(string(data))
	if block.End == 0 {
		return Merged{}, errors.New("the conflict goes beyond the frontmatter")
	}
	pieces, labels, err := readConflicts(string(data[:block.End]), markerSize)
	if err != nil {
		return Merged{}, err
	}
	var base, ours, theirs strings.Builder
	var lines []string
	reason, based := "", true
	for _, p := range pieces {
		if !p.conflict {
			p.base, p.ours, p.theirs = p.text, p.text, p.text
		} else {
			lines = append(lines, fmt.Sprintf("%d-%d", p.from, p.to))
			based = based && p.based
			if !p.based && (p.ours == "" || p.theirs == "") {
				reason = "one side has nothing there, and without the common version it is unknown " +
					"whether the other has added it"
			}
		}
		base.WriteString(p.base)
		ours.WriteString(p.ours)
		theirs.WriteString(p.theirs)
	}
	if len(lines) == 0 {
		return Merged{}, errors.New("there is no conflict in the frontmatter")
	}
	if !based && parse(ours.String()).Status != parse(theirs.String()).Status {
		reason = cmp.Or(reason,
			"the two sides have another status, and without the common version it is unknown which is newer")
	}
	var merged Merged
	if reason == "" {
		labels = labels.complete()
		m, err := mergeFrontmatter(workspace, base.String(), ours.String(), theirs.String(), labels)
		if err == nil {
			merged = render(m.pieces, m.notes, labels, lineEndsOf(data))
		}
		switch {
		case err != nil:
			reason = err.Error()
		case merged.Conflicts > 0:
			reason = "both sides changed " + strings.Join(merged.Conflicted, " and ") + " in different ways"
		case frontmatter.Editable(parse(string(merged.Data)).Problems) != nil:
			reason = "the two sides make no readable frontmatter together"
		}
	}
	if reason != "" {
		return Merged{}, fmt.Errorf("lines %s: %s", strings.Join(lines, ", "), reason)
	}
	merged.Data = append(merged.Data, data[block.End:]...)
	return merged, nil
}
