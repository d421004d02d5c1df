package tools

import (
	"fmt"
	"slices"
	"strings"
)

// joinErrors makes one error of all that is wrong with the arguments of a call, so that
// they can be put right in one turn. Any other failure is returned by itself.
func joinErrors(errs []*Error) *Error {
	var different []*Error
	for _, e := range errs {
		if e.Code != CodeValidation && e.Code != CodeMissingField {
			return e
		}
		// What is wrong with an argument at first is often the reason for the rest.
		if !slices.ContainsFunc(different, func(o *Error) bool { return o.Message == e.Message || o.Field != "" && o.Field == e.Field }) {
			different = append(different, e)
		}
	}
	first := different[0]
	if len(different) == 1 {
		return first
	}
	all := &Error{Code: first.Code, Field: first.Field}
	for _, e := range different {
		if e.Code != all.Code {
			all.Code = CodeValidation
		}
	}
	// Where the text would be too long, the advice to the last ones goes first.
	for advised := len(different); advised >= 0; advised-- {
		all.Message, all.Remediation = sayAll(different, advised)
		if len(all.Error()) < maxErrorText {
			break
		}
	}
	return all
}

// sayAll says what is wrong, with the advice to the first of them. Advice to several is
// said once, at the end.
func sayAll(errs []*Error, advised int) (message, remediation string) {
	uses := make(map[string]int)
	for _, e := range errs {
		uses[e.Remediation]++
	}
	var parts, last []string
	for i, e := range errs {
		part := e.Message
		switch {
		case e.Remediation == "" || i >= advised:
		case uses[e.Remediation] == 1:
			part += " " + e.Remediation
		case !slices.Contains(last, e.Remediation):
			last = append(last, e.Remediation)
		}
		parts = append(parts, part)
	}
	return fmt.Sprintf("%d things are wrong. %s", len(errs), strings.Join(parts, " ")), strings.Join(last, " ")
}
