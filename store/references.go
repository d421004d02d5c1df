package store

import (
	"path"
	"strings"

	"issues-index/store/markdown"
)

// References lists what the text of a document names: ids in prose, wiki links, and Markdown
// links to files of collections, whether or not there are such documents. Offsets are those
// of Body, lines those of the file.
func (w *Workspace) References(d *Document) []markdown.Reference {
	found := markdown.References(d.Body, d.Layout().Mentions)
	kept := found[:0]
	for _, r := range found {
		if r.Kind == markdown.FileLink && w.LinkedPath(d.Path, r.Target) == "" {
			continue
		}
		r.Line += max(0, d.BodyLine-1)
		kept = append(kept, r)
	}
	return kept
}

// LinkedPath is the path, from the workspace's root, of the file that a link in a document
// leads to; "" when it lies in no collection. A path that begins with a slash begins at the
// root, as on the pages of code hosts.
func (w *Workspace) LinkedPath(document, target string) string {
	target = strings.ReplaceAll(target, `\`, "/")
	rooted := strings.HasPrefix(target, "/")
	if !rooted {
		target = path.Dir(document) + "/" + target
	}
	linked := path.Clean(strings.TrimLeft(target, "/"))
	if c, ok := w.CollectionOf(document); ok && w.Mirror() {
		if rooted {
			linked = path.Join(c.Branch.String(), linked)
		}
		if _, within := below(c.Branch.String(), linked); !within {
			return ""
		}
	}
	if _, ok := w.CollectionOf(linked); !ok || strings.HasPrefix(linked, "../") {
		return ""
	}
	return linked
}
