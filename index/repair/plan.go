package repair

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/pattern"
)

// A planner chooses changes, one document at a time.
type planner struct {
	ix    *index.Index
	ws    *store.Workspace
	now   time.Time
	taken map[string]string // every document's path, by its AlikePath
	// mentioned is where another document mentions a file by its name, by the
	// file's path.
	mentioned map[string]string
	drafts    []*draft
}

// A draft is the change of one document while it is being chosen.
type draft struct {
	path     string
	data     []byte // of the file, while its document is looked at
	fix      store.Fix
	problems []Problem // of the document
}

func newPlanner(ix *index.Index, listing store.Listing, now time.Time) *planner {
	p := &planner{ix: ix, ws: ix.Workspace(), now: now, taken: map[string]string{}, mentioned: map[string]string{}}
	for _, f := range listing.Files {
		p.taken[index.AlikePath(f.Path)] = f.Path
	}
	return p
}

// document chooses what to do about the problems of one document.
func (p *planner) document(found []index.DocumentProblem) []Problem {
	d := &draft{path: found[0].Path}
	ruled := false
	for _, problem := range found {
		d.problems = append(d.problems, Problem{DocumentProblem: problem})
		ruled = ruled || KindOf(problem.Problem.Code).Rule != ""
	}
	if !ruled {
		return d.problems
	}
	doc := p.read(d)
	if doc == nil {
		return d.problems
	}
	doc = p.respell(d, doc)
	dir, name := path.Split(d.path)
	if folder, ok := p.archive(d, doc); ok {
		dir = folder
	}
	if base, ok := p.rename(d, doc); ok {
		name = base
	}
	d.fix.To = path.Join(dir, name)
	d.data = nil
	p.drafts = append(p.drafts, d)
	return d.problems
}

