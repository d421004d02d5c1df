package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	// tipsAtOnce is how many commits are read with one run of git. Those of the runs before
	// are known when the time is up.
	tipsAtOnce = 200
)

// refNumbers are the highest numbers of the documents that the refs of the repository lead
// to, by the names of files. They only grow. It is used only under the lock.
type refNumbers struct {
	loaded bool
	time   time.Duration // refsTime

	stamp string // git.RefsStamp as of the last complete look
	taken numbers
	tips  map[string]bool // commits of refs whose documents are in taken
}

// savedRefs is the form of refsFile.
type savedRefs struct {
	Layout  string   `json:"layout"` // by which the names were read
	Stamp   string   `json:"stamp"`
	Numbers numbers  `json:"numbers"`
	Tips    []string `json:"tips"`
}

// look brings the numbers up to date. note says what could not be read in time, "" for
// nothing. Without git, or where the repository is not the workspace's own, nothing new is
// found. Nothing is fetched.
func (r *refNumbers) look(ctx context.Context, m *Mutation) (note string) {
	if git.CommonDir(m.w.Root) == "" {
		return ""
	}
	if !r.loaded {
		r.load(m)
	}
	stamp := git.RefsStamp(m.w.Root, time.Now())
	if stamp != "" && stamp == r.stamp {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, r.time)
	defer cancel()
	tips, err := git.Refs(ctx, m.w.Root)
	known := len(r.tips)
	if err == nil {
		err = r.readTips(ctx, m.w, slices.DeleteFunc(slices.Clone(tips), func(t git.Tip) bool { return r.tips[t.Commit] }))
	}
	if err == nil {
		r.stamp = stamp
	}
	if len(r.tips) > known || err == nil && stamp != "" {
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
	below := git.Within(w.Root)
	known, counted := map[refTree]bool{}, map[[2]string]bool{}
	for some := range slices.Chunk(tips, tipsAtOnce) {
		var asked []refTree
		err := git.ReadTrees(ctx, w.Root, func(trees [][]git.TreeEntry) (objects []string) {
			var found []refTree
			if trees == nil {
				for _, tip := range some {
					found = append(found, refTree{".", tip.Tree})
				}
			}
			for i, entries := range trees {
				found = append(found, r.count(w, below, asked[i].dir, entries, counted)...)
			}
			asked = nil
			for _, tree := range found {
				if !known[tree] {
					known[tree] = true
					asked, objects = append(asked, tree), append(objects, tree.object)
				}
			}
			return objects
		})
		if err != nil {
			return err
		}
		for _, tip := range some {
			r.tips[tip.Commit] = true
		}
	}
	return nil
}

// count adds the numbers of the documents that a tree names, and returns its folders that are
// or lead to folders of documents. Branches mostly have the same names: counted has the types
// and names that were added.
func (r *refNumbers) count(
	w *Workspace, below, dir string, entries []git.TreeEntry, counted map[[2]string]bool,
) (folders []refTree) {
	c, inside := collectionAt(w, below, dir)
	for _, e := range entries {
		switch {
		case e.Folder != "":
			if p := path.Join(dir, e.Name); inside && e.Name[0] != '.' || leadsToCollection(w, below, p) {
				folders = append(folders, refTree{p, e.Folder})
			}
		case e.File && inside:
			name := [2]string{c.Type, e.Name}
			if !counted[name] && documentName(e.Name) {
				counted[name] = true
				r.taken.add(w.IDNumbers(c.Type, stem(e.Name)))
			}
		}
	}
	return folders
}

// collectionAt returns the collection that a folder of the repository is or is in, of which
// the workspace is the folder base.
func collectionAt(w *Workspace, base, dir string) (found Collection, ok bool) {
	for _, c := range w.Collections {
		if _, inside := below(path.Join(base, c.Dir), dir); inside && (!ok || len(c.Dir) > len(found.Dir)) {
			found, ok = c, true
		}
	}
	return found, ok
}

// leadsToCollection reports whether a collection is the folder dir or in it.
func leadsToCollection(w *Workspace, base, dir string) bool {
	return slices.ContainsFunc(w.Collections, func(c Collection) bool {
		_, ok := below(dir, path.Join(base, c.Dir))
		return ok
	})
}

// refsLayout tells by which layout names were read.
func (w *Workspace) refsLayout() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %+v %+v", git.Within(w.Root), w.Collections, w.Layout.IDs))
	return hex.EncodeToString(sum[:8])
}

// load takes over what another process has found.
func (r *refNumbers) load(m *Mutation) {
	r.loaded = true
	r.taken, r.tips = numbers{}, map[string]bool{}
	p, err := m.cacheFile(refsFile)
	if err != nil {
		return
	}
	data, _, err := m.disk.read(p)
	var saved savedRefs
	if err != nil || json.Unmarshal(data, &saved) != nil || saved.Layout != m.w.refsLayout() {
		return
	}
	maps.DeleteFunc(saved.Numbers, func(_ string, number int) bool { return number > maxIDNumber })
	r.stamp = saved.Stamp
	r.taken.merge(saved.Numbers)
	for _, tip := range saved.Tips {
		r.tips[tip] = true
	}
}

// save keeps it for the next process, without the commits that no ref leads to any longer.
// That is a saving of time: what cannot be written is found again.
func (r *refNumbers) save(m *Mutation, tips []git.Tip) {
	current := map[string]bool{}
	for _, tip := range tips {
		if r.tips[tip.Commit] {
			current[tip.Commit] = true
		}
	}
	r.tips = current
	data, err := json.Marshal(savedRefs{
		Layout: m.w.refsLayout(), Stamp: r.stamp, Numbers: r.taken, Tips: slices.Sorted(maps.Keys(current)),
	})
	p, errPath := m.cacheFile(refsFile)
	if err == nil && errPath == nil {
		_ = m.put(p, string(data))
	}
}
