package edit

import (
	"context"
	"slices"

	"issues-index/index"
	"issues-index/store"
)

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
		if to.Row.Path == "" || !slices.ContainsFunc(ended, func(l index.Lookup) bool { return l.Err == nil && l.Row.Path == to.Row.Path }) {
			continue
		}
		if keys := w.blockingKeys(ctx, to.Row.Path, done.Path); len(keys) > 0 {
			kept = append(kept, KeptLink{to.Row, keys})
		}
	}
	return kept
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
		if err == nil && slices.ContainsFunc(found, func(l index.Lookup) bool { return l.Err == nil && l.Row.Path == blocked }) {
			keys = append(keys, list.Key)
		}
	}
	return keys
}
