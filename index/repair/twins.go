package repair

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"issues-index/store"
	"issues-index/store/frontmatter"
	"issues-index/store/history"
)

// A twin is a document whose id other documents have or had, or whose id begins with such an id.
type twin struct {
	doc     *store.Document
	data    []byte
	blocked string    // why its file must not be changed, "" when it may be
	created time.Time // as the frontmatter has it, zero without
	// former is set for a document that got another id in an earlier repair. doc has the id
	// and the path of before.
	former bool

	idEnd     int       // of the id that begins the name of the file, 0 when the name begins with none
	committed bool      // the commit that is checked out has the file
	since     time.Time // when its name came into the history, zero where that is not known

	// What becomes of it: nothing, another id, or another document stands for it: that of
	// today for a former one, the original for a copy, whose file is deleted.
	moves    bool
	original *twin
	parent   *twin // that gets another id, which this one's id begins with
	follows  bool  // it keeps its own number below that of its parent
	newID    string
	to       string // the path of its file
	why      string
}

func newTwin(ws *store.Workspace, file string) *twin {
	c, _ := ws.CollectionOf(file)
	data, stat, err := ws.Read(file)
	undated := stat
	undated.Mtime = 0 // which counts as the time of a document that names none
	t := &twin{doc: ws.Parse(store.File{Path: file, Collection: &c, Stat: undated}, data, err), data: data, to: file}
	switch {
	case stat.Symlink:
		t.blocked = "it is a symbolic link"
	case frontmatter.Editable(t.doc.Problems) != nil:
		t.blocked = unreadableFrontmatter
	}
	if created := t.doc.Created; !created.Equal(time.Unix(0, 0)) {
		t.created = created
	}
	t.newID, t.idEnd = t.doc.ID, t.namedID()
	return t
}

const unreadableFrontmatter = "its frontmatter cannot be read"

// as is a document as it was with a former id.
func (t *twin) as(ws *store.Workspace, id string) *twin {
	doc := *t.doc
	doc.ID = id
	if t.idEnd > 0 {
		dir, name := path.Split(doc.Path)
		doc.Path = dir + ws.FileID(id) + name[t.idEnd:]
	}
	was := &twin{doc: &doc, blocked: t.blocked, former: true, original: t}
	was.idEnd = was.namedID()
	return was
}

// changes reports whether another id or path stands for it afterwards.
func (t *twin) changes() bool { return t.moves || t.original != nil }

// becomes is the document that stands for it afterwards.
func (t *twin) becomes() *twin {
	for t.original != nil {
		t = t.original
	}
	return t
}

// fold is the id in the form in which ids are compared.
func (t *twin) fold() string { return store.FoldID(t.doc.ID) }

// base is the name of the file in the form in which names are compared. A document that is moved
// to the archive keeps it.
func (t *twin) base() string { return strings.ToLower(path.Base(t.doc.Path)) }

// rest is what the name of the file has behind the id.
func (t *twin) rest() string { return store.Stem(t.doc.Path)[t.idEnd:] }

// namedID finds idEnd.
func (t *twin) namedID() int {
	name, fold := store.Stem(t.doc.Path), t.fold()
	for end := len(name); end > 0; end-- {
		digit := end < len(name) && '0' <= name[end] && name[end] <= '9'
		if !digit && store.FoldID(name[:end]) == fold {
			return end
		}
	}
	return 0
}

// rename chooses the path that the file has with the new id: a name that begins with the old
// id begins with the new id. The rest of the name stays, as does a name that is the id alone.
func (t *twin) rename(ws *store.Workspace) {
	if t.idEnd > 0 && ws.HasPlainID(t.doc.Collection, t.doc.ID) {
		dir, name := path.Split(t.doc.Path)
		t.to = dir + ws.FileID(t.newID) + name[t.idEnd:]
	}
}

// compareAges orders two documents, the keeper of the id first, else the older document. why
// says by what.
func (p *duplicatePlanner) compareAges(a, b *twin) (order int, why string) {
	if p.isKept(a) != p.isKept(b) {
		return earlier(p.isKept(a)), "as was decided"
	}
	if a.committed != b.committed {
		return earlier(a.committed), "it is committed"
	}
	if order = a.since.Compare(b.since); order != 0 {
		return order, "its first commit is older"
	}
	if a.created.IsZero() != b.created.IsZero() {
		return earlier(b.created.IsZero()), "it says when it was created"
	}
	if order = a.created.Compare(b.created); order != 0 {
		return order, "it was created earlier"
	}
	return strings.Compare(a.doc.Path, b.doc.Path), "nothing tells which of them is older, and its path comes first"
}

func earlier(is bool) int {
	if is {
		return -1
	}
	return 1
}

// textKey is the same for documents that say the same, apart from their ids, statuses, times and
// paths.
func (t *twin) textKey() string {
	changes := slices.DeleteFunc(history.Compare(new(store.Document), t.doc), func(c history.HistoryChange) bool {
		return slices.Contains([]string{"id", store.FormerIDsKey, "status", history.Text, history.LineEnds}, c.Field)
	})
	return fmt.Sprint(changes) + strings.TrimSuffix(strings.ReplaceAll(t.doc.Body, "\r", ""), "\n")
}
