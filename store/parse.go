package store

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"issues-index/store/frontmatter"
	"issues-index/store/layout"
	"issues-index/store/markdown"
)

// Parse makes a document of a file's bytes, or of the error that reading it
// gave. It never fails: what cannot be read becomes a problem.
func (w *Workspace) Parse(f File, data []byte, readErr error) *Document {
	doc, _ := w.parse(f, data, readErr)
	return doc
}

// parse is Parse; parsed is what an edit starts from.
func (w *Workspace) parse(f File, data []byte, readErr error) (doc *Document, parsed frontmatter.Parsed) {
	name := path.Base(f.Path)
	stem := frontmatter.OneLine(strings.TrimSuffix(name, path.Ext(name)))
	if stem == "" { // a name of blanks
		stem = frontmatter.OneLine(name)
	}
	mtime := time.Unix(0, f.Stat.Mtime).UTC().Truncate(time.Millisecond)
	if readErr != nil {
		data = nil
	}
	c := f.Collection
	if c == nil {
		c = new(Collection)
	}
	lay := cmp.Or(c.layout, w.Layout)
	parsed = frontmatter.Parse(data, c.Type, lay)
	d := &Document{
		Path: f.Path, Collection: c.Type, Branch: c.Branch,
		Header: parsed.Header, Body: parsed.Body, BodyLine: parsed.BodyLine, Problems: parsed.Problems,
		written: mtime, workspace: lay,
	}
	if readErr == nil {
		d.Version = versionOfFile(data)
	}
	switch {
	case errors.Is(readErr, ErrTooLarge):
		d.problem(frontmatter.ProblemFileSize, "the file is %d bytes long, over the limit of %d: it is not read",
			f.Stat.Size, MaxFileSize)
	case readErr != nil:
		d.problem(frontmatter.ProblemUnreadable, "the file cannot be read: %s", reasonOf(cause(readErr)))
	}
	d.ID = cmp.Or(d.ID, stem)
	if !idFits(d.ID, stem) {
		d.problem(frontmatter.ProblemIDFilename, "the id is %q, but the file is named %q", d.ID, stem)
	}
	if d.Title == "" {
		d.Title = cmp.Or(markdown.FirstHeading(d.Body), stem)
	}
	if d.Created.IsZero() {
		d.Created = mtime
	}
	if d.Updated.IsZero() {
		if d.Updated, d.Committed = w.committed(f.Path, data); !d.Committed {
			d.Updated, d.Undated = mtime, true
		}
	}
	if !slices.ContainsFunc(d.Problems, Problem.Frozen) {
		for _, c := range markdown.Conflicts(d.Body) {
			d.Problems = append(d.Problems, Problem{
				Code: frontmatter.ProblemTextConflict, Line: c.Start + d.BodyLine - 1,
				Message: fmt.Sprintf("git conflict markers in the text, up to line %d: "+
					"make one text of both sides and remove the markers", c.End+d.BodyLine-1),
			})
		}
	}
	d.checkFolder(*c)
	d.ID = d.Branch.Qualify(d.ID)
	return d, parsed
}

// idFits reports whether id would be stored in a file of this stem.
func idFits(id, stem string) bool {
	if len(stem) < len(id) || !strings.EqualFold(stem[:len(id)], id) {
		return strings.EqualFold(id, stem)
	}
	return len(stem) == len(id) || stem[len(id)] == '-' || stem[len(id)] == ' '
}

// problem adds a problem of the whole file.
func (d *Document) problem(code ProblemCode, format string, args ...any) {
	d.Problems = append(d.Problems, Problem{Code: code, Message: fmt.Sprintf(format, args...)})
}

// archiveFolders are the directories that hold finished documents: ours and the
// two of older layouts.
var archiveFolders = []string{"archived", "completed", "complete"}

// checkFolder reports a status that the folder contradicts.
func (d *Document) checkFolder(c Collection) {
	archived := c.Archives(d.Path)
	switch category := d.Category(); {
	case d.Status == "":
		if archived && !slices.ContainsFunc(d.Problems, Problem.Frozen) {
			d.problem(frontmatter.ProblemStatusFolder, "the document has no status and counts as %s, but the file lies in %s",
				d.CountedStatus(), path.Dir(d.Path))
		}
	case category == layout.Open || category == layout.Active:
		if archived {
			d.problem(frontmatter.ProblemStatusFolder, "the status is %s, but the file lies in %s", d.Status, path.Dir(d.Path))
		}
	case category.Finished():
		if !archived && c.archive != "" {
			d.problem(frontmatter.ProblemStatusFolder, "the status is %s, but the file does not lie in %s", d.Status, c.archive)
		}
	}
}
