package issues

import (
	"context"
	"fmt"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/undo"
	"issues-index/store/words"
	"issues-index/tools"
)

// withClaims has a tool tell its caller what became of claims that lapsed, and has what it
// writes renew the others. What it changes is kept for undo.
func withClaims(ix *index.Index, t tools.Tool) tools.Tool {
	handle := t.Handle
	t.Handle = func(ctx context.Context, args *tools.Args) (tools.Result, error) {
		holder := args.Holder()
		if holder == "" || args.Err() != nil {
			return handle(ctx, args)
		}
		lost, err := ix.Leases().Lost(ctx, holder, !t.ReadOnly)
		if err != nil && t.Name != claimName { // which fails by itself
			args.Note("claims could not be read: issues_claim says why")
		}
		args.NoteLost(renamed(lost, namingOf(args).lease))
		noteLayout(ix, t, args)
		ctx = edit.As(ctx, holder)
		if !t.ReadOnly {
			var recording *undo.Recording
			ctx, recording = undo.Record(ctx, holder, t.Name)
			defer func() {
				if err := recording.End(); err != nil {
					args.Note("the change cannot be taken back with undo: " + words.OneLine(err.Error()))
				}
			}()
		}
		result, err := handle(ctx, args)
		if err == nil { // an error has no notes: the next answer has them
			_ = ix.Leases().Told(ctx, lost) // else they are told once more
		}
		return result, err
	}
	return t
}

// noteLayout has a tool that writes say that the workspace goes by another layout than its
// file has now.
func noteLayout(ix *index.Index, t tools.Tool, args *tools.Args) {
	const length = 300 // characters
	if refused := ix.Workspace().RefusedLayout(); refused != nil && !t.ReadOnly {
		args.Note("the workspace's configuration is refused, and the last good one stays: " +
			words.Cut(words.OneLine(refused.Error()), length))
	}
}

// A claimView is who works on a document.
type claimView struct {
	Holder string `json:"holder"`
	Until  string `json:"until"`
	Stale  bool   `json:"stale,omitempty"` // the lease has lapsed, or its process has ended
}

// claimOf returns who works on a document, nil when nobody has claimed it.
func claimOf(ctx context.Context, ix *index.Index, doc *store.Document) *claimView {
	claim, err := ix.ClaimOn(ctx, doc)
	if err != nil || claim == nil {
		return nil // the call has said that claims cannot be read
	}
	return newClaimView(*claim)
}

func newClaimView(c index.RowClaim) *claimView {
	return &claimView{c.Holder, documents.Stamp(c.Until), c.Stale}
}

// text is the claim in a line.
func (c *claimView) text() string {
	switch {
	case c == nil:
		return ""
	case c.Stale:
		return fmt.Sprintf("%s, stale since %s", c.Holder, c.Until)
	}
	return fmt.Sprintf("%s until %s", c.Holder, c.Until)
}
