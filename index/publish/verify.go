package publish

import (
	"context"
	"maps"
	"slices"

	"issues-index/index/share"
	"issues-index/store/mirror"
)

// A LineComparison says how what the engine has of a line differs from the files.
type LineComparison struct {
	Workspace string `json:"workspace"`
	Line      string `json:"line"`
	Documents int    `json:"documents"` // there are
	// Missing are the paths that the engine has not, Changed those of which it has another
	// version, and Extra those that only the engine has.
	Missing []string `json:"missing"`
	Changed []string `json:"changed"`
	Extra   []string `json:"extra"`
	// Unused are messages in the place of documents of the line that are no versions, the oldest
	// ones when there are many. Nobody uses them.
	Unused []UnusedMessage `json:"unused"`
}

// Same reports whether nothing differs.
func (c LineComparison) Same() bool { return len(c.Missing)+len(c.Changed)+len(c.Extra) == 0 }

// Verify compares the files with what the engine has of the line that this checkout is to
// publish, and publishes nothing. Errors: ErrNotPublishing, share.ErrAway and others.
func (p *Publisher) Verify(ctx context.Context) (LineComparison, error) {
	ix, release, err := p.Index.Acquire(ctx)
	if err != nil {
		return LineComparison{}, err
	}
	defer release()
	s := &duty{p: p, ix: ix, ws: ix.Workspace()}
	if s.ws.Mirror() {
		return LineComparison{}, errMirror
	}
	identity, err := s.ws.RootIdentity()
	if err == nil {
		err = s.branch.look(ctx, s.ws.Root)
	}
	if err != nil {
		return LineComparison{}, err
	}
	s.checkout.line = ownLine(p.host, identity)
	line := s.wantedLine()
	if line == "" {
		return LineComparison{}, ErrNotPublishing
	}
	engine, unused, err := s.engineHeads(ctx, line)
	if err != nil {
		return LineComparison{}, err
	}
	files, err := s.fileHashes(ctx)
	if err != nil {
		return LineComparison{}, err
	}
	c := LineComparison{
		Workspace: p.Workspace, Line: line, Documents: len(files) - 1,
		Missing: []string{}, Changed: []string{}, Extra: []string{}, Unused: unused,
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		switch h, published := engine[path]; {
		case !published || h.Gone:
			c.Missing = append(c.Missing, path)
		case h.Hash != files[path]:
			c.Changed = append(c.Changed, path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(engine)) {
		if _, there := files[path]; !there && !engine[path].Gone {
			c.Extra = append(c.Extra, path)
		}
	}
	return c, nil
}

// fileHashes are the hashes of the documents that can be read, and of the manifest.
func (s *duty) fileHashes(ctx context.Context) (map[string]share.Hash, error) {
	found, err := s.ix.FileHashes(ctx, "", 0)
	if err != nil {
		return nil, err
	}
	manifest, err := s.ws.Manifest().Bytes()
	if err != nil {
		return nil, err
	}
	files := map[string]share.Hash{mirror.ManifestPath: share.HashOf(manifest)}
	for _, f := range found.All {
		if len(f.Hash) == len(share.Hash{}) {
			files[f.Path] = share.Hash(f.Hash)
		}
	}
	return files, nil
}

// Rebuild is Once for a line of which the engine may have anything: every document is published
// again, also those that it seems to have.
func (p *Publisher) Rebuild(ctx context.Context) (PublishSummary, error) {
	return p.publishOnce(ctx, func(s *duty) error {
		before, err := s.db.number(ctx, s.epoch, 1)
		s.distrusted, s.trustedFrom = true, share.Origin{Epoch: s.epoch, Rev: before + 1}
		return err
	})
}

// distrust has everything that stands at the engine be published again, but for what a rebuild
// has published already.
func (s *duty) distrust(engine map[string]share.Head) {
	for path, h := range engine {
		if h.Origin.Epoch != s.trustedFrom.Epoch || h.Origin.Rev < s.trustedFrom.Rev {
			h.Hash = share.Hash{}
			engine[path] = h
		}
	}
}
