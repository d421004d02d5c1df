package tools

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/cachedir"
)

// maxCandidates bounds the documents that an ambiguous id lists.
const maxCandidates = 20

// ErrorOf translates an error of the layers below. One that it does not know is
// an internal error, which tells the client nothing of it: log it.
func ErrorOf(err error) *Error {
	var own *Error
	var notFound *index.NotFoundError
	var ambiguous *index.AmbiguousError
	var cursor *index.CursorError
	var terms *index.TermsError
	var behind *index.BehindError
	var path *store.PathError
	var foreign *cachedir.ForeignError
	var root *store.RootError
	var locked *index.LockedError
	if e := writeError(err); e != nil {
		return e
	}
	if e := passageError(err); e != nil {
		return e
	}
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &notFound):
		return issueNotFound(notFound)
	case errors.As(err, &ambiguous):
		return ambiguousID(ambiguous)
	case errors.As(err, &cursor):
		return invalidCursor(cursor)
	case errors.As(err, &path):
		return Errorf(CodePathTraversal, "Path %s %s.", Quote(path.Path), Plain(path.Reason)).
			Try("Pass a document's id, or its path relative to the workspace as issues_list shows it.")
	case errors.As(err, &foreign):
		return foreignFile(foreign)
	case errors.As(err, &root):
		return missingRoot(root)
	case errors.Is(err, store.ErrReplaced):
		return Errorf(CodeConfiguration, "The workspace's folder was replaced by another one during the call.").
			Try("Call again: the server serves the folder that is there now.")
	case errors.As(err, &locked):
		return lockedIndex(locked)
	case errors.As(err, &terms):
		return Errorf(CodeValidation, "A search takes at most %d words and phrases; this one has %d.", terms.Most, terms.Terms).On("query").
			Try("Search for the few words that matter most. Words to exclude count, too.")
	case errors.As(err, &behind):
		return Errorf(CodeTimeout, "The index is catching up with changed files: %d of %d are done.", behind.Done, behind.Total).
			Try("Make the same call again in some seconds. The work goes on meanwhile.")
	case errors.Is(err, context.DeadlineExceeded):
		return Errorf(CodeTimeout, "The call took too long and was given up.").
			Try("Call it again, with narrower filters or a smaller limit.")
	case errors.Is(err, context.Canceled):
		return Errorf(CodeTimeout, "The call was cancelled.").Try("Call it again if its answer is still wanted.")
	case errors.Is(err, fs.ErrNotExist):
		return Errorf(CodeFileNotFound, "The file is no longer there.").
			Try("Use issues_list to see what is there now.")
	case errors.Is(err, fs.ErrPermission):
		return Errorf(CodePermissionDenied, "The server may not read or write the file.").
			Try("Ask the user to check the file's permissions.")
	}
	return internal()
}

// foreignFile names a file by its path in the workspace; of one outside only the name
// is told.
func foreignFile(e *cachedir.ForeignError) *Error {
	name := e.Path
	if filepath.IsAbs(name) {
		name = filepath.Base(name)
	}
	return Errorf(CodeConfiguration, "%s %s.", Quote(name), Plain(e.Reason)).
		Try("Ask the user to move it away, or to keep the index in another file with --db. Then call again.")
}

// lockedIndex says what is held up, and by what. No change is begun without the index.
func lockedIndex(e *index.LockedError) *Error {
	name := e.Path
	if filepath.IsAbs(name) {
		name = filepath.Base(name)
	}
	if e.Opening {
		return Errorf(CodeLocked, "Another program is opening or rebuilding the index, or was stopped while it did; it has locked %s. Nothing was changed.", Quote(name)).
			Try("Call again in some seconds. If this stays, ask the user to end that program.")
	}
	return Errorf(CodeLocked, "Another program has a write transaction open on the index %s, such as sqlite3 after BEGIN or a server that was stopped. Nothing was changed.", Quote(name)).
		Try("Ask the user to commit it or to end that program, and call again.")
}

// missingRoot is for a folder that the server has served, or was started for.
func missingRoot(e *store.RootError) *Error {
	wrong := Errorf(CodeConfiguration, "The workspace's folder %s cannot be opened.", Quote(e.Dir))
	if errors.Is(e, fs.ErrNotExist) {
		wrong = Errorf(CodeConfiguration, "The workspace's folder %s does not exist.", Quote(e.Dir))
	}
	return wrong.Try("Tell the user, and call again when it is back: the server need not be restarted.")
}

func internal() *Error {
	return Errorf(CodeInternal, "The server could not answer; its log has the reason.").
		Try("Call it once more, then with fewer or other arguments.")
}

func issueNotFound(e *index.NotFoundError) *Error {
	remediation := "Use issues_list or issues_search to find available issues, " +
		"or check that the ID includes the prefix (e.g., ISS-000099, not 000099)."
	var near []string
	for _, id := range e.Suggestions {
		if whole, ok := Whole(id); ok && len(strings.Join(near, ", "))+len(whole) <= maxID {
			near = append(near, whole)
		}
	}
	if len(near) > 0 {
		remediation += " Or did you mean " + strings.Join(near, ", ") + "?"
	}
	return Errorf(CodeIssueNotFound, "Issue %s not found.", Plain(e.ID)).On("id").Try("%s", remediation)
}

func ambiguousID(e *index.AmbiguousError) *Error {
	var candidates []string
	for _, row := range e.Candidates[:min(maxCandidates, len(e.Candidates))] {
		candidates = append(candidates, row.Path+" "+Plain(row.Title))
	}
	wrong := Errorf(CodeAmbiguousID, "%d documents fit the id %s.", len(e.Candidates), Quote(e.ID)).On("id").
		Try("Pass the path of the one you mean as the id:").Among(candidates...)
	wrong.More = len(e.Candidates) - len(candidates)
	return wrong
}

func invalidCursor(e *index.CursorError) *Error {
	const again = "Start again without a cursor."
	switch e.Reason {
	case index.CursorExpired:
		return Errorf(CodeInvalidCursor, "The cursor has expired.").On("cursor").Try(again)
	case index.CursorScope:
		return Errorf(CodeInvalidCursor, "The cursor belongs to another tool, %s.", Plain(e.Scope)).On("cursor").
			Try("Pass it to %s. %s", Plain(e.Scope), again)
	}
	return Errorf(CodeInvalidCursor, "The cursor is unknown: it was altered, or the index was rebuilt since.").
		On("cursor").Try(again)
}
