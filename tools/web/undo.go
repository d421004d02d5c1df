package web

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"issues-index/index/documents"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/undo"
	"issues-index/store/words"
)

// A notice says what a form has changed, on the page that the form leads to.
type notice struct {
	Said  []string
	Entry string  // names what the form changed, to take it back; "" when that was not kept
	Board *string // the board that the form was sent from, nil for none
}

// maxNotices is how many notices are kept. Each is asked for right after it was made.
const maxNotices = 100

// notices are the last notices by the random names that addresses have for them, so that no
// address makes a page say what this process has not said.
type notices struct {
	mu    sync.Mutex
	named map[string]*notice
	names []string // the oldest first
}

// add keeps a notice, and returns its name.
func (n *notices) add(said *notice) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.named == nil {
		n.named = map[string]*notice{}
	}
	if len(n.names) == maxNotices {
		delete(n.named, n.names[0])
		n.names = n.names[1:]
	}
	name := rand.Text()
	n.named[name], n.names = said, append(n.names, name)
	return name
}

// get returns the notice of a name, nil for none.
func (n *notices) get(name string) *notice {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.named[name]
}

// wrote leads to a page that says what a form has changed and what that leaves, and offers to
// take it back.
func (r *pageRequest) wrote(form postedForm, done edit.Applied) pageContent {
	to := r.after(form, done.After.Path)
	if !done.Changed {
		return pageContent{Location: to}
	}
	said := done.After.ID + " is changed."
	switch {
	case done.Before == nil:
		said = done.After.ID + " is new."
	case done.Before.CountedStatus() != done.After.CountedStatus():
		said = done.After.ID + " is " + words.OneLine(done.After.CountedStatus()) + " now."
	}
	n := &notice{Said: []string{words.Cut(words.OneLine(said), maxCell)}}
	for _, note := range documents.WrittenNotes(done, when) {
		n.Said = append(n.Said, strings.ToUpper(note[:1])+note[1:]+".")
	}
	if board, ok := form["board"]; ok {
		n.Board = &board
	}
	e := &undo.Undoable{Command: "a change on a page", At: r.ix.Workspace().Now()}
	_, err := e.Changing(r.ix.Workspace(), done.Change())
	// This holds no document, for which the other program would wait.
	for last := time.Now().Add(edit.LockWait); errors.Is(err, undo.ErrUndoing) && time.Now().Before(last); {
		time.Sleep(10 * time.Millisecond)
		_, err = e.Changing(r.ix.Workspace(), done.Change())
	}
	if err = errors.Join(err, e.Keep()); err != nil {
		r.log.Warn("keep a change for undo", "document", done.Path, "error", err)
	} else {
		n.Entry = entryName(e)
	}
	return pageContent{Location: r.saying(to, n)}
}

// saying is an address whose page has a notice.
func (r *pageRequest) saying(to string, n *notice) string {
	separator := "?"
	if strings.Contains(to, "?") {
		separator = "&"
	}
	return to + separator + "said=" + r.notices.add(n)
}

// entryName tells the entries of a workspace apart, in forms.
func entryName(e *undo.Undoable) string { return strconv.FormatInt(e.At.UnixNano(), 36) }

// takeBack takes back what a form has changed, if nothing was changed since that undo would
// take back first.
func takeBack(r *pageRequest, form postedForm) (pageContent, error) {
	var path string
	err := undo.TakeBack(r.Context(), r.ix.Workspace(), func(e *undo.Undoable) error {
		if entryName(e) != form["entry"] {
			return fmt.Errorf("%s of %s UTC came after it", e.Command, when(e.At))
		}
		path = e.Changes[0].OldPath
		_, err := edit.New(r.ix, edit.LockWait).Revert(r.Context(), e.Changes)
		return err
	})
	if disk := (*store.DiskError)(nil); errors.As(err, &disk) || r.Context().Err() != nil {
		return pageContent{}, err
	}
	if err != nil {
		return pageContent{}, &pageError{http.StatusConflict, "Not taken back", shownError{
			Message: "Nothing was taken back: " + words.OneLine(err.Error()) + ".",
			Hint:    "issues-index undo --dry-run shows the last change. The history of a document shows earlier changes.",
		}}
	}
	if _, fromBoard := form["board"]; path == "" && !fromBoard {
		return pageContent{Location: r.saying("/list", &notice{Said: []string{"The new document is removed."}})}, nil
	}
	return pageContent{Location: r.saying(r.after(form, path), &notice{Said: []string{"The change was taken back."}})}, nil
}
