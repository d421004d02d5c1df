package repair

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

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
// says to close. A document that was closed and reopened since then has none. Where no history can
// be read there is none.
func closedByCommits(ctx context.Context, ix *index.Index) (hints []Finding, err error) {
	const subjectLength = 80
	ws := ix.Workspace()
	messages, err := history.ReadMessages(ctx, ws, true)
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
	closed := map[string]time.Time{}
	for _, row := range page.Rows {
		naming := messages.Naming(row.ID, math.MaxInt32)
		i := slices.IndexFunc(naming, func(c history.NamingCommit) bool { return c.Closes })
		if i < 0 || row.Shared { // nothing tells which document is meant
			continue
		}
		closed[row.Path] = naming[i].Time
		commit, subject := history.ShortCommit(naming[i].Commit), words.Cut(words.OneLine(naming[i].Subject), subjectLength)
		message := fmt.Sprintf("it is %s, and commit %s closes it: %s", row.Status, commit, subject)
		hints = append(hints, newFinding(closedByCommit, row.Path, row.ID, message))
	}
	if len(hints) == 0 {
		return nil, nil
	}
	reopened, err := history.Reopened(ctx, ws, closed)
	return slices.DeleteFunc(hints, func(f Finding) bool { return reopened[f.Path] }), err
}
