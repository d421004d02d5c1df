package repair

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/history"
	"issues-index/store/layout"
	"issues-index/store/words"
)

// closedByCommit is the code of a hint: a commit may do a part of the work only, so that a
// person decides.
const closedByCommit store.ProblemCode = "closed-by-commit"

// closedByCommits returns a hint for each unfinished document that a commit of the main branch
// says to close, by path. A document that was closed and reopened since then has none. Where
// no history can be read there is none.
func closedByCommits(ctx context.Context, ix *index.Index) (hints []Finding, err error) {
	const (
		subjectLength = 80
		// mostRead is how many histories are read: 3 s. The hints after these may be of
		// documents that were reopened.
		mostRead = 100
	)
	ws := ix.Workspace()
	messages, err := history.OfMain(ctx, ws)
	if errors.As(err, new(*history.UnreadableError)) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	unfinished := slices.Concat(ws.Layout.Of(layout.Open), ws.Layout.Of(layout.Active))
	page, err := ix.Find(ctx, index.Query{Filter: index.Filter{Statuses: unfinished}, Limit: math.MaxInt32})
	if err != nil {
		return nil, err
	}
	read := 0
	for _, row := range page.Rows {
		if row.Shared { // which one is meant nobody knows
			continue
		}
		naming := messages.Naming(row.ID, math.MaxInt32)
		i := slices.IndexFunc(naming, func(c history.NamingCommit) bool { return c.Closes })
		if i < 0 {
			continue
		}
		if read++; read <= mostRead {
			reopened, err := reopenedSince(ctx, ws, row.Path, naming[i])
			if err != nil {
				return nil, err
			}
			if reopened {
				continue
			}
		}
		hints = append(hints, Finding{DocumentProblem: index.DocumentProblem{Path: row.Path, ID: row.ID, Problem: store.Problem{
			Code: closedByCommit,
			Message: fmt.Sprintf("it is %s, and commit %s closes it: %s",
				row.Status, history.ShortCommit(naming[i].Commit), words.Cut(words.OneLine(naming[i].Subject), subjectLength)),
		}}})
	}
	slices.SortFunc(hints, func(a, b Finding) int { return cmp.Compare(a.Path, b.Path) })
	return hints, nil
}

// reopenedSince reports whether an unfinished document was finished at a commit or later, so
// that somebody has reopened it.
func reopenedSince(ctx context.Context, ws *store.Workspace, path string, c history.NamingCommit) (bool, error) {
	doc, _, err := ws.Load(path)
	if errors.Is(err, fs.ErrNotExist) { // it has just gone
		return true, nil
	}
	if err != nil {
		return false, err
	}
	h, err := history.Read(ctx, ws, history.Of(ws, doc))
	if err != nil {
		return false, err
	}
	defer h.Close()
	for e, err := range h.Entries(history.HistoryQuery{Field: "status", Since: c.Time}) {
		if err != nil && !errors.Is(err, history.ErrEnough) {
			return false, err
		}
		for _, change := range e.Changes {
			if ws.Layout.CategoryOf(change.From).Finished() {
				return true, nil
			}
		}
	}
	return false, nil
}
