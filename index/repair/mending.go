// Package mending names what is wrong in a workspace, and mends what can be
// mended without guessing.
//
// Look lists every problem and chooses the changes; Apply makes exactly those
// and writes down before how to take them back; Undo takes them back. It knows
// nothing of SQL, of MCP or of the command line.
//
// Invariants: what is chosen follows from one document and a rule of this
// product alone; where two statements contradict each other, a person decides. A
// document whose frontmatter cannot be read is never touched. A change is made
// to the very bytes that it was chosen for or not at all, touches no others, and
// overwrites no file. After Apply, Look chooses none of its changes again.
package repair

import (
	"context"
	"slices"
	"strings"
	"time"

	"issues-index/index"
	"issues-index/store"
)

// A Report is what is wrong in a workspace.
type Report struct {
	Problems []Problem // by kind in the order of Kinds, then by path
	Fixes    []Fix     // by path
	// Documents counts the documents that have problems, Total all there are.
	Documents, Total int
}

// A Problem is a problem, and what Apply does about it.
type Problem struct {
	index.DocumentProblem
	// Mend is what a fix does about it, "" when none does.
	Mend string
	// Advice is what to do about this very problem, "" where Kinds says it all.
	Advice string
	// Why is why no fix does although there is a rule for its kind, "" where
	// Kinds says it all.
	Why string
}

// A Fix is an exact change and the problems that it ends.
type Fix struct {
	store.Fix
	Codes []store.ProblemCode
}

// Look lists the problems of the workspace and chooses what to do about them.
// now is the time that changed documents get.
func Look(ctx context.Context, ix *index.Index, now time.Time) (*Report, error) {
	found, err := ix.Problems(ctx)
	if err != nil {
		return nil, err
	}
	listing, err := ix.Workspace().List(ctx)
	if err != nil {
		return nil, err
	}
	r := &Report{Documents: index.CountDocuments(found), Total: len(listing.Files)}
	for _, p := range listing.Problems {
		r.Problems = append(r.Problems, Problem{DocumentProblem: index.DocumentProblem{
			Path: p.Path, Problem: store.Problem{Code: problemPath, Message: p.Reason()},
		}})
	}
	plan := newPlanner(ix, listing, now)
	if err := plan.findMentions(ctx, found); err != nil {
		return nil, err
	}
	for len(found) > 0 {
		n := 1
		for n < len(found) && found[n].Path == found[0].Path {
			n++
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.Problems = append(r.Problems, plan.document(found[:n])...)
		found = found[n:]
	}
	if err := plan.adviseIDs(ctx, r.Problems); err != nil {
		return nil, err
	}
	r.Fixes = plan.settle(r.Problems)
	slices.SortStableFunc(r.Problems, func(a, b Problem) int { return rank(a.Problem.Code) - rank(b.Problem.Code) })
	return r, nil
}

// Lines are the lines of the document that the change takes out and puts in,
// without those that it only passes over.
func (f Fix) Lines() (out, in []string) {
	was, is := lines(f.Old), lines(f.New)
	return without(was, is), without(is, was)
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// without is list without the lines that are in other, each as often as it is there.
func without(list, other []string) (rest []string) {
	other = slices.Clone(other)
	for _, line := range list {
		if i := slices.Index(other, line); i >= 0 {
			other = slices.Delete(other, i, i+1)
			continue
		}
		rest = append(rest, line)
	}
	return rest
}
