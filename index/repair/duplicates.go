package repair

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/frontmatter"
	"issues-index/store/git"
	"issues-index/store/layout"
)

// DuplicateID is the code of documents that share an id.
const DuplicateID store.ProblemCode = "duplicate-id"

// DuplicateOptions say how duplicate ids are to be repaired.
type DuplicateOptions struct {
	// Keep are paths of documents that keep their ids, whatever the rules say.
	Keep []string
	// Repository says to change references in other Markdown files below the workspace's
	// root, too, if git tracks them.
	Repository bool
}

// A DuplicateRepair is what ends duplicate ids. Apply makes exactly its changes.
type DuplicateRepair struct {
	Changes   []FileChange // by path
	Undecided []UndecidedID
	Left      []LeftReference // by path and line
	// Notes say what could not be looked at.
	Notes []string
	// Resumed is set when the changes are those that a crash has left unfinished.
	Resumed bool

	newIDs  []store.ReplacedID
	planner *duplicatePlanner // nil for a resumed one
	chosen  string            // its fingerprint before Apply had the numbers agreed
}

// An UndecidedID is an id that several documents still have, since a person has to decide.
type UndecidedID struct {
	ID     string   `json:"id"`
	Paths  []string `json:"paths"`
	Reason string   `json:"reason"`
	Tie    bool     `json:"keep"` // one of the paths can be kept by DuplicateOptions.Keep
}

// A LeftReference is a place that is not changed although it may mean a document that gets
// another id.
type LeftReference struct {
	Path       string   `json:"path"`
	Line       int      `json:"line"`
	Text       string   `json:"text"` // of the reference
	Reason     string   `json:"reason"`
	Candidates []string `json:"candidates"`
}

// Fingerprint is the same for two repairs that make the same changes, whatever numbers the team's
// counter gives when they are made.
func (r *DuplicateRepair) Fingerprint() string {
	if r.chosen != "" {
		return r.chosen
	}
	data, err := json.Marshal(r.batch())
	if err != nil { // which texts and numbers have not
		panic(err)
	}
	sum := sha256.Sum256(data)
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:10]
}

func (r *DuplicateRepair) batch() store.FixBatch {
	fixes := make([]store.Fix, len(r.Changes))
	for i, c := range r.Changes {
		fixes[i] = c.Fix
	}
	return store.FixBatch{Fixes: fixes, NewIDs: r.newIDs}
}

// Apply makes the changes of a repair, all of them or, if a file has changed since, none. In a
// team the counter gives the new numbers: where they are others than those that were chosen, r has
// the changes with them afterwards, and notes that say so. After a crash, Duplicates returns what is
// left. Errors are those of [edit.Writer.FixTogether]; behind is why the index does not show the
// changes yet.
func (r *DuplicateRepair) Apply(ctx context.Context, ix *index.Index) (behind, err error) {
	r.chosen = r.Fingerprint()
	planned := r.newIDs
	renumber := func(ids []string) (store.FixBatch, error) {
		r.planner.ws = ix.Workspace() // that of the choice may be closed
		err := r.planner.choose(ids)
		return r.batch(), err
	}
	note, behind, err := edit.New(ix, edit.LockWait).FixTogether(ctx, r.batch(), renumber)
	if err != nil {
		return behind, err
	}
	for i, id := range r.newIDs {
		if id.ID != planned[i].ID {
			note := fmt.Sprintf("the new id of %s is %s: the team's counter is past %s", id.Path, id.ID, planned[i].ID)
			r.Notes = append(r.Notes, note)
		}
	}
	if note != "" {
		r.Notes = append(r.Notes, note)
	}
	return behind, nil
}

// A KeepError refuses a path of DuplicateOptions.Keep.
type KeepError struct{ Path, Reason string }

func (e *KeepError) Error() string { return e.Path + " " + e.Reason }

// Duplicates chooses the changes that end duplicate ids. It changes nothing. The rules are in
// docs/git.md.
func Duplicates(ctx context.Context, ix *index.Index, o DuplicateOptions) (*DuplicateRepair, error) {
	ws := ix.Workspace()
	batch, err := ws.Unfinished()
	if err != nil {
		return nil, err
	}
	if batch != nil {
		r := &DuplicateRepair{Resumed: true, newIDs: batch.NewIDs}
		for _, f := range batch.Fixes {
			r.Changes = append(r.Changes, FileChange{Fix: f, Codes: []store.ProblemCode{DuplicateID}})
		}
		return r, nil
	}
	p := &duplicatePlanner{
		ws: ws, options: o, repair: &DuplicateRepair{},
		twins: map[string][]*twin{}, former: map[string][]*twin{}, byPath: map[string]*twin{},
		byNumber: map[string][]*twin{}, documents: map[string]int{},
		files: map[string]*scannedFile{}, taken: map[string]bool{},
	}
	if err := p.gather(ctx, ix); err != nil || len(p.twins)+len(p.former) == 0 {
		return p.repair, err
	}
	steps := []func(context.Context) error{p.openRepository, p.readFiles, p.attribute, p.decide, p.number}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if len(p.moving) > 0 && ix.Leases().InTeam() && p.ws.Layout.IDScheme != layout.SchemeHash {
		note := "the team's counter gives the new numbers when the changes are made: these, or higher ones"
		p.repair.Notes = append(p.repair.Notes, note)
	}
	return p.repair, nil
}

