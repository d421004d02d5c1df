// Package foreign recognises the folders of other issue trackers in a workspace, and says how
// the workspace can serve them: the keys of a layout where the documents are Markdown files.
//
// It only reads. It knows nothing about the index or MCP. Its invariants:
//   - whatever a stranger's folder holds, little of it is read, all of it through the
//     workspace's root;
//   - keys that it proposes make a valid layout.
package foreign

import (
	"path"
	"slices"
	"strings"

	"issues-index/store"
	"issues-index/store/layout"
)

// A Tracker is another program, or a habit, that keeps issues in the workspace.
type Tracker struct {
	Title  string // "Backlog.md"
	Folder string // relative to the root
	Files  int    // that become documents
	// Layout has the keys with which the workspace serves them, as YAML; "" where it cannot.
	Layout string
	Notes  []string // what a person has to know or do; sentences without a full stop
}

// maxSamples is how many documents of a folder are read.
const maxSamples = 50

// Find returns the trackers of a workspace.
func Find(ws *store.Workspace) []Tracker {
	var found []Tracker
	for _, look := range []func(*store.Workspace) (Tracker, bool){backlogMD, docsIssues, beads} {
		if t, ok := look(ws); ok {
			found = append(found, t)
		}
	}
	return found
}

// markdownFiles lists the documents in a folder, by name. There are none where the folder is
// missing or cannot be read.
func markdownFiles(ws *store.Workspace, dir string) []string {
	real, err := ws.Resolve(dir)
	if err != nil {
		return nil
	}
	names, _ := ws.Names(real)
	names = slices.DeleteFunc(names, func(name string) bool {
		return !strings.HasSuffix(name, ".md") || strings.HasPrefix(name, ".") || strings.EqualFold(name, "README.md")
	})
	slices.Sort(names)
	return names
}

// valid returns the keys, or others if they make no layout.
func valid(keys string, others string) string {
	if _, err := layout.Parse([]byte(keys)); err != nil {
		return others
	}
	return keys
}

// docsIssues recognises Markdown files in docs/issues.
func docsIssues(ws *store.Workspace) (Tracker, bool) {
	const dir = "docs/issues"
	names := markdownFiles(ws, dir)
	if len(names) == 0 {
		return Tracker{}, false
	}
	t := Tracker{Title: "Markdown files", Folder: dir, Files: len(names)}
	keys := "folders: {issue: " + dir + "}\n"
	if !ws.HasDir(path.Join(dir, layout.Default().Archive)) {
		keys += "archive: none\n"
	}
	t.Layout = valid(keys+naming(ws, dir, names), keys)
	t.Notes = append(t.Notes, "files that have statuses of their own are listed by issues-index check, "+
		"with the lines to add")
	return t, true
}

// beads recognises the database of beads, which is no folder of documents.
func beads(ws *store.Workspace) (Tracker, bool) {
	const dir = ".beads"
	if !ws.HasDir(dir) {
		return Tracker{}, false
	}
	return Tracker{Title: "beads", Folder: dir, Notes: []string{
		"the issues of beads are in a database and not in Markdown files, so that they cannot be served from there; " +
			"nothing in " + dir + " is read or changed",
		"both can be used side by side; to move, create each issue that is still open with issues-index new: " +
			"bd list --json shows them",
	}}, true
}
