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
	"strings"
	"time"

	"issues-index/store/git"
)

const (
	// refsFile keeps what is known of the repository's refs from one process to the next.
	refsFile = "refs"
	// refsTime is how long a new document waits for the names in new refs.
	refsTime = 200 * time.Millisecond
	// historyTime is how long it waits for the names that the history of these refs has
	// lost. That takes long once in a clone; later only new commits are read.
	historyTime = time.Second
	// maxRefTrees is how many trees are remembered, at most.
	maxRefTrees = 20_000
	// maxRefOutliers is how many outliers of a series are remembered, at most.
	maxRefOutliers = 1_000
)

// refNumbers are the numbers of the documents in all refs of the repository and in their
// history, by the names of files. They only grow: a number that was used once is not given
// out again. It is used only under the lock.
type refNumbers struct {
	loaded  bool
	refs    time.Duration // refsTime
	history time.Duration // historyTime

	stamp string // git.RefsStamp as of the last complete look
	taken numbers
	tips  map[string]bool // commits of refs whose trees and history are in taken
	trees map[string]bool // trees of folders of documents that are, by treeKey
}

// savedRefs is the form of refsFile.
type savedRefs struct {
	Layout  string  `json:"layout"` // by which the names were read
	Stamp   string  `json:"stamp"`
	Numbers numbers `json:"numbers"`
	Tips    string  `json:"tips"` // one a line, and so are the trees
	Trees   string  `json:"trees"`
}

// look brings the numbers up to date. note says what could not be read in time, "" for
// nothing. Without git, or where the repository is not the workspace's own, nothing new is
// found. Nothing is fetched.
func (r *refNumbers) look(ctx context.Context, m *Mutation) (note string) {
	w := m.w
	if git.CommonDir(w.Root) == "" {
		return ""
	}
	if !r.loaded {
		r.load(m)
	}
	stamp := git.RefsStamp(w.Root, time.Now())
	if stamp != "" && stamp == r.stamp {
		return ""
	}
	timed, cancel := context.WithTimeout(ctx, r.refs)
	defer cancel()
	tips, err := git.Refs(timed, w.Root)
	if err != nil {
		return r.late(err, "the refs of the repository")
	}
	unread := slices.DeleteFunc(slices.Clone(tips), func(tip git.Tip) bool { return r.tips[tip.Commit] })
	read, err := r.readTips(timed, w, unread)
	note = r.late(err, "the documents of some branches")
	if len(read) > 0 {
		timed, cancel := context.WithTimeout(ctx, r.history)
		defer cancel()
		if late := r.late(r.readHistory(timed, w, read), "the documents that were deleted long ago"); note == "" {
			note = late
		}
	}
	if ctx.Err() != nil { // nobody gave it the time
		return note
	}
	for _, commit := range read {
		r.tips[commit] = true
	}
	if note == "" {
		r.stamp = stamp
	}
	if len(read) > 0 || note == "" && stamp != "" {
		r.save(m, tips)
	}
	return note
}

// late says that something took too long. Other failures of git leave what is known, as if
// there were no git.
func (r *refNumbers) late(err error, what string) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "there was no time to look at " + what + ": another branch may have this id"
	}
	return ""
}

// A refTree is a tree of a ref, and the folder of the repository that it is.
type refTree struct{ dir, object string }

// A typedName is the name of a file in a folder of documents of a type.
type typedName struct{ docType, name string }

// key tells trees apart.
func (t refTree) key() string { return t.object + " " + t.dir }

// readTips adds the numbers in the trees of some refs, of which it reads those that no ref
// before had. It returns the commits whose trees were read whole.
func (r *refNumbers) readTips(ctx context.Context, w *Workspace, tips []git.Tip) (read []string, err error) {
	below := git.Within(w.Root)
	parts := map[string][]refTree{} // the folders of those that were read
	var asked []refTree
	queued, counted := map[string]bool{}, map[typedName]bool{}
	err = git.ReadTrees(ctx, w.Root, func(trees [][]git.TreeEntry) []string {
		var round []refTree
		ask := func(t refTree) {
			if !queued[t.key()] && !r.trees[t.key()] {
				queued[t.key()] = true
				round = append(round, t)
			}
		}
		if trees == nil {
			for _, tip := range tips {
				ask(refTree{".", tip.Tree})
			}
		}
		for i, entries := range trees {
			if entries == nil { // the clone lacks it
				continue
			}
			folders := r.names(w, below, asked[i].dir, entries, counted)
			parts[asked[i].key()] = folders
			for _, f := range folders {
				ask(f)
			}
		}
		asked = round
		objects := make([]string, len(round))
		for i, t := range round {
			objects[i] = t.object
		}
		return objects
	})
	whole := map[string]bool{}
	var isWhole func(t refTree) bool
	isWhole = func(t refTree) bool {
		if r.trees[t.key()] {
			return true
		}
		is, known := whole[t.key()]
		if folders, ok := parts[t.key()]; ok && !known {
			is = !slices.ContainsFunc(folders, func(f refTree) bool { return !isWhole(f) })
			whole[t.key()] = is
		}
		return is
	}
	for _, tip := range tips {
		if isWhole(refTree{".", tip.Tree}) {
			read = append(read, tip.Commit)
		}
	}
	for key, is := range whole {
		_, dir, _ := strings.Cut(key, " ")
		if _, inside := collectionAt(w, below, dir); is && inside {
			r.trees[key] = true
		}
	}
	return read, err
}

