package issues

import (
	"context"
	"errors"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/mirror"
	"issues-index/tools"
)

// A hubNaming names the documents of an answer as its reader knows them. That is how they are here,
// but for a call which a hub has forwarded: there, ids and paths begin with the line that the
// workspace is at the hub. Texts of documents stay as they are.
type hubNaming struct{ line mirror.Branch }

func namingOf(args *tools.Args) hubNaming { return hubNaming{args.HubLine()} }

func (n hubNaming) isPlain() bool { return n.line == mirror.Branch{} }

// withHubNames has the errors of a tool name documents as the caller does.
func withHubNames(t tools.Tool) tools.Tool {
	handle := t.Handle
	t.Handle = func(ctx context.Context, args *tools.Args) (tools.Result, error) {
		result, err := handle(ctx, args)
		return result, namingOf(args).failure(err)
	}
	return t
}

// id names one of the workspace's own documents.
func (n hubNaming) id(id string) string {
	if id == "" {
		return ""
	}
	return n.line.Qualify(id)
}

func (n hubNaming) ids(all []string) []string { return renamed(all, n.id) }

func (n hubNaming) path(path string) string {
	if path == "" {
		return ""
	}
	return n.line.Folder() + path
}

// given names what a caller has given as an id, which may be a path.
func (n hubNaming) given(id string) string {
	if strings.Contains(id, "/") {
		return n.path(id)
	}
	return n.id(id)
}

// links names the targets of links, as a document has them. One to a document of another
// workspace says so already.
func (n hubNaming) links(written string) string {
	if n.isPlain() || written == "" {
		return written
	}
	return strings.Join(renamed(strings.Split(written, ", "), func(link string) string {
		id := strings.TrimPrefix(link, `"`) // of a value that is shown as JSON
		if _, _, qualified := mirror.CutBranch(id); qualified || id == "" || strings.ContainsAny(id, "[{") {
			return link
		}
		return link[:len(link)-len(id)] + n.id(id)
	}), ", ")
}

func (n hubNaming) row(r index.Row) index.Row {
	r.ID, r.Path, r.WaitsFor = n.id(r.ID), n.path(r.Path), n.ids(r.WaitsFor)
	return r
}

func (n hubNaming) rows(all []index.Row) []index.Row { return renamed(all, n.row) }

func (n hubNaming) document(doc *store.Document) *store.Document {
	if doc == nil {
		return nil
	}
	named := *doc
	named.ID, named.Path = n.id(doc.ID), n.path(doc.Path)
	return &named
}

// applied names the documents of what a change did.
func (n hubNaming) applied(done edit.Applied) edit.Applied {
	if n.isPlain() {
		return done
	}
	done.After, done.Path, done.OldPath = n.document(done.After), n.path(done.Path), n.path(done.OldPath)
	done.Changes = slices.Clone(done.Changes)
	for i, c := range done.Changes {
		switch c.Field {
		case "id":
			c.Old, c.New = n.id(c.Old), n.id(c.New)
		case "dependsOn", "parent", "wranglerContext.parentTaskId":
			c.Old, c.New = n.links(c.Old), n.links(c.New)
		}
		done.Changes[i] = c
	}
	done.Claim, done.Kept = n.claim(done.Claim), slices.Clone(done.Kept)
	for i := range done.Kept {
		done.Kept[i].Blocker = n.row(done.Kept[i].Blocker)
	}
	done.Closing.OpenChildren, done.Closing.ReadyNow = n.rows(done.Closing.OpenChildren), n.rows(done.Closing.ReadyNow)
	if done.NoParent != nil {
		done.NoParent = n.notFound(*done.NoParent)
	}
	return done
}

func (n hubNaming) deleted(gone edit.Deleted) edit.Deleted {
	gone.Document, gone.Claim = n.document(gone.Document), n.claim(gone.Claim)
	return gone
}

func (n hubNaming) claim(c *edit.OthersClaim) *edit.OthersClaim {
	if c == nil {
		return nil
	}
	return &edit.OthersClaim{Lease: n.lease(c.Lease), Over: c.Over}
}

func (n hubNaming) lease(l claims.Lease) claims.Lease {
	l.ID = n.id(l.ID)
	return l
}

// reasons names the documents for which another one is not ready.
func (n hubNaming) reasons(all []index.NotReady) []index.NotReady {
	return renamed(all, func(reason index.NotReady) index.NotReady {
		switch r := reason.(type) {
		case index.Waits:
			if r.For.Row.Path == "" { // what the link says
				r.For.ID = n.links(r.For.ID)
				return r
			}
			r.For.ID, r.For.Row = n.id(r.For.ID), n.row(r.For.Row)
			return r
		case index.AncestorWaits:
			return index.AncestorWaits{Ancestor: n.id(r.Ancestor), For: n.ids(r.For)}
		case index.InCycle:
			return index.InCycle{Path: n.ids(r.Path)}
		}
		return reason
	})
}

func (n hubNaming) notFound(e index.NotFoundError) *index.NotFoundError {
	return &index.NotFoundError{ID: n.given(e.ID), Suggestions: n.ids(e.Suggestions), Renumbered: n.ids(e.Renumbered)}
}

// failure names the documents of an error.
func (n hubNaming) failure(err error) error {
	if err == nil || n.isPlain() {
		return err
	}
	var link *edit.LinkError
	if errors.As(err, &link) {
		return &edit.LinkError{Field: link.Field, Err: n.failure(link.Err)}
	}
	for _, rename := range []func(error) error{
		renaming(func(e *index.NotFoundError) { *e = *n.notFound(*e) }),
		renaming(func(e *index.AmbiguousError) { e.ID, e.Candidates = n.given(e.ID), n.rows(e.Candidates) }),
		renaming(func(e *edit.DuplicateTitleError) { e.Row = n.row(e.Row) }),
		renaming(func(e *edit.ClaimError) { e.ID, e.Path = n.id(e.ID), n.path(e.Path) }),
		renaming(func(e *edit.UnagreedClaimError) { e.ID = n.id(e.ID) }),
		renaming(func(e *edit.CycleError) { e.Path = n.ids(e.Path) }),
		renaming(func(e *edit.MergeConflictError) { e.ID, e.Path = n.id(e.ID), n.path(e.Path) }),
		renaming(func(e *store.VersionError) { e.ID, e.Path = n.id(e.ID), n.path(e.Path) }),
		renaming(func(e *store.ConflictError) { e.Path = n.path(e.Path) }),
		renaming(func(e *store.DiskError) { e.Path = n.path(e.Path) }),
	} {
		if named := rename(err); named != nil {
			return named
		}
	}
	return err
}

// renamed returns a copy of a list with each of its values renamed.
func renamed[T any](all []T, rename func(T) T) []T {
	named := slices.Clone(all)
	for i, one := range named {
		named[i] = rename(one)
	}
	return named
}

// renaming returns what changes a copy of an error of a type; nil for another error.
func renaming[E any, P interface {
	*E
	error
}](change func(P)) func(error) error {
	return func(err error) error {
		var found P
		if !errors.As(err, &found) {
			return nil
		}
		named := *found
		change(&named)
		return P(&named)
	}
}
