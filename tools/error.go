package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"issues-index/store/words"
)

// A Code names a kind of failure.
type Code string

// The codes. The first group has the names of the system that this one replaces.
const (
	CodeValidation       Code = "VALIDATION_ERROR"
	CodeMissingField     Code = "MISSING_REQUIRED_FIELD"
	CodeIssueNotFound    Code = "ISSUE_NOT_FOUND"
	CodeNotFound         Code = "RESOURCE_NOT_FOUND"
	CodeAlreadyExists    Code = "RESOURCE_ALREADY_EXISTS"
	CodeLocked           Code = "RESOURCE_LOCKED"
	CodePermissionDenied Code = "PERMISSION_DENIED"
	CodeFileNotFound     Code = "FILE_NOT_FOUND"
	CodePathTraversal    Code = "PATH_TRAVERSAL_DENIED"
	CodeConfiguration    Code = "CONFIGURATION_ERROR"
	CodeProvider         Code = "PROVIDER_ERROR"
	CodeTimeout          Code = "TIMEOUT"
	CodeInternal         Code = "INTERNAL_ERROR"

	CodeAmbiguousID   Code = "AMBIGUOUS_ID"
	CodeInvalidCursor Code = "INVALID_CURSOR"
	CodeConflict      Code = "CONFLICT"
)

// maxErrorText bounds the text of an error without its candidates, in bytes.
const maxErrorText = 499

// An Error is a failure as the client sees it.
type Error struct {
	Code        Code
	Message     string   // what is wrong, and what the current state is
	Field       string   // the argument to blame, "" when none is
	Remediation string   // what is allowed or nearest, and the next call to make
	Candidates  []string // what the caller may have meant, one a line of the text
	More        int      // candidates beside these

	// Upstream is a service's own error, a JSON object as it was sent. Programs find it in
	// the details of the error; the message says what a model has to know.
	Upstream json.RawMessage

	atTerminal struct{ message, hint string }
}

// maxUpstream is the longest Upstream that is sent, in bytes.
const maxUpstream = 4096

// Errorf makes an Error. The arguments are shown to the client: pass what it
// gave through [Quote] or [Plain], and no Go error.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// On names the argument to blame.
func (e *Error) On(field string) *Error { e.Field = field; return e }

// Try says what to do next.
func (e *Error) Try(format string, args ...any) *Error {
	e.Remediation = fmt.Sprintf(format, args...)
	return e
}

// AtTerminal sets what a terminal prints where that is not what a client gets in other words: a
// path or a reason that a client must not see, or advice that only a person can follow. "" leaves
// the message or the hint as [Error.Terminal] derives it.
func (e *Error) AtTerminal(message, hint string) *Error {
	e.atTerminal.message, e.atTerminal.hint = message, hint
	return e
}

// Terminal returns the message and the hint that a terminal prints, both without a capital or a
// full stop, with commands and flags in place of tools and arguments. The message may have
// several lines, and both may hold names from files: remove what controls a terminal before
// printing them.
func (e *Error) Terminal() (message, hint string) {
	lines := slices.Concat([]string{clause(e.Message)}, e.Candidates)
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", e.More))
	}
	return cmp.Or(e.atTerminal.message, strings.Join(lines, "\n  ")), cmp.Or(e.atTerminal.hint, forTerminal(e.Remediation))
}

// Said sets the error as a service sent it.
func (e *Error) Said(object json.RawMessage) *Error { e.Upstream = object; return e }

// Among lists what the caller may have meant.
func (e *Error) Among(candidates ...string) *Error { e.Candidates = candidates; return e }

// Error returns the text that the client gets, with all candidates.
func (e *Error) Error() string { return e.within(func(string) bool { return true }) }

// within returns the text with as many of the candidates as fit.
func (e *Error) within(fits func(string) bool) string {
	text := fmt.Sprintf("Error [%s]: %s", e.Code, e.Message)
	if e.Remediation != "" {
		text += " " + e.Remediation
	}
	text = words.CutBytes(text, maxErrorText)
	for shown := len(e.Candidates); shown > 0; shown-- {
		whole := text + "\n" + strings.Join(e.Candidates[:shown], "\n")
		if more := e.More + len(e.Candidates) - shown; more > 0 {
			whole += fmt.Sprintf("\nand %d more", more)
		}
		if fits(whole) {
			return whole
		}
	}
	return text
}

// maxShown is how much of a client's own value an error repeats, in bytes.
const maxShown = 80

// Plain returns a value from a client in a form that fits an error: one short line.
func Plain(value string) string { return words.Plain(value) }

// maxID is the longest id that an error repeats whole, in bytes.
const maxID = 200

// Whole reports whether an error can repeat an id for the next call. It cannot when the id
// is very long or has several lines: a part of an id names nothing.
func Whole(id string) (string, bool) { return id, len(id) <= maxID && id == Line(id) }

// nameable returns a document's id as one line, or its path when an error cannot repeat the id.
func nameable(id, path string) string {
	if _, ok := Whole(id); !ok {
		id = path
	}
	return Line(id)
}

// Quote is Plain in quotation marks.
func Quote(value string) string { return words.Quote(value) }

// Line returns text from outside as one line, without characters that control a terminal
// or change the direction of text.
func Line(text string) string { return words.Line(text) }

// joinErrors returns one error for everything that is wrong with the arguments of a call,
// so that a client can correct it in one turn. Any other failure is returned by itself.
func joinErrors(errs []*Error) *Error {
	var different []*Error
	for _, e := range errs {
		if e.Code != CodeValidation && e.Code != CodeMissingField {
			return e
		}
		// What is wrong with an argument at first is often the reason for the rest.
		if !slices.ContainsFunc(different, func(o *Error) bool {
			return o.Message == e.Message || o.Field != "" &&
				o.Field == e.Field
		}) {
			different = append(different, e)
		}
	}
	first := different[0]
	if len(different) == 1 {
		return first
	}
	all := &Error{Code: first.Code, Field: first.Field, Message: fmt.Sprintf("%d things are wrong.", len(different))}
	for i, e := range different {
		if e.Code != all.Code {
			all.Code = CodeValidation
		}
		all.Message += " " + e.Message
		// The same advice for several is given once, after the last of them.
		again := func(o *Error) bool { return o.Remediation == e.Remediation }
		if e.Remediation != "" && !slices.ContainsFunc(different[i+1:], again) {
			all.Message += " " + e.Remediation
		}
	}
	return all
}
