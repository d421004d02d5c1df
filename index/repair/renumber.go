package repair

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/store"
	"issues-index/store/frontmatter"
	"issues-index/store/markdown"
)

// readRepository finds the references in the other Markdown files that git tracks below the
// root of the workspace. Those of the program's own folder, links, and files that are too large or no text are
// left out.
func (p *duplicatePlanner) readRepository(ctx context.Context) error {
	if p.authors.repo == nil {
		p.repair.Notes = append(p.repair.Notes, "no other file is searched for references: git does not say which it tracks")
		return nil
	}
	files, err := p.authors.repo.MarkdownFiles(ctx)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, ok := p.ws.CollectionOf(file); ok || strings.HasPrefix(file, ".wrangler/") {
			continue
		}
		if real, err := p.ws.Resolve(file); err != nil || real != file {
			continue
		}
		data, _, err := p.ws.Read(file)
		if err != nil || !utf8.Valid(data) || markdown.DeeplyNested(string(data)) {
			continue
		}
		p.scan(&scannedFile{path: file, data: string(data)})
	}
	return nil
}

// draft makes the changes of all files.
func (p *duplicatePlanner) draft(context.Context) error {
	scanned := map[string]*scannedFile{}
	for _, f := range p.files {
		scanned[f.path], f.left = f, 0
	}
	for _, fold := range p.folds {
		for _, b := range p.scanner.groups[fold] {
			switch {
			case b.twin != nil:
				p.change(store.Fix{From: b.doc.Path, Was: store.HashOf(b.data), Old: string(b.data)}, b.why)
				delete(scanned, b.doc.Path)
			case b.moves:
				f := cmp.Or(scanned[b.doc.Path], &scannedFile{path: b.doc.Path, data: string(b.data), doc: b.doc})
				delete(scanned, b.doc.Path)
				text, _ := p.rewrite(f)
				data, err := p.renumbered(b, text)
				if err != nil {
					return err
				}
				p.change(store.NewFix(b.doc.Path, b.to, b.data, data), b.doc.ID+" → "+b.newID+", since "+b.why)
			}
		}
	}
	for _, f := range p.files {
		if scanned[f.path] == nil {
			continue
		}
		if text, n := p.rewrite(f); n > 0 {
			p.change(store.NewFix(f.path, f.path, []byte(f.data), []byte(text)), "")
		}
	}
	p.leaveChildren()
	slices.SortFunc(p.repair.Changes, func(a, b FileChange) int { return strings.Compare(a.From, b.From) })
	slices.SortFunc(p.repair.Left, func(a, b LeftReference) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), strings.Compare(a.Text, b.Text))
	})
	return nil
}

func (p *duplicatePlanner) change(f store.Fix, why string) {
	p.repair.Changes = append(p.repair.Changes, FileChange{Fix: f, Codes: []store.ProblemCode{DuplicateID}, Why: why})
}

// renumbered is the text of a document with its new id. The time of its last change stays: what
// it says has not changed.
func (p *duplicatePlanner) renumbered(b *bearer, text string) ([]byte, error) {
	former := b.doc.FormerIDs()
	if !slices.Contains(former, b.doc.ID) {
		former = append(former, b.doc.ID)
	}
	edit := frontmatter.Edit{Unstamped: true, Set: []frontmatter.Assignment{{Key: "id", Value: b.newID}, {Key: store.FormerIDsKey, Value: former}}}
	data, _, err := edit.Apply(frontmatter.Parse([]byte(text), b.doc.Collection, p.ws.Layout), p.ws.Now())
	if err != nil {
		return nil, fmt.Errorf("give %s the id %s: %w", b.doc.Path, b.newID, err)
	}
	return data, nil
}

// rewrite has a file name the documents that its authors meant, and lists the places where that
// cannot be. n is how many places it changes.
func (p *duplicatePlanner) rewrite(f *scannedFile) (text string, n int) {
	var out strings.Builder
	at := 0
	for _, r := range f.refs {
		if r.start < at {
			continue
		}
		replacement, end, why := p.rewritten(f, r)
		if why == "" && replacement != f.data[r.start:end] {
			out.WriteString(f.data[at:r.start])
			out.WriteString(replacement)
			at = end
			n++
		}
	}
	out.WriteString(f.data[at:])
	text = out.String()
	if n > 0 && f.doc != nil && !p.keepsReadable(f, text) {
		return f.data, 0
	}
	for _, r := range f.refs {
		if _, _, why := p.rewritten(f, r); why != "" {
			p.leave(f, r, why)
		}
	}
	return text, n
}

// keepsReadable reports whether the frontmatter of a document can be read as before once its
// references are changed; else it lists them.
func (p *duplicatePlanner) keepsReadable(f *scannedFile, text string) bool {
	c, _ := p.ws.CollectionOf(f.path)
	after := p.ws.Parse(store.File{Path: f.path, Collection: c}, []byte(text), nil)
	if len(after.Problems) == len(f.doc.Problems) && len(after.AllLinks()) == len(f.doc.AllLinks()) {
		return true
	}
	for _, r := range f.refs {
		if r.target == nil || r.target.changes() {
			p.leave(f, r, "the frontmatter could not be read with the new id")
		}
	}
	return false
}

