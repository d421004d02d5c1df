package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"issues-index/index/edit"
	"issues-index/store"
)

// readFirst is what to do when a document is not what the caller thought.
const readFirst = "Read the document with issues_get, and call again if the change is still wanted."

// writeError translates what only a change can run into, nil for anything else.
func writeError(err error) *Error {
	var own *Error
	var duplicate *edit.DuplicateTitleError
	var value *store.ValueError
	var conflict *store.ConflictError
	var uneditable *store.UneditableError
	var disk *store.DiskError
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(err, store.ErrLocked):
		return Errorf(CodeLocked, "Another program is writing to the workspace and did not finish in time; nothing was changed.").
			Try("Call again in some seconds.")
	case errors.As(err, &duplicate):
		return duplicateTitle(duplicate)
	case errors.As(err, &value):
		return invalidValue(value)
	case errors.As(err, &conflict) && conflict.Taken():
		return Errorf(CodeConflict, "Path %s, where the document would be, exists already; nothing was changed.", conflict.Path).
			Try("Rename or delete one of the two files, or ask the user to, and call again.")
	case errors.As(err, &conflict):
		return Errorf(CodeConflict, "Path %s %s.", conflict.Path, Plain(conflict.Reason)).Try(readFirst)
	case errors.As(err, &uneditable):
		return Errorf(CodeConflict, "The document's frontmatter cannot be edited: %s; nothing was changed.", uneditable.Error()).
			Try("Mend the file, or ask the user to, and call again.")
	case errors.As(err, &disk):
		return diskFailure(disk)
	}
	return nil
}

func duplicateTitle(e *edit.DuplicateTitleError) *Error {
	kind := "A " + e.Row.Type
	if e.Row.Type != store.TypeSpecification {
		kind = "An " + e.Row.Type
	}
	id := e.Row.ID
	if e.Row.Shared {
		id = e.Row.Path
	}
	if _, ok := Whole(id); !ok {
		id = e.Row.Path
	}
	return Errorf(CodeAlreadyExists, "%s with this title already exists (%s).", kind, Line(id)).On("title").
		Try("Use issues_update to modify it, or change the title. allowDuplicateTitle: true creates another one all the same.")
}

func invalidValue(e *store.ValueError) *Error {
	if len(e.Allowed) > 0 {
		return Errorf(CodeValidation, "Invalid %s %s.", e.Field, Quote(e.Value)).On(e.Field).
			Try("Valid values: %s.", strings.Join(e.Allowed, ", "))
	}
	return Errorf(CodeValidation, "Invalid %s: it %s.", e.Field, Plain(e.Reason)).On(e.Field).
		Try("Pass another %s.", e.Field)
}

// diskFailure says which step the file system refused, and what has become of
// the document.
func diskFailure(e *store.DiskError) *Error {
	code := CodeProvider
	if errors.Is(e.Err, fs.ErrPermission) || errors.Is(e.Err, syscall.EROFS) {
		code = CodePermissionDenied
	}
	reason := "the file system refused"
	if errno := syscall.Errno(0); errors.As(e.Err, &errno) || errors.Is(e.Err, fs.ErrPermission) || errors.Is(e.Err, fs.ErrNotExist) {
		reason = e.Reason()
	}
	message := fmt.Sprintf("Cannot %s %s: %s", e.Op, e.Path, Plain(reason))
	if e.Unsettled {
		return Errorf(code, "%s. The change may be on disk all the same.", message).
			Try("Read the document with issues_get before trying again, and tell the user.")
	}
	return Errorf(code, "%s; nothing was changed.", message).Try("Tell the user, and call again once it is mended.")
}
