package documents

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/history"
	"issues-index/store/undo"
	"issues-index/store/words"
)

// ChangedSince says why a change is not taken back: which document has changed since, what is
// different in it now, and which later entries of the journal have changed it. at words a time.
func ChangedSince(
	ctx context.Context, ix *index.Index, refused *undo.ChangedError, at func(time.Time) string,
) string {
	const length, most = 80, 8 // characters of a value, and changes
	said := refused.Error()
	if changes := changesSince(ctx, ix, refused.Change); len(changes) > 0 {
		said += ": " + strings.Join(HistoryChanges(history.HistoryEntry{Changes: changes}, length, most), "; ")
	}
	var by []string
	for _, e := range refused.Since[:min(len(refused.Since), most)] {
		by = append(by, fmt.Sprintf("%s of %s at %s", words.Plain(e.Command), words.Plain(e.By), at(e.At)))
	}
	if len(by) > 0 {
		said += " (by " + strings.Join(by, ", ") + words.AndMore(len(refused.Since)-len(by)) + ")"
	}
	return said
}

// changesSince compares a document with what a change has made of it, wherever it is now. It is
// empty where that is not known.
func changesSince(ctx context.Context, ix *index.Index, c store.DocumentChange) []history.HistoryChange {
	ws := ix.Workspace()
	collection, ok := ws.CollectionOf(c.Path)
	if !ok || store.HashOf(c.Now) != c.Is {
		return nil
	}
	was := ws.Parse(store.File{Path: c.Path, Collection: &collection}, c.Now, nil)
	is, _, err := ws.Load(c.Path)
	if errors.Is(err, fs.ErrNotExist) {
		_, is, err = ix.Load(ctx, was.ID)
	}
	if err != nil {
		return nil
	}
	changes := history.CompareVersions(was, is)
	if len(changes) == 0 && was.Version != is.Version {
		changes = []history.HistoryChange{{Field: history.Formatting}}
	}
	return changes
}
