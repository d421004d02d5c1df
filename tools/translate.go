package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/index/edit"
	"issues-index/index/where"
	"issues-index/store"
	"issues-index/store/cachedir"
	"issues-index/store/history"
	"issues-index/store/markdown"
	"issues-index/store/words"
	"issues-index/tools/answer"
)

// ErrorOf translates an error of the layers below into what a client or a person reads.
// It is the only place that words these errors: the server writes the result of a call
// from it, and a terminal prints what [Error.Terminal] returns. An error that is not in
// the table has the code CodeInternal, and its text is not shown to clients: log it.
func ErrorOf(err error) *Error {
	if failed := (*markdown.TextEditError)(nil); errors.As(err, &failed) {
		return failedEdit(failed)
	}
	if link := (*edit.LinkError)(nil); errors.As(err, &link) {
		wrong := *ErrorOf(link.Err)
		return wrong.On(link.Field)
	}
	if term := (*where.TermError)(nil); errors.As(err, &term) {
		return wrongTerm(term)
	}
	for _, translate := range translations {
		if e := translate(err); e != nil {
			return e
		}
	}
	return Errorf(CodeInternal, "The server could not answer; its log has the reason.").
		Try("Call it once more, then with fewer or other arguments.").
		AtTerminal(err.Error(), checkHint)
}

// checkHint is for errors about which nothing else is known.
const checkHint = "issues-index check names what is wrong in the workspace, issues-index rebuild builds the index again"

