package publish

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"issues-index/index"
	"issues-index/index/share"
	"issues-index/store/mirror"
)

// A pendingChange is what is to be published of one document.
type pendingChange struct {
	path string
	gone bool
	// data is what is to be published of the manifest; documents are read when it is their
	// turn.
	data     []byte
	replaces uint64
}

// A pendingDifference is what the files have and the engine has not, as of a state of the index.
type pendingDifference struct {
	changes    []pendingChange
	generation string
	rev        int64
}

// reconcile learns what the engine has of the line. It comes before the first publication on a
// line and is repeated hourly, and so is the sign of life.
func (s *duty) reconcile(ctx context.Context) error {
	if !isMain(s.line) {
		if err := s.keep(ctx, s.line); err != nil {
			return err
		}
	}
	state, err := s.p.Team.LogState(ctx)
	if err != nil {
		return err
	}
	engine, unused, err := s.engineHeads(ctx, s.line)
	if err != nil {
		return err
	}
	s.p.note(func(s *PublisherStatus) { s.Unused = unused })
	if s.distrusted {
		s.distrust(engine)
	}
	if err := s.db.learn(ctx, s.line, s.epoch, engine); err != nil {
		return err
	}
	s.live, s.position = [index.PathBuckets]int{}, 0
	for path, h := range engine {
		s.position = max(s.position, h.Position)
		if bucket := bucketOf(path); bucket >= 0 && !h.Gone {
			s.live[bucket]++
		}
	}
	s.log, s.generation, s.whole = state, "", false
	maps.DeleteFunc(s.problems, func(_ string, one obstacle) bool { return !one.conflict })
	for path, one := range s.problems {
		h, stands := engine[path]
		one.live = stands && !h.Gone
		s.problems[path] = one
	}
	return nil
}

// maxUnused is how many messages are named that are no versions.
const maxUnused = 50

// engineHeads returns what the engine has of a line, by path, and the oldest messages that are no
// versions. Where one of these stands in the place of a document, the document's publication meets
// a conflict.
func (s *duty) engineHeads(ctx context.Context, line string) (map[string]share.Head, []UnusedMessage, error) {
	all, unused := make(map[string]share.Head), []UnusedMessage{}
	refused := func(e *share.MessageError) {
		if len(unused) < maxUnused {
			unused = append(unused, UnusedMessage{e.Line.String(), e.Path, e.Position, e.Reason})
		}
	}
	of := share.LineSelection{Workspaces: []string{s.p.Workspace}, Lines: []string{line}, Refused: refused}
	for h, err := range s.p.Team.Heads(ctx, of) {
		if err != nil {
			return nil, nil, err
		}
		all[h.Path] = h
	}
	return all, unused, nil
}

// compare finds what is to be published. It looks at the documents that have changed since
// what was published last, and at all of them where that is not known.
func (s *duty) compare(ctx context.Context) (pendingDifference, error) {
	hashes, err := s.ix.FileHashes(ctx, s.generation, s.rev)
	if err != nil {
		return pendingDifference{}, err
	}
	found := pendingDifference{generation: hashes.Generation, rev: hashes.Rev}
	manifest, err := s.ws.Manifest().Bytes()
	if err != nil {
		return pendingDifference{}, err
	}
	err = s.db.write(ctx, func(tx *sql.Tx) error {
		found.changes = nil
		if h, err := headOf(ctx, tx, s.line, mirror.ManifestPath); err != nil {
			return err
		} else if hash := share.HashOf(manifest); h.hash != string(hash[:]) && s.wants(mirror.ManifestPath) {
			found.changes = append(found.changes, pendingChange{path: mirror.ManifestPath, data: manifest, replaces: max(h.position, s.strays[mirror.ManifestPath])})
		}
		if hashes.Whole {
			return s.compareAll(ctx, tx, hashes.All, &found)
		}
		return s.compareChanged(ctx, tx, hashes, &found)
	})
	if err != nil {
		return pendingDifference{}, err
	}
	slices.SortStableFunc(found.changes, inOrder)
	return found, nil
}

