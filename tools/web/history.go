package web

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"time"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store/history"
	"issues-index/store/words"
)

// historyRows is how many entries of a history a page shows.
const historyRows = 30

// A historyPage is what a page of a document's history shows.
type historyPage struct {
	ID, Title string
	Link      string // to the document's page, "" for a document that is gone
	Entries   []shownChange
	Next      string // address of the older entries, "" when there are none
	Notes     []string
}

// A shownChange is what one commit did to a document.
type shownChange struct {
	Time            time.Time
	Author, Subject string
	Commit          string // its beginning, "" for what is not committed
	Merge           bool
	Event           string
	Changes         []string
}

// documentHistory shows how a document became what it is, the newest change first.
func documentHistory(r *pageRequest) (pageContent, error) {
	const valueLength, mostChanges = 200, 100
	name := cmp.Or(r.PathValue("id"), r.URL.Query().Get("path"))
	h, err := documents.ReadHistory(r.Context(), r.ix, name)
	if errors.As(err, new(*history.UnreadableError)) { // as outside of git
		why := failureOf(err)
		return pageContent{Template: "history", Title: "History",
			Data: historyPage{ID: words.Cut(name, maxCell), Notes: []string{why.Message, why.Hint}}}, nil
	}
	if err != nil {
		return pageContent{}, err
	}
	defer h.Close()
	page := historyPage{ID: words.Cut(cmp.Or(h.ID(), h.Path()), maxCell)}
	if row, err := r.ix.Get(r.Context(), name); err == nil {
		page.Title, page.Link = words.Cut(row.Title, maxCell), documentLink(row)
	} else if missing := (*index.NotFoundError)(nil); !errors.As(err, &missing) {
		return pageContent{}, err
	}
	last := ""
	more := false
	for e, err := range h.Entries(history.HistoryQuery{After: r.URL.Query().Get("after")}) {
		switch {
		case errors.Is(err, history.ErrUnknownKey):
			return pageContent{}, &pageError{http.StatusBadRequest, "Not found",
				shownError{Message: "The address leads to no entry of this history.",
					Hint: "The commits may have been made anew. Begin again at the newest entry."}}
		case errors.Is(err, history.ErrEnough):
			more, last = true, e.Key()
		case err != nil:
			return pageContent{}, err
		case len(page.Entries) == historyRows:
			more = true
		default:
			last = e.Key()
			shown := shownChange{
				Time: e.Time, Author: words.Cut(e.Author, maxCell), Subject: words.Cut(e.Subject, maxCell), Merge: e.Merge,
				Event:   string(e.Event),
				Changes: documents.HistoryChanges(e, valueLength, mostChanges),
			}
			if e.Commit != "" {
				shown.Commit = history.ShortCommit(e.Commit)
			}
			page.Entries = append(page.Entries, shown)
			continue
		}
		break
	}
	if more {
		query := url.Values{"after": {last}}
		if given := r.URL.Query().Get("path"); given != "" {
			query.Set("path", given)
		}
		page.Next = r.URL.Path + "?" + query.Encode()
	}
	page.Notes = documents.HistoryNotes(h, !more, len(page.Entries), "")
	return pageContent{Template: "history", Title: "History of " + page.ID, Data: page}, nil
}
