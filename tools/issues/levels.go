package issues

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"unicode/utf8"
)

// A level is how much an answer that does not fit still shows: so many entries
// of each of its lists, and so many characters of an entry or another value.
type level struct{ entries, length int }

// levels are those that an answer is tried at in turn. At the first it is whole.
var levels = []level{
	{math.MaxInt, math.MaxInt}, {math.MaxInt, 120}, {100, 120}, {50, 80}, {25, 60}, {12, 40}, {6, 40}, {3, 20}, {1, 20}, {0, 20},
}

// lastLevel is the one with the least.
var lastLevel = len(levels) - 1

// whole reports whether the level leaves nothing out.
func (l level) whole() bool { return l.length == math.MaxInt }

// texts are as many of a list as the level shows, cut where they are long, and
// how many there are beside them.
func (l level) texts(list []string) (shown []string, left int) {
	shown = make([]string, min(len(list), l.entries))
	for i := range shown {
		shown[i] = l.text(list[i])
	}
	return shown, len(list) - len(shown)
}

// text is a value of which the level may show a part alone.
func (l level) text(value string) string { return cut(value, l.length) }

// name is text for what has to be told apart from its likes: an … is followed by
// a checksum of the whole.
func (l level) name(value string) string {
	if utf8.RuneCountInString(value) <= l.length {
		return value
	}
	sum := sha256.Sum256([]byte(value))
	return cut(value, l.length) + hex.EncodeToString(sum[:3])
}

// id is an id, or in the place of one that is too long to show the path.
func (l level) id(id, path string) string {
	if l.whole() || len(id) <= maxID || len(path) >= len(id) {
		return id
	}
	return path
}

// cutNote says how much of a value the level leaves out and where it is whole.
func (l level) cutNote(field, value, path string) string {
	left := utf8.RuneCountInString(value) - l.length
	if left <= 0 {
		return ""
	}
	return fmt.Sprintf("%s has %d more characters; the file %s has it whole.", field, left+1, path)
}

// andMore ends a list of which some is left out.
func andMore(left int) string {
	if left == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", left)
}