// rewritten is what stands in the place of a reference, up to end. why says why it stays
// although it may mean a document that changes, "" when it does not, or does not stay.
func (p *duplicatePlanner) rewritten(f *scannedFile, r foundReference) (text string, end int, why string) {
	old := f.data[r.start:r.end]
	if r.target == nil {
		if r.candidates.changesIn() {
			return old, r.end, "nothing tells which of them its author meant"
		}
		return old, r.end, ""
	}
	now := r.target.becomes()
	if !r.target.changes() || now.newID == r.target.doc.ID && now.to == r.target.doc.Path {
		return old, r.end, ""
	}
	same := now.newID == r.target.doc.ID
	switch r.form {
	case asPath:
		text, end = p.newPath(f, old, now), r.end
	case asName:
		text, end, why = newName(f.data[r.start:], old, r.target, now)
		end += r.start
	case asNumber:
		text, end = cmp.Or(numberOf(now.newID), now.newID), r.end
	default:
		if text, end = now.newID, r.end; same {
			text = old
		}
	}
	switch {
	case text == old && why == "":
	case f.blocked != "":
		why = f.blocked
	case r.code && why == "":
		why = "it stands in code, HTML or the text of a link"
	}
	return text, end, why
}

// newPath is the path of a document as a link in a file is written.
func (p *duplicatePlanner) newPath(f *scannedFile, old string, now *bearer) string {
	from := path.Dir(f.path)
	if b := p.scanner.byPath[f.path]; b != nil {
		from = path.Dir(b.becomes().to)
	}
	written := now.to
	switch {
	case strings.HasPrefix(old, "/"):
		written = "/" + written
	default:
		if rel, err := filepath.Rel(filepath.FromSlash(from), filepath.FromSlash(now.to)); err == nil {
			written = filepath.ToSlash(rel)
		}
		if strings.HasPrefix(old, "./") && !strings.HasPrefix(written, "../") {
			written = "./" + written
		}
	}
	if plain, err := url.PathUnescape(old); err == nil && plain != old {
		written = (&url.URL{Path: written}).EscapedPath()
	}
	return written
}

// newName puts the name of a document's file in the place of another one, with which a text
// begins. old is what was found of that: all of it, or the id that begins it. end is where the
// old name ends in the text.
func newName(text, old string, was, now *bearer) (name string, end int, why string) {
	before, after := stem(was.doc.Path), stem(now.to)
	if len(text) >= len(before) && strings.EqualFold(text[:len(before)], before) {
		return after, len(before), ""
	}
	rest := before[was.idEnd:]
	if strings.HasSuffix(after, rest) { // written with escapes, or with other zeros
		return after[:len(after)-len(rest)], len(old), ""
	}
	return old, len(old), "it is the name of a file that has another one now"
}

// What is listed of the places that are not changed.
const (
	mostLeft       = 1000 // in one file
	mostCandidates = 5    // of one place
)

// leave lists a reference that is not changed.
func (p *duplicatePlanner) leave(f *scannedFile, r foundReference, why string) {
	if f.left++; f.left > mostLeft {
		note := fmt.Sprintf("%s has more than %d places that stay: the others are not listed", f.path, mostLeft)
		if f.left == mostLeft+1 && !slices.Contains(p.repair.Notes, note) {
			p.repair.Notes = append(p.repair.Notes, note)
		}
		return
	}
	candidates := r.candidates.bearers
	if r.target != nil {
		candidates = []*bearer{r.target}
	}
	p.leaveAt(f.path, r.line, f.data[r.start:r.end], candidates, why)
}

// leaveChildren lists the documents whose ids begin with one that several documents had, and of
// which nothing tells whose children they are.
func (p *duplicatePlanner) leaveChildren() {
	for _, fold := range p.folds {
		for _, b := range p.scanner.groups[fold] {
			parents := p.scanner.meaningOf(store.FoldID(p.ws.ParentOfID(b.doc.Collection, b.doc.ID)))
			if parents != nil && parents.changesIn() && b.parent == nil && !b.moves && b.twin == nil {
				p.leaveAt(b.doc.Path, 1, b.doc.ID, parents.bearers, "its id begins with that of its parent, and nothing tells which one that is")
			}
		}
	}
}

// leaveAt lists a place that may mean some documents.
func (p *duplicatePlanner) leaveAt(file string, line int, text string, candidates []*bearer, why string) {
	left := LeftReference{Path: file, Line: line, Text: text, Reason: why}
	if b := p.scanner.byPath[file]; b != nil {
		left.Path = b.becomes().to
	}
	for i, b := range candidates {
		if len(left.Candidates) == mostCandidates {
			left.Candidates = append(left.Candidates, fmt.Sprintf("%d more", len(candidates)-i))
			break
		}
		now := b.becomes()
		if name := now.newID + " (" + now.to + ")"; !slices.Contains(left.Candidates, name) {
			left.Candidates = append(left.Candidates, name)
		}
	}
	p.repair.Left = append(p.repair.Left, left)
}
