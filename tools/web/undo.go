package web

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"sync"

	"issues-index/index/documents"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/undo"
	"issues-index/store/words"
)

// A notice says what a form has changed, on the page that the form leads to.
type notice struct {
	Said  []string
	Entry string // names what the form changed, to take it back; "" when that was not kept
	Back  string // the page that the form was sent from, "" for the document's
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

// writer writes what forms change.
func (r *pageRequest) writer() *edit.Writer { return edit.New(r.ix, edit.LockWait) }

// wrote leads to a page that says what a form has changed and what that leaves, and offers to
// take it back.
func (r *pageRequest) wrote(form postedForm, done edit.Applied, err error) (pageContent, error) {
	if err != nil {
		return pageContent{}, err
	}
	to := r.after(form, done.After.Path)
	if !done.Changed {
		return pageContent{Location: to}, nil
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
	n.Entry, n.Back = r.entry(), ownAddress(form[fieldBack])
	return pageContent{Location: r.saying(to, n)}, nil
}

// entry ends what is recorded of the changes of a form, and returns what undo knows it by, "" where it
// was not kept.
func (r *pageRequest) entry() string {
	recording, _ := r.Context().Value(recordingKey{}).(*undo.Recording)
	if recording.End() != nil {
		return ""
	}
	return recording.ID
}

// saying is an address whose page has a notice.
func (r *pageRequest) saying(to string, n *notice) string {
	separator := "?"
	if strings.Contains(to, "?") {
		separator = "&"
	}
	return to + separator + "said=" + r.notices.add(n)
}

type recordingKey struct{}

// recorded has what a form changes written down, as the person's, to be taken back.
func recorded(answer formFunc) formFunc {
	return func(r *pageRequest, form postedForm) (pageContent, error) {
		ctx, recording := undo.Record(edit.As(r.Context(), r.me), r.me, "a change on a page")
		r.Request = r.WithContext(context.WithValue(ctx, recordingKey{}, recording))
		defer func() {
			if err := recording.End(); err != nil {
				r.log.Warn("keep a change for undo", "error", err)
			}
		}()
		return answer(r, form)
	}
}

// takeBack takes back what a form has changed, if its documents are as that left them.
func takeBack(r *pageRequest, form postedForm) (pageContent, error) {
	e, _, err := r.writer().TakeBack(r.Context(), func(e *undo.Entry) bool {
		return e.ID == form["entry"] && e.By == r.me
	})
	if disk := (*store.DiskError)(nil); errors.As(err, &disk) || r.Context().Err() != nil {
		return pageContent{}, err
	}
	if err != nil {
		why := err.Error()
		if changed := (*undo.ChangedError)(nil); errors.As(err, &changed) {
			why = documents.ChangedSince(r.Context(), r.ix, changed, when)
		}
		return pageContent{}, &pageError{http.StatusConflict, "Not taken back", shownError{
			Message: "Nothing was taken back: " + words.OneLine(why) + ".",
			Hint:    "The history of a document shows earlier changes. issues-index undo --list shows what can be taken back.",
		}}
	}
	path := e.Changes[0].OldPath
	if path == "" && ownAddress(form[fieldBack]) == "" {
		return pageContent{Location: r.saying("/list", &notice{Said: []string{"The new document is removed."}})}, nil
	}
	return pageContent{Location: r.saying(r.after(form, path), &notice{Said: []string{"The change was taken back."}})}, nil
}
