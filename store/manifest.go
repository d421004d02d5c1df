package store

import "issues-index/store/mirror"

// Manifest says how the documents of the workspace are laid out, for the mirrors that it is
// published to.
func (w *Workspace) Manifest() mirror.Manifest {
	m := mirror.Manifest{Layout: w.Layout}
	for _, c := range w.Collections {
		m.Collections = append(m.Collections, mirror.ManifestCollection{Type: c.Type, Dir: c.Dir, Archive: c.archive})
	}
	return m
}