// read loads the document as it is now. It is nil when it is gone, or cannot be
// written to.
func (p *planner) read(d *draft) *store.Document {
	c, ok := p.ws.CollectionOf(d.path)
	if !ok {
		return nil
	}
	data, st, err := p.ws.Read(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	doc := p.ws.Parse(store.File{Path: d.path, Collection: c, Stat: st}, data, err)
	for _, problem := range doc.Problems {
		if problem.Frozen() {
			return nil
		}
	}
	d.data, d.fix = data, store.NewFix(d.path, d.path, data, data)
	return doc
}

// of is the document's problem with a code, nil when it has none.
func (d *draft) of(code store.ProblemCode) *Problem {
	for i := range d.problems {
		if d.problems[i].Problem.Code == code {
			return &d.problems[i]
		}
	}
	return nil
}

// respell gives values the spelling of the known ones that they mean. It returns
// the document as it is after that.
func (p *planner) respell(d *draft, doc *store.Document) *store.Document {
	edit := store.Edit{Respells: true}
	var mended []*Problem
	for _, field := range []struct {
		code       store.ProblemCode
		key, value string
		known      []string
	}{
		{store.ProblemUnknownStatus, "status", doc.Status, store.Statuses},
		{store.ProblemUnknownPriority, "priority", doc.Priority, store.Priorities},
		{store.ProblemUnknownType, "type", doc.WrittenType(), []string{doc.Collection}},
	} {
		problem := d.of(field.code)
		if problem == nil {
			continue
		}
		if known, ok := store.Respell(field.value, field.known); ok {
			edit.Set = append(edit.Set, store.Assignment{Key: field.key, Value: known})
			problem.Mend = fmt.Sprintf("%s: %s → %s", field.key, field.value, known)
			mended = append(mended, problem)
		}
	}
	if len(edit.Set) == 0 {
		return doc
	}
	edited, _, err := edit.Apply(d.data, p.now)
	fix := store.NewFix(d.path, d.path, d.data, edited)
	if err == nil && !(utf8.ValidString(fix.Old) && utf8.ValidString(fix.New)) {
		err = errors.New("the lines around it are no text")
	}
	if err != nil {
		for _, problem := range mended {
			problem.Mend, problem.Why = "", "it cannot be edited safely: "+err.Error()
		}
		return doc
	}
	d.fix = fix
	c, _ := p.ws.CollectionOf(d.path)
	return p.ws.Parse(store.File{Path: d.path, Collection: c}, edited, nil)
}

// archive says in which folder a finished document belongs that is elsewhere.
func (p *planner) archive(d *draft, doc *store.Document) (folder string, ok bool) {
	misplaced := false
	for _, problem := range doc.Problems {
		misplaced = misplaced || problem.Code == store.ProblemStatusFolder
	}
	c, _ := p.ws.CollectionOf(d.path)
	to := c.ArchivePath(d.path)
	problem := d.of(store.ProblemStatusFolder)
	if !misplaced || doc.Status != "closed" && doc.Status != "cancelled" {
		return "", false
	}
	if problem != nil {
		problem.Mend = "move to " + path.Dir(to)
	}
	return path.Dir(to), true
}

// ownID is an id of the kind that new documents get, or did in older layouts.
var ownID = pattern.Lazy(`^(?i:(?:ISS|SPEC|IDEA)-)?[0-9]+$`)

// rename says what a file is called whose name should have the id.
func (p *planner) rename(d *draft, doc *store.Document) (name string, ok bool) {
	problem := d.of(store.ProblemIDFilename)
	if problem == nil {
		return "", false
	}
	problem.Why = nameStays(doc.Collection, doc.ID, d.path)
	other := p.mentioned[d.path]
	switch {
	case problem.Why != "":
	case d.of("duplicate-id") != nil:
		problem.Why = "other documents have the id, too"
	case other != "":
		problem.Why = other + " mentions the file's name"
	default:
		name = store.FileName(doc.ID, doc.Title)
		problem.Mend = "rename to " + name
		return name, true
	}
	return "", false
}

// findMentions finds, for each document whose file may have to be renamed, another
// one that has the file's name in its text, or names it as its parent.
func (p *planner) findMentions(ctx context.Context, found []index.DocumentProblem) error {
	var paths []string
	var queries []index.Query
	for _, problem := range found {
		if problem.Problem.Code != store.ProblemIDFilename {
			continue
		}
		c, ok := p.ws.CollectionOf(problem.Path)
		if !ok || nameStays(c.Type, problem.ID, problem.Path) != "" {
			continue
		}
		quoted := `"` + strings.ReplaceAll(stem(problem.Path), `"`, " ") + `"`
		paths = append(paths, problem.Path)
		queries = append(queries, index.Query{Search: true, Text: quoted, Limit: 2}, index.Query{Filter: index.Filter{Parent: stem(problem.Path)}, Limit: 2})
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

// stem is the name of a document's file without its ending.
func stem(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }

// nameStays is why a file is not renamed for its document's id, "" where it may be.
func nameStays(collection, id, p string) string {
	if _, _, numbered := store.IDNumber(collection, id); !numbered || !ownID().MatchString(id) {
		return "the id is not of a kind that file names begin with"
	}
	if _, _, named := store.IDNumber(collection, stem(p)); named {
		return "the file's name has an id of its own"
	}
	return ""
}

// settle drops moves to where something is in the way, or to where several
// would go, and returns what is left to do.
func (p *planner) settle(problems []Problem) (fixes []Fix) {
	goals := map[string]int{}
	for _, d := range p.drafts {
		goals[index.AlikePath(d.fix.To)]++
	}
	why := map[string]string{} // by the path of a document that stays where it is
	for _, d := range p.drafts {
		goal := index.AlikePath(d.fix.To)
		switch blocking, ok := p.taken[goal]; {
		case !d.fix.Moves():
		case ok && blocking != d.path:
			why[d.path] = blocking + " is in the way"
		case goals[goal] > 1:
			why[d.path] = "several documents would become " + d.fix.To
		}
	}
	for i := range problems {
		reason := why[problems[i].Path]
		if code := problems[i].Problem.Code; reason != "" && (code == store.ProblemStatusFolder || code == store.ProblemIDFilename) && problems[i].Mend != "" {
			problems[i].Mend, problems[i].Why = "", reason
		}
	}
	ends := map[string][]store.ProblemCode{}
	for _, problem := range problems {
		if problem.Mend != "" {
			ends[problem.Path] = append(ends[problem.Path], problem.Problem.Code)
		}
	}
	for _, d := range p.drafts {
		if why[d.path] != "" {
			d.fix.To = d.path
		}
		if d.fix.Moves() || d.fix.Edits() {
			fixes = append(fixes, Fix{d.fix, ends[d.path]})
		}
	}
	return fixes
}
