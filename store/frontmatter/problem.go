package frontmatter

import (
	"fmt"
	"slices"
	"strings"
)

// A ProblemCode says what is wrong with a document.
type ProblemCode string

// Problems that one file shows by itself.
const (
	ProblemInvalidYAML     ProblemCode = "invalid-yaml"
	ProblemUnclosedFence   ProblemCode = "unclosed-frontmatter"
	ProblemDuplicateKey    ProblemCode = "duplicate-key"
	ProblemMergeConflict   ProblemCode = "merge-conflict"
	ProblemNotUTF8         ProblemCode = "not-utf8"
	ProblemNUL             ProblemCode = "nul-byte"
	ProblemFrontmatterSize ProblemCode = "frontmatter-too-large"
	ProblemFileSize        ProblemCode = "file-too-large"
	ProblemUnreadable      ProblemCode = "unreadable-file"
	ProblemUnknownStatus   ProblemCode = "unknown-status"
	ProblemUnknownPriority ProblemCode = "unknown-priority"
	ProblemUnknownType     ProblemCode = "unknown-type"
	ProblemBadValue        ProblemCode = "bad-value"
	ProblemTextConflict    ProblemCode = "conflict-in-text"
	ProblemIDFilename      ProblemCode = "id-filename-mismatch"
	ProblemStatusFolder    ProblemCode = "status-folder-mismatch"
)

// A Problem is one thing that is wrong with one document, in words that say
// what to mend. The document is served all the same.
type Problem struct {
	Code    ProblemCode
	Message string
	Line    int // of the file, from 1; 0 when no one line is to blame
}

// Frozen reports whether the problem makes the frontmatter unreadable, so that
// nothing may be written to it until a person mends it.
func (p Problem) Frozen() bool {
	switch p.Code {
	case ProblemInvalidYAML, ProblemUnclosedFence, ProblemDuplicateKey, ProblemMergeConflict,
		ProblemNotUTF8, ProblemNUL, ProblemFrontmatterSize, ProblemFileSize, ProblemUnreadable:
		return true
	}
	return false
}

// An UneditableError says why a document's frontmatter cannot be edited, and
// what to do.
type UneditableError struct {
	Reason string
	Line   int // of the file, from 1; 0 when no one line is to blame
}

func (e *UneditableError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
	}
	return e.Reason
}

// Editable returns an *UneditableError when a problem freezes the document.
func Editable(problems []Problem) error {
	for _, p := range problems {
		if p.Frozen() {
			return &UneditableError{p.Message, p.Line}
		}
	}
	return nil
}

// A ValueError refuses a value that a document cannot have.
type ValueError struct {
	Field, Value string
	Reason       string // completes "field value …", such as "is no status"
	Allowed      []string
	Advice       string // what to write instead, "" where that is known
}

func (e *ValueError) Error() string {
	s := fmt.Sprintf("%s %q %s", e.Field, shorten(e.Value), e.Reason)
	if len(e.Allowed) > 0 {
		s += "; known are " + strings.Join(e.Allowed, ", ")
	}
	return s
}

// tooLong refuses the field of the body, or the longest of new values, when with them a
// document is over a limit; nil when it is not. The sizes are in bytes.
func tooLong(file, frontmatter int, bodyField string, changes []change) error {
	field, what, size, limit := bodyField, "file", file, MaxFileSize
	if frontmatter > MaxFrontmatterSize {
		what, size, limit = "frontmatter", frontmatter, MaxFrontmatterSize
		field = slices.MaxFunc(changes, func(a, b change) int { return a.length() - b.length() }).key
	}
	if size <= limit {
		return nil
	}
	reason := fmt.Sprintf("makes the %s %d bytes long, over the limit of %d", what, size, limit)
	return &ValueError{Field: field, Reason: reason}
}
