package repair

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"issues-index/store"
	"issues-index/store/frontmatter"
	"issues-index/store/history"
)

// A bearer is a document whose id other documents have, too, or whose id begins with such a
// one.
type bearer struct {
	doc     *store.Document
	data    []byte
	frozen  bool      // its frontmatter cannot be read
	blocked string    // why its file must not be changed, "" when it may be
	created time.Time // as the frontmatter has it, zero without

	placed     bool      // git knows it, and its file by the id
	committed  bool      // as far as it is placed
	since      time.Time // when its name came into the history, zero where that is not known
	begun      string    // the commit that wrote its first line, "" unless its parent is looked for
	idEnd      int       // of the id with which the name of the file begins, 0 when it begins with none
	parent     *bearer   // whose id its own begins with
	references int       // in other files, as far as their authors are known to have meant it

	// What becomes of it: nothing, another id, or its file goes and twin stands for it.
	moves   bool
	follows bool // its id goes on to begin with that of its parent
	twin    *bearer
	newID   string
	to      string // the path of its file
	why     string
	// moved is set for a document that got another id some time ago: what names it by the
	// old one comes from a branch that did not know. doc has the old id and path.
	moved bool
}

// bearerAt reads the document of a file, once.
func (p *duplicatePlanner) bearerAt(file string) *bearer {
	b := p.read[file]
	if b == nil {
		b = newBearer(p.ws, file)
		p.read[file] = b
	}
	return b
}

func newBearer(ws *store.Workspace, file string) *bearer {
	c, _ := ws.CollectionOf(file)
	data, stat, err := ws.Read(file)
	undated := stat
	undated.Mtime = 0 // which counts as the time of a document that names none
	b := &bearer{doc: ws.Parse(store.File{Path: file, Collection: c, Stat: undated}, data, err), data: data, to: file}
	if frontmatter.Editable(b.doc.Problems) != nil {
		b.blocked, b.frozen = "its frontmatter cannot be read", true
	}
	if stat.Symlink {
		b.blocked = "it is a symbolic link"
	}
	if created := b.doc.Created; !created.Equal(time.Unix(0, 0)) {
		b.created = created
	}
	b.newID, b.idEnd = b.doc.ID, b.namedID()
	return b
}

// changes reports whether another id or path stands for it afterwards.
func (b *bearer) changes() bool { return b.moves || b.moved || b.twin != nil }

// becomes is the document that stands for it afterwards.
func (b *bearer) becomes() *bearer {
	for b.twin != nil {
		b = b.twin
	}
	return b
}

// fold is the id in the form in which ids are compared.
func (b *bearer) fold() string { return store.FoldID(b.doc.ID) }

// namedID finds idEnd.
func (b *bearer) namedID() int {
	name, fold := stem(b.doc.Path), b.fold()
	for end := len(name); end > 0; end-- {
		digit := end < len(name) && '0' <= name[end] && name[end] <= '9'
		if !digit && store.FoldID(name[:end]) == fold {
			return end
		}
	}
	return 0
}

// rename chooses the path that the file has with the new id: a name that begins with the old
// one begins with the new one. The rest of the name stays.
func (b *bearer) rename(ws *store.Workspace) {
	dir, name := path.Split(b.doc.Path)
	end := b.idEnd
	switch {
	case end == 0:
		return
	case !ws.HasPlainID(b.doc.Collection, b.doc.ID): // the id comes from a name such as notes.md
		end, name = 0, "-"+name
	}
	b.to = dir + ws.FileID(b.newID) + name[end:]
}

// keeps compares the claims of two documents to their id: positive when a has the better one.
// why says by what, "" when they are equal.
func keeps(a, b *bearer) (order int, why string) {
	truth := func(is bool) int {
		if is {
			return 1
		}
		return 0
	}
	if order = truth(a.doc.Finished()) - truth(b.doc.Finished()); order != 0 {
		return order, "it is finished"
	}
	if order = cmp.Compare(a.references, b.references); order != 0 {
		return order, fmt.Sprintf("more references name it: %d, and %d the other one", max(a.references, b.references), min(a.references, b.references))
	}
	if a.placed && b.placed {
		if order = truth(a.committed) - truth(b.committed); order != 0 {
			return order, "it is committed"
		}
	}
	if !a.since.IsZero() && !b.since.IsZero() {
		if order = b.since.Compare(a.since); order != 0 {
			return order, "its first commit is older"
		}
	}
	if !a.created.IsZero() && !b.created.IsZero() {
		order = b.created.Compare(a.created)
		return order, "it was created earlier"
	}
	return 0, ""
}

// sameText reports whether two documents say the same, apart from their ids, times and paths.
// Their statuses may differ, if that of the second one says that it is finished.
func sameText(a, b *store.Document) bool {
	for _, c := range history.Compare(a, b) {
		switch c.Field {
		case "id", store.FormerIDsKey, history.LineEnds:
		case "status":
			if !b.Finished() {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// textKey is the same for documents whose titles and texts sameText finds equal.
func (b *bearer) textKey() string {
	lines := strings.Split(strings.TrimSuffix(b.doc.Body, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return b.doc.Title + "\x00" + strings.Join(lines, "\n")
}

// likenesses are the same for documents of which one is likely to be an older copy of the other:
// those that have one of them in common.
func (b *bearer) likenesses() []string {
	all := []string{"title " + b.doc.Title}
	if !b.created.IsZero() {
		all = append(all, "created "+b.created.UTC().String())
	}
	if rest := strings.ToLower(stem(b.doc.Path)[b.idEnd:]); rest != "" {
		all = append(all, "name "+rest)
	}
	return all
}

// sortBearers puts those with the best claims to an id first, the paths deciding where the
// claims are equal.
func sortBearers(list []*bearer) {
	slices.SortFunc(list, func(a, b *bearer) int {
		order, _ := keeps(b, a)
		return cmp.Or(order, strings.Compare(a.doc.Path, b.doc.Path))
	})
}
