package views

import (
	"issues-index/index/where"
	"issues-index/store"
)

// Where is the text of the criteria that a view and further criteria are together; either may
// be "". The order is that of the criteria, if they have one. Errors: *FileError,
// *UnknownError, *where.SyntaxError.
func Where(ws *store.Workspace, view, criteria string) (string, error) {
	own, err := where.Parse(criteria)
	if err != nil || view == "" {
		return criteria, err
	}
	set, err := Load(ws)
	if err != nil {
		return "", err
	}
	named, err := set.Named(view)
	if err != nil {
		return "", err
	}
	return where.Join(named.Criteria, own).String(), nil
}
