package workspaces

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"issues-index/store"
	"issues-index/store/cachedir"
	"issues-index/store/git"
)

// An Ask says which workspace a call is about.
type Ask struct {
	// Workspace is what the caller names: a workspace's name, or a path or file:// URI of it
	// or of anything in it. "" names none.
	Workspace string
	// Name is the name of a workspace and nothing else: no path leads there. "" names none.
	Name string
	// Roots returns the folders that the client has open, as absolute paths; nil for none. It
	// is called only where it matters.
	Roots func() []string
	// Only are the workspaces that the caller may use, by name or as absolute paths; nil for
	// all that are served.
	Only []string
}

// A RefusedError says that a workspace is not served.
type RefusedError struct {
	Given  string // as the caller wrote it
	Reason string // completes "workspace X …"
	Pinned bool   // there is no other workspace than the first allowed one
	// Limited says that the caller may not use all that are served. Allowed are those that it may.
	Limited bool
	// Allowed are the workspaces that are served, the start workspace first.
	Allowed []AllowedRoot
}

// An AllowedRoot is a workspace that is served.
type AllowedRoot struct {
	Name string // "" for one without
	Root string

	alone bool // what lies in it is not served
}

func (e *RefusedError) Error() string { return fmt.Sprintf("workspace %q %s", e.Given, e.Reason) }

// maxListed bounds what a refusal lists.
const maxListed = 20

// locate returns the root of the workspace of a call.
func (p *Pool[T]) locate(ask Ask) (root string, isStart bool, err error) {
	start := p.o.Start.Root()
	if ask.Name != "" || ask.Workspace != "" {
		root, err = p.named(start, ask)
		return root, root == start, err
	}
	root = start
	if !p.o.Pinned && ask.Roots != nil {
		root = p.ofRoots(start, ask.Roots())
	}
	if ask.Only != nil {
		root, err = p.limited(root, ask)
	}
	return root, root == start, err
}

// limited returns the root of a call that names no workspace, and whose caller may use some
// only: where the usual one is not among them, the caller's own, if there is just one.
func (p *Pool[T]) limited(usual string, ask Ask) (string, error) {
	allowed := p.allowed(p.o.Start.Root(), nil).only(ask.Only)
	refused := p.refusal(ask, allowed)
	switch {
	case allowed.allow(usual):
		return usual, nil
	case len(allowed) == 1:
		return allowed[0].place(refused)
	}
	return "", refused("is not one that this caller may use")
}

// Permits reports whether a caller who may use these workspaces only may use the start one.
func (p *Pool[T]) Permits(only []string) bool {
	start := p.o.Start.Root()
	return only == nil || p.allowed(start, nil).only(only).allow(start)
}

// ofRoots returns the workspace of a client that has these folders open: the start one where
// it lies in one of them, else that of the first folder that is there.
func (p *Pool[T]) ofRoots(start string, roots []string) string {
	// The start is a real path. Whatever it lies in by its name is one, too.
	if slices.ContainsFunc(roots, func(root string) bool { return cachedir.Inside(filepath.Clean(root), start) }) {
		return start
	}
	found := ""
	allowed := p.allowed(start, nil)
	for _, given := range roots {
		if !filepath.IsAbs(given) {
			continue
		}
		if real, err := cachedir.RealPath(given); err == nil && cachedir.Inside(real, start) {
			return start
		}
		if root, err := store.RootOf(given, allowed.holds); err == nil && found == "" {
			found = allowed.samePlace(root)
		}
	}
	if found == "" {
		return start
	}
	return found
}

// refusal returns the error for a workspace, with a reason.
func (p *Pool[T]) refusal(ask Ask, allowed allowList) func(reason string) error {
	return func(reason string) error {
		return &RefusedError{
			Given: cmp.Or(ask.Name, ask.Workspace), Reason: reason,
			Pinned: p.o.Pinned, Limited: ask.Only != nil, Allowed: allowed.list(),
		}
	}
}

// place returns the real path of a workspace that has a name.
func (one AllowedRoot) place(refused func(reason string) error) (string, error) {
	if real, err := cachedir.RealPath(one.Root); err == nil && isDir(real) {
		return real, nil
	}
	return "", refused("is " + one.Root + ", where there is no folder")
}

// Names are the names of the workspaces that a caller may open who may use these only, nil for
// all, in order.
func (p *Pool[T]) Names(only []string) []string {
	if p.o.Pinned {
		return nil
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(p.o.Named())), func(name string) bool {
		return only != nil && !slices.Contains(only, name)
	})
}

// named returns the workspace that a caller names.
func (p *Pool[T]) named(start string, ask Ask) (string, error) {
	given := cmp.Or(ask.Name, ask.Workspace)
	var roots []string
	if !p.o.Pinned && ask.Roots != nil && ask.Name == "" {
		roots = ask.Roots()
	}
	allowed := p.allowed(start, roots).only(ask.Only)
	refused := p.refusal(ask, allowed)
	for _, one := range allowed {
		if one.Name == given {
			return one.place(refused)
		}
	}
	if ask.Name != "" {
		return "", refused("is not the name of one that this server may open")
	}
	path, err := expand(given, start)
	if err != nil {
		return "", refused(err.Error())
	}
	root, err := store.RootOf(path, allowed.holds)
	if err == nil {
		root = allowed.samePlace(root)
	}
	switch {
	case err != nil && allowed.around(filepath.Clean(path)):
		return "", refused("does not exist")
	case err != nil || !allowed.allow(root): // nothing is said of other folders
		return "", refused("is not one that this server may open")
	}
	return root, nil
}