// translations is the table of ErrorOf. The first row that fits an error words it.
var translations = []func(error) *Error{
	as(func(e *Error) *Error { return e }),

	// What criteria, views and links can be wrong with.
	as(wrongCriteria), as(unknownView), as(wrongViews), as(closesCycle), as(unmappedStatus),

	// What the words of a filter or of a field can be wrong with.
	as(func(e *words.ChoiceError) *Error {
		wrong := Errorf(CodeValidation, "Invalid %s %s.", e.What, Quote(e.Text))
		if e.Why != "" {
			wrong.Message = fmt.Sprintf("Invalid %s %s: %s.", e.What, Quote(e.Text), e.Why)
		}
		leaveOut := "" // a flag of a filter
		if strings.HasPrefix(e.What, "--") {
			leaveOut = e.What
		}
		return wrong.On(e.What).Try("%s", e.Advice(leaveOut))
	}),
	as(func(e *documents.ContradictionError) *Error {
		return Errorf(CodeValidation, "%s.", e.Error()).On(e.Ask).Try("Leave out one of these arguments.")
	}),
	as(func(e *documents.UnknownFieldError) *Error {
		keys := "Keys are " + strings.Join(documents.FieldKeys, ", ") + " and " + documents.ContextPrefix +
			"KEY; labels+= adds labels, labels-= takes some away. issues-index edit changes any other key."
		if e.Near != "" {
			keys = "Did you mean " + e.Near + "? " + keys
		}
		return Errorf(CodeValidation, "Unknown key %s.", Quote(e.Key)).On(e.Key).Try("%s", keys)
	}),

	// What only a change can run into.
	is(store.ErrMirror, func(error) *Error {
		return Errorf(CodePermissionDenied,
			"This is a hub: its documents are copies of those of other workspaces. Nothing was changed.").
			Try("Change the document in its own workspace, where its file is.")
	}),
	is(store.ErrLocked, func(error) *Error {
		return Errorf(CodeLocked,
			"Another program is writing to the workspace and did not finish in time; nothing was changed.").
			Try("Call again in some seconds.")
	}),
	as(func(e *store.TemplateError) *Error {
		return Errorf(CodeConfiguration, "Invalid template: %s; nothing was created.", Line(e.Error())).
			Try("Ask the user to fix the template.")
	}),
	as(duplicateTitle), as(invalidValue), as(conflict), as(otherVersion), as(mergeConflict),
	as(refusedClaim), as(unagreedClaim), as(unusableLeases),
	as(func(e *store.UneditableError) *Error {
		return Errorf(CodeConflict, "The document's frontmatter cannot be edited: %s; nothing was changed.", e.Error()).
			Try("Fix the file, or ask the user to, and call again.").
			AtTerminal("the document's frontmatter cannot be edited: "+e.Error(),
				"nothing was changed: correct the file in an editor first; issues-index check lists all such files")
	}),
	as(diskFailure),

	// What a part of a text, to read or to change, can be wrong with.
	as(missingSection), as(missingString), as(wrongBox), as(unplaceableText),
	as(func(e *answer.LineError) *Error {
		return Errorf(CodeValidation, "Invalid startLine %d: the text has %d lines.", e.Start, e.Total).
			On("startLine").Try("Pass a startLine from 1 to %d.", e.Total)
	}),
	as(chunkCursor),

	// What a question can run into.
	as(func(e *history.RevisionError) *Error {
		return Errorf(CodeValidation, "%s: %s.", Quote(e.Revision), Line(e.Reason)).Try("Name a commit, a branch or a tag.").
			AtTerminal("", "name a commit, a branch or a tag, or main... for where this branch began; git log shows commits")
	}),
	as(func(e *history.UnreadableError) *Error {
		return Errorf(CodeConfiguration, "There is no history: %s.", Line(e.Reason)).
			Try("Read the issue as it is now with issues_get.").AtTerminal("", e.Advice)
	}),
	as(issueNotFound), as(ambiguousID), as(listCursor),
	as(func(e *store.PathError) *Error {
		return Errorf(CodePathTraversal, "Path %s %s.", Quote(e.Path), Line(e.Reason)).
			Try("Pass a document's id, or its path relative to the workspace as issues_list shows it.")
	}),
	as(func(e *cachedir.ForeignError) *Error {
		return Errorf(CodeConfiguration, "%s %s.", Quote(inWorkspace(e.Path)), Line(e.Reason)).
			Try("Ask the user to move it away. Then call again.").
			AtTerminal(e.Error(), "move it away; ISSUES_INDEX_TELEMETRY_PATH names another file for the calls")
	}),
	as(missingRoot),
	as(refusedWorkspace),
	is(store.ErrReplaced, func(error) *Error {
		return Errorf(CodeConfiguration, "The workspace's folder was replaced by another folder during the call.").
			Try("Call again: the next call reads the folder that is there now.")
	}),
	as(lockedIndex),
	as(func(e *index.TermsError) *Error {
		return Errorf(CodeValidation, "A search takes at most %d words and phrases; this one has %d.", e.Most, e.Terms).
			On("query").
			Try("Search for the few words that matter most. Words to exclude count, too.")
	}),
	as(func(e *index.BehindError) *Error {
		return Errorf(CodeTimeout, "The index is catching up with changed files: %d of %d are done.", e.Done, e.Total).
			Try("Call again in some seconds.")
	}),
	is(context.DeadlineExceeded, func(error) *Error {
		return Errorf(CodeTimeout, "The call took too long and was given up.").
			Try("Call it again, with narrower filters or a smaller limit.")
	}),
	is(context.Canceled, func(error) *Error {
		return Errorf(CodeTimeout, "The call was cancelled.").Try("Call it again if its answer is still wanted.").
			AtTerminal("interrupted", "only the index was changed, and the next start repairs it")
	}),
	is(fs.ErrNotExist, func(err error) *Error {
		return Errorf(CodeFileNotFound, "The file is no longer there.").Try("Use issues_list to see what is there now.").
			AtTerminal(err.Error(), checkHint)
	}),
	is(fs.ErrPermission, func(err error) *Error {
		return Errorf(CodePermissionDenied, "The server may not read or write the file.").
			Try("Ask the user to check the file's permissions.").
			AtTerminal(err.Error(), "--db puts the index elsewhere; the documents only have to be readable")
	}),
}

// as returns a row of the table for a type of error.
func as[T error](word func(T) *Error) func(error) *Error {
	return func(err error) *Error {
		var typed T
		if !errors.As(err, &typed) {
			return nil
		}
		return word(typed)
	}
}

// is returns a row of the table for an error value.
func is(target error, word func(error) *Error) func(error) *Error {
	return func(err error) *Error {
		if !errors.Is(err, target) {
			return nil
		}
		return word(err)
	}
}

func duplicateTitle(e *edit.DuplicateTitleError) *Error {
	kind := "A " + e.Row.Type
	if e.Row.Type != store.TypeSpecification {
		kind = "An " + e.Row.Type
	}
	return Errorf(CodeAlreadyExists, "%s with this title already exists (%s).", kind, nameable(e.Row.Handle(),
		e.Row.Path)).
		On("title").
		Try("Use issues_update to modify it, or change the title. allowDuplicateTitle: true creates another document anyway.")
}

