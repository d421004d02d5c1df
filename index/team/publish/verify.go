package publish

import (
	"context"
	"slices"
)

// A BranchComparison says how what the engine has of a branch differs from the files.
type BranchComparison struct {
	Workspace string `json:"workspace"`
	Branch    string `json:"line"`
	Documents int    `json:"documents"` // there are
	// Missing are the paths that the engine has not, Changed those of which it has another
	// version, and Extra those that only the engine has.
	Missing []string `json:"missing"`
	Changed []string `json:"changed"`
	Extra   []string `json:"extra"`
	// Unused are messages in the place of documents of the branch that are no versions, the oldest
	// messages when there are many. They are skipped.
	Unused []UnusedMessage `json:"unused"`
}

// Same reports whether nothing differs.
func (c BranchComparison) Same() bool { return len(c.Missing)+len(c.Changed)+len(c.Extra) == 0 }

// Verify compares the files with what the engine has of the branch that this checkout is to
// publish, and publishes nothing. Errors: ErrNotPublishing, share.ErrAway and others.
func (p *Publisher) Verify(ctx context.Context) (c BranchComparison, err error) {
	ix, release, err := p.Index.Acquire(ctx)
	if err != nil {
		return c, err
	}
	defer release()
	l := &publishLoop{p: p, ix: ix, ws: ix.Workspace(), heads: map[string]publishedHead{}}
	if l.ws.Mirror() {
		return c, errMirror
	}
	identity, err := l.ws.RootIdentity()
	if err == nil {
		err = l.git.look(ctx, l.ws.Root)
	}
	if err != nil {
		return c, err
	}
	l.ownBranch = ownBranchName(p.host, identity)
	c = BranchComparison{
		Workspace: p.Workspace, Branch: l.wantedBranch(), Missing: []string{}, Changed: []string{}, Extra: []string{},
	}
	if c.Branch == "" {
		return c, ErrNotPublishing
	}
	stand, _, unused, err := p.engineHeads(ctx, c.Branch, []string{c.Branch})
	if err != nil {
		return c, err
	}
	for path, h := range stand {
		l.heads[path] = headOf(h)
	}
	found, err := l.difference(ctx)
	if err != nil {
		return c, err
	}
	for _, one := range found.changes {
		switch {
		case one.hash == "":
			c.Extra = append(c.Extra, one.path)
		case one.stands.gone():
			c.Missing = append(c.Missing, one.path)
		default:
			c.Changed = append(c.Changed, one.path)
		}
	}
	slices.Sort(c.Missing)
	slices.Sort(c.Changed)
	c.Documents, c.Unused = found.version.documents, unused
	return c, nil
}
