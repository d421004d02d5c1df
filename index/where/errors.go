package where

import (
	"errors"
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

// A TermError says why a term means no document. A function of the Env returns it without the
// column, which Compile adds.
type TermError struct {
	Column int // from 1, in characters, of what the term names
	Err    error
}

func (e *TermError) Error() string { return fmt.Sprintf("column %d: %v", e.Column, e.Err) }
func (e *TermError) Unwrap() error { return e.Err }

// at adds the column to a TermError, and leaves other errors alone.
func at(column int, err error) error {
	if term := (*TermError)(nil); errors.As(err, &term) {
		return &TermError{column, term.Err}
	}
	return err
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