// An allowList has the workspaces that the user has allowed, the start workspace first. What
// lies in them is allowed, too, and so are their git worktrees.
type allowList []AllowedRoot

// allowed returns the list for a client that has these folders open.
func (p *Pool[T]) allowed(start string, roots []string) allowList {
	if p.o.Pinned {
		return allowList{{Root: start, alone: true}}
	}
	// Some clients start servers in the home folder. That allows nothing of what is in it.
	all := allowList{{Root: start, alone: !store.IsWorkspace(start) || holdsHome(start)}}
	named := p.o.Named()
	for _, name := range slices.Sorted(maps.Keys(named)) {
		root := named[name]
		if real, err := cachedir.RealPath(root); err == nil {
			root = real
		}
		all = append(all, AllowedRoot{Name: name, Root: root})
	}
	for _, given := range roots {
		if root, err := store.RootOf(given, all.holds); err == nil && filepath.IsAbs(given) {
			all = append(all, AllowedRoot{Root: root})
		}
	}
	return all
}

// holdsHome reports whether the user's home folder is, or lies in, a directory. It may well
// have a .wrangler of another program.
func holdsHome(dir string) bool {
	home, err := os.UserHomeDir()
	if err == nil {
		home, err = cachedir.RealPath(home)
	}
	return err == nil && cachedir.Inside(dir, home)
}

// holds reports whether a directory is on the list.
func (p allowList) holds(dir string) bool {
	return slices.ContainsFunc(p, func(one AllowedRoot) bool { return one.Root == dir })
}

// only returns what of the list a caller may use who was given some workspaces: by name, or as
// paths of what is on the list or lies in it.
func (p allowList) only(given []string) allowList {
	if given == nil {
		return p
	}
	kept := allowList{}
	for _, one := range given {
		real, err := cachedir.RealPath(one)
		isPath := err == nil && filepath.IsAbs(one) // a name is none, whatever lies in the working directory
		at := slices.IndexFunc(p, func(a AllowedRoot) bool { return a.Name == one || isPath && a.Root == real })
		switch {
		case at >= 0:
			kept = append(kept, p[at])
		case isPath && p.allow(real):
			kept = append(kept, AllowedRoot{Root: real})
		}
	}
	return kept
}

// around reports whether a path is on the list, or lies in what is.
func (p allowList) around(path string) bool {
	return slices.ContainsFunc(p, func(one AllowedRoot) bool {
		return one.Root == path || !one.alone && cachedir.Inside(one.Root, path)
	})
}

// allow reports whether a root, which is a real path, is on the list, lies in what is, or has
// the same place in another worktree of its repository.
func (p allowList) allow(root string) bool {
	if p.around(root) {
		return true
	}
	top, common := git.Checkout(root)
	return common != "" && slices.ContainsFunc(p, func(one AllowedRoot) bool {
		oneTop, oneCommon := git.Checkout(one.Root)
		if one.alone || oneCommon != common {
			return false
		}
		rel, err := filepath.Rel(oneTop, one.Root)
		return err == nil && cachedir.Inside(filepath.Join(top, rel), root)
	})
}

// samePlace returns the root that a worktree stands for which has no documents at its top:
// that at the place which a workspace on the list has in its own worktree.
func (p allowList) samePlace(root string) string {
	if store.HoldsWrangler(root) || p.holds(root) {
		return root
	}
	top, common := git.Checkout(root)
	if top != root {
		return root
	}
	for _, one := range p {
		oneTop, oneCommon := git.Checkout(one.Root)
		rel, err := filepath.Rel(oneTop, one.Root)
		if err == nil && oneCommon == common && store.HoldsWrangler(filepath.Join(root, rel)) {
			return filepath.Join(root, rel)
		}
	}
	return root
}

// list returns the list with the worktrees for a refusal, without doubles.
func (p allowList) list() []AllowedRoot {
	listed := slices.Clone(p)
	for _, one := range p {
		if one.alone {
			continue
		}
		for _, root := range git.OtherWorktrees(one.Root) {
			listed = append(listed, AllowedRoot{Root: root})
		}
	}
	var all []AllowedRoot
	for _, one := range listed {
		double := slices.ContainsFunc(all, func(other AllowedRoot) bool {
			return other.Root == one.Root && (one.Name == "" || other.Name == one.Name)
		})
		if !double && len(all) < maxListed {
			all = append(all, one)
		}
	}
	return all
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// expand returns the path that a caller means, relative to the start workspace unless it is
// absolute.
func expand(given, start string) (string, error) {
	path := given
	switch {
	case strings.ContainsRune(given, 0):
		return "", errors.New("has a NUL byte")
	case IsURI(given):
		return PathOf(given)
	case given == "~" || strings.HasPrefix(given, "~/"):
		home, err := os.UserHomeDir()
		if err != nil {
			return "", errors.New("needs a home folder, which is not known")
		}
		path = filepath.Join(home, strings.TrimPrefix(given, "~"))
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(start, filepath.FromSlash(path))
	}
	return path, nil
}