// countDocuments counts the documents of changes, and the manifest where it is the only change.
func countDocuments(changes []pendingChange) int {
	isManifest := func(c pendingChange) bool { return c.path == mirror.ManifestPath }
	if len(changes) > 1 && slices.ContainsFunc(changes, isManifest) {
		return len(changes) - 1
	}
	return len(changes)
}

// inOrder puts the manifest first, since it says what the documents are, and what is gone last:
// a document that was renamed is twice there for a moment rather than not at all.
func inOrder(a, b pendingChange) int {
	rank := func(c pendingChange) int {
		switch {
		case c.path == mirror.ManifestPath:
			return 0
		case !c.gone:
			return 1
		}
		return 2
	}
	return rank(a) - rank(b)
}

// compareAll compares all documents with all that stands at the engine.
func (s *duty) compareAll(ctx context.Context, tx *sql.Tx, all []index.FileHash, found *pendingDifference) error {
	known, err := heads(ctx, tx, s.line, `path <> ?`, mirror.ManifestPath)
	if err != nil {
		return err
	}
	s.judgeAll(all, known, found)
	return nil
}

// compareChanged compares the documents that have changed, and finds those that are gone by
// their number in each bucket of paths.
func (s *duty) compareChanged(ctx context.Context, tx *sql.Tx, hashes index.FileHashes, found *pendingDifference) error {
	there := s.live // plus the documents that are there and not at the engine
	for _, f := range hashes.All {
		h, err := headOf(ctx, tx, s.line, f.Path)
		if err != nil {
			return err
		}
		if delete(s.problems, f.Path); h.gone() {
			there[bucketOf(f.Path)]++
		}
		s.judge(f, h, found)
	}
	changed := make(map[string]bool, len(hashes.All))
	for _, f := range hashes.All {
		changed[f.Path] = true
	}
	for path, one := range s.problems {
		if bucket := bucketOf(path); bucket >= 0 && !one.live && !changed[path] {
			there[bucket]++
		}
	}
	for bucket, documents := range &hashes.Buckets {
		if documents != there[bucket] {
			if err := s.compareBucket(ctx, tx, bucket, found); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareBucket finds the documents of a bucket that are gone.
func (s *duty) compareBucket(ctx context.Context, tx *sql.Tx, bucket int, found *pendingDifference) error {
	paths, err := s.ix.PathsInBucket(ctx, bucket)
	if err != nil {
		return err
	}
	known, err := heads(ctx, tx, s.line, `bucket = ? AND NOT gone`, bucket)
	if err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(known)) {
		if _, there := slices.BinarySearch(paths, path); !there {
			s.judgeGone(path, known[path], found)
		}
	}
	maps.DeleteFunc(s.problems, func(path string, _ obstacle) bool {
		_, there := slices.BinarySearch(paths, path)
		return bucketOf(path) == bucket && !there
	})
	return nil
}

// judgeAll judges all documents and those that are gone. It uses known up.
func (s *duty) judgeAll(all []index.FileHash, known map[string]publishedHead, found *pendingDifference) {
	for _, f := range all {
		s.judge(f, known[f.Path], found)
		delete(known, f.Path)
	}
	for _, path := range slices.Sorted(maps.Keys(known)) {
		s.judgeGone(path, known[path], found)
	}
}

// judge adds a document to what is to be published if its file is not what the engine has.
func (s *duty) judge(f index.FileHash, h publishedHead, found *pendingDifference) {
	switch {
	case f.Hash == nil:
		s.problems[f.Path] = obstacle{reason: "the file cannot be read or is too large", live: !h.gone()}
	case h.hash != string(f.Hash) && s.wants(f.Path):
		found.changes = append(found.changes, pendingChange{path: f.Path, replaces: max(h.position, s.strays[f.Path])})
	}
}

func (s *duty) judgeGone(path string, h publishedHead, found *pendingDifference) {
	if !h.gone() && s.wants(path) {
		found.changes = append(found.changes, pendingChange{path: path, gone: true, replaces: h.position})
	}
}

// wants is false for a document that others publish again and again.
func (s *duty) wants(path string) bool { return s.conflicts[path] < maxConflicts }
