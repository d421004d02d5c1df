package repair

import (
	"cmp"
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
	ID     string
	Paths  []string
	Reason string
	Tie    bool // one of the paths can be kept by DuplicateOptions.Keep
}

// A LeftReference is a place that is not changed although it may mean a document that gets
// another id.
type LeftReference struct {
	Path       string
	Line       int
	Text       string // of the reference
	Candidates []string
	Reason     string
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
	note, behind, err := edit.New(ix, edit.LockWait).FixTogether(ctx, r.batch(), func(ids []string) (store.FixBatch, error) {
		r.planner.ws, r.planner.scanner.ws = ix.Workspace(), ix.Workspace() // that of the choice may be closed
		return r.batchWith(ctx, ids)
	})
	if err != nil {
		return behind, err
	}
	for i, id := range r.newIDs {
		if id.ID != planned[i].ID {
			r.Notes = append(r.Notes, fmt.Sprintf("the new id of %s is %s: the team's counter is past %s", id.Path, id.ID, planned[i].ID))
		}
	}
	if note != "" {
		r.Notes = append(r.Notes, note)
	}
	return behind, nil
}

// batchWith chooses the changes again, with other new ids.
func (r *DuplicateRepair) batchWith(ctx context.Context, ids []string) (store.FixBatch, error) {
	r.Changes, r.Left = nil, nil
	err := r.planner.name(ids)
	if err == nil {
		err = r.planner.draft(ctx)
	}
	return r.batch(), err
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
	p := &duplicatePlanner{ws: ws, options: o, repair: &DuplicateRepair{}, former: map[formerKey][]*bearer{}, taken: map[string]bool{}, fileOf: map[string]*scannedFile{}, read: map[string]*bearer{}}
	p.scanner = newReferenceScanner(ws)
	if err := p.gather(ctx, ix); err != nil || len(p.folds) == 0 {
		return p.repair, err
	}
	if p.authors, err = readAuthorship(ctx, ws, o.Repository); err != nil {
		return nil, err
	}
	defer p.authors.close()
	for _, step := range []func(context.Context) error{p.readFiles, p.attribute, p.decide, p.number, p.draft} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if len(p.moving) > 0 && ix.Agreement() != nil && p.ws.Layout.IDScheme != layout.SchemeHash {
		p.repair.Notes = append(p.repair.Notes, "the team's counter gives the new numbers when the changes are made: these, or higher ones")
	}
	return p.repair, nil
}

// A duplicatePlanner chooses the changes of one repair.
type duplicatePlanner struct {
	ws      *store.Workspace
	options DuplicateOptions
	repair  *DuplicateRepair
	authors *authorship
	scanner referenceScanner

	folds  []string                // of the ids with bearers, those of parents before those of children
	former map[formerKey][]*bearer // documents that had an id of a group before
	files  []*scannedFile          // those with references, by path
	fileOf map[string]*scannedFile // the same, by path
	taken  map[string]bool         // paths, by AlikePath
	read   map[string]*bearer      // the documents that may share ids, by path
	moving []*bearer               // those that get new ids, in the order of the repair's newIDs
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
		if n := numberOf(row.ID); n != "" {
			p.scanner.numbers[n]++
		}
		p.taken[index.AlikePath(row.Path)] = true
	}
	moved, err := p.gatherMoved(ctx, ix)
	if err != nil {
		return err
	}
	for _, row := range page.Rows {
		shared := count[store.FoldID(row.ID)] > 1 || moved[store.FoldID(row.ID)]
		c, _ := p.ws.CollectionOf(row.Path)
		for id := row.ID; id != "" && !shared; {
			id = p.ws.ParentOfID(c.Type, id)
			shared = count[store.FoldID(id)] > 1
		}
		if !shared {
			continue
		}
		p.add(p.bearerAt(row.Path))
	}
	for _, keep := range p.options.Keep {
		b := p.scanner.byPath[keep]
		if b == nil || len(p.scanner.groups[b.fold()]) < 2 {
			return &KeepError{keep, "shares its id with no other document"}
		}
	}
	for fold := range moved {
		if p.scanner.groups[fold] == nil { // no document has the id now
			p.folds = append(p.folds, fold)
		}
	}
	slices.SortFunc(p.folds, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "."), strings.Count(b, ".")), strings.Compare(a, b))
	})
	return nil
}

