package store

import (
	"slices"
	"strings"
)

// Respell returns the value that a text means: the one that is spelled so, else the
// only one that differs in letter case, blanks, - and _ alone.
func Respell(text string, values []string) (value string, ok bool) {
	if slices.Contains(values, text) {
		return text, true
	}
	for _, candidate := range values {
		if FoldSpelling(candidate) != FoldSpelling(text) {
			continue
		}
		if ok {
			return "", false
		}
		value, ok = candidate, true
	}
	return value, ok
}

// wordBreaks are what spellings of one value differ in, besides letter case.
var wordBreaks = strings.NewReplacer(" ", "", "-", "", "_", "")

// FoldSpelling is what two spellings of one value have in common.
func FoldSpelling(value string) string { return strings.ToLower(wordBreaks.Replace(value)) }
