package repair

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/layout"
)

// closedWithBoxes is the code of a hint: many trackers never check the boxes of finished
// work, so that it says nothing of the files and does not fail a check.
const closedWithBoxes store.ProblemCode = "closed-with-open-boxes"

// closedWithOpenBoxes returns a hint for each closed document that has open boxes.
func closedWithOpenBoxes(ctx context.Context, ix *index.Index) ([]Finding, error) {
	page, err := ix.Find(ctx, index.Query{
		Filter: index.Filter{Statuses: ix.Workspace().Layout.Of(layout.Done), Boxes: index.BoxesOpen}, Limit: math.MaxInt32,
	})
	if err != nil {
		return nil, err
	}
	hints := make([]Finding, len(page.Rows))
	for i, r := range page.Rows {
		hints[i].DocumentProblem = index.DocumentProblem{Path: r.Path, ID: r.ID, Problem: store.Problem{
			Code: closedWithBoxes, Message: fmt.Sprintf("it is %s, and %d of its %d boxes are checked", r.Status, r.Boxes.Checked, r.Boxes.Total),
		}}
	}
	slices.SortFunc(hints, func(a, b Finding) int { return cmp.Compare(a.Path, b.Path) })
	return hints, nil
}
