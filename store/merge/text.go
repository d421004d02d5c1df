package merge

import (
	"context"
	"fmt"
	"strings"

	"issues-index/store/frontmatter"
	"issues-index/store/git"
)

// mergeLines merges texts as git does, in whole lines, but with appends it keeps what both sides
// have added at the end. A missing end of the last line is one property of the text, not a
// change of that line.
func mergeLines(ctx context.Context, base, ours, theirs string, endings lineEnds, appends bool) ([]piece, error) {
	if one, ok := oneSided(base, ours, theirs); ok {
		return []piece{{text: one}}, nil
	}
	all := base + ours + theirs
	if strings.Contains(all, "\x00") { // which git takes for no text
		return []piece{conflict(Text, base, ours, theirs)}, nil
	}
	size := freeMarkerSize(base, ours, theirs)
	merged, _, err := git.MergeText(ctx, endings.ended(base), endings.ended(ours), endings.ended(theirs), size)
	if err != nil {
		return nil, fmt.Errorf("merge the texts line by line: %w", err)
	}
	pieces, _, err := readConflicts(merged, size)
	if err != nil {
		return nil, err
	}
	last := &pieces[len(pieces)-1] // no conflict
	if isAppend := len(pieces) > 1 && last.text == "" && pieces[len(pieces)-2].base == ""; isAppend && appends {
		pieces = pieces[:len(pieces)-1]
		last = &pieces[len(pieces)-1]
		*last = piece{text: endings.ended(last.ours) + last.theirs}
	}
	isEnded := func(text string) bool { return endings.ended(text) == text }
	if !pick(isEnded(base), isEnded(ours), isEnded(theirs)) {
		last.text = strings.TrimSuffix(strings.TrimSuffix(last.text, "\n"), "\r")
	}
	return pieces, nil
}

// freeMarkerSize is the least size of markers that no line of the texts has, at least git's own. A
// longer one for each run of signs would let one long line make every marker as long.
func freeMarkerSize(texts ...string) int {
	taken := map[int]bool{}
	for _, text := range texts {
		for line := range strings.Lines(text) {
			_, size, _ := frontmatter.ConflictMarker(line)
			taken[size] = true
		}
	}
	size := markerSize
	for taken[size] {
		size++
	}
	return size
}
