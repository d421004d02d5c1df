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
// documents they name, and refuses a change that closes a cycle. earlier are the links of
// changes that the index has not seen yet. It returns them with those of this change.
func (w *Writer) checkLinks(
	ctx context.Context, row index.Row, doc *store.Document, fields *store.Fields, earlier []index.ProposedLinks,
) ([]index.ProposedLinks, error) {
	var err error
	if fields.DependsOn != nil {
		ids, wrong := w.linkIDs(ctx, "dependsOn", *fields.DependsOn, doc.DependsOn())
		fields.DependsOn, err = &ids, wrong
	}
	if err == nil {
		fields.AddDependsOn, err = w.linkIDs(ctx, "addDependsOn", fields.AddDependsOn, doc.DependsOn())
	}
	if err == nil {
		fields.RemoveDependsOn, err = w.anySpelling(ctx, fields.RemoveDependsOn, doc.DependsOn())
	}
	if err == nil && fields.Parent != nil && *fields.Parent != "" {
		var parent []string
		if parent, err = w.linkIDs(ctx, "parent", []string{*fields.Parent}, []string{doc.Parent}); err == nil {
			fields.Parent = &parent[0]
		}
	}
	if err != nil {
		return earlier, err
	}
	p := index.ProposedLinks{ID: row.Handle()}
	if p.WaitsFor, p.Parent, err = fields.NewLinks(doc); err != nil || p.WaitsFor == nil && p.Parent == nil {
		return earlier, err
	}
	all := append(slices.Clone(earlier), p)
	cycle, err := w.ix.NewCycle(ctx, all)
	if err == nil && cycle != nil {
		err = &CycleError{cycle}
	}
	return all, err
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
func (w *Writer) linkIDs(ctx context.Context, field string, ids, present []string) ([]string, error) {
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
	Keys    []string // of the blocker's file that name the document
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
	ended, err := w.ix.GetBatch(ctx, done.unlinked)
	if err != nil {
		return nil
	}
	for _, to := range links.WaitsFor {
		if to.Row.Path == "" || !foundAt(ended, to.Row.Path) {
			continue
		}
		if keys := w.blockingKeys(ctx, to.Row.Path, done.Path); len(keys) > 0 {
			kept = append(kept, KeptLink{to.Row, keys})
		}
	}
	return kept
}

// foundAt reports whether one of the documents that were looked up lies at a path.
func foundAt(lookups []index.Lookup, path string) bool {
	return slices.ContainsFunc(lookups, func(l index.Lookup) bool { return l.Err == nil && l.Row.Path == path })
}

// blockingKeys are the keys of a file that name a document as blocked.
func (w *Writer) blockingKeys(ctx context.Context, blocker, blocked string) (keys []string) {
	doc, _, err := w.ix.Workspace().Load(blocker)
	if err != nil {
		return nil
	}
	for _, list := range doc.Links {
		if list.Kind != store.Blocks {
			continue
		}
		ids := make([]string, len(list.Values))
		for i, value := range list.Values {
			ids[i] = store.LinkedID(value)
		}
		found, err := w.ix.GetBatch(ctx, ids)
		if err == nil && foundAt(found, blocked) {
			keys = append(keys, list.Key)
		}
	}
	return keys
}
