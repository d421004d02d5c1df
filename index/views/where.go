package views

import (
	"cmp"

	"issues-index/index/where"
	"issues-index/store"
)

// Where is the text of the criteria that a view and further criteria are together; either may
// be "". The order is that of the criteria, if they have one, and the columns are the view's.
// Errors: *FileError, *UnknownError, and the checker's for the criteria.
func Where(ws *store.Workspace, by Checker, view, criteria string) (text string, columns []string, err error) {
	own, err := where.Parse(criteria)
	if err != nil || view == "" {
		return criteria, nil, err
	}
	set, wrong := Load(ws)
	if set == nil {
		return "", nil, wrong
	}
	named, err := set.Named(view)
	if err != nil {
		return "", nil, cmp.Or(wrong, err) // a broken file may have the view
	}
	if err := check(named.parts, by); err != nil {
		return "", nil, err
	}
	if err := by(own); err != nil { // whose columns are others in the text of both
		return "", nil, err
	}
	return where.Join(named.Criteria, own).String(), named.Columns, nil
}