// names counts the documents that a tree names, and returns its folders that are or lead to
// folders of documents. Branches mostly have the same names: counted has those that were.
func (r *refNumbers) names(w *Workspace, below, dir string, entries []git.TreeEntry, counted map[typedName]bool) (folders []refTree) {
	c, inside := collectionAt(w, below, dir)
	for _, e := range entries {
		switch {
		case e.Folder != "":
			if p := path.Join(dir, e.Name); inside && e.Name[0] != '.' || leadsToCollection(w, below, p) {
				folders = append(folders, refTree{p, e.Folder})
			}
		case e.File && inside:
			name := typedName{c.Type, e.Name}
			if !counted[name] && documentName(e.Name) {
				counted[name] = true
				r.taken.addAll(w.IDNumbers(c.Type, stem(e.Name)))
			}
		}
	}
	return folders
}

// collectionAt returns the collection that a folder of the repository is or is in, of which
// the workspace is the folder below.
func collectionAt(w *Workspace, below, dir string) (found Collection, ok bool) {
	for _, c := range w.Collections {
		if base := path.Join(below, c.Dir); contains(base, dir) && (!ok || len(c.Dir) > len(found.Dir)) {
			found, ok = c, true
		}
	}
	return found, ok
}

// leadsToCollection reports whether a collection is the folder dir or in it.
func leadsToCollection(w *Workspace, below, dir string) bool {
	return slices.ContainsFunc(w.Collections, func(c Collection) bool { return contains(dir, path.Join(below, c.Dir)) })
}

// contains reports whether p is the folder dir or in it. Both are relative to one folder.
func contains(dir, p string) bool {
	return dir == "." || p == dir || strings.HasPrefix(p, dir+"/")
}

// readHistory adds the numbers of the documents that were deleted before these commits.
func (r *refNumbers) readHistory(ctx context.Context, w *Workspace, commits []string) error {
	folders := make([]string, len(w.Collections))
	for i, c := range w.Collections {
		folders[i] = c.Dir
	}
	known := slices.Sorted(maps.Keys(r.tips))
	return git.DeletedNames(ctx, w.Root, commits, known, folders, func(p string) {
		if c, ok := w.CollectionOf(p); ok {
			r.taken.addAll(w.IDNumbers(c.Type, stem(p)))
		}
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
	r.taken, r.tips, r.trees = numbers{}, map[string]bool{}, map[string]bool{}
	p, err := m.cacheFile(refsFile)
	if err != nil {
		return
	}
	data, _, err := m.disk.read(p)
	var saved savedRefs
	if err != nil || json.Unmarshal(data, &saved) != nil || saved.Layout != m.w.refsLayout() {
		return
	}
	for series, list := range saved.Numbers {
		for _, number := range list {
			if 0 < number && number <= maxIDNumber {
				r.taken.add(series, number)
			}
		}
	}
	r.stamp = saved.Stamp
	for tip := range strings.FieldsSeq(saved.Tips) {
		r.tips[tip] = true
	}
	for key := range strings.Lines(saved.Trees) {
		r.trees[strings.TrimSuffix(key, "\n")] = true
	}
}

// save keeps it for the next process. That is a saving of time: what cannot be written is
// found again.
func (r *refNumbers) save(m *Mutation, tips []git.Tip) {
	current := map[string]bool{}
	for _, tip := range tips {
		if r.tips[tip.Commit] {
			current[tip.Commit] = true
		}
	}
	r.tips = current
	if len(r.trees) > maxRefTrees {
		r.trees = map[string]bool{}
	}
	for series, list := range r.taken {
		slices.Sort(list)
		list = slices.Compact(list)
		r.taken[series] = list[:min(len(list), maxRefOutliers)]
	}
	keys := slices.DeleteFunc(slices.Sorted(maps.Keys(r.trees)), func(key string) bool { return strings.Contains(key, "\n") })
	data, err := json.Marshal(savedRefs{
		Layout: m.w.refsLayout(), Stamp: r.stamp, Numbers: r.taken,
		Tips: strings.Join(slices.Sorted(maps.Keys(current)), "\n"), Trees: strings.Join(keys, "\n"),
	})
	p, errPath := m.cacheFile(refsFile)
	if err == nil && errPath == nil {
		_ = m.put(p, string(data))
	}
}
