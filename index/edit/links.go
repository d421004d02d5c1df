package edit

import (
	"context"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/store"
)

// A LinkError says that an id that a document shall be linked with names no document, or
// several.
type LinkError struct {
	Field string // dependsOn or parent
	Err   error  // as index.Get's
}

func (e *LinkError) Error() string { return e.Field + ": " + e.Err.Error() }

func (e *LinkError) Unwrap() error { return e.Err }

// A CycleError refuses a change after which documents would wait for themselves.
type CycleError struct{ Path []string } // ids, the first one again at the end

func (e *CycleError) Error() string {
	return "it would wait for itself: " + strings.Join(e.Path, " → ")
}

// checkLinks gives the ids that a change links a document with the spelling of the
// documents they name, and refuses a change that closes a cycle. touched are changes that the index
// has not seen yet.
func (w *Writer) checkLinks(
	ctx context.Context, row index.Row, doc *store.Document, fields *store.Fields, touched []store.Written,
) (err error) {
	if fields.DependsOn != nil {
		ids, wrong := w.linkIDs(ctx, "dependsOn", *fields.DependsOn, doc.DependsOn()...)
		fields.DependsOn, err = &ids, wrong
	}
	if err == nil {
		fields.AddDependsOn, err = w.linkIDs(ctx, "addDependsOn", fields.AddDependsOn, doc.DependsOn()...)
	}
	if err == nil {
		fields.RemoveDependsOn, err = w.anySpelling(ctx, fields.RemoveDependsOn, doc.DependsOn())
	}
	if err == nil && fields.Parent != nil {
		fields.Parent, err = w.parentID(ctx, *fields.Parent, doc.Parent)
	}
	if err != nil {
		return err
	}
	p := index.ProposedLinks{ID: row.Handle()}
	if p.WaitsFor, p.Parent, err = fields.NewLinks(doc); err != nil || p.WaitsFor == nil && p.Parent == nil {
		return err
	}
	if err := w.refresh(ctx, touched...); err != nil {
		return err
	}
	cycle, err := w.ix.NewCycle(ctx, []index.ProposedLinks{p})
	if err == nil && cycle != nil {
		err = &CycleError{cycle}
	}
	return err
}

// parentID is linkIDs for a parent, "" for none.
func (w *Writer) parentID(ctx context.Context, parent string, present ...string) (*string, error) {
	if parent == "" {
		return &parent, nil
	}
	ids, err := w.linkIDs(ctx, "parent", []string{parent}, present...)
	if err != nil {
		return nil, err
	}
	return &ids[0], nil
}

// anySpelling adds to ids those of the documents that they name, such as a number alone, and
// what the document has now for these.
func (w *Writer) anySpelling(ctx context.Context, ids, present []string) ([]string, error) {
	if len(ids) == 0 {
		return ids, nil
	}
	written := make([]string, len(present))
	for i, link := range present {
		written[i] = store.LinkedID(link)
	}
	all := slices.Concat(ids, written)
	lookups, err := w.ix.GetBatch(ctx, all)
	if err != nil {
		return nil, err
	}
	named := map[string]bool{} // paths
	spellings := slices.Clone(ids)
	for i, found := range lookups {
		switch {
		case found.Err != nil:
		case i < len(ids):
			named[found.Row.Path] = true
			spellings = append(spellings, found.Row.ID)
		case named[found.Row.Path]:
			spellings = append(spellings, all[i])
		}
	}
	return spellings, nil
}

// linkIDs returns the ids of the documents that ids name. Those that the document has already
// may name none.
func (w *Writer) linkIDs(ctx context.Context, field string, ids []string, present ...string) ([]string, error) {
	if len(ids) == 0 {
		return ids, nil
	}
	lookups, err := w.ix.GetBatch(ctx, ids)
	if err != nil {
		return nil, err
	}
	resolved := make([]string, len(ids))
	for i, found := range lookups {
		switch {
		case found.Err == nil:
			resolved[i] = found.Row.Handle()
		case slices.Contains(present, ids[i]):
			resolved[i] = ids[i]
		default:
			return nil, &LinkError{field, found.Err}
		}
	}
	return resolved, nil
}

// A KeptLink says that a document still waits for another although a change was to end that:
// the file of the other one names it as blocked.
type KeptLink struct {
	Blocker index.Row
	Keys    []string // of the blocker's file that name what it blocks
}

// keptLinks are those by which a document waits for what it was to wait for no longer. A
// failed lookup is ignored, because the change has been made.
func (w *Writer) keptLinks(ctx context.Context, done Applied) (kept []KeptLink) {
	if len(done.unlinked) == 0 {
		return nil
	}
	links, err := w.ix.Links(ctx, done.Path)
	if err != nil {
		return nil
	}
	for _, to := range links.WaitsFor {
		if !slices.Contains(done.unlinked, to.Row.ID) {
			continue
		}
		blocker, _, err := w.ix.Workspace().Load(to.Row.Path)
		if err != nil {
			continue
		}
		one := KeptLink{Blocker: to.Row}
		for _, list := range blocker.Links {
			if list.Kind == store.Blocks {
				one.Keys = append(one.Keys, list.Key)
			}
		}
		if len(one.Keys) > 0 {
			kept = append(kept, one)
		}
	}
	return kept
}
