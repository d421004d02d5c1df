package web

import (
	"cmp"
	"net/http"
	"strings"

	"issues-index/index/edit"
	"issues-index/store/markdown"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/auth"
)

// note adds a paragraph at the end of a document's text, after whatever others have written since.
func note(r *pageRequest, form postedForm) (pageContent, error) {
	text := strings.TrimSpace(lineFeeds(form["note"]))
	if text == "" {
		return pageContent{}, tools.Errorf(tools.CodeMissingField, "The note has no text.").Try("Go back, and write it.")
	}
	done, err := r.writer().Edit(r.Context(), edit.DocumentRef{ID: form[fieldDoc]},
		[]markdown.TextEdit{{Op: markdown.Append, Text: text}})
	if err != nil {
		err = &lostDocument{err, text}
	}
	return r.wrote(form, done.Applied, err)
}

// claim claims a document for the person.
func claim(r *pageRequest, form postedForm) (pageContent, error) {
	done, err := r.writer().Claim(r.Context(), refOf(form), edit.ClaimRequest{Holder: r.me})
	return r.wrote(form, done.Applied, err)
}

// release ends the claim on a document, whoever holds it. A form that was made for the lapsed
// claim of a holder ends no claim in force.
func release(r *pageRequest, form postedForm) (pageContent, error) {
	row, doc, err := r.ix.Load(r.Context(), form[fieldDoc])
	if err != nil {
		return pageContent{}, err
	}
	holder := r.me
	held, err := r.ix.ClaimOn(r.Context(), doc)
	if err == nil && held != nil {
		holder = held.Holder
	}
	if lapsed := form["lapsed"]; lapsed != "" && (held == nil || !held.Stale || held.Holder != lapsed) {
		return pageContent{}, &pageError{http.StatusConflict, "Not released", shownError{
			Message: words.Cut(doc.ID, maxCell) + " has no lapsed claim of " +
				words.Cut(words.OneLine(lapsed), maxCell) + " now.",
			Hint: "Nothing was written. /agents shows who works on what.",
		}}
	}
	seen := edit.DocumentRef{ID: formName(row), IfVersion: form[fieldVersion]}
	done, err := r.writer().Release(r.Context(), seen, holder, 0, "")
	return r.wrote(form, done.Applied, err)
}

// mayDelete reports whether the person may delete documents.
func (r *pageRequest) mayDelete() bool {
	return r.edit && auth.PrincipalOf(r.Context()).May(auth.Delete)
}

// remove deletes a document.
func remove(r *pageRequest, form postedForm) (pageContent, error) {
	if !r.mayDelete() {
		return pageContent{}, tools.Errorf(tools.CodePermissionDenied,
			"Deleting needs the scope %s, which your token does not have.", auth.Delete).
			Try("Ask for a token with it, or close the document.")
	}
	gone, err := r.writer().Delete(r.Context(), refOf(form))
	if err != nil {
		return pageContent{}, err
	}
	said := words.Cut(words.OneLine(cmp.Or(gone.ID, gone.Path)), maxCell) + " is deleted."
	to := cmp.Or(ownAddress(form[fieldBack]), "/list")
	return pageContent{Location: r.saying(to, &notice{Said: []string{said}, Entry: r.entry()})}, nil
}

// refOf is the document of a form, in the version that its person has seen.
func refOf(form postedForm) edit.DocumentRef {
	return edit.DocumentRef{ID: form[fieldDoc], IfVersion: form[fieldVersion]}
}
