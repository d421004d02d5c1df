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
	wrong := Errorf(CodeValidation, "Invalid where at column %d: expected %s, got %s.", e.Column, e.Expected, Line(e.Got)).On("where")
	const form = "status = open and priority >= high, is:ready, label:api, updated < -7d, sort priority desc"
	if e.Near != "" {
		return wrong.Try("Write %s there, or another one that fits.", Quote(e.Near)).AtTerminal(e.Error(), "such criteria are: "+form)
	}
	return wrong.Try("Such criteria are: %s.", form).AtTerminal(e.Error(), "such criteria are: "+form)
}

// wrongTerm words what is wrong with what a term names, and says where the term is.
func wrongTerm(e *where.TermError) *Error {
	inner := *ErrorOf(e.Err)
	message, hint := inner.Terminal()
	wrong := inner.On("where").AtTerminal(fmt.Sprintf("column %d: %s", e.Column, message), hint)
	wrong.Message = fmt.Sprintf("Invalid where at column %d: %s", e.Column, wrong.Message)
	return wrong
}

func unknownView(e *views.UnknownError) *Error {
	known := strings.Join(e.Known, ", ")
	hint := "there are " + known
	if near := e.Near(); near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return Errorf(CodeValidation, "No view is called %s.", Quote(e.Name)).On("view").Try("Views are: %s.", Plain(known)).
		AtTerminal("no view is called "+Plain(e.Name), Plain(hint))
}

func wrongViews(e *views.FileError) *Error {
	meant := ""
	if e.Near != "" {
		meant = "Probably " + Quote(e.Near) + " was meant. "
	}
	return Errorf(CodeConfiguration, "The views cannot be read: %s.", Plain(e.Error())).On("view").
		Try("%sAsk the user to fix the file, or pass where in place of view.", meant).
		AtTerminal(e.Error(), "fix the file; --where takes criteria without it")
}

func closesCycle(e *edit.CycleError) *Error {
	const most = 20 // documents
	path := e.Path
	if len(path) > most {
		path = append(append([]string{}, path[:most]...), "…", e.Path[0])
	}
	way := Plain(strings.Join(path, " → "))
	return Errorf(CodeValidation, "With this change a document would wait for itself: %s. Nothing was changed.", way).On("dependsOn").
		Try("Leave this link out, or remove another one of the circle first with removeDependsOn.").
		AtTerminal("with this change a document would wait for itself: "+way, "nothing was changed; issues-index dep rm A B removes a link")
}

func unmappedStatus(e *edit.UnmappedStatusError) *Error {
	known := Plain(strings.Join(e.Statuses, ", "))
	return Errorf(CodeConfiguration, "The documents here have statuses of their own (%s), and the workspace's configuration does not say yet what they mean. Nothing was changed.", known).On("status").
		Try("Ask the user to add this line to %s, each category being open, active, done or cancelled: %s.", layout.File, e.Line()).
		AtTerminal("the documents here have statuses of their own ("+known+"), and "+layout.File+" does not say yet what they mean; nothing was changed",
			"add this line there, each category being open, active, done or cancelled: "+e.Line())
}
