package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"time"

	"issues-index/store/git"
)

const (
	// refsFile keeps what is known of the repository's refs from one process to the next.
	refsFile = "tips.json"
	// refsTime is how long a new document waits for the names in new refs.
	refsTime = 200 * time.Millisecond
)

// refNumbers are the highest numbers of the documents that the refs of the repository lead
// to, by the names of files. They only grow. It is used only under the lock.
type refNumbers struct {
	time time.Duration // refsTime

	Layout  string          // by which the names were read; "" before the first look
	Stamp   string          // git.RefsStamp as of the last complete look
	Numbers numbers         // of the documents of Commits
	Commits map[string]bool // of refs
}

// look brings the numbers up to date. note says what could not be read in time, "" for
// nothing. Without git, or where the repository is not the workspace's own, nothing new is
// found. Nothing is fetched.
func (r *refNumbers) look(ctx context.Context, m *Mutation) (note string) {
	if git.CommonDir(m.w.Root) == "" {
		return ""
	}
	if r.Layout == "" {
		r.load(m)
	}
	stamp := git.RefsStamp(m.w.Root, time.Now())
	if stamp != "" && stamp == r.Stamp {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, r.time)
	defer cancel()
	tips, err := git.Refs(ctx, m.w.Root)
	if err == nil {
		err = r.readTips(ctx, m.w, slices.DeleteFunc(slices.Clone(tips), func(t git.Tip) bool { return r.Commits[t.Commit] }))
	}
	if err == nil {
		r.Stamp = stamp
	}
	if len(tips) > 0 {
		r.save(m, tips)
	}
	// Other failures of git leave what is known, as if there were no git.
	if errors.Is(err, context.DeadlineExceeded) {
		return "there was no time to look at the refs of the repository: another branch may have this id"
	}
	return ""
}

// A refTree is a tree of a commit, and the folder of the repository that it is.
type refTree struct{ dir, object string }

// readTips adds the numbers of the documents in some commits.
func (r *refNumbers) readTips(ctx context.Context, w *Workspace, tips []git.Tip) error {
	if len(tips) == 0 {
		return nil
	}
	objects, err := git.OpenObjects(ctx, w.Root)
	if err != nil {
		return err
	}
	defer objects.Close()
	base := git.Within(w.Root)
	known := map[refTree]bool{}
	for _, tip := range tips {
		for trees := []refTree{{".", tip.Tree}}; len(trees) > 0; trees = trees[1:] {
			if known[trees[0]] {
				continue
			}
			known[trees[0]] = true
			entries, err := objects.ReadTree(trees[0].object)
			if err != nil {
				return err
			}
			trees = append(trees, r.count(w, base, trees[0].dir, entries)...)
		}
		r.Commits[tip.Commit] = true
	}
	return nil
}

// count adds the numbers of the documents that a tree names, and returns its folders that are
// or lead to folders of documents.
func (r *refNumbers) count(w *Workspace, base, dir string, entries []git.TreeEntry) (folders []refTree) {
	rel, inside := below(base, dir)
	c, ok := w.collectionOfDir(rel)
	inside = inside && ok
	for _, e := range entries {
		switch {
		case e.Folder != "":
			if p := path.Join(dir, e.Name); inside && e.Name[0] != '.' || leadsToCollection(w, base, p) {
				folders = append(folders, refTree{p, e.Folder})
			}
		case e.File && inside && documentName(e.Name):
			r.Numbers.add(w.IDNumbers(c.Type, Stem(e.Name)))
		}
	}
	return folders
}

// leadsToCollection reports whether a collection is the folder dir of the repository, of which the
// workspace is the folder base, or in it.
func leadsToCollection(w *Workspace, base, dir string) bool {
	return slices.ContainsFunc(w.Collections, func(c Collection) bool {
		_, ok := below(dir, path.Join(base, c.Dir))
		return ok
	})
}

// load takes over what another process has found.
func (r *refNumbers) load(m *Mutation) {
	layout := HashOf(fmt.Appendf(nil, "%q %+v %+v", git.Within(m.w.Root), m.w.Collections, m.w.Layout.IDs))[:16]
	known := refNumbers{time: r.time}
	if p, err := m.cacheFile(refsFile); err == nil {
		data, _, err := m.disk.read(p)
		if err != nil || json.Unmarshal(data, &known) != nil || known.Numbers == nil || known.Commits == nil {
			known.Layout = ""
		}
		maps.DeleteFunc(known.Numbers, func(_ string, number int) bool { return number < 1 || number > maxIDNumber })
	}
	if *r = known; r.Layout != layout {
		*r = refNumbers{r.time, layout, "", numbers{}, map[string]bool{}}
	}
}

// save keeps it for the next process, without the commits that no ref leads to any longer.
// That is a saving of time: what cannot be written is found again.
func (r *refNumbers) save(m *Mutation, tips []git.Tip) {
	current := map[string]bool{}
	for _, tip := range tips {
		if r.Commits[tip.Commit] {
			current[tip.Commit] = true
		}
	}
	r.Commits = current
	data, err := json.Marshal(r)
	p, errPath := m.cacheFile(refsFile)
	if err == nil && errPath == nil {
		_ = m.put(p, string(data))
	}
}
