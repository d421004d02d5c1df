package index

import (
	"strings"

	"issues-index/store/layout"
)

// statuses is the condition that a document has a status of one of these categories.
func (e *engine) statuses(categories ...layout.Category) string {
	names := e.ws.Layout.Of(categories...)
	if len(names) == 1 {
		return "status = " + quoteSQL(names[0])
	}
	return "status IN (" + listSQL(names) + ")"
}

// unfinished is the condition that a document's status is not the end of its work.
func (e *engine) unfinished() string {
	return "status NOT IN (" + listSQL(e.ws.Layout.Of(layout.Done, layout.Cancelled)) + ")"
}

// listSQL writes texts as a list of literals.
func listSQL(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = quoteSQL(text)
	}
	return strings.Join(quoted, ", ")
}

func quoteSQL(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
