package repair

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/frontmatter"
	"issues-index/store/merge"
	"issues-index/store/words"
)

// A changePlanner chooses the changes, one document at a time.
type changePlanner struct {
	ix     *index.Index
	ws     *store.Workspace
	now    time.Time
	drafts []*fileDraft
}

// A fileDraft is the change of one document that is being chosen.
type fileDraft struct {
	path, to string
	data     []byte          // of the file
	text     []byte          // that it gets
	doc      *store.Document // as text has it
	findings []Finding       // of the document
}

// document drafts the change of a document that has these findings, and notes it in them.
func (p *changePlanner) document(findings []Finding) {
	d := &fileDraft{path: findings[0].Path, to: findings[0].Path, findings: findings}
	c, isDocument := p.ws.CollectionOf(d.path)
	ruled := func(f Finding) bool { return KindOf(f.Problem.Code, p.ws.Layout).Rule != "" }
	if !isDocument || !slices.ContainsFunc(findings, ruled) {
		return
	}
	data, st, err := p.ws.Read(d.path)
	d.doc = p.ws.Parse(store.File{Path: d.path, Collection: &c, Stat: st}, data, err)
	d.data, d.text = data, data
	if problem := d.finding(frontmatter.ProblemMergeConflict); problem != nil && err == nil {
		p.resolve(d, problem)
	}
	if frontmatter.Editable(d.doc.Problems) != nil {
		return
	}
	p.respell(d, frontmatter.ProblemUnknownStatus, "status", d.doc.Status, p.ws.Layout.StatusNames())
	p.respell(d, frontmatter.ProblemUnknownPriority, "priority", d.doc.Priority, p.ws.Layout.Priorities)
	p.respell(d, frontmatter.ProblemUnknownType, "type", d.doc.WrittenType(), []string{d.doc.Collection})
	misplaced := d.finding(frontmatter.ProblemStatusFolder)
	isMisplaced := func(problem store.Problem) bool { return problem.Code == frontmatter.ProblemStatusFolder }
	asked := misplaced != nil || !bytes.Equal(d.text, data)
	if asked && slices.ContainsFunc(d.doc.Problems, isMisplaced) && d.doc.Finished() {
		d.to = c.ArchivePath(d.path)
		if misplaced != nil {
			misplaced.Fix = "move to " + path.Dir(d.to)
		}
	}
	p.drafts = append(p.drafts, d)
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

// edit gives the document another text.
func (p *changePlanner) edit(d *fileDraft, text []byte) error {
	fix := store.NewFix(d.path, d.path, d.data, text)
	if !utf8.ValidString(fix.Old) || !utf8.ValidString(fix.New) {
		return errors.New("the lines around it are not text")
	}
	c, _ := p.ws.CollectionOf(d.path)
	d.text, d.doc = text, p.ws.Parse(store.File{Path: d.path, Collection: &c}, text, nil)
	return nil
}

// resolve merges the two sides of the conflicts in a document's frontmatter.
func (p *changePlanner) resolve(d *fileDraft, problem *Finding) {
	merged, err := merge.Resolve(p.ws.Layout, d.data)
	if err == nil {
		err = p.edit(d, merged.Data)
	}
	if err != nil {
		problem.Why = err.Error()
		return
	}
	problem.Fix = "merge both sides, key by key"
	if len(merged.Notes) > 0 {
		problem.Fix += ": " + strings.Join(merged.Notes, " ")
	}
}

// respell writes the known value that a misspelt one means.
func (p *changePlanner) respell(d *fileDraft, code store.ProblemCode, key, value string, values []string) {
	problem := d.finding(code)
	known, ok := words.Respell(value, values)
	if problem == nil || !ok {
		return
	}
	edit := frontmatter.Edit{Respells: true, Set: []frontmatter.Assignment{{Key: key, Value: known}}}
	text, _, err := edit.Apply(frontmatter.Parse(d.text, "", p.ws.Layout), p.now)
	if err == nil {
		err = p.edit(d, text)
	}
	if err != nil {
		problem.Why = "it cannot be edited safely: " + err.Error()
		return
	}
	problem.Fix = fmt.Sprintf("%s: %s → %s", key, value, known)
}

// rename gives the files whose names should begin with their ids such names, unless another document
// has the name so far in its text, or as its parent.
func (p *changePlanner) rename(ctx context.Context) error {
	var drafts []*fileDraft
	var queries []index.Query // two for each of drafts
	for _, d := range p.drafts {
		problem := d.finding(frontmatter.ProblemIDFilename)
		switch {
		case problem == nil:
		case !p.ws.HasPlainID(d.doc.Collection, d.doc.ID):
			problem.Why = "the id is not of a kind that file names begin with"
		case p.ws.BeginsWithID(d.doc.Collection, store.Stem(d.path)):
			problem.Why = "the file's name has an id of its own"
		case d.finding(DuplicateID) != nil:
			problem.Why = "other documents have the id, too"
		default:
			drafts = append(drafts, d)
			quoted := `"` + strings.ReplaceAll(store.Stem(d.path), `"`, " ") + `"`
			queries = append(queries, index.Query{Search: true, Text: quoted, Limit: 2},
				index.Query{Filter: index.Filter{Parent: store.Stem(d.path)}, Limit: 2})
		}
	}
	if len(drafts) == 0 {
		return nil
	}
	pages, err := p.ix.FindEach(ctx, queries)
	if err != nil {
		return err
	}
	for i, d := range drafts {
		problem, rows := d.finding(frontmatter.ProblemIDFilename), slices.Concat(pages[2*i].Rows, pages[2*i+1].Rows)
		if at := slices.IndexFunc(rows, func(row index.Row) bool { return row.Path != d.path }); at >= 0 {
			problem.Why = rows[at].Path + " mentions the file's name"
			continue
		}
		name := p.ws.FileName(d.doc.ID, d.doc.Title)
		problem.Fix = "rename to " + name
		d.to = path.Join(path.Dir(d.to), name)
	}
	return nil
}

// changes are those that were drafted, without moves to paths that other files have and to paths
// that several documents would get, which the findings say.
func (p *changePlanner) changes(files []store.File) (changes []FileChange) {
	taken, goals := map[string]string{}, map[string]int{}
	for _, f := range files {
		taken[index.AlikePath(f.Path)] = f.Path
	}
	for _, d := range p.drafts {
		goals[index.AlikePath(d.to)]++
	}
	for _, d := range p.drafts {
		goal, blocked := index.AlikePath(d.to), ""
		if other := taken[goal]; other != "" && other != d.path {
			blocked = other + " is in the way"
		} else if goals[goal] > 1 {
			blocked = "several documents would become " + d.to
		}
		var codes []store.ProblemCode
		for i := range d.findings {
			f := &d.findings[i]
			moves := f.Problem.Code == frontmatter.ProblemStatusFolder || f.Problem.Code == frontmatter.ProblemIDFilename
			if f.Fix != "" && moves && blocked != "" {
				f.Fix, f.Why = "", blocked
			}
			if f.Fix != "" {
				codes = append(codes, f.Problem.Code)
			}
		}
		if blocked != "" {
			d.to = d.path
		}
		if fix := store.NewFix(d.path, d.to, d.data, d.text); fix.Moves() || fix.Edits() {
			changes = append(changes, FileChange{Fix: fix, Codes: codes})
		}
	}
	return changes
}
