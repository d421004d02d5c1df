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

// documents counts the changes without the manifest.
func (d difference) documents() int {
	if len(d.changes) > 0 && d.changes[0].path == mirror.ManifestPath {
		return len(d.changes) - 1
	}
	return len(d.changes)
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
	files, err := l.ix.FileHashes(ctx, since.generation, since.rev)
	if err == nil && !files.Whole && files.Documents != since.documents+countNew(files.All, l.heads) {
		files, err = l.ix.FileHashes(ctx, "", 0)
	}
	if err != nil {
		return found, err
	}
	found.version = indexVersion{files.Generation, files.Rev, files.Documents}
	found.changes, l.problems = compare(files, found.manifest, l.heads, l.problems)
	return found, nil
}

// countNew counts the files of which no version stands at the engine.
func countNew(files []index.FileHash, heads map[string]publishedHead) (n int) {
	for _, f := range files {
		if heads[f.Path].gone() {
			n++
		}
	}
	return n
}

// compare finds the changes between files and heads, in the order in which they are published, and
// the problems of the files. The manifest comes first, since it says what the documents are, and what
// is gone last: a document that was renamed is twice there for a moment rather than not at all. A
// file with a problem that was known is no change.
func compare(files index.FileHashes, manifest []byte, heads map[string]publishedHead, known map[string]problem,
) (changes []change, problems map[string]problem) {
	problems = map[string]problem{}
	add := func(path, hash string) {
		p, is := known[path]
		switch h := heads[path]; {
		case h.hash == hash:
		case is && (p.hash == "" || p.hash == hash):
			problems[path] = p
		default:
			changes = append(changes, change{path, hash, h})
		}
	}
	hash := share.HashOf(manifest)
	add(mirror.ManifestPath, string(hash[:]))
	there := map[string]bool{mirror.ManifestPath: true}
	for _, f := range files.All {
		there[f.Path] = true
		if f.Hash != nil {
			add(f.Path, string(f.Hash))
			continue
		}
		reason := PublicationProblem{Path: f.Path, Reason: "the file cannot be read or is too large"}
		problems[f.Path] = problem{reason, "unknown"}
	}
	if files.Whole {
		for _, path := range slices.Sorted(maps.Keys(heads)) {
			if !there[path] {
				add(path, "")
			}
		}
	}
	return changes, problems
}

// maxUnused is how many messages are named that are no versions.
const maxUnused = 50

// engineHeads returns what the engine has of a branch, by path, which others of some branches, of all
// for nil, have anything, without the main one, and the oldest messages of the branch that are no
// versions. Where such a message stands in the place of a document, the document's publication meets a
// conflict.
func (p *Publisher) engineHeads(ctx context.Context, branch string, of []string,
) (heads map[string]share.DocumentVersion, others []string, unused []UnusedMessage, err error) {
	heads, unused = map[string]share.DocumentVersion{}, []UnusedMessage{}
	refused := func(e *share.MessageError) {
		if e.Branch.Name == branch && len(unused) < maxUnused {
			unused = append(unused, UnusedMessage{e.Branch.String(), e.Path, e.Position, e.Reason})
		}
	}
	selections := [][]string{nil}
	if of != nil {
		selections = slices.Collect(slices.Chunk(of, 1)) // a member may ask for one branch at a time
	}
	standing := map[string]bool{}
	for _, branches := range selections {
		selected := share.BranchSelection{Workspaces: []string{p.Workspace}, Branches: branches, Refused: refused}
		for h, err := range p.Team.Heads(ctx, selected) {
			switch {
			case err != nil:
				return nil, nil, nil, err
			case h.Branch.Name == branch:
				heads[h.Path] = h
			case !h.Gone && !isMain(h.Branch.Name):
				standing[h.Branch.Name] = true
			}
		}
	}
	return heads, slices.Sorted(maps.Keys(standing)), unused, nil
}
