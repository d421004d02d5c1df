package web

import (
	"net/http"
	"slices"

	"issues-index/index"
	"issues-index/index/repair"
	"issues-index/store"
	"issues-index/store/words"
)

// problemRows is how many problems of a kind a page shows.
const problemRows = 100

// A problemsPage is the problems of the workspace, or those of one kind.
type problemsPage struct {
	Code  store.ProblemCode // of the one kind, "" for all
	Kinds []shownProblems
}

// shownProblems are the problems of one kind.
type shownProblems struct {
	repair.ProblemGroup
	Rows []problemRow
	More int // that are not shown
}

// A problemRow is one problem.
type problemRow struct {
	Document *documentRow // nil where the problem is not one of a document
	Path     string
	Line     int // 0 for none
	Message  string
}

// problems lists what is wrong in the workspace, by kind, in the order of the command check.
func problems(r *pageRequest) (pageContent, error) {
	page := problemsPage{Code: store.ProblemCode(r.URL.Query().Get("code"))}
	l := r.ix.Workspace().Layout
	asked := func(k repair.ProblemKind) bool { return k.Code == page.Code }
	if page.Code != "" && !slices.ContainsFunc(repair.Kinds, asked) {
		return pageContent{}, &pageError{http.StatusNotFound, "Not found",
			shownError{Message: "No kind of problems has this code.", Hint: "/problems lists the problems of all kinds."}}
	}
	found, err := repair.Known(r.Context(), r.ix)
	if err != nil {
		return pageContent{}, err
	}
	var paths []string // of the documents that rows show
	for _, group := range repair.GroupsOf(found, l) {
		if page.Code != "" && group.Code != page.Code {
			continue
		}
		kind := shownProblems{ProblemGroup: group, More: max(0, len(group.Found)-problemRows)}
		for _, f := range group.Found[:len(group.Found)-kind.More] {
			kind.Rows = append(kind.Rows, problemRow{Path: f.Path, Line: f.Problem.Line,
				Message: words.Cut(words.OneLine(f.Problem.Message), maxField)})
			if _, isDocument := r.ix.Workspace().CollectionOf(f.Path); isDocument {
				paths = append(paths, f.Path)
			}
		}
		page.Kinds = append(page.Kinds, kind)
	}
	looked, err := r.ix.GetBatch(r.Context(), paths)
	if err != nil {
		return pageContent{}, err
	}
	documents := map[string]*documentRow{}
	for i, one := range looked {
		if one.Err == nil {
			documents[paths[i]] = &rowsOf(l, []index.Row{one.Row})[0]
		}
	}
	for _, kind := range page.Kinds {
		for i := range kind.Rows {
			kind.Rows[i].Document = documents[kind.Rows[i].Path]
		}
	}
	return pageContent{Template: "problems", Title: "Problems", Here: "/problems", Data: page}, nil
}
