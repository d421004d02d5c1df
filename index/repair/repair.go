// Package repair names what is wrong in a workspace, and fixes what can be fixed
// without guessing.
//
// Check lists every problem and chooses the changes; Fix makes exactly those. The package
// knows nothing about SQL, MCP or the command line.
//
// Invariants: a change follows from one document and a rule of this product. Where two
// statements contradict each other, a person decides. A document whose frontmatter cannot
// be read is never touched, unless that is for conflict markers which can be resolved. A change is
// made only to the bytes that it was chosen for. It changes no other bytes and overwrites no file.
// After Fix, Check chooses none of its changes again.
package repair

import (
	"context"
	"slices"
	"strings"
	"time"

	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/store"
)

// A Report lists what is wrong in a workspace and the changes that Fix can make.
type Report struct {
	Problems []Finding    // by kind in the order of Kinds, then by path
	Hints    []Finding    // what may be an oversight but is no problem, by kind and path
	Changes  []FileChange // by path
	// Documents counts the documents that have problems, without hints, Total all documents.
	Documents, Total int
	// Codes are the kinds that were looked for, none for all.
	Codes []store.ProblemCode
	// Before counts the problems that CheckSince has left out.
	Before int
}

// A Finding is a problem of a document, and what can be done about it.
type Finding struct {
	index.DocumentProblem
	// Fix says what Fix does about it, "" when it does nothing.
	Fix string
	// Why says why a problem whose kind has a rule is not fixed, "" otherwise.
	Why string
}

// A FileChange is an exact change of one document and the problems that it ends.
type FileChange struct {
	store.Fix
	Codes []store.ProblemCode
	// Why says why this document is changed, "" where the lines say it.
	Why string
}

func newFinding(code store.ProblemCode, path, id, message string) Finding {
	return Finding{DocumentProblem: index.DocumentProblem{
		Path: path, ID: id, Problem: store.Problem{Code: code, Message: message},
	}}
}

// sort puts the problems in the order of Kinds.
func (r *Report) sort() {
	slices.SortStableFunc(r.Problems, func(a, b Finding) int { return rank(a.Problem.Code) - rank(b.Problem.Code) })
}

// Check lists the problems and hints of the workspace and chooses the changes. now is the time that
// changed documents get. With codes, only problems of these kinds are looked for.
func Check(ctx context.Context, ix *index.Index, now time.Time, codes ...store.ProblemCode) (*Report, error) {
	unwanted := func(code store.ProblemCode) bool { return len(codes) > 0 && !slices.Contains(codes, code) }
	found, err := ix.Problems(ctx)
	if err != nil {
		return nil, err
	}
	listing, err := ix.Workspace().List(ctx)
	if err != nil {
		return nil, err
	}
	r := &Report{Total: len(listing.Files), Codes: codes}
	for _, p := range found {
		if !unwanted(p.Problem.Code) {
			r.Problems = append(r.Problems, Finding{DocumentProblem: p})
		}
	}
	plan := &changePlanner{ix: ix, ws: ix.Workspace(), now: now}
	for findings := r.Problems; len(findings) > 0; r.Documents++ {
		n := slices.IndexFunc(findings, func(f Finding) bool { return f.Path != findings[0].Path })
		if n < 0 {
			n = len(findings)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		plan.document(findings[:n])
		findings = findings[n:]
	}
	if err := plan.rename(ctx); err != nil {
		return nil, err
	}
	r.Changes = plan.changes(listing.Files)
	others, err := wrongViews(ctx, ix)
	if err != nil {
		return nil, err
	}
	for _, p := range listing.Problems {
		others = append(others, newFinding(problemPath, p.Path, "", p.Reason()))
	}
	if _, err := ix.Workspace().Lstat(store.UnfinishedFixes); err == nil {
		message := "a repair of duplicate ids was interrupted"
		others = append(others, newFinding(problemUnfinished, store.UnfinishedFixes, "", message))
	}
	others = slices.DeleteFunc(others, func(f Finding) bool { return unwanted(f.Problem.Code) })
	r.Problems = append(r.Problems, others...)
	for _, hint := range hints {
		if unwanted(hint.code) {
			continue
		}
		found, err := hint.find(ctx, ix)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(found, func(a, b Finding) int { return strings.Compare(a.Path, b.Path) })
		r.Hints = append(r.Hints, found...)
	}
	r.sort()
	return r, nil
}

// hints are what may be an oversight and is no problem: the code, and what finds it.
var hints = []struct {
	code store.ProblemCode
	find func(context.Context, *index.Index) ([]Finding, error)
}{
	{closedByCommit, closedByCommits},
	{"broken-link", brokenLinks},
	{closedWithBoxes, closedWithOpenBoxes},
	{hiddenText, hiddenTexts},
}

func brokenLinks(ctx context.Context, ix *index.Index) (found []Finding, err error) {
	links, err := ix.BrokenLinks(ctx)
	for _, link := range links {
		found = append(found, Finding{DocumentProblem: link})
	}
	return found, err
}

// Fix makes the changes, each for itself. errs has an error or nil for each of them;
// behind is why the index does not show the changes yet.
func Fix(ctx context.Context, ix *index.Index, changes []FileChange) (errs []error, behind error) {
	fixes := make([]store.Fix, len(changes))
	for i, c := range changes {
		fixes[i] = c.Fix
	}
	return edit.New(ix, edit.LockWait).Fix(ctx, fixes)
}

// Lines returns the lines of the document that the change removes and adds. A line that
// stands in both texts is in neither result.
func (c FileChange) Lines() (removed, added []string) {
	line := func(text string) string { return text }
	was, is := lines(c.Old), lines(c.New)
	return without(was, is, line), without(is, was, line)
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// without returns list without what has the key of one of other, each as often as it is there.
func without[T any, K comparable](list, other []T, key func(T) K) (rest []T) {
	left := map[K]int{}
	for _, one := range other {
		left[key(one)]++
	}
	for _, one := range list {
		if left[key(one)]--; left[key(one)] < 0 {
			rest = append(rest, one)
		}
	}
	return rest
}
