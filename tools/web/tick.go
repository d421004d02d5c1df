package web

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"

	"issues-index/store"
	"issues-index/store/markdown"
	"issues-index/tools"
)

// tick ticks a box of a document, or takes the tick away. The version says that the box is
// the one that the page has shown.
func tick(r *pageRequest, form postedForm) (pageContent, error) {
	op := markdown.Check
	if form["uncheck"] != "" {
		op = markdown.Uncheck
	}
	n, err := strconv.Atoi(cmp.Or(form["check"], form["uncheck"]))
	if err != nil || n < 1 || form[fieldVersion] == "" {
		return pageContent{}, tools.Errorf(tools.CodeValidation, "The form names no box of a version of the document.").
			Try("Load the document's page again.")
	}
	done, err := r.writer().Edit(r.Context(), refOf(form), []markdown.TextEdit{{Op: op, Boxes: []markdown.BoxRef{{N: n}}}})
	if stale := (*store.VersionError)(nil); errors.As(err, &stale) {
		return pageContent{}, &pageError{http.StatusConflict, "Changed meanwhile", shownError{
			Message: "The document was changed since this page was made, so that its boxes may be others.",
			Hint:    "Nothing was written. Go back, load the page again, and tick the box there.",
		}}
	}
	return r.wrote(form, done.Applied, err)
}
