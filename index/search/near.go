package search

import (
	"bytes"
	"unicode/utf8"

	"issues-index/store/words"
)

// Near returns the token that was probably meant by a folded word: the first of those that take the
// fewest changes of a byte, one in a word of five letters or fewer, else two; "" where none is so
// near, and where a token has the word in it.
func (v *Vocabulary) Near(word string) string {
	v.mu.RLock()
	text := v.text
	v.mu.RUnlock()
	if bytes.Contains(text, []byte(word)) {
		return ""
	}
	const short = 5 // letters
	most := 2
	if utf8.RuneCountInString(word) <= short {
		most = 1
	}
	near := ""
	for token := range bytes.SplitSeq(text, []byte("\n")) {
		if len(token) < len(word)-most || len(token) > len(word)+most || len(token) == 0 {
			continue
		}
		if d := swapped(word, string(token)); d <= most && d > 0 {
			near, most = string(token), d-1
		}
	}
	return near
}

// swapped is the distance of two words, in which two letters that have changed places count once.
func swapped(a, b string) int {
	d := words.Distance(a, b)
	for i := 0; d == 2 && len(a) == len(b) && i+1 < len(a); i++ {
		if a[:i]+a[i+1:i+2]+a[i:i+1]+a[i+2:] == b {
			return 1
		}
	}
	return d
}
