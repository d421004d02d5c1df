package tools

import (
	"fmt"
	"strings"

	"issues-index/index/edit"
	"issues-index/index/views"
	"issues-index/index/where"
	"issues-index/store/layout"
)

// These are the rows of the table for criteria, views and links between documents.

func wrongCriteria(e *where.SyntaxError) *Error {
	wrong := Errorf(CodeValidation, "Invalid where at column %d: expected %s, got %s.", e.Column, e.Expected,
		Line(e.Got)).On("where")
	if e.Near != "" {
		return wrong.Try("Write %s there, or use another operator.", Quote(e.Near))
	}
	return wrong.Try("Such criteria are: status = open and priority >= high, is:ready, label:api, updated < -7d, sort " +
		"priority desc.")
}

// wrongTerm words what is wrong with what a term names, and says where the term is.
func wrongTerm(e *where.TermError) *Error {
	wrong := *ErrorOf(e.Err)
	message, hint := wrong.Terminal()
	wrong.Message = fmt.Sprintf("Invalid where at column %d: %s", e.Column, wrong.Message)
	return wrong.On("where").AtTerminal(fmt.Sprintf("column %d: %s", e.Column, message), hint)
}

func unknownView(e *views.UnknownError) *Error {
	next := "Views are: " + Line(strings.Join(e.Known, ", ")) + "."
	if near := e.Near(); near != "" {
		next = "Did you mean " + Line(near) + "? " + next
	}
	return Errorf(CodeValidation, "No view is called %s.", Quote(e.Name)).On("view").Try("%s", next)
}

func wrongViews(e *views.FileError) *Error {
	meant := ""
	if e.Near != "" {
		meant = "Probably " + Quote(e.Near) + " was meant. "
	}
	return Errorf(CodeConfiguration, "The views cannot be read: %s.", Line(e.Error())).On("view").
		Try("%sAsk the user to fix the file, or pass where in place of view.", meant).
		AtTerminal("", meant+"fix the file; --where takes criteria without it")
}

func closesCycle(e *edit.CycleError) *Error {
	const most = 20 // documents
	path := e.Path
	if len(path) > most {
		path = append(append([]string{}, path[:most]...), "…", e.Path[0])
	}
	return Errorf(CodeValidation, "With this change a document would wait for itself: %s. Nothing was changed.",
		Line(strings.Join(path, " → "))).On("dependsOn").
		Try("Leave this link out, or remove another link of the cycle first with removeDependsOn.")
}

func unmappedStatus(e *edit.UnmappedStatusError) *Error {
	return Errorf(CodeConfiguration,
		"The documents here have statuses of their own (%s), and the workspace's configuration "+
			"does not say yet what they mean. Nothing was changed.", Plain(strings.Join(e.Statuses, ", "))).On("status").
		Try("Ask the user to add this line to %s, each category being open, active, done or cancelled: %s.", layout.File,
			e.Line())
}