func invalidValue(e *store.ValueError) *Error {
	switch {
	case len(e.Allowed) > 0:
		return Errorf(CodeValidation, "Invalid %s %s.", e.Field, Quote(e.Value)).On(e.Field).
			Try("Valid values: %s.", strings.Join(e.Allowed, ", "))
	case e.Advice != "":
		wrong := Errorf(CodeValidation, "Invalid %s: %s %s.", e.Field, Quote(e.Value), e.Reason).On(e.Field).
			Try("Nothing was changed: %s.", Line(e.Advice))
		if flag := argumentFlags[e.Field]; flag != "" {
			wrong.AtTerminal(fmt.Sprintf("invalid %s: %s %s", flag, Quote(e.Value), e.Reason), "")
		}
		return wrong
	}
	return Errorf(CodeValidation, "Invalid %s: it %s.", e.Field, Line(e.Reason)).On(e.Field).
		Try("Pass another %s.", e.Field)
}

func conflict(e *store.ConflictError) *Error {
	if e.Taken() {
		return Errorf(CodeConflict, "Path %s, where the document would be, exists already; nothing was changed.", e.Path).
			Try("Rename or delete one of the two files, or ask the user to, and call again.")
	}
	return Errorf(CodeConflict, "Path %s %s.", e.Path, Line(e.Reason)).
		Try("Read the document with issues_get, and call again if the change is still wanted.")
}

// diskFailure says which step the file system refused, and whether the document changed.
func diskFailure(e *store.DiskError) *Error {
	code, next := CodeProvider, "Tell the user, and call again once it is fixed."
	denied := errors.Is(e.Err, fs.ErrPermission)
	if denied || errors.Is(e.Err, syscall.EROFS) {
		code = CodePermissionDenied
	}
	if denied {
		next = "The file, its folder and .wrangler/cache must be writable. " + next
	}
	reason := "the file system refused"
	if errno := syscall.Errno(0); errors.As(e.Err, &errno) || denied || errors.Is(e.Err, fs.ErrNotExist) {
		reason = e.Reason()
	}
	message := fmt.Sprintf("Cannot %s %s: %s", e.Op, e.Path, Line(reason))
	if e.Unsettled {
		return Errorf(code, "%s. The change may be on disk anyway.", message).
			Try("Read the document with issues_get before trying again, and tell the user.")
	}
	return Errorf(code, "%s; nothing was changed.", message).Try("%s", next)
}

// missingSection words a section to read that is not there, or not alone.
func missingSection(e *markdown.SectionError) *Error {
	const most = 40 // headings
	wrong := noSection(e, most)
	if len(e.Candidates) == 0 {
		return wrong.Try("The text has no headings: pass startLine and endLine, or read all of it.")
	}
	return wrong.Try("Pass one of these headings, or the lines before it as startLine and endLine:")
}

// noSection lists at most so many of the headings that fit, or of all when none does.
func noSection(e *markdown.SectionError, most int) *Error {
	wrong := Errorf(CodeValidation, "No section %s.", Quote(e.Heading)).On("section")
	if e.Ambiguous {
		wrong.Message = fmt.Sprintf("%d sections fit %s.", len(e.Candidates), Quote(e.Heading))
	}
	for _, h := range e.Candidates[:min(len(e.Candidates), most)] {
		wrong.Candidates = append(wrong.Candidates, fmt.Sprintf("%d-%d %s", h.Line, h.EndLine, Plain(h.Text)))
	}
	wrong.More = len(e.Candidates) - len(wrong.Candidates)
	return wrong
}

func chunkCursor(e *answer.ChunkCursorError) *Error {
	switch e.Reason {
	case answer.CursorOutdated:
		return Errorf(CodeInvalidCursor, "The text of %s changed since the cursor was made.", e.Name).On("cursor").
			Try("Call %s with the id again to start over, or with startLine %d to go on from where the cursor stood.",
				e.Tool, e.Line)
	case answer.CursorMismatch:
		return Errorf(CodeInvalidCursor, "Cursor %s was made with another section or other lines.", Quote(e.Cursor)).
			On("cursor").
			Try("Pass the id and the cursor alone to go on, or the section or lines without a cursor.")
	}
	return Errorf(CodeInvalidCursor, "Cursor %s does not belong to %s: it was altered, or made for another document.",
		Quote(e.Cursor), e.Name).On("cursor").
		Try("Pass it with the id of the document that it came with, or call %s without a cursor to start again.", e.Tool)
}

