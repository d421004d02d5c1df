package merge

import (
	"fmt"
	"strings"

	"issues-index/store/frontmatter"
	"issues-index/store/layout"
)

// An UnresolvedError says why conflict markers have to stay.
type UnresolvedError struct {
	Lines  []string // where the conflicts in the frontmatter are, as 4-9; nil when they cannot be told apart
	Reason string
}

func (e *UnresolvedError) Error() string {
	if len(e.Lines) == 0 {
		return e.Reason
	}
	return "lines " + strings.Join(e.Lines, ", ") + ": " + e.Reason
}

// Resolve merges the two sides of the conflicts that git has left in a document's
// frontmatter, as Documents merges them, with or without the common version between the
// markers. Without it the labels of both are kept, and a status must not differ. The text
// below is left as it is, with any markers in it. Where the frontmatter
// would keep one marker, all stay: *UnresolvedError.
func Resolve(workspace *layout.Layout, data []byte) (Merged, error) {
	block, _, _ := frontmatter.Split(string(data))
	if block.End == 0 {
		return Merged{}, &UnresolvedError{Reason: "the conflict goes beyond the frontmatter"}
	}
	pieces, labels, err := readConflicts(string(data[:block.End]), markerSize)
	if err != nil {
		return Merged{}, err
	}
	var base, ours, theirs strings.Builder
	stays := &UnresolvedError{}
	based := true
	for _, p := range pieces {
		if !p.conflict {
			p.base, p.ours, p.theirs = p.text, p.text, p.text
		} else {
			stays.Lines = append(stays.Lines, fmt.Sprintf("%d-%d", p.from, p.to))
			based = based && p.based
			if !p.based && (p.ours == "" || p.theirs == "") {
				stays.Reason = "one side has nothing there, and without the common version it is unknown " +
					"whether the other has added it"
			}
		}
		base.WriteString(p.base)
		ours.WriteString(p.ours)
		theirs.WriteString(p.theirs)
	}
	if len(stays.Lines) == 0 {
		return Merged{}, &UnresolvedError{Reason: "there is no conflict in the frontmatter"}
	}
	if !based && stays.Reason == "" && parse(ours.String()).Status != parse(theirs.String()).Status {
		stays.Reason = "the two sides have another status, and without the common version it is unknown which is newer"
	}
	if stays.Reason != "" {
		return Merged{}, stays
	}
	labels = labels.complete()
	m, err := mergeFrontmatter(workspace, base.String(), ours.String(), theirs.String(), labels)
	if err != nil {
		stays.Reason = err.Error()
		return Merged{}, stays
	}
	merged := render(m.pieces, m.notes, labels, lineEndsOf(data))
	switch {
	case merged.Conflicts > 0:
		stays.Reason = "both sides changed " + strings.Join(merged.Conflicted, " and ") + " in different ways"
	case frontmatter.Editable(parse(string(merged.Data)).Problems) != nil:
		stays.Reason = "the two sides make no readable frontmatter together"
	}
	if stays.Reason != "" {
		return Merged{}, stays
	}
	merged.Data = append(merged.Data, data[block.End:]...)
	return merged, nil
}
