package repair

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/frontmatter"
	"issues-index/store/words"
)

// A changePlanner chooses the changes, one document at a time.
type changePlanner struct {
	ix    *index.Index
	ws    *store.Workspace
	now   time.Time
	taken map[string]string // every document's path, by its AlikePath
	// mentioned maps a file's path to the path of another document that has the file's
	// name in it.
	mentioned map[string]string
	drafts    []*fileDraft
}

// A fileDraft is the change of one document that is being chosen.
type fileDraft struct {
	path     string
	data     []byte // of the file, nil when the choice is made
	fix      store.Fix
	findings []Finding           // of the document
	codes    []store.ProblemCode // of those that the change ends
}

func newChangePlanner(ix *index.Index, listing store.Listing, now time.Time) *changePlanner {
	p := &changePlanner{
		ix: ix, ws: ix.Workspace(), now: now, taken: map[string]string{}, mentioned: map[string]string{},
	}
	for _, f := range listing.Files {
		p.taken[index.AlikePath(f.Path)] = f.Path
	}
	return p
}

// document returns the findings of one document and drafts its change.
func (p *changePlanner) document(found []index.DocumentProblem) []Finding {
	d := &fileDraft{path: found[0].Path}
	ruled := false
	for _, problem := range found {
		d.findings = append(d.findings, Finding{DocumentProblem: problem})
		ruled = ruled || KindOf(problem.Problem.Code, p.ws.Layout).Rule != ""
	}
	if !ruled {
		return d.findings
	}
	if conflict := d.finding(store.ProblemMergeConflict); conflict != nil {
		p.resolve(d, conflict)
		return d.findings
	}
	doc := p.read(d)
	if doc == nil {
		return d.findings
	}
	doc = p.respell(d, doc)
	dir, name := path.Split(d.path)
	asked := d.finding(store.ProblemStatusFolder) != nil || d.fix.Edits()
	if folder, ok := p.archive(d, doc); ok && asked {
		dir = folder
	}
	if base, ok := p.rename(d, doc); ok {
		name = base
	}
	d.fix.To = path.Join(dir, name)
	d.data = nil
	p.drafts = append(p.drafts, d)
	return d.findings
}

