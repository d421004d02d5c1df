package main

import (
	"runtime"
	"strings"

	"issues-index/store/pattern"
)

// plainWord needs no quotes in any shell.
var plainWord = pattern.Lazy(`^[\pL\pN_./:@%+=,\\-]+$`)

// shellWord quotes a word for a person who pastes it into a shell.
func shellWord(word string) string {
	switch {
	case runtime.GOOS == "windows":
		if plainWord().MatchString(word) {
			return word
		}
		return `"` + word + `"`
	case plainWord().MatchString(word) && !strings.Contains(word, `\`):
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
