package history

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"issues-index/store"
	"issues-index/store/git"
)

// A DocumentDifference is what is different in one document since a commit.
type DocumentDifference struct {
	Kind    DifferenceKind
	Before  *store.Document // nil for a new one
	After   *store.Document // nil for a deleted one
	Changes []HistoryChange // none for new and deleted ones
}

// Document is the document as it is now, or as it was when it is deleted.
func (d DocumentDifference) Document() *store.Document { return cmp.Or(d.After, d.Before) }

// A DifferenceKind is the most telling thing that is different in a document.
type DifferenceKind string

// The kinds, in the order in which Since lists them.
const (
	IsNew      DifferenceKind = "new"
	IsClosed   DifferenceKind = "closed" // or cancelled, as its status means
	IsReopened DifferenceKind = "reopened"
	IsChanged  DifferenceKind = "changed"
	IsRenamed  DifferenceKind = "renamed" // or moved, and nothing else
	IsDeleted  DifferenceKind = "deleted"
)

// DifferenceKinds are all kinds.
var DifferenceKinds = []DifferenceKind{IsNew, IsClosed, IsReopened, IsChanged, IsRenamed, IsDeleted}

// SinceCommit is what is different since a commit, in all documents.
type SinceCommit struct {
	Commit      string // whole
	Differences []DocumentDifference
	Shallow     bool
}

// A RevisionError says why a revision names no commit to compare with.
type RevisionError struct{ Revision, Reason string }

func (e *RevisionError) Error() string { return e.Revision + ": " + e.Reason }

// Since compares the documents as they are on disk with a commit: that of a revision, or,
// for a revision that ends in "...", where its history and that of what is checked out part.
// Errors: *UnreadableError where there is no repository, *RevisionError where there is no such
// commit.
func Since(ctx context.Context, ws *store.Workspace, revision string) (*SinceCommit, error) {
	repo, commit, err := resolve(ctx, ws, revision)
	if err != nil {
		return nil, err
	}
	c := &comparing{ctx: ctx, ws: ws, before: map[string]*store.Document{}, after: map[string]*store.Document{}}
	var dirs []string
	for _, collection := range ws.Collections {
		dirs = append(dirs, collection.Dir)
	}
	if c.tree, err = repo.Tree(ctx, commit, dirs); err != nil {
		return nil, err
	}
	if c.objects, err = repo.Objects(ctx); err != nil {
		return nil, err
	}
	defer c.objects.Close()
	if err := c.read(); err != nil {
		return nil, err
	}
	return &SinceCommit{Commit: commit, Differences: c.compare(), Shallow: repo.Shallow}, nil
}

// resolve returns the repository of a workspace and the commit that Since compares with.
func resolve(ctx context.Context, ws *store.Workspace, revision string) (*git.Repository, string, error) {
	repo, err := openRepository(ctx, ws)
	if err != nil {
		return nil, "", err
	}
	name, parted := strings.CutSuffix(revision, "...")
	commit, err := repo.Resolve(ctx, name)
	if err == nil && parted {
		commit, err = repo.MergeBase(ctx, commit, repo.Head)
	}
	if said := (*git.Error)(nil); errors.As(err, &said) {
		reason := strings.TrimPrefix(said.Error(), "git says: ")
		if repo.Shallow {
			reason += "; the clone is shallow, and git fetch --unshallow gets the rest"
		}
		return nil, "", &RevisionError{revision, reason}
	}
	return repo, commit, err
}

// Files yields the files that a commit has in the collections, and others of the workspace by
// their paths, with the error of reading one. The commit is that with which Since compares, and
// errors are Since's or yield's.
func Files(
	ctx context.Context, ws *store.Workspace, revision string, others []string,
	yield func(file string, data []byte, err error) error,
) error {
	repo, commit, err := resolve(ctx, ws, revision)
	if err != nil {
		return err
	}
	paths := slices.Clone(others)
	for _, collection := range ws.Collections {
		paths = append(paths, collection.Dir)
	}
	tree, err := repo.Tree(ctx, commit, paths)
	if err != nil {
		return err
	}
	objects, err := repo.Objects(ctx)
	if err != nil {
		return err
	}
	defer objects.Close()
	for _, file := range slices.Sorted(maps.Keys(tree)) {
		if _, ok := ws.CollectionOf(file); !ok && !slices.Contains(others, file) {
			continue
		}
		data, err := objects.Read(tree[file], store.MaxFileSize)
		if err := yield(file, data, err); err != nil {
			return err
		}
	}
	return nil
}

