package repair

import (
	"context"
	"slices"

	"issues-index/index"
	"issues-index/index/team/publish"
	"issues-index/store"
)

// What is not published to the team.
const (
	publishConflict store.ProblemCode = "publish-conflict" // another machine publishes other versions of the document
	notPublished    store.ProblemCode = "not-published"
)

// AddUnpublished adds what is not published of a workspace that the team knows by a name: single
// documents, or all of them. What only waits to be published is no problem.
func (r *Report) AddUnpublished(ctx context.Context, ix *index.Index, workspace string) error {
	status, err := publish.StatusOf(ctx, ix, workspace)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, f := range r.Problems {
		known[f.Path] = true
	}
	add := func(code store.ProblemCode, path, message string) bool {
		if len(r.Codes) > 0 && !slices.Contains(r.Codes, code) {
			return false
		}
		id := ""
		if doc, _, err := ix.Workspace().Load(path); err == nil { // else it has no id that can be read
			id = doc.ID
		}
		r.Problems = append(r.Problems, newFinding(code, path, id, message))
		return true
	}
	if status.Refused {
		add(notPublished, publish.Path, "nothing of this workspace can be published: "+status.LastError)
	}
	for _, p := range status.Problems {
		code := notPublished
		if p.Conflict {
			code = publishConflict
		}
		if add(code, p.Path, p.Reason) && !known[p.Path] {
			r.Documents++
		}
	}
	r.sort()
	return nil
}