func (p *duplicatePlanner) add(b *bearer) {
	if fold := b.fold(); p.scanner.groups[fold] == nil {
		p.folds = append(p.folds, fold)
	}
	p.scanner.know(b)
}

// readFiles finds the references in all files, and the documents that had one of the ids.
func (p *duplicatePlanner) readFiles(ctx context.Context) error {
	listing, err := p.ws.List(ctx)
	if err != nil {
		return err
	}
	for _, f := range listing.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := p.read[f.Path]
		if b == nil { // it is needed no longer than for this, as most are
			b = newBearer(p.ws, f.Path)
		}
		if len(b.data) == 0 { // check names a file that cannot be read
			continue
		}
		scanned := &scannedFile{path: f.Path, data: string(b.data), doc: b.doc}
		if b.frozen {
			scanned.blocked = "the frontmatter of the file cannot be read"
		}
		p.scan(scanned)
		for _, id := range b.doc.FormerIDs() {
			if fold := store.FoldID(id); p.scanner.groups[fold] != nil {
				p.addFormer(fold, b)
			}
		}
	}
	if p.options.Repository {
		return p.readRepository(ctx)
	}
	return nil
}

func (p *duplicatePlanner) scan(f *scannedFile) {
	p.scanner.scan(f)
	if len(f.refs) > 0 {
		p.files = append(p.files, f)
		p.fileOf[f.path] = f
	}
}

// An openPlace is a reference that may mean several documents, and the commit that wrote its line.
type openPlace struct {
	ref    *foundReference
	path   string
	commit string
}

// attribute finds out which document each reference means: the one that is in the commit which
// wrote its line. Where that has several of them, or none, a person has to.
func (p *duplicatePlanner) attribute(ctx context.Context) error {
	var children []*bearer
	for _, fold := range p.folds {
		for _, b := range slices.Concat(p.scanner.groups[fold], p.scanner.moved[fold]) {
			b.placed = p.authors.repo != nil && p.authors.isPlaced(b)
			if b.moved {
				continue
			}
			b.committed = b.placed && p.authors.tree[b.doc.Path] != ""
			if b.committed {
				b.since = p.authors.ages[fileName(b.doc.Path)]
			}
			if p.scanner.groups[store.FoldID(p.ws.ParentOfID(b.doc.Collection, b.doc.ID))] != nil {
				children = append(children, b)
			}
		}
	}
	if p.authors.repo == nil {
		p.repair.Notes = append(p.repair.Notes, "git does not tell who wrote what, since "+p.authors.why)
	}
	var open []openPlace
	commits := map[string]bool{}
	for _, f := range p.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range f.refs {
			r := &f.refs[i]
			if r.target != nil {
				p.count(f.path, r.target)
				continue
			}
			commit, err := p.authors.writer(ctx, f.path, f.data, r.line)
			if err != nil {
				return err
			}
			open = append(open, openPlace{ref: r, path: f.path, commit: commit})
			commits[commit] = true
		}
	}
	for _, b := range children {
		var err error
		if b.begun, err = p.authors.writer(ctx, b.doc.Path, string(b.data), 1); err != nil {
			return err
		}
		commits[b.begun] = true
	}
	delete(commits, "") // of lines that are not committed
	if p.authors.blamed > mostBlamed {
		p.repair.Notes = append(p.repair.Notes, fmt.Sprintf("git was asked who wrote the lines of %d files, and not of %d more: repair these in a second run", mostBlamed, p.authors.blamed-mostBlamed))
	}
	if err := p.authors.compare(ctx, slices.Sorted(maps.Keys(commits))); err != nil {
		return err
	}
	for _, o := range open {
		if o.ref.target = p.existed(o.commit, o.ref.candidates); o.ref.target != nil {
			p.count(o.path, o.ref.target)
		}
	}
	return nil
}

