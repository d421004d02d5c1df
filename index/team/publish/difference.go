package publish

import (
	"context"
	"maps"
	"slices"

	"issues-index/index"
	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

// A change is a document, or the manifest, that is otherwise at the engine than in the files.
type change struct {
	path   string
	hash   string        // of the file as the index knows it, "" when it is gone
	stands publishedHead // at the engine
}

// A difference is what the files have and the engine has not, as of a state of the index.
type difference struct {
	changes  []change
	manifest []byte
	version  indexVersion
}

// difference finds what is to be published. It looks at the documents that have changed since
// what was published last. It looks at all of them where that is not known, where the number of
// documents says that some are gone, and while some cannot be published.
func (l *publishLoop) difference(ctx context.Context) (found difference, err error) {
	if found.manifest, err = l.ws.Manifest().Bytes(); err != nil {
		return found, err
	}
	since := l.published
	if len(l.problems) > 0 {
		since = indexVersion{}
	}
	for {
		files, err := l.ix.FileHashes(ctx, since.generation, since.rev)
		if err != nil {
			return found, err
		}
		stands, err := l.db.heads(ctx, l.line, files)
		if err != nil {
			return found, err
		}
		if !files.Whole && files.Documents != l.documents+countNew(files.All, stands) {
			since = indexVersion{}
			continue
		}
		found.version = indexVersion{files.Generation, files.Rev}
		all := files.All
		if l.line != "" {
			all = append(all, manifestHash(found.manifest))
		}
		found.changes, l.problems = compare(all, stands, l.problems)
		return found, nil
	}
}

// countNew counts the files of which no version stands at the engine.
func countNew(files []index.FileHash, stands map[string]publishedHead) (n int) {
	for _, f := range files {
		if stands[f.Path].gone() {
			n++
		}
	}
	return n
}

func manifestHash(manifest []byte) index.FileHash {
	hash := share.HashOf(manifest)
	return index.FileHash{Path: mirror.ManifestPath, Hash: hash[:]}
}

// compare finds the changes between files and what stands at the engine, in the order in which
// they are published, and the problems of the files. A file with a problem that was known is no
// change. It uses stands up.
func compare(files []index.FileHash, stands map[string]publishedHead, known map[string]problem,
) (changes []change, problems map[string]problem) {
	problems = map[string]problem{}
	add := func(path, hash string, h publishedHead) {
		p, is := known[path]
		switch {
		case h.hash == hash:
		case is && (p.conflict || p.hash == hash && hash != ""):
			problems[path] = p
		default:
			changes = append(changes, change{path, hash, h})
		}
	}
	for _, f := range files {
		if f.Hash == nil {
			problems[f.Path] = problem{reason: "the file cannot be read or is too large"}
		} else {
			add(f.Path, string(f.Hash), stands[f.Path])
		}
		delete(stands, f.Path)
	}
	for _, path := range slices.Sorted(maps.Keys(stands)) {
		add(path, "", stands[path])
	}
	slices.SortStableFunc(changes, func(a, b change) int { return a.rank() - b.rank() })
	return changes, problems
}

// rank puts the manifest first, since it says what the documents are, and what is gone last: a
// document that was renamed is twice there for a moment rather than not at all.
func (c change) rank() int {
	switch {
	case c.path == mirror.ManifestPath:
		return 0
	case c.hash != "":
		return 1
	}
	return 2
}

// countDocuments counts the documents of changes, and the manifest where it is the only change.
func countDocuments(changes []change) int {
	if len(changes) > 1 && changes[0].path == mirror.ManifestPath {
		return len(changes) - 1
	}
	return len(changes)
}

// maxUnused is how many messages are named that are no versions.
const maxUnused = 50

// engineHeads returns what the engine has of a line, by path, and the oldest messages that are no
// versions. Where one of these stands in the place of a document, the document's publication meets
// a conflict.
func (p *Publisher) engineHeads(ctx context.Context, line string) (map[string]share.Head, []UnusedMessage, error) {
	all, unused := make(map[string]share.Head), []UnusedMessage{}
	refused := func(e *share.MessageError) {
		if len(unused) < maxUnused {
			unused = append(unused, UnusedMessage{e.Branch.String(), e.Path, e.Position, e.Reason})
		}
	}
	of := share.BranchSelection{Workspaces: []string{p.Workspace}, Lines: []string{line}, Refused: refused}
	for h, err := range p.Team.Heads(ctx, of) {
		if err != nil {
			return nil, nil, err
		}
		all[h.Path] = h
	}
	return all, unused, nil
}

// A BranchComparison says how what the engine has of a line differs from the files.
type BranchComparison struct {
	Workspace string `json:"workspace"`
	Line      string `json:"line"`
	Documents int    `json:"documents"` // there are
	// Missing are the paths that the engine has not, Changed those of which it has another
	// version, and Extra those that only the engine has.
	Missing []string `json:"missing"`
	Changed []string `json:"changed"`
	Extra   []string `json:"extra"`
	// Unused are messages in the place of documents of the line that are no versions, the oldest
	// ones when there are many. They are skipped.
	Unused []UnusedMessage `json:"unused"`
}

// Same reports whether nothing differs.
func (c BranchComparison) Same() bool { return len(c.Missing)+len(c.Changed)+len(c.Extra) == 0 }

// Verify compares the files with what the engine has of the line that this checkout is to
// publish, and publishes nothing. Errors: ErrNotPublishing, share.ErrAway and others.
func (p *Publisher) Verify(ctx context.Context) (c BranchComparison, err error) {
	ix, release, err := p.Index.Acquire(ctx)
	if err != nil {
		return c, err
	}
	defer release()
	l := &publishLoop{p: p, ix: ix, ws: ix.Workspace()}
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
	l.ownLine = ownLineName(p.host, identity)
	c = BranchComparison{
		Workspace: p.Workspace, Line: l.wantedLine(), Missing: []string{}, Changed: []string{}, Extra: []string{},
	}
	if c.Line == "" {
		return c, ErrNotPublishing
	}
	engine, unused, err := p.engineHeads(ctx, c.Line)
	if err != nil {
		return c, err
	}
	files, err := ix.FileHashes(ctx, "", 0)
	if err != nil {
		return c, err
	}
	manifest, err := l.ws.Manifest().Bytes()
	if err != nil {
		return c, err
	}
	stands := make(map[string]publishedHead, len(engine))
	for path, h := range engine {
		stands[path] = headOf(h)
	}
	changes, _ := compare(append(files.All, manifestHash(manifest)), stands, nil)
	for _, one := range changes {
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
	c.Documents, c.Unused = files.Documents, unused
	return c, nil
}