// A duplicatePlanner chooses the changes of one repair.
type duplicatePlanner struct {
	ws      *store.Workspace
	options DuplicateOptions
	repair  *DuplicateRepair
	repo    *git.Repository // nil without one

	twins     map[string][]*twin // that have an id, by its fold
	former    map[string][]*twin // that had it before
	byPath    map[string]*twin   // the documents that were read, too
	byNumber  map[string][]*twin
	documents map[string]int // how many have a number

	files  map[string]*scannedFile // those with references and those of twins, by path
	taken  map[string]bool         // paths, by AlikePath
	moving []*twin                 // those that get new ids, in the order of the repair's newIDs
}

// twinAt reads the document of a file, once.
func (p *duplicatePlanner) twinAt(file string) *twin {
	if p.byPath[file] == nil {
		p.byPath[file] = newTwin(p.ws, file)
	}
	return p.byPath[file]
}

// gather finds the documents that share ids, and those whose ids begin with such an id.
func (p *duplicatePlanner) gather(ctx context.Context, ix *index.Index) error {
	page, err := ix.Find(ctx, index.Query{Limit: math.MaxInt32})
	if err != nil {
		return err
	}
	count := map[string]int{}
	for _, row := range page.Rows {
		count[store.FoldID(row.ID)]++
		p.documents[numberOf(row.ID)]++
		p.taken[index.AlikePath(row.Path)] = true
	}
	if err := p.gatherFormer(ctx, ix); err != nil {
		return err
	}
	for _, row := range page.Rows {
		shared := count[store.FoldID(row.ID)] > 1 || p.former[store.FoldID(row.ID)] != nil
		c, _ := p.ws.CollectionOf(row.Path)
		for id := row.ID; id != "" && !shared; {
			id = p.ws.ParentOfID(c.Type, id)
			shared = count[store.FoldID(id)] > 1
		}
		if shared {
			p.add(p.twinAt(row.Path))
		}
	}
	for _, keep := range p.options.Keep {
		if t := p.byPath[keep]; t == nil || len(p.twins[t.fold()]) < 2 {
			return &KeepError{keep, "shares its id with no other document"}
		}
	}
	return nil
}

// gatherFormer finds the documents that got another id in an earlier repair. A branch that did not
// know of it may have brought references with the old id since, which now mean another document,
// or none.
func (p *duplicatePlanner) gatherFormer(ctx context.Context, ix *index.Index) error {
	keys, err := ix.FieldKeys(ctx)
	if err != nil || !slices.Contains(keys, store.FormerIDsKey) {
		return err
	}
	renumbered := index.Filter{Where: index.AskedCriteria{Text: store.FormerIDsKey + " != empty"}}
	page, err := ix.Find(ctx, index.Query{Filter: renumbered, Limit: math.MaxInt32})
	if err != nil {
		return err
	}
	for _, row := range page.Rows {
		now := p.twinAt(row.Path)
		for _, id := range now.doc.FormerIDs() {
			was := now.as(p.ws, id)
			if was.fold() == now.fold() {
				continue
			}
			p.former[was.fold()] = append(p.former[was.fold()], was)
			if !p.taken[index.AlikePath(was.doc.Path)] {
				p.byPath[was.doc.Path] = was
			}
		}
	}
	return nil
}

// readFiles finds the references in all files.
func (p *duplicatePlanner) readFiles(ctx context.Context) error {
	listing, err := p.ws.List(ctx)
	if err != nil {
		return err
	}
	for _, f := range listing.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := p.byPath[f.Path]
		if t == nil { // it is needed no longer than for this, as most are
			t = newTwin(p.ws, f.Path)
		}
		if len(t.data) == 0 && p.byPath[f.Path] == nil { // check names a file that cannot be read
			continue
		}
		scanned := &scannedFile{path: f.Path, data: string(t.data), doc: t.doc}
		if frontmatter.Editable(t.doc.Problems) != nil {
			scanned.blocked = "the frontmatter of the file cannot be read"
		}
		p.scan(scanned)
	}
	if p.options.Repository && p.repo != nil {
		return p.readRepository(ctx)
	}
	return nil
}

// number finds new ids for the documents that move, and chooses the changes.
func (p *duplicatePlanner) number(ctx context.Context) error {
	p.repair.planner = p
	if len(p.moving) == 0 {
		return p.draft()
	}
	var asked []store.ReplacedID
	for _, t := range p.moving {
		asked = append(asked, store.ReplacedID{Collection: t.doc.Collection, Path: t.doc.Path, ID: t.doc.ID})
	}
	ids, note, err := p.ws.FreeIDs(ctx, asked)
	if err != nil {
		return err
	}
	if note != "" {
		p.repair.Notes = append(p.repair.Notes, note)
	}
	return p.choose(ids)
}

// choose gives the documents that move their ids and paths, and drafts the changes.
func (p *duplicatePlanner) choose(ids []string) error {
	p.repair.newIDs = nil
	taken := maps.Clone(p.taken)
	for i, t := range p.moving {
		t.newID = ids[i]
		if t.parent != nil { // which comes before it
			id := t.doc.ID
			if !t.follows {
				id = ids[i]
			}
			t.newID = t.parent.newID + id[len(p.ws.ParentOfID(t.doc.Collection, id)):]
		}
		named := store.ReplacedID{Collection: t.doc.Collection, Path: t.doc.Path, ID: t.newID}
		p.repair.newIDs = append(p.repair.newIDs, named)
		t.rename(p.ws)
		if t.to != t.doc.Path && taken[index.AlikePath(t.to)] {
			reason := fmt.Sprintf("is in the way of %s, which is to get the id %s: move it", t.doc.Path, t.newID)
			return &store.ConflictError{Path: t.to, Reason: reason}
		}
		taken[index.AlikePath(t.to)] = true
	}
	return p.draft()
}
