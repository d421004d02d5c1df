package history

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"

	"issues-index/store"
	"issues-index/store/git"
)

// A pathFollower finds the commits of one document, whatever the names of its file were.
type pathFollower struct {
	ws      *store.Workspace
	repo    *git.Repository
	subject Followed
	names   map[string]bool     // paths that the file has had
	renames map[string][]string // the paths before, by those after it, as git tells by similar bytes
	// commits are those that changed files of these names, and of other documents of the
	// same names or ids.
	commits  []git.Commit
	most     int // changes of files that are read
	complete bool
}

// follow finds the commits of a document. They are found by the name of its file and by its
// ids, in one log. Where that leaves a commit in which a file without these came to be, git
// is asked which file that was before.
func follow(ctx context.Context, ws *store.Workspace, repo *git.Repository, s Followed, most int) (*pathFollower, error) {
	f := &pathFollower{ws: ws, repo: repo, subject: s, names: map[string]bool{}, most: most, complete: true}
	specs := pathspecs(ws, s)
	for _, at := range s.paths {
		f.names[at] = true
	}
	if err := f.log(ctx, specs); err != nil {
		return nil, err
	}
	beginnings, commits := f.beginnings()
	if len(beginnings) == 0 {
		return f, nil
	}
	found, err := repo.Renames(ctx, commits, []string{git.Markdown})
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(beginnings, func(name string) bool { return len(found[name]) > 0 }) {
		return f, nil
	}
	if f.renames, err = repo.Renames(ctx, nil, []string{git.Markdown}); err != nil {
		return nil, err
	}
	for _, name := range f.earlier(beginnings) {
		f.names[name] = true
		specs = append(specs, git.Exactly(name))
	}
	if err := f.log(ctx, specs); err != nil {
		return nil, err
	}
	return f, nil
}

// log reads the commits, and finds the names among the files in them.
func (f *pathFollower) log(ctx context.Context, specs []string) (err error) {
	f.commits, f.complete, err = f.repo.Log(ctx, specs, f.most)
	if err != nil {
		return err
	}
	if name := f.lastName(); name != "" {
		f.names[name] = true
	}
	const mostRounds = 20 // of branches on which it was renamed again and again
	for range mostRounds {
		if !f.addNames() {
			return nil
		}
	}
	return nil
}

// pathspecs are those of the files that a document may have had.
func pathspecs(ws *store.Workspace, s Followed) (specs []string) {
	add := func(spec string) {
		if !slices.Contains(specs, spec) {
			specs = append(specs, spec)
		}
	}
	for _, at := range s.paths {
		add(git.Exactly(at))
	}
	for _, c := range ws.Collections {
		for _, at := range s.paths {
			add(git.Named(c.Dir, path.Base(at)))
		}
		for _, id := range s.ids {
			add(git.Identified(c.Dir, ws.FileID(id)))
		}
	}
	return specs
}

// lastName is the name under which the newest commit has the document, where what is checked
// out has it not under its name of now: it was moved since then, or it is gone.
func (f *pathFollower) lastName() (last string) {
	seen := map[string]bool{}
	for _, c := range f.commits {
		for _, change := range c.Changes {
			if seen[change.Path] {
				continue
			}
			seen[change.Path] = true
			_, err := f.ws.Stat(change.Path)
			switch {
			case f.names[change.Path] && change.New != "":
				return ""
			case f.names[change.Path]: // it had this name before
			case last != "" || !errors.Is(err, fs.ErrNotExist): // another document
			case f.subject.isName(f.ws, change.Path) || f.subject.isFile(change.Path):
				last = change.Path
			}
		}
	}
	return last
}

// addNames adds the names on the other sides of renames, and that under which the document was
// deleted before it came back. It reports whether there were any.
func (f *pathFollower) addNames() (added bool) {
	add := func(name string) {
		if name != "" && !f.names[name] {
			f.names[name], added = true, true
		}
	}
	for i, c := range f.commits {
		for _, s := range f.steps(c) {
			add(s.before.path)
			add(s.after.path)
			if s.before.object == "" && !added {
				add(f.deleted(f.commits[i+1:]))
			}
		}
	}
	return added
}

