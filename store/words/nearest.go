package words

import (
	"slices"
	"strings"
)

// maxWord is the longest word, in bytes, that Nearest compares: the time that a
// comparison takes grows with the product of the lengths.
const maxWord = 64

// Nearest returns the candidate that was probably meant by a misspelt word, "" when
// none is near. Letter case, blanks, - and _ make no difference. A candidate is near
// when at most a third of the word, and at least two letters, must be changed, and
// fewer letters than half of the candidate and one. A word that says to add or to take away,
// such as addLabels, is near only to a word that says so, too: labels alone would replace them.
func Nearest(word string, candidates []string) string {
	way, word := wayOf(word), Fold(word)
	if len(word) > maxWord {
		return ""
	}
	best, least := "", max(2, len(word)/3)+1
	for _, candidate := range candidates {
		if way != "" && way != wayOf(candidate) {
			continue
		}
		folded := Fold(candidate)
		d := Distance(word, folded)
		alike := 2*d < max(len(word), len(folded)) || letters(word) == letters(folded)
		if d < least && alike && d < len(folded)/2+1 {
			best, least = candidate, d
		}
	}
	return best
}

// letters are the bytes of a word in order, which a swap of some does not change.
func letters(word string) string { return string(slices.Sorted(slices.Values([]byte(word)))) }

// ways are the words that begin a name which says to add to a list or to take away from it.
var ways = map[string][]string{
	"+": {"add", "append", "extend", "insert", "plus", "push"},
	"-": {"delete", "drop", "minus", "remove", "rm", "unset"},
}

// wayOf returns + for a name that says to add, such as addLabels or labels+, - for a name
// that says to take away, and "" for any other.
func wayOf(name string) string {
	folded := Fold(name)
	for way, verbs := range ways {
		says := func(verb string) bool { return len(verb) < len(folded) && strings.HasPrefix(folded, verb) }
		if strings.HasSuffix(name, way) || strings.HasPrefix(name, way) || slices.ContainsFunc(verbs, says) {
			return way
		}
	}
	return ""
}

// separators are what spellings of one value differ in, besides letter case.
var separators = strings.NewReplacer(" ", "", "-", "", "_", "")

// Fold returns what two spellings of one value have in common: in_progress, In Progress
// and in-progress are all inprogress.
func Fold(value string) string { return strings.ToLower(separators.Replace(value)) }

// Distance returns how many bytes must be inserted, deleted or replaced to turn a into
// b. It takes time proportional to the product of their lengths.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			above := row[j+1]
			if a[i] != b[j] {
				diagonal++
			}
			row[j+1] = min(diagonal, above+1, row[j]+1)
			diagonal = above
		}
	}
	return row[len(b)]
}

// Respell returns the value that a text means: the value that is spelled so, else the
// only value that differs in letter case, blanks, - and _ alone.
func Respell(text string, values []string) (value string, ok bool) {
	if slices.Contains(values, text) {
		return text, true
	}
	for _, candidate := range values {
		if Fold(candidate) != Fold(text) {
			continue
		}
		if ok {
			return "", false
		}
		value, ok = candidate, true
	}
	return value, ok
}