// count counts a reference in a file.
func (p *duplicatePlanner) count(file string, target *bearer) {
	if target.doc.Path != file {
		target.references++
	}
}

// existed returns the one of some documents that a commit has, nil if it has none or several, or if
// that is not known.
func (p *duplicatePlanner) existed(commit string, m *meaning) (one *bearer) {
	if commit == "" || m.others {
		return nil
	}
	if one, known := m.known[commit]; known {
		return one
	}
	if m.known == nil {
		m.known = map[string]*bearer{}
	}
	m.known[commit] = nil
	var name string
	folds := map[string]bool{}
	for _, b := range m.bearers {
		if !b.placed {
			return nil
		}
		if fold := b.fold(); !folds[fold] {
			folds[fold] = true
			names, ok := p.authors.namesIn(commit, fold)
			if !ok || len(names) > 1 || len(names) == 1 && name != "" {
				return nil
			}
			if len(names) == 1 {
				name = names[0]
			}
		}
	}
	for _, b := range m.bearers {
		if name != "" && fileName(b.doc.Path) == name {
			if one != nil {
				return nil
			}
			one = b
		}
	}
	m.known[commit] = one
	return one
}

// changesIn reports whether any of the documents that a place may mean gets another id.
func (m *meaning) changesIn() bool {
	if m.changes == nil {
		m.changes = new(slices.ContainsFunc(m.bearers, func(b *bearer) bool {
			return (b.moves || b.twin != nil) && b.becomes().newID != b.doc.ID
		}))
	}
	return *m.changes
}

// number finds new ids for the documents that move.
func (p *duplicatePlanner) number(ctx context.Context) error {
	var asked []store.ReplacedID
	for _, fold := range p.folds {
		for _, b := range p.scanner.groups[fold] {
			if b.moves {
				p.moving = append(p.moving, b)
				asked = append(asked, store.ReplacedID{Collection: b.doc.Collection, Path: b.doc.Path, ID: b.doc.ID})
			}
		}
	}
	if len(p.moving) == 0 {
		return nil
	}
	ids, note, err := p.ws.FreeIDs(ctx, asked)
	if err != nil {
		return err
	}
	if note != "" {
		p.repair.Notes = append(p.repair.Notes, note)
	}
	p.repair.planner = p
	return p.name(ids)
}

// name gives the documents that move their ids, and chooses the paths of their files.
func (p *duplicatePlanner) name(ids []string) error {
	for _, b := range p.moving {
		if b.to != b.doc.Path { // chosen before, with another id
			delete(p.taken, index.AlikePath(b.to))
		}
	}
	named := make([]store.ReplacedID, len(p.moving))
	for i, b := range p.moving {
		b.newID = ids[i]
		if b.parent != nil && b.parent.moves { // which comes before it
			id := b.doc.ID
			if !b.follows {
				id = ids[i]
			}
			b.newID = b.parent.newID + id[len(p.ws.ParentOfID(b.doc.Collection, id)):]
		}
		named[i] = store.ReplacedID{Collection: b.doc.Collection, Path: b.doc.Path, ID: b.newID}
		b.rename(p.ws)
		if b.to != b.doc.Path && p.taken[index.AlikePath(b.to)] {
			return &store.ConflictError{Path: b.to, Reason: fmt.Sprintf("is in the way of %s, which is to get the id %s: move it", b.doc.Path, b.newID)}
		}
		p.taken[index.AlikePath(b.to)] = true
	}
	p.repair.newIDs = named
	return nil
}
