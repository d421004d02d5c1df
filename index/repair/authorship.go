package repair

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"issues-index/store"
	"issues-index/store/git"
	"issues-index/store/merge"
)

// authorship says by git which commits made documents and wrote lines, and which documents
// the author of a commit had before him. Without a repository it knows nothing.
type authorship struct {
	ws      *store.Workspace
	repo    *git.Repository // nil without one
	why     string          // there is none
	objects *git.Objects
	tree    map[string]string // the objects of the files of HEAD, by path

	place   map[string]int // of each commit in an order that has parents first
	parents [][]int
	changes []git.Commit // that changed files of collections, the newest first
	whole   bool         // these are all
	events  map[string][]pathEvent
	times   map[string]time.Time // of these commits

	writers map[string][]string // who wrote the lines of files, by path
	known   map[string][]bool   // what knowing has found, by the commits
}

// A pathEvent is what a commit did to a file, the newest first. Those of merges are left out.
type pathEvent struct {
	commit *git.Commit
	change git.PathChange
}

// readAuthorship reads what is needed of all documents; everywhere says to read the other
// files of the repository, too.
func readAuthorship(ctx context.Context, ws *store.Workspace, everywhere bool) (*authorship, error) {
	a := &authorship{ws: ws, writers: map[string][]string{}, place: map[string]int{}, events: map[string][]pathEvent{}, times: map[string]time.Time{}, known: map[string][]bool{}}
	repo, err := git.OpenRepository(ctx, ws.Root)
	if none := (*git.UnreadableError)(nil); errors.As(err, &none) {
		a.why = none.Reason
		return a, nil
	}
	if err != nil {
		return nil, err
	}
	order, parents, err := repo.Ancestry(ctx)
	if err != nil {
		return nil, err
	}
	a.parents = make([][]int, len(order))
	for i, commit := range order {
		a.place[commit] = i
		for _, parent := range parents[commit] {
			if at, ok := a.place[parent]; ok {
				a.parents[i] = append(a.parents[i], at)
			}
		}
	}
	var dirs, specs []string
	for _, c := range ws.Collections {
		dirs, specs = append(dirs, c.Dir), append(specs, git.Exactly(c.Dir))
	}
	if everywhere {
		dirs = []string{"."}
	}
	if a.tree, err = repo.Tree(ctx, repo.Head, dirs); err != nil {
		return nil, err
	}
	if a.changes, a.whole, err = repo.Log(ctx, specs, git.MostChanges); err != nil {
		return nil, err
	}
	for i := range a.changes {
		c := &a.changes[i]
		a.times[c.Hash] = c.Time
		if _, ok := a.place[c.Hash]; !ok || len(c.Parents) > 1 {
			continue
		}
		for _, change := range c.Changes {
			a.events[change.Path] = append(a.events[change.Path], pathEvent{c, change})
		}
	}
	if a.objects, err = repo.Objects(ctx); err != nil {
		return nil, err
	}
	a.repo = repo
	return a, nil
}

func (a *authorship) close() {
	if a.objects != nil {
		a.objects.Close()
	}
}

// knowing marks the commits that come after one of some commits, or are one, by place.
func (a *authorship) knowing(commits []string) []bool {
	key := strings.Join(commits, " ")
	if known, ok := a.known[key]; ok {
		return known
	}
	known := make([]bool, len(a.parents))
	a.known[key] = known
	for _, c := range commits {
		if at, ok := a.place[c]; ok {
			known[at] = true
		}
	}
	for i, parents := range a.parents {
		known[i] = known[i] || slices.ContainsFunc(parents, func(p int) bool { return known[p] })
	}
	return known
}

// A birth is what is known of the beginning of a document.
type birth struct {
	known   bool
	commits []string  // that made it, none while it is not committed
	since   time.Time // of the first of them
}

// birthOf finds the commits that made a document, under the names that its file had.
func (a *authorship) birthOf(file string) birth {
	real, err := a.ws.Resolve(file)
	if a.repo == nil || err != nil || real != file {
		return birth{}
	}
	if a.tree[file] == "" {
		return birth{known: true}
	}
	b := birth{commits: a.makers(file, nil, 0)}
	for _, commit := range b.commits {
		if at := a.times[commit]; b.since.IsZero() || at.Before(b.since) {
			b.since = at
		}
	}
	b.known = a.whole && len(b.commits) > 0
	return b
}

