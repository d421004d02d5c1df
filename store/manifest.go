package store

import "issues-index/store/mirror"

// Manifest says how the documents of the workspace are laid out, for the mirrors that it is
// published to.
func (w *Workspace) Manifest() mirror.Manifest {
	m := mirror.Manifest{Layout: w.Layout}
	for _, c := range w.Collections {
		published := mirror.ManifestCollection{Type: c.Type, Dir: c.Dir}
		if c.archive != noArchive {
			published.Archive = c.archiveDir()
		}
		m.Collections = append(m.Collections, published)
	}
	return m
}
