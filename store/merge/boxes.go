package merge

import (
	"slices"

	"issues-index/store/markdown"
)

// mergeBoxes returns three texts in which each box that all of them have is checked if it is in
// the merge. What the sides have changed beside that is the same as before.
func mergeBoxes(base, ours, theirs string) (mergedBase, mergedOurs, mergedTheirs string) {
	b, o, t := []byte(base), []byte(ours), []byte(theirs)
	inOurs, inTheirs := boxesOf(ours), boxesOf(theirs)
	for text, box := range boxesOf(base) {
		our, their := inOurs[text], inTheirs[text]
		if !box.isSame(our) || !box.isSame(their) {
			continue
		}
		for i, at := range box.at {
			state := mergeStates(b[at], o[our.at[i]], t[their.at[i]])
			b[at], o[our.at[i]], t[their.at[i]] = state, state, state
		}
	}
	return string(b), string(o), string(t)
}

// A sameBoxes has the boxes of one text, in their order: the offsets of the bytes that say
// whether they are checked, and the headings above them.
type sameBoxes struct {
	at       []int
	headings []string
}

// isSame reports whether it is certain which box is which in another version.
func (b sameBoxes) isSame(other sameBoxes) bool {
	return len(b.at) == len(other.at) && (len(b.at) == 1 || slices.Equal(b.headings, other.headings))
}

// boxesOf returns the boxes by their texts.
func boxesOf(text string) map[string]sameBoxes {
	all, headings := map[string]sameBoxes{}, markdown.Outline(text)
	for _, box := range markdown.Boxes(text) {
		same := all[box.Text]
		all[box.Text] = sameBoxes{append(same.at, box.At), append(same.headings, markdown.Above(headings, box.Line))}
	}
	return all
}

// mergeStates merges the byte of one box.
func mergeStates(base, ours, theirs byte) byte {
	isChecked := func(b byte) bool { return b == 'x' || b == 'X' }
	if isChecked(ours) == isChecked(base) && isChecked(theirs) != isChecked(base) {
		return theirs
	}
	return pick(base, ours, theirs)
}
