package repair

import (
	"context"
	"errors"

	"issues-index/index"
	"issues-index/index/views"
	"issues-index/index/where"
	"issues-index/store"
)

// problemViews is the code of what is wrong with the file of views.
const problemViews store.ProblemCode = "invalid-views"

// wrongViews finds what is wrong with the views and boards of the workspace.
func wrongViews(ctx context.Context, ix *index.Index) ([]Finding, error) {
	set, err := views.Load(ix.Workspace())
	var wrong []*views.FileError
	if broken := (*views.FileError)(nil); errors.As(err, &broken) {
		wrong = append(wrong, broken)
	} else if err != nil {
		return nil, err
	} else if err = ix.CheckManyCriteria(ctx, func(check func(*where.Criteria) error) (err error) {
		wrong, err = set.Check(check)
		return err
	}); err != nil {
		return nil, err
	}
	var all []Finding
	for _, w := range wrong {
		f := newFinding(problemViews, views.File, "", w.Reason)
		f.Problem.Line = w.Line
		all = append(all, f)
	}
	return all, nil
}
