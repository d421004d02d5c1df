package store

import (
	"slices"

	"issues-index/store/words"
)

// Respell returns the value that a text means: the one that is spelled so, else the
// only one that differs in letter case, blanks, - and _ alone.
func Respell(text string, values []string) (value string, ok bool) {
	if slices.Contains(values, text) {
		return text, true
	}
	for _, candidate := range values {
		if words.Fold(candidate) != words.Fold(text) {
			continue
		}
		if ok {
			return "", false
		}
		value, ok = candidate, true
	}
	return value, ok
}
