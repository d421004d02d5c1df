package index

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"issues-index/index/db"
	"issues-index/index/search"
	"issues-index/store"
	"issues-index/store/mirror"
)

// Problems that only the whole workspace shows, besides dangling-parent and duplicate-id of the
// view problems.
const (
	problemDuplicateID     store.ProblemCode = "duplicate-id"
	problemCaseTwin        store.ProblemCode = "case-twin"
	problemParentCycle     store.ProblemCode = "parent-cycle"
	problemDependencyCycle store.ProblemCode = "dependency-cycle"
	problemUnknownWait     store.ProblemCode = "dangling-dependency"
	problemAmbiguousWait   store.ProblemCode = "ambiguous-dependency"
)

// problemManyWords is a problem of one file that shows only when its words are
// indexed.
const problemManyWords store.ProblemCode = "too-many-words"

var tooManyWords = store.Problem{Code: problemManyWords, Message: fmt.Sprintf(
	"it has more than %d different words: the others are found only by reading its whole text, "+
		"which slows every search, and rank last",
	search.MaxWords)}

// A DocumentProblem is a problem and the document that has it.
type DocumentProblem struct {
	Path, ID string
	Problem  store.Problem
}

// Problems lists every problem in the workspace, by path: those that a file
// shows by itself and those that need the whole.
func (ix *Index) Problems(ctx context.Context) ([]DocumentProblem, error) {
	var all []DocumentProblem
	err := ix.view(ctx, func(tx *db.Snapshot) (err error) {
		all, err = readProblems(ctx, tx)
		return err
	})
	slices.SortStableFunc(all, func(a, b DocumentProblem) int { return strings.Compare(a.Path, b.Path) })
	return all, err
}

func readProblems(ctx context.Context, tx *db.Snapshot) ([]DocumentProblem, error) {
	all, err := readRows[DocumentProblem](ctx, tx, "problems",
		`SELECT path, id, code, message, coalesce(line, 0) FROM problems`)
	if err != nil {
		return nil, err
	}
	links, err := readLineages(ctx, tx, "")
	if err != nil {
		return nil, err
	}
	all = append(all, caseTwins(links)...)
	all = append(all, idTwins(links)...)
	all = append(all, parentCycles(links)...)
	waits, err := waitProblems(ctx, tx)
	if err != nil {
		return nil, err
	}
	return append(all, waits...), nil
}

// waitProblems finds what is wrong with the waiting of documents for others.
func waitProblems(ctx context.Context, tx *db.Snapshot) ([]DocumentProblem, error) {
	cycles, err := dependencyCycles(ctx, tx)
	if err != nil {
		return nil, err
	}
	endless, err := endlessWaits(ctx, tx)
	return append(cycles, endless...), err
}

// endlessWaits finds unfinished documents that wait for what can never be finished: an id
// that no document has, or that several have. Ids of other repositories are left out, since
// this index cannot say whether they exist. It names five candidates at most, and a hundred ids of
// a document.
func endlessWaits(ctx context.Context, tx *db.Snapshot) ([]DocumentProblem, error) {
	type wait struct {
		Path, ID   string
		In         mirror.Branch
		Target     string
		Meant      int
		Candidates string
	}
	waits, err := readRows[wait](ctx, tx, "dependencies", `SELECT * FROM (
		SELECT d.path, d.id, d.workspace, d.line, `+waitColumns+`,
			coalesce((SELECT group_concat(path, ', ') FROM (
				SELECT t.path FROM link_meant m JOIN document t ON t.doc = m.meant
				WHERE m.source = d.doc AND m.kind = 'waitsFor' AND m.target_fold = u.target_fold LIMIT 5)), '')
		FROM document d CROSS JOIN unmet u ON u.waiter = d.doc WHERE NOT d.finished
	) WHERE meant <> 1`)
	if err != nil {
		return nil, err
	}
	const named = 100
	var all []DocumentProblem
	of := map[string]int{} // ids that are named, by path
	for _, w := range waits {
		if of[w.Path] == named {
			of[w.Path]++
			all = append(all, DocumentProblem{w.Path, w.ID, store.Problem{
				Code:    problemUnknownWait,
				Message: fmt.Sprintf("it waits for more ids than the %d that are named: mend these first", named),
			}})
		}
		if of[w.Path] > named {
			continue
		}
		problem := store.Problem{
			Code: problemAmbiguousWait, Message: "it waits for " + w.Target + ", which may be any of " + w.Candidates,
		}
		if w.Meant > 5 {
			problem.Message += " and others"
		}
		if w.Meant == 0 {
			state, err := strayState(ctx, tx, w.In, w.Target, false)
			if err != nil {
				return nil, err
			}
			if state == DependencyExternal {
				continue
			}
			problem = store.Problem{
				Code: problemUnknownWait, Message: "it waits for " + w.Target + ", which is no document of this workspace",
			}
		}
		of[w.Path]++
		all = append(all, DocumentProblem{w.Path, w.ID, problem})
	}
	return all, nil
}

