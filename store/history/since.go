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
}

// A RevisionError says why a revision names no commit to compare with.
type RevisionError struct{ Revision, Reason string }

func (e *RevisionError) Error() string { return e.Revision + ": " + e.Reason }

// A commitReader reads the files of one commit.
type commitReader struct {
	*git.Objects
	commit string            // whole
	tree   map[string]string // the objects of the files in the collections, and of others, by path
}

// openCommit opens the commit of a revision, or, for a revision that ends in "...", that where its
// history and that of what is checked out part. others are files that are in no collection.
func openCommit(ctx context.Context, ws *store.Workspace, revision string, others ...string) (*commitReader, error) {
	repo, err := openRepository(ctx, ws)
	if err != nil {
		return nil, err
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
		return nil, &RevisionError{revision, reason}
	}
	if err != nil {
		return nil, err
	}
	tree, err := repo.Tree(ctx, commit, append(ws.CollectionDirs(), others...))
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(tree, func(file, _ string) bool {
		_, ok := ws.CollectionOf(file)
		return !ok && !slices.Contains(others, file)
	})
	objects, err := git.OpenObjects(ctx, ws.Root)
	return &commitReader{objects, commit, tree}, err
}

// Files yields the files that a commit has in the collections, and others of the workspace by
// their paths, with the error of reading one. The commit is that with which Since compares, and
// errors are Since's or yield's.
func Files(
	ctx context.Context, ws *store.Workspace, revision string, others []string,
	yield func(file string, data []byte, err error) error,
) error {
	c, err := openCommit(ctx, ws, revision, others...)
	if err != nil {
		return err
	}
	defer c.Close()
	for _, file := range slices.Sorted(maps.Keys(c.tree)) {
		data, err := c.Read(c.tree[file], store.MaxFileSize)
		if err := yield(file, data, err); err != nil {
			return err
		}
	}
	return nil
}

// Since compares the documents as they are on disk with a commit: that of a revision, or,
// for a revision that ends in "...", where its history and that of what is checked out part.
// Errors: *UnreadableError where there is no repository, *RevisionError where there is no such
// commit.
func Since(ctx context.Context, ws *store.Workspace, revision string) (*SinceCommit, error) {
	c, err := openCommit(ctx, ws, revision)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	listing, err := ws.List(ctx)
	if err != nil {
		return nil, err
	}
	before, after := map[string]*store.Document{}, map[string]*store.Document{}
	for _, file := range listing.Files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		data, _, err := ws.Read(file.Path)
		object, committed := c.tree[file.Path]
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err == nil && committed && object == git.ObjectName(object, data):
			delete(c.tree, file.Path)
		default:
			after[file.Path] = parse(ws, file.Path, data, err)
		}
	}
	for at, object := range c.tree {
		data, err := c.Read(object, store.MaxFileSize)
		if err != nil && !errors.Is(err, git.ErrTooLarge) {
			return nil, err
		}
		before[at] = parse(ws, at, data, err)
	}
	return &SinceCommit{Commit: c.commit, Differences: compareAll(before, after)}, nil
}

// compareAll pairs the documents: those of one path and id, then those of one id, then those of
// one path or file name, and at last those of the same bytes.
func compareAll(before, after map[string]*store.Document) (all []DocumentDifference) {
	for _, key := range []func(*store.Document) string{
		func(doc *store.Document) string { return doc.Path + "\x00" + doc.ID },
		func(doc *store.Document) string { return doc.ID },
		func(doc *store.Document) string { return doc.Path },
		func(doc *store.Document) string { return path.Base(doc.Path) },
		func(doc *store.Document) string { return doc.Version },
	} {
		was := map[string][]string{}
		for _, at := range slices.Sorted(maps.Keys(before)) {
			was[key(before[at])] = append(was[key(before[at])], at)
		}
		for _, at := range slices.Sorted(maps.Keys(after)) {
			k := key(after[at])
			if k == "" || len(was[k]) == 0 {
				continue
			}
			former := was[k][0]
			was[k] = was[k][1:]
			if d := difference(before[former], after[at]); d.Kind != "" {
				all = append(all, d)
			}
			delete(before, former)
			delete(after, at)
		}
	}
	for _, doc := range after {
		all = append(all, DocumentDifference{Kind: IsNew, After: doc})
	}
	for _, doc := range before {
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
func difference(before, after *store.Document) DocumentDifference {
	d := DocumentDifference{Before: before, After: after}
	was, is := unreadable(before), unreadable(after)
	isLineEnd := func(c HistoryChange) bool { return c.Field == LineEnds }
	d.Changes = slices.DeleteFunc(CompareVersions(before, after), isLineEnd)
	if was != "" && was == is && before.Version != after.Version {
		d.Changes = append(d.Changes, HistoryChange{Field: Frontmatter, From: was, To: is})
	}
	switch readable := was == "" && is == ""; {
	case readable && after.Finished() && !before.Finished():
		d.Kind = IsClosed
	case readable && before.Finished() && !after.Finished():
		d.Kind = IsReopened
	case before.Path != after.Path && len(d.Changes) == 1:
		d.Kind = IsRenamed
	case len(d.Changes) > 0:
		d.Kind = IsChanged
	}
	return d
}
