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
// place gives no views of its own, but an error that names the line, and the built-in views
// whose names it does not use stay; reading is bounded for any file.
package views

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"issues-index/index/where"
	"issues-index/store"
	"issues-index/store/words"
	"issues-index/store/yamlfile"
)

// File is where the views of a workspace are.
const File = ".wrangler/views.yaml"

// A View is a list that has a name.
type View struct {
	Name     string
	Criteria *where.Criteria
	Columns  []string // none for the usual ones

	parts []part
}

// Builtin reports whether every workspace has the view.
func (v View) Builtin() bool { return v.parts == nil }

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

	parts []part
}

// A part is a condition or an order as the file has it.
type part struct {
	line     int
	of       string // the view or the column, for errors
	criteria *where.Criteria
	shift    int // characters before it that the file does not have
}

// wrong says where a part is wrong. It returns other errors than those of criteria as they are.
func (p part) wrong(err error) error {
	file := &FileError{Line: p.line}
	if syntax := (*where.SyntaxError)(nil); errors.As(err, &syntax) {
		there := *syntax
		there.Column -= p.shift
		file.Reason, file.Near = there.Error(), syntax.Near
	} else if term := (*where.TermError)(nil); errors.As(err, &term) {
		file.Reason = term.Error() // an order has no terms, so that nothing is before it
	} else {
		return err
	}
	file.Reason = p.of + ": " + file.Reason
	return file
}

// A Checker says whether a workspace has the fields, values, predicates and documents that
// criteria name. Errors: *where.SyntaxError and *where.TermError for what it does not have.
type Checker func(*where.Criteria) error

// check returns the first thing that is wrong with parts. Errors: *FileError, and the
// checker's own.
func check(parts []part, by Checker) error {
	for _, p := range parts {
		if err := by(p.criteria); err != nil {
			return p.wrong(err)
		}
	}
	return nil
}

// Check returns what is wrong with each view and each column of a board, by line. Errors
// are the checker's own.
func (s *Set) Check(by Checker) (wrong []*FileError, err error) {
	var all [][]part
	for _, v := range s.Views {
		all = append(all, v.parts)
	}
	for _, b := range s.Boards {
		for _, c := range b.Columns {
			all = append(all, c.parts)
		}
	}
	for _, parts := range all {
		err := check(parts, by)
		if one := (*FileError)(nil); errors.As(err, &one) {
			wrong = append(wrong, one)
		} else if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(wrong, func(a, b *FileError) int { return cmp.Or(a.Line-b.Line, strings.Compare(a.Reason, b.Reason)) })
	return wrong, nil
}

// Columns are the fields of a document that a view may show.
var Columns = []string{
	"id", "title", "type", "status", "priority", "labels", "assignee", "project", "parent",
	"created", "updated", "closed", "boxes",
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
	Near   string // what was probably meant, "" for none; Reason says it, too
}

func (e *FileError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s, line %d: %s", File, e.Line, e.Reason)
	}
	return fmt.Sprintf("%s: %s", File, e.Reason)
}

// Load reads the views of a workspace. With an error it returns the built-in views whose
// names the file does not use. Errors: *FileError.
func Load(ws *store.Workspace) (*Set, error) {
	set := &Set{Views: map[string]View{}, Boards: map[string]Board{}}
	var used []string
	data, _, wrong := ws.Read(File)
	switch {
	case errors.Is(wrong, fs.ErrNotExist):
		wrong = nil
	case errors.Is(wrong, store.ErrTooLarge) || len(data) > yamlfile.MaxSize:
		wrong = &FileError{Reason: fmt.Sprintf("it is larger than %d KiB", yamlfile.MaxSize>>10)}
	case wrong != nil:
		wrong = &FileError{Reason: "it cannot be read: " + wrong.Error()}
	default:
		var own *Set
		if own, used, wrong = parse(data); wrong == nil {
			set = own
		}
	}
	for name, text := range builtin {
		if slices.Contains(used, name) {
			continue
		}
		criteria, err := where.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("read the view %s: %w", name, err)
		}
		set.Views[name] = View{Name: name, Criteria: criteria}
	}
	return set, wrong
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