// A lineage is a document and its parent.
type lineage struct {
	Doc            int64
	Path, ID, Fold string
	Parent         int64 // 0 when there is none, or when several may be meant
}

// readLineages reads the lineages of the documents d for which a condition holds, "" for all.
func readLineages(ctx context.Context, tx *db.Snapshot, condition string) ([]lineage, error) {
	return readRows[lineage](ctx, tx, "parents", `SELECT d.doc, d.path, d.id, d.id_fold, iif(d.parent = '', 0,
			(SELECT iif(count(*) = 1, max(m.meant), 0) FROM link_meant m
				WHERE m.source = d.doc AND m.kind = 'parent' AND m.target_fold = d.parent_fold))
		FROM document d `+condition+` ORDER BY d.path`)
}

// AlikePath is the same for paths that some system takes for one.
func AlikePath(path string) string { return search.Fold(norm.NFC.String(path)) }

// caseTwins finds files that other systems take for one: their paths differ by
// letter case or by Unicode form alone.
func caseTwins(links []lineage) []DocumentProblem {
	return twins(links, problemCaseTwin, func(l lineage) string { return AlikePath(l.Path) },
		func(a, b lineage) bool { return a.Path != b.Path },
		"systems that ignore letter case or Unicode form take it for %[2]s: rename one")
}

// idTwins finds ids that differ by letter case or by zeros before their numbers
// alone: a link to one, written in another way, means them all. Those of case twins are left out.
func idTwins(links []lineage) []DocumentProblem {
	return twins(links, problemDuplicateID, func(l lineage) string { return l.Fold },
		func(a, b lineage) bool { return a.ID != b.ID && AlikePath(a.Path) != AlikePath(b.Path) },
		"the id %s differs in letter case or zeros alone from that of %s")
}

// twins finds documents that have a key in common and differ. It names five of the others
// at each: a thousand that name each other are a million names.
func twins(
	links []lineage, code store.ProblemCode, key func(lineage) string, differ func(a, b lineage) bool, format string,
) (all []DocumentProblem) {
	const named = 5
	same := map[string][]lineage{}
	kept := map[[2]string]int{} // of each key and id: more of one id are no help
	for _, l := range links {
		k := key(l)
		if of := [2]string{k, l.ID}; kept[of] < named+2 {
			kept[of]++
			same[k] = append(same[k], l)
		}
	}
	for _, l := range links {
		var others []string
		for _, other := range same[key(l)] {
			if differ(l, other) {
				others = append(others, other.Path)
			}
			if len(others) > named {
				break
			}
		}
		if len(others) > named {
			others[named] = "others"
		}
		if len(others) > 0 {
			all = append(all, DocumentProblem{l.Path, l.ID, store.Problem{
				Code: code, Message: fmt.Sprintf(format, l.ID, strings.Join(others, ", ")),
			}})
		}
	}
	return all
}

// parentCycles finds documents that are their own ancestors.
func parentCycles(links []lineage) []DocumentProblem {
	g := &linkGraph{documents: map[int64]*graphDocument{}, waits: map[int64][]int64{}}
	for _, l := range links {
		g.documents[l.Doc] = &graphDocument{id: l.ID, path: l.Path}
		g.waits[l.Doc] = []int64{l.Parent}
	}
	component, groups := g.circles(), map[int]bool{}
	for _, group := range component {
		groups[group] = true
	}
	return g.problems(component, groups, problemParentCycle, "it is its own ancestor: ", "set another parentTaskId")
}
