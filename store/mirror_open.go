package store

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"issues-index/store/layout"
	"issues-index/store/mirror"
)

// ErrMirror refuses to change a document of a mirror.
var ErrMirror = errors.New("the documents of a hub are copies: change them where their files are")

// A mirrored is what a workspace knows that is the mirror of a hub, nothing for any other one.
type mirrored struct {
	branches []mirror.PublishedBranch
	// collections are those of each branch, by the name of its folder: there may be hundreds
	// of branches.
	collections map[string][]Collection
}

// Mirror reports whether the workspace is the mirror of a hub: its documents are copies of
// those of other workspaces, and have ids that say of which.
func (w *Workspace) Mirror() bool { return w.settings == mirror.Marker }

// Branches are those of a mirror, by the names of their folders; none of another workspace.
func (w *Workspace) Branches() []mirror.PublishedBranch { return w.mirror.branches }

// isMirror reports whether a folder has the marker of a mirror.
func isMirror(root *os.Root) bool {
	info, err := root.Lstat(mirror.Marker)
	return err == nil && info.Mode().IsRegular()
}

// openMirror reads the branches of a mirror, which has its marker in place of a layout file.
func (w *Workspace) openMirror() error {
	data, err := w.layoutFile.Content()
	if err == nil {
		err = mirror.CheckMarker(data)
	}
	if err != nil {
		return fmt.Errorf("open the mirror: %w", err)
	}
	if w.mirror.branches, err = w.readMirror(); err != nil {
		return err
	}
	w.mirror.collections = map[string][]Collection{}
	for _, b := range w.mirror.branches {
		here := mirroredCollections(b)
		w.mirror.collections[b.String()] = here
		w.Collections = append(w.Collections, here...)
	}
	w.Layout = joinedLayout(w.mirror.branches)
	return nil
}

// readMirror reads the branches that the mirror has now.
func (w *Workspace) readMirror() ([]mirror.PublishedBranch, error) {
	branches, err := mirror.ReadBranches(w.root)
	if only := w.options.OnlyWorkspace; only != "" {
		branches = slices.DeleteFunc(branches, func(b mirror.PublishedBranch) bool { return b.Workspace != only })
	}
	return branches, err
}

// joinedLayout is the layout that knows the words of all branches of a mirror: the default one, and
// behind its statuses, by their categories, and priorities those of others.
func joinedLayout(branches []mirror.PublishedBranch) *layout.Layout {
	all := *layout.Default()
	all.Statuses, all.Priorities = slices.Clone(all.Statuses), slices.Clone(all.Priorities)
	for _, b := range branches {
		all.Join(&b.Manifest.Layout.Wording)
	}
	return &all
}

// near are the collections that a path may lie in.
func (w *Workspace) near(p string) []Collection {
	if !w.Mirror() {
		return w.Collections
	}
	branch, _, _ := strings.Cut(p, "/")
	return w.mirror.collections[branch]
}

// mirroredCollections are the collections of a branch in the mirror.
func mirroredCollections(b mirror.PublishedBranch) []Collection {
	var all []Collection
	homes := map[string]bool{}
	for _, c := range b.Manifest.Collections {
		here := Collection{
			Type: c.Type, Dir: path.Join(b.String(), c.Dir), Branch: b.Branch,
			further: homes[c.Type], layout: b.Manifest.Layout,
		}
		if c.Archive != "" {
			here.archive = path.Join(b.String(), c.Archive)
		}
		homes[c.Type] = true
		all = append(all, here)
	}
	return all
}

// LayoutAt is how the document at a path is laid out: as its branch is in a mirror.
func (w *Workspace) LayoutAt(p string) *layout.Layout {
	c, _ := w.CollectionOf(p)
	return cmp.Or(c.layout, w.Layout)
}

// BranchLayout is how the documents of a branch of a mirror are laid out; the layout of all for a
// branch that is not there.
func (w *Workspace) BranchLayout(b mirror.Branch) *layout.Layout {
	for _, published := range w.Branches() {
		if published.Branch == b {
			return published.Manifest.Layout
		}
	}
	return w.Layout
}