func issueNotFound(e *index.NotFoundError) *Error {
	missing := Errorf(CodeIssueNotFound, "Issue %s not found.", Plain(e.ID)).On("id")
	if e.MainWorktree != "" {
		missing.Message = fmt.Sprintf("Issue %s is not in this worktree: it is not committed in the main one.", Plain(e.ID))
		return missing.Try("Commit it there and merge, or call again with workspace: %s.", Quote(e.MainWorktree))
	}
	if len(e.Renumbered) > 0 {
		now := Plain(strings.Join(e.Renumbered, " or "))
		missing.Message = fmt.Sprintf("Issue %s not found: it was renumbered, and is %s now.", Plain(e.ID), now)
		return missing.Try("Call again with %s.", now)
	}
	var near []string
	for _, id := range e.Suggestions {
		if whole, ok := Whole(id); ok && len(strings.Join(near, ", "))+len(whole) <= maxID {
			near = append(near, whole)
		}
	}
	if len(near) > 0 {
		return missing.Try("Did you mean %s? If not, use issues_list or issues_search to find available issues.",
			strings.Join(near, ", "))
	}
	return missing.Try("Use issues_list or issues_search to find available issues, " +
		"or check that the ID includes the prefix (e.g., ISS-000099, not 000099).")
}

func ambiguousID(e *index.AmbiguousError) *Error {
	const most = 20 // documents
	wrong := Errorf(CodeAmbiguousID, "%d documents fit the id %s.", len(e.Candidates), Quote(e.ID)).On("id").
		Try("Pass the path of the document that you mean as the id:")
	for _, row := range e.Candidates[:min(most, len(e.Candidates))] {
		named := row.Path
		if row.In() != "" && !row.Shared { // a document of another workspace, whose id says so
			named = row.ID
			wrong.Remediation = "Pass one of these as the id, or the workspace:"
		}
		wrong.Candidates = append(wrong.Candidates, named+" "+Plain(row.Title))
	}
	wrong.More = len(e.Candidates) - len(wrong.Candidates)
	return wrong
}

func listCursor(e *index.CursorError) *Error {
	const again = "Start again without a cursor."
	switch e.Reason {
	case index.CursorExpired:
		return Errorf(CodeInvalidCursor, "The cursor has expired.").On("cursor").Try(again)
	case index.CursorScope:
		return Errorf(CodeInvalidCursor, "The cursor belongs to another tool, %s.", Plain(e.Scope)).On("cursor").
			Try("Pass it to %s. %s", Plain(e.Scope), again)
	}
	return Errorf(CodeInvalidCursor, "The cursor is unknown: it was altered or made in another workspace, "+
		"or the index was rebuilt since.").On("cursor").
		Try("Pass the workspace that it was made in, too, or start again without a cursor.")
}

// missingRoot is for a folder that the server has served, or was started for.
func missingRoot(e *store.RootError) *Error {
	problem := "cannot be opened"
	if errors.Is(e, fs.ErrNotExist) {
		problem = "does not exist"
	}
	return Errorf(CodeConfiguration, "The workspace's folder %s %s.", Quote(e.Dir), problem).
		Try("Tell the user, and call again when it is back: the server need not be restarted.").
		AtTerminal(e.Error(), "--workspace names the directory to read")
}

// lockedIndex says that nothing was changed: no change begins without the index.
func lockedIndex(e *index.LockedError) *Error {
	name := Quote(inWorkspace(e.Path))
	if e.Opening {
		return Errorf(CodeLocked, "Another program is opening or rebuilding the index, or was stopped while it did; "+
			"it has locked %s. Nothing was changed.", name).
			Try("Call again in some seconds. If this stays, ask the user to end that program.")
	}
	return Errorf(CodeLocked, "Another program has a write transaction open on the index %s, such as sqlite3 after BEGIN "+
		"or a server that was stopped. Nothing was changed.", name).
		Try("Ask the user to commit it or end that program, and call again.")
}

// inWorkspace returns a path in the workspace, and of one outside only the name: a
// client learns nothing about the folders around the workspace.
func inWorkspace(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Base(path)
	}
	return path
}