// deleted is the name of the newest file of the document's ids that some commits deleted, ""
// where another one of these took its place.
func (f *pathFollower) deleted(commits []git.Commit) string {
	for _, c := range commits {
		gone, came := "", false
		for _, change := range c.Changes {
			if f.subject.isName(f.ws, change.Path) {
				came = came || change.Old == ""
				if change.New == "" {
					gone = change.Path
				}
			}
		}
		if gone != "" && !came {
			return gone
		}
	}
	return ""
}

// beginnings are the names under which files came to be from nothing, with the commits.
func (f *pathFollower) beginnings() (names, commits []string) {
	for _, c := range f.commits {
		for _, step := range f.steps(c) {
			if step.before.object == "" && len(c.Parents) == 1 {
				names, commits = append(names, step.after.path), append(commits, c.Hash)
			}
		}
	}
	return names, commits
}

// earlier are the names that files had before they had these, and so on.
func (f *pathFollower) earlier(names []string) (found []string) {
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		for _, old := range f.renames[name] {
			if !f.names[old] && !slices.Contains(found, old) {
				found, names = append(found, old), append(names, old)
			}
		}
	}
	return found
}

// A fileVersion is a file in a commit, the zero one none.
type fileVersion struct{ path, object string }

// A step is what a commit did to the document, compared with one of its parents.
type step struct {
	parent        int
	before, after fileVersion
}

// steps are what a commit did to the document. There are several for a merge, and where a
// commit changed two copies of the file.
func (f *pathFollower) steps(c git.Commit) (steps []step) {
	for from := 0; from < len(c.Changes); {
		parent := c.Changes[from].Parent
		to := from
		for to < len(c.Changes) && c.Changes[to].Parent == parent {
			to++
		}
		steps = append(steps, f.pairs(parent, c.Changes[from:to])...)
		from = to
	}
	return steps
}

// pairs are the steps from one parent: a file that went away and one that came to be are one
// file where they seem to be.
func (f *pathFollower) pairs(parent int, changes []git.PathChange) (steps []step) {
	taken := make([]bool, len(changes))
	for _, alike := range []func(gone, came git.PathChange) bool{
		func(gone, came git.PathChange) bool { return gone.Old == came.New },
		func(gone, came git.PathChange) bool { return path.Base(gone.Path) == path.Base(came.Path) },
		func(gone, came git.PathChange) bool { return slices.Contains(f.renames[came.Path], gone.Path) },
		func(gone, came git.PathChange) bool { return f.sameID(gone.Path, came.Path) },
		func(gone, came git.PathChange) bool {
			return f.subject.isName(f.ws, gone.Path) && f.subject.isName(f.ws, came.Path)
		},
	} {
		for i, came := range changes {
			for j, gone := range changes {
				if taken[i] || taken[j] || came.Old != "" || gone.New != "" || !f.names[came.Path] && !f.names[gone.Path] || !alike(gone, came) {
					continue
				}
				taken[i], taken[j] = true, true
				steps = append(steps, step{parent, fileVersion{gone.Path, gone.Old}, fileVersion{came.Path, came.New}})
			}
		}
	}
	for i, c := range changes {
		if taken[i] || !f.names[c.Path] {
			continue
		}
		s := step{parent: parent}
		if c.Old != "" {
			s.before = fileVersion{c.Path, c.Old}
		}
		if c.New != "" {
			s.after = fileVersion{c.Path, c.New}
		}
		steps = append(steps, s)
	}
	return steps
}

// sameID reports whether the names of two files begin with one id.
func (f *pathFollower) sameID(a, b string) bool {
	one, ok := f.ws.FileNumber(a)
	other, okOther := f.ws.FileNumber(b)
	return ok && okOther && one == other
}
