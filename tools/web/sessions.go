package web

import (
	"errors"
	"net/http"
	"slices"

	"issues-index/store/session"
)

const (
	// mostAudited is how many entries of its audit file the page of a session shows.
	mostAudited = 100
	// mostTasks is how many tasks of one kind it shows.
	mostTasks = 200
)

// A sessionPage is what the page of a session shows.
type sessionPage struct {
	session.Session
	Checkpoint *session.Checkpoint
	Audit      []session.AuditEntry // the newest first
	Older      int                  // entries that are not shown
}

// oneSession shows a session, its last checkpoint and its audit file.
func oneSession(r *pageRequest) (pageContent, error) {
	in := session.In(r.ix.Workspace())
	found, checkpoint, err := in.Find(r.Context(), r.PathValue("id"))
	if errors.Is(err, session.ErrNotFound) {
		return pageContent{}, &pageError{http.StatusNotFound, "Not found",
			shownError{Message: "There is no such session.", Hint: "/agents lists the sessions of this workspace."}}
	}
	if err != nil {
		return pageContent{}, err
	}
	page := sessionPage{Session: found, Checkpoint: checkpoint}
	entries, skipped, err := in.Audit(r.Context(), found.ID)
	if err != nil {
		return pageContent{}, err
	}
	slices.Reverse(entries)
	page.Audit = entries[:min(len(entries), mostAudited)]
	page.Older = skipped + len(entries) - len(page.Audit)
	page.TasksCompleted = page.TasksCompleted[:min(len(page.TasksCompleted), mostTasks)]
	page.TasksPending = page.TasksPending[:min(len(page.TasksPending), mostTasks)]
	return pageContent{Template: "session", Title: "Session " + found.ID, Here: "/agents", Data: page}, nil
}
