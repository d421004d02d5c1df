package store

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"

	"issues-index/store/layout"
	"issues-index/store/mirror"
)

// ErrMirror refuses to change a document of a mirror.
var ErrMirror = errors.New("the documents of a hub are copies: change them where their files are")

// A mirrored is what a workspace knows that is the mirror of a hub.
type mirrored struct {
	lines []mirror.PublishedBranch
	// collections are those of each line, by the name of its folder: there may be hundreds
	// of lines.
	collections map[string][]Collection
	refused     []error // why lines are left out
}

// Mirror reports whether the workspace is the mirror of a hub: its documents are copies of
// those of other workspaces, and have ids that say of which.
func (w *Workspace) Mirror() bool { return w.mirror != nil }

// Branches are the lines of a mirror, by the names of their folders; none of another workspace.
func (w *Workspace) Branches() []mirror.PublishedBranch {
	if w.mirror == nil {
		return nil
	}
	return w.mirror.lines
}

// RefusedBranches are why lines of a mirror are left out, nil when none is.
func (w *Workspace) RefusedBranches() error {
	if w.mirror == nil {
		return nil
	}
	return errors.Join(w.mirror.refused...)
}

// isMirror reports whether a folder has the marker of a mirror.
func isMirror(root *os.Root) bool {
	info, err := root.Lstat(mirror.Marker)
	return err == nil && info.Mode().IsRegular()
}

// openMirror reads the lines of a mirror, whose marker is what its layout file is.
func (w *Workspace) openMirror() error {
	data, err := w.layoutFile.Content()
	if err == nil {
		err = mirror.CheckMarker(data)
	}
	if err != nil {
		return fmt.Errorf("open the mirror: %w", err)
	}
	m, err := w.readMirror()
	if err != nil {
		return err
	}
	w.mirror = m
	for _, l := range m.lines {
		w.Collections = append(w.Collections, m.collections[l.String()]...)
	}
	w.Layout = joinedLayout(m.lines)
	return nil
}

func (w *Workspace) readMirror() (*mirrored, error) {
	m := &mirrored{collections: map[string][]Collection{}}
	var err error
	if m.lines, m.refused, err = mirror.ReadBranches(w.root); err != nil {
		return nil, err
	}
	if only := w.options.OnlyWorkspace; only != "" {
		m.lines = slices.DeleteFunc(m.lines, func(l mirror.PublishedBranch) bool { return l.Workspace != only })
		m.refused = nil // the process that serves the whole mirror tells of them
	}
	for _, l := range m.lines {
		m.collections[l.String()] = mirroredCollections(l)
	}
	return m, nil
}

// checkMirror is CheckLayout of a mirror whose marker has changed.
func (w *Workspace) checkMirror() error {
	now, err := w.readMirror()
	if err != nil {
		return err
	}
	if reflect.DeepEqual(now.lines, w.mirror.lines) {
		return nil
	}
	return ErrRelaid
}

// joinedLayout is the layout that knows the words of all lines of a mirror: the default one, and
// behind its statuses, by their categories, and priorities those of others.
func joinedLayout(lines []mirror.PublishedBranch) *layout.Layout {
	all := *layout.Default()
	all.Statuses, all.Priorities = slices.Clone(all.Statuses), slices.Clone(all.Priorities)
	for _, l := range lines {
		all.Join(&l.Manifest.Layout.Wording)
	}
	return &all
}

// near are the collections that a path may lie in.
func (w *Workspace) near(p string) []Collection {
	if w.mirror == nil {
		return w.Collections
	}
	line, _, _ := strings.Cut(p, "/")
	return w.mirror.collections[line]
}

// mirroredCollections are the collections of a line in the mirror.
func mirroredCollections(l mirror.PublishedBranch) []Collection {
	var all []Collection
	homes := map[string]bool{}
	for _, c := range l.Manifest.Collections {
		here := Collection{
			Type: c.Type, Dir: path.Join(l.String(), c.Dir), Branch: l.Branch,
			archive: noArchive, further: homes[c.Type], layout: l.Manifest.Layout,
		}
		if c.Archive != "" {
			here.archive = path.Join(l.String(), c.Archive)
		}
		homes[c.Type] = true
		all = append(all, here)
	}
	return all
}

// LayoutAt is how the document at a path is laid out: as its line is in a mirror.
func (w *Workspace) LayoutAt(p string) *layout.Layout {
	if w.mirror == nil {
		return w.Layout
	}
	c, _ := w.CollectionOf(p)
	return cmp.Or(c.layout, w.Layout)
}

// LineLayout is how the documents of a line of a mirror are laid out; the layout of all for a
// line that is not there.
func (w *Workspace) LineLayout(l mirror.Branch) *layout.Layout {
	for _, published := range w.Branches() {
		if published.Branch == l {
			return published.Manifest.Layout
		}
	}
	return w.Layout
}