// read loads the document as it is now. It returns nil when the document is gone or must
// not be edited.
func (p *changePlanner) read(d *fileDraft) *store.Document {
	c, ok := p.ws.CollectionOf(d.path)
	if !ok {
		return nil
	}
	data, st, err := p.ws.Read(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	doc := p.ws.Parse(store.File{Path: d.path, Collection: c, Stat: st}, data, err)
	if frontmatter.Editable(doc.Problems) != nil {
		return nil
	}
	d.data, d.fix = data, store.NewFix(d.path, d.path, data, data)
	return doc
}

// finding returns the document's finding with a code, nil when it has none.
func (d *fileDraft) finding(code store.ProblemCode) *Finding {
	for i := range d.findings {
		if d.findings[i].Problem.Code == code {
			return &d.findings[i]
		}
	}
	return nil
}

// respell writes the known values that misspelt ones mean. It returns the document as it
// is after that.
func (p *changePlanner) respell(d *fileDraft, doc *store.Document) *store.Document {
	edit := frontmatter.Edit{Respells: true}
	var fixed []*Finding
	for _, field := range []struct {
		code       store.ProblemCode
		key, value string
		known      []string
	}{
		{store.ProblemUnknownStatus, "status", doc.Status, p.ws.Layout.StatusNames()},
		{store.ProblemUnknownPriority, "priority", doc.Priority, p.ws.Layout.Priorities},
		{store.ProblemUnknownType, "type", doc.WrittenType(), []string{doc.Collection}},
	} {
		problem := d.finding(field.code)
		if problem == nil {
			continue
		}
		if known, ok := words.Respell(field.value, field.known); ok {
			edit.Set = append(edit.Set, frontmatter.Assignment{Key: field.key, Value: known})
			problem.Fix = fmt.Sprintf("%s: %s → %s", field.key, field.value, known)
			fixed = append(fixed, problem)
		}
	}
	if len(edit.Set) == 0 {
		return doc
	}
	edited, _, err := edit.Apply(frontmatter.Parse(d.data, "", p.ws.Layout), p.now)
	fix := store.NewFix(d.path, d.path, d.data, edited)
	if err == nil && !(utf8.ValidString(fix.Old) && utf8.ValidString(fix.New)) {
		err = errors.New("the lines around it are not text")
	}
	if err != nil {
		for _, problem := range fixed {
			problem.Fix, problem.Why = "", "it cannot be edited safely: "+err.Error()
		}
		return doc
	}
	d.fix = fix
	c, _ := p.ws.CollectionOf(d.path)
	return p.ws.Parse(store.File{Path: d.path, Collection: c}, edited, nil)
}

// archive returns the folder that a finished document moves to; ok is false when it stays.
func (p *changePlanner) archive(d *fileDraft, doc *store.Document) (folder string, ok bool) {
	isMisplaced := func(problem store.Problem) bool { return problem.Code == store.ProblemStatusFolder }
	if !slices.ContainsFunc(doc.Problems, isMisplaced) || !doc.Finished() {
		return "", false
	}
	c, _ := p.ws.CollectionOf(d.path)
	folder = path.Dir(c.ArchivePath(d.path))
	if problem := d.finding(store.ProblemStatusFolder); problem != nil {
		problem.Fix = "move to " + folder
	}
	return folder, true
}

// rename returns the new name of a file whose name should begin with the id; ok is false
// when the name stays.
func (p *changePlanner) rename(d *fileDraft, doc *store.Document) (name string, ok bool) {
	problem := d.finding(store.ProblemIDFilename)
	if problem == nil {
		return "", false
	}
	problem.Why = p.nameStays(doc.Collection, doc.ID, d.path)
	other := p.mentioned[d.path]
	switch {
	case problem.Why != "":
	case d.finding(DuplicateID) != nil:
		problem.Why = "other documents have the id, too"
	case other != "":
		problem.Why = other + " mentions the file's name"
	default:
		name = p.ws.FileName(doc.ID, doc.Title)
		problem.Fix = "rename to " + name
		return name, true
	}
	return "", false
}

// findMentions looks for documents that mention a file which may be renamed: in their
// text, or as their parent.
func (p *changePlanner) findMentions(ctx context.Context, found []index.DocumentProblem) error {
	var paths []string
	var queries []index.Query
	for _, problem := range found {
		if problem.Problem.Code != store.ProblemIDFilename {
			continue
		}
		c, ok := p.ws.CollectionOf(problem.Path)
		if !ok || p.nameStays(c.Type, problem.ID, problem.Path) != "" {
			continue
		}
		quoted := `"` + strings.ReplaceAll(stem(problem.Path), `"`, " ") + `"`
		paths = append(paths, problem.Path)
		queries = append(
			queries, index.Query{Search: true, Text: quoted, Limit: 2},
			index.Query{Filter: index.Filter{Parent: stem(problem.Path)}, Limit: 2},
		)
	}
	pages, err := p.ix.FindEach(ctx, queries)
	for i, page := range pages {
		for _, row := range page.Rows {
			if own := paths[i/2]; row.Path != own && p.mentioned[own] == "" {
				p.mentioned[own] = row.Path
			}
		}
	}
	return err
}

// stem returns a file's name without its extension.
func stem(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }

// nameStays says why a file is not renamed to begin with its document's id, "" when it may
// be.
func (p *changePlanner) nameStays(collection, id, file string) string {
	if !p.ws.HasPlainID(collection, id) {
		return "the id is not of a kind that file names begin with"
	}
	if p.ws.BeginsWithID(collection, stem(file)) {
		return "the file's name has an id of its own"
	}
	return ""
}

// changes are those that were drafted, without moves to paths that are taken and to paths that
// several documents would get. It corrects the findings accordingly.
func (p *changePlanner) changes(findings []Finding) (changes []FileChange) {
	goals := map[string]int{}
	for _, d := range p.drafts {
		goals[index.AlikePath(d.fix.To)]++
	}
	drafts := map[string]*fileDraft{}
	blocked := map[string]string{} // why a document stays where it is
	for _, d := range p.drafts {
		drafts[d.path] = d
		goal := index.AlikePath(d.fix.To)
		switch blocking, ok := p.taken[goal]; {
		case !d.fix.Moves():
			continue
		case ok && blocking != d.path:
			blocked[d.path] = blocking + " is in the way"
		case goals[goal] > 1:
			blocked[d.path] = "several documents would become " + d.fix.To
		default:
			continue
		}
		d.fix.To = d.path
	}
	for i := range findings {
		f := &findings[i]
		moves := f.Problem.Code == store.ProblemStatusFolder || f.Problem.Code == store.ProblemIDFilename
		if f.Fix != "" && moves && blocked[f.Path] != "" {
			f.Fix, f.Why = "", blocked[f.Path]
		}
		if f.Fix != "" {
			drafts[f.Path].codes = append(drafts[f.Path].codes, f.Problem.Code)
		}
	}
	for _, d := range p.drafts {
		if d.fix.Moves() || d.fix.Edits() {
			changes = append(changes, FileChange{Fix: d.fix, Codes: d.codes})
		}
	}
	return changes
}
