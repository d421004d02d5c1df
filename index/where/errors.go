package where

import (
	"fmt"
	"strconv"

	"issues-index/store/words"
)

// A SyntaxError says where a text is not of the language, or names what is not known.
type SyntaxError struct {
	Column   int    // from 1, in characters
	Got      string // what stands there, in quotes, or words for it
	Expected string // what may stand there
	Near     string // the field or value that was probably meant, "" for none
}

func (e *SyntaxError) Error() string {
	message := fmt.Sprintf("column %d: expected %s, got %s", e.Column, e.Expected, e.Got)
	if e.Near != "" {
		message += fmt.Sprintf("; did you mean %q?", e.Near)
	}
	return message
}

// theEnd is what stands behind the last token.
const theEnd = "the end"

// got is a token in an error.
func (t token) got() string {
	if t.kind == endToken {
		return theEnd
	}
	return gotText(t.raw)
}

// maxGot is how many characters of a token an error repeats.
const maxGot = 60

func gotText(text string) string { return strconv.Quote(words.Cut(text, maxGot)) }
