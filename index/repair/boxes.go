package repair

import (
	"context"
	"fmt"
	"math"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/layout"
)

// closedWithBoxes is the code of a hint: many trackers never check the boxes of finished
// work, so that it says nothing of the files and does not fail a check.
const closedWithBoxes store.ProblemCode = "closed-with-open-boxes"

// closedWithOpenBoxes returns a hint for each closed document that has open boxes.
func closedWithOpenBoxes(ctx context.Context, ix *index.Index) ([]Finding, error) {
	closed := index.Filter{Statuses: ix.Workspace().Layout.Of(layout.Done), Boxes: index.BoxesOpen}
	page, err := ix.Find(ctx, index.Query{Filter: closed, Limit: math.MaxInt32})
	if err != nil {
		return nil, err
	}
	hints := make([]Finding, len(page.Rows))
	for i, r := range page.Rows {
		message := fmt.Sprintf("it is %s, and %d of its %d boxes are checked", r.Status, r.Boxes.Checked, r.Boxes.Total)
		hints[i] = newFinding(closedWithBoxes, r.Path, r.ID, message)
	}
	return hints, nil
}
