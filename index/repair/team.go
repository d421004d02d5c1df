package repair

import (
	"context"
	"errors"
	"fmt"
	"time"

	"issues-index/index"
	"issues-index/index/agree"
	"issues-index/index/edit"
	"issues-index/store"
)

// What was claimed and numbered without the team's engine.
const (
	claimConflict store.ProblemCode = "claim-conflict" // another clone has the document
	idConflict    store.ProblemCode = "id-conflict"    // another document of the team has the number
	notAgreed     store.ProblemCode = "not-agreed"     // the engine is still away
)

// sharedWithOthers finds the claims and the numbers of this clone that others have, too. It
// agrees on what is left first, as far as the engine can be reached: notAgreedYet says whether
// something remains.
func sharedWithOthers(ctx context.Context, ix *index.Index) (all []index.DocumentProblem, err error) {
	a := ix.Agreement()
	if a == nil {
		return nil, nil
	}
	err = edit.New(ix, edit.LockWait).Agree(ctx)
	if away := (*agree.UnagreedError)(nil); err != nil && !errors.As(err, &away) {
		return nil, err
	}
	claims, err := a.LostClaims(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range claims {
		message := fmt.Sprintf("%s has claimed it here, and %s on another machine, until %s", c.Holder, c.Other, c.Until.UTC().Format(time.RFC3339))
		all = append(all, index.DocumentProblem{Path: c.Path, ID: c.ID, Problem: store.Problem{Code: claimConflict, Message: message}})
	}
	numbers, err := a.NumberConflicts(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range numbers {
		problem := index.DocumentProblem{Path: c.Path}
		if doc, _, err := ix.Workspace().Load(c.Path); err == nil { // else it was moved since they were compared
			problem.ID = doc.ID
		}
		problem.Problem = store.Problem{Code: idConflict, Message: fmt.Sprintf("its number was chosen while the team's engine was away, and is that of %s in %s, too", c.Other, c.Line)}
		all = append(all, problem)
	}
	return all, nil
}

// notAgreedYet says that claims or numbers are left that could not be agreed.
func notAgreedYet(ctx context.Context, ix *index.Index) ([]Finding, error) {
	a := ix.Agreement()
	if a == nil {
		return nil, nil
	}
	mark, err := a.Unagreed(ctx)
	if err != nil || mark == 0 {
		return nil, err
	}
	return []Finding{{DocumentProblem: index.DocumentProblem{Path: agree.Path, Problem: store.Problem{
		Code: notAgreed, Message: "claims or numbers of this clone are not agreed with the team yet: its engine cannot be reached, or refuses them",
	}}}}, nil
}
