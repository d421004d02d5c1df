// Package views reads the workspace's views and boards: criteria that have a name, kept in
// git beside the documents.
//
//	mine:
//	  where: assignee = @me and status != closed
//	  sort: priority desc
//	  columns: [id, title, boxes]
//	boards:
//	  main:
//	    columns:
//	      - {name: Ready, where: "is:ready"}
//	      - {name: Doing, where: status = in_progress, set: {status: in_progress}}
//	      - {name: Done, where: status = closed, limit: 20}
//
// It knows nothing about SQL, MCP or the terminal. Invariants: a file that is wrong in any
// place gives no views, but an error that names the line; reading is bounded, whoever wrote
// the file.
package views

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"issues-index/index/where"
	"issues-index/store"
	"issues-index/store/words"
)

// File is where the views of a workspace are.
const File = ".wrangler/views.yaml"

// A View is a list that has a name.
type View struct {
	Name     string
	Criteria *where.Criteria
	Columns  []string // none for the usual ones
}

// A Board shows documents in columns.
type Board struct {
	Name    string
	Columns []BoardColumn
}

// A BoardColumn is one column of a board.
type BoardColumn struct {
	Name     string
	Criteria *where.Criteria
	// Set is what dropping a document there writes, by field; nil for a column that takes
	// none.
	Set   map[string]string
	Limit int // of documents, 0 for none
}

// Columns are the fields of a document that a view may show.
var Columns = []string{
	"id", "title", "type", "status", "priority", "labels", "assignee", "project", "parent", "created", "updated", "closed", "boxes",
}

// builtin are the views of every workspace.
var builtin = map[string]string{
	"ready":   "is:ready sort priority desc",
	"blocked": "is:blocked sort priority desc",
	"stale":   "is:stale sort updated",
	"recent":  "updated >= -7d sort updated desc",
	"mine":    "assignee = @me not is:done not is:cancelled sort updated desc",
}

// A Set is the views and boards of a workspace: its own, and the built-in views whose names
// it does not use.
type Set struct {
	Views  map[string]View
	Boards map[string]Board
}

// An UnknownError says that there is no view of a name.
type UnknownError struct {
	Name  string
	Known []string // in order
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("no view is called %q; there are %s", e.Name, strings.Join(e.Known, ", "))
}

// Near is the name that was probably meant, "" for none.
func (e *UnknownError) Near() string { return words.Nearest(e.Name, e.Known) }

// A FileError says what is wrong with the file of views, and where.
type FileError struct {
	Line   int // from 1; 0 when no one line is to blame
	Reason string
}

func (e *FileError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s, line %d: %s", File, e.Line, e.Reason)
	}
	return fmt.Sprintf("%s: %s", File, e.Reason)
}

// Load reads the views of a workspace. Errors: *FileError.
func Load(ws *store.Workspace) (*Set, error) {
	data, _, err := ws.Read(File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		data = nil
	case errors.Is(err, store.ErrTooLarge) || len(data) > maxFile:
		return nil, &FileError{Reason: fmt.Sprintf("it is larger than %d KiB", maxFile>>10)}
	case err != nil:
		return nil, &FileError{Reason: "it cannot be read: " + err.Error()}
	}
	set, err := parse(data)
	if err != nil {
		return nil, err
	}
	for name, text := range builtin {
		if _, own := set.Views[name]; own {
			continue
		}
		criteria, err := where.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("read the view %s: %w", name, err)
		}
		set.Views[name] = View{Name: name, Criteria: criteria}
	}
	return set, nil
}

// Names lists the views.
func (s *Set) Names() []string { return slices.Sorted(maps.Keys(s.Views)) }

// Named returns a view by its name, in any letter case. Errors: *UnknownError.
func (s *Set) Named(name string) (View, error) {
	if own, ok := words.Respell(name, s.Names()); ok {
		return s.Views[own], nil
	}
	return View{}, &UnknownError{Name: name, Known: s.Names()}
}
