// Package pattern has regular expressions that are made when they are first needed.
//
// It knows nothing about what they are for. A command that lives for milliseconds
// needs few of those that the program has, and to make one takes longer than most
// of them ever run. Its invariant: an expression is made once, however many ask, and one
// that is none panics where it is first used, as regexp.MustCompile does.
package pattern

import (
	"regexp"
	"sync"
)

// Lazy returns a function that returns the regular expression.
func Lazy(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