// makers returns the commits that added a file which a later one has not deleted. Where the
// commit has renamed it, they are those that made the old one. Only the commits before one
// count, if it is given.
func (a *authorship) makers(file string, before []bool, depth int) (commits []string) {
	const deepest = 50 // renames
	var added, deleted []*git.Commit
	for _, e := range a.events[file] {
		switch {
		case len(before) > 0 && !before[a.place[e.commit.Hash]]:
		case e.change.Old == "":
			added = append(added, e.commit)
		case e.change.New == "":
			deleted = append(deleted, e.commit)
		}
	}
	alive := slices.DeleteFunc(slices.Clone(added), func(c *git.Commit) bool {
		return slices.ContainsFunc(deleted, func(d *git.Commit) bool { return a.knowing([]string{c.Hash})[a.place[d.Hash]] })
	})
	if len(alive) == 0 { // a merge has brought it back
		alive = added
	}
	for _, c := range alive {
		if old := a.renamed(c, file); old != "" && depth < deepest {
			if earlier := a.makers(old, a.ancestors(c.Hash), depth+1); len(earlier) > 0 {
				commits = append(commits, earlier...)
				continue
			}
		}
		commits = append(commits, c.Hash)
	}
	return commits
}

// renamed returns the old name of a file that a commit has added: that of one which it has
// deleted, with the same bytes, the same name in another folder, the same id, or the same
// name behind another id.
func (a *authorship) renamed(c *git.Commit, file string) (old string) {
	i := slices.IndexFunc(c.Changes, func(change git.PathChange) bool { return change.Path == file })
	for _, change := range c.Changes {
		if change.New != "" || change.Path == file {
			continue
		}
		if change.Old == c.Changes[i].New {
			return change.Path
		}
		if path.Base(change.Path) == path.Base(file) || a.sameNumber(change.Path, file) || a.sameTitle(change.Path, file) {
			old = change.Path
		}
	}
	return old
}

// sameNumber reports whether the names of two files begin with one id.
func (a *authorship) sameNumber(one, other string) bool {
	c, ok := a.ws.CollectionOf(one)
	if !ok {
		return false
	}
	numbers := a.ws.IDNumbers(c.Type, stem(one))
	return len(numbers) > 0 && slices.Equal(numbers, a.ws.IDNumbers(c.Type, stem(other)))
}

// sameTitle reports whether the names of two files say the same behind their ids.
func (a *authorship) sameTitle(one, other string) bool {
	title := func(file string) string {
		name := stem(file)
		for start, end := range a.ws.Layout.Mentions(name) {
			if start == 0 {
				return name[end:]
			}
			break
		}
		return ""
	}
	return title(one) != "" && strings.EqualFold(title(one), title(other))
}

// ancestors marks a commit and those before it, by place.
func (a *authorship) ancestors(commit string) []bool {
	marked := make([]bool, len(a.parents))
	next := []int{a.place[commit]}
	for len(next) > 0 {
		at := next[len(next)-1]
		next = next[:len(next)-1]
		if !marked[at] {
			marked[at] = true
			next = append(next, a.parents[at]...)
		}
	}
	return marked
}

// earlierVersions returns the objects that a path had in commits before one.
func (a *authorship) earlierVersions(file, commit string) (objects []string) {
	if a.repo == nil {
		return nil
	}
	before := a.ancestors(commit)
	for _, e := range a.events[file] {
		if before[a.place[e.commit.Hash]] && e.change.New != "" {
			objects = append(objects, e.change.New)
		}
	}
	return objects
}

// isNewIn reports whether a commit made a file, or changed one in which something was not found
// before.
func (a *authorship) isNewIn(commit, file string, found func(text string) bool) bool {
	i := slices.IndexFunc(a.events[file], func(e pathEvent) bool { return e.commit.Hash == commit })
	if i < 0 || a.events[file][i].change.Old == "" {
		return i >= 0
	}
	before, err := a.objects.Read(a.events[file][i].change.Old, store.MaxFileSize)
	return err == nil && !found(string(before))
}

// writer returns the commit that wrote a line of a file with these bytes, by its number from
// 1; "" for one that is not committed.
func (a *authorship) writer(ctx context.Context, file string, data []byte, line int) (string, error) {
	writers, ok := a.writers[file]
	if !ok && a.repo != nil && a.tree[file] != "" {
		committed, err := a.objects.Read(a.tree[file], store.MaxFileSize)
		if err != nil {
			return "", err
		}
		blamed, err := a.repo.Blame(ctx, file)
		if err != nil {
			return "", err
		}
		writers = carryOver(string(committed), string(data), blamed)
		a.writers[file] = writers
	}
	if line < 1 || line > len(writers) {
		return "", nil
	}
	return writers[line-1], nil
}

// carryOver gives the lines of a text the authors of the same lines of an older one. The
// others have none.
func carryOver(old, now string, authors []string) []string {
	was, is := strings.Split(strings.ReplaceAll(old, "\r", ""), "\n"), strings.Split(strings.ReplaceAll(now, "\r", ""), "\n")
	carried := make([]string, len(is))
	from, to := 0, 0
	keep := func(end int) {
		for ; from < end; from, to = from+1, to+1 {
			if from < len(authors) && to < len(carried) {
				carried[to] = authors[from]
			}
		}
	}
	for _, c := range merge.Lines(was, is) {
		keep(c.FromStart)
		from, to = c.FromEnd, c.ToEnd
	}
	keep(len(was))
	return carried
}