// comparing compares the documents of a commit with those on disk.
type comparing struct {
	ctx           context.Context
	ws            *store.Workspace
	objects       *git.Objects
	tree          map[string]string // the objects by path
	before, after map[string]*store.Document
}

// read reads the documents that differ, by path.
func (c *comparing) read() error {
	listing, err := c.ws.List(c.ctx)
	if err != nil {
		return err
	}
	same := map[string]bool{}
	for _, file := range listing.Files {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		data, st, err := c.ws.Read(file.Path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		object := c.tree[file.Path]
		if same[file.Path] = err == nil && object == git.ObjectName(object, data); !same[file.Path] {
			file.Stat = st
			c.after[file.Path] = c.ws.Parse(file, data, err)
		}
	}
	for at, object := range c.tree {
		collection, ok := c.ws.CollectionOf(at)
		if !ok || same[at] {
			continue
		}
		data, err := c.objects.Read(object, store.MaxFileSize)
		if errors.Is(err, git.ErrTooLarge) {
			err = store.ErrTooLarge
		} else if err != nil {
			return err
		}
		c.before[at] = c.ws.Parse(store.File{Path: at, Collection: collection}, data, err)
	}
	return nil
}

// compare pairs the documents: those of one path and id, then those of one id, then those of
// one path or file name, and at last those of the same bytes.
func (c *comparing) compare() (all []DocumentDifference) {
	for _, key := range []func(*store.Document) string{
		func(doc *store.Document) string { return doc.Path + "\x00" + doc.ID },
		func(doc *store.Document) string { return doc.ID },
		func(doc *store.Document) string { return doc.Path },
		func(doc *store.Document) string { return path.Base(doc.Path) },
		func(doc *store.Document) string { return doc.Version },
	} {
		was := map[string][]string{}
		for _, at := range slices.Sorted(maps.Keys(c.before)) {
			was[key(c.before[at])] = append(was[key(c.before[at])], at)
		}
		for _, at := range slices.Sorted(maps.Keys(c.after)) {
			k := key(c.after[at])
			if k == "" || len(was[k]) == 0 {
				continue
			}
			before := was[k][0]
			was[k] = was[k][1:]
			if d := c.difference(c.before[before], c.after[at]); d.Kind != "" {
				all = append(all, d)
			}
			delete(c.before, before)
			delete(c.after, at)
		}
	}
	for _, doc := range c.after {
		all = append(all, DocumentDifference{Kind: IsNew, After: doc})
	}
	for _, doc := range c.before {
		all = append(all, DocumentDifference{Kind: IsDeleted, Before: doc})
	}
	slices.SortFunc(all, func(a, b DocumentDifference) int {
		return cmp.Or(
			slices.Index(DifferenceKinds, a.Kind)-slices.Index(DifferenceKinds, b.Kind),
			strings.Compare(a.Document().ID, b.Document().ID), strings.Compare(a.Document().Path, b.Document().Path),
		)
	})
	return all
}

// difference compares two versions of a document. The kind is "" where nothing is different
// but the times, or how it is written.
func (c *comparing) difference(before, after *store.Document) DocumentDifference {
	d := DocumentDifference{Before: before, After: after}
	was, is := unreadable(before), unreadable(after)
	isLineEnd := func(c HistoryChange) bool { return c.Field == LineEnds }
	d.Changes = slices.DeleteFunc(compareVersions(before, after), isLineEnd)
	if was != "" && was == is && before.Version != after.Version {
		d.Changes = append(d.Changes, HistoryChange{Field: Frontmatter, From: was, To: is})
	}
	edited := len(d.Changes) > 0
	d.Changes = append(d.Changes, comparePlaces(before, after)...)
	switch readable := was == "" && is == ""; {
	case readable && after.Finished() && !before.Finished():
		d.Kind = IsClosed
	case readable && before.Finished() && !after.Finished():
		d.Kind = IsReopened
	case edited:
		d.Kind = IsChanged
	case before.Path != after.Path:
		d.Kind = IsRenamed
	}
	return d
}
