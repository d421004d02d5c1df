package store

import (
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sightings are the highest numbers that this process has ever seen, and what
// it needs to see new ones without looking at everything again. It is used
// under the lock only.
type sightings struct {
	highest map[string]int // by type
	dirs    map[string]*sighted
}

// A sighted directory is one of another worktree.
type sighted struct {
	stamp   Stat            // as of the last look; zero when it may have changed since
	folders []string        // directories in it
	read    map[string]bool // names without a number, whose files were read for their ids
}

func newSightings() *sightings {
	return &sightings{highest: map[string]int{}, dirs: map[string]*sighted{}}
}

func (s *sightings) see(typ string, number int) {
	s.highest[typ] = max(s.highest[typ], number)
}

// seeName counts an id or a file name without .md, and reports whether it has a
// number.
func (s *sightings) seeName(collection, name string) bool {
	typ, number, ok := IDNumber(collection, name)
	if ok {
		s.see(typ, number)
	}
	return ok
}

// seeGiven counts the numbers in a file of those given out, and returns them. What is
// no number there counts as none: the file may be missing, or torn by a crash of
// the machine.
func (s *sightings) seeGiven(data []byte) (highest map[string]int) {
	highest = map[string]int{}
	for line := range strings.Lines(string(data)) {
		prefix, digits, _ := strings.Cut(strings.TrimSpace(line), " ")
		number, err := strconv.Atoi(digits)
		for typ, known := range idPrefixes {
			if known == prefix && err == nil && number <= maxIDNumber {
				highest[typ] = number
				s.see(typ, number)
			}
		}
	}
	return highest
}

// lookAround reads every document of the workspace: names and ids may differ.
func (s *sightings) lookAround(ctx context.Context, w *Workspace) error {
	listing, err := w.List(ctx)
	if err != nil {
		return err
	}
	for _, f := range listing.Files {
		s.seeName(f.Collection.Type, stem(f.Path))
		if doc, _, err := w.Load(f.Path); err == nil {
			s.seeName(f.Collection.Type, doc.ID)
		}
	}
	return nil
}

func stem(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }

// lookIntoWorktrees sees the numbers that the repository's other worktrees have
// given out, and their documents by their names; it reads those whose names have no
// number. A directory that has
// not changed is not listed again, so that the cost is that of describing a few
// directories. What cannot be read there is not ours to complain about.
func (s *sightings) lookIntoWorktrees(w *Workspace) {
	for _, root := range w.otherWorktrees() {
		handle, err := os.OpenRoot(root)
		if err != nil {
			continue
		}
		other := &Workspace{Root: root, Collections: w.Collections, root: handle}
		if data, _, err := other.Read(path.Join(cacheDir, idsFile)); err == nil {
			s.seeGiven(data)
		}
		for _, c := range other.Collections {
			s.lookInto(other, c, c.Dir)
		}
		closeQuietly(other)
	}
}

// settleTime is how old a directory's time must be to prove that nothing
// changed since: file systems count time in steps of up to two seconds.
const settleTime = 3 * time.Second

func (s *sightings) lookInto(w *Workspace, c Collection, dir string) {
	f, err := w.openDir(dir)
	if err != nil {
		return
	}
	defer closeQuietly(f)
	info, err := f.Stat()
	if err != nil || !info.IsDir() {
		return
	}
	key := path.Join(w.Root, dir)
	d := s.dirs[key]
	if d == nil {
		d = &sighted{read: map[string]bool{}}
		s.dirs[key] = d
	}
	if stamp := statOf(info); d.stamp != stamp {
		names, err := f.Readdirnames(-1)
		if err != nil {
			return
		}
		d.folders = nil
		for _, name := range names {
			s.lookAt(w, c, d, path.Join(dir, name))
		}
		d.stamp = Stat{}
		if time.Since(info.ModTime()) > settleTime {
			d.stamp = stamp
		}
	}
	for _, folder := range slices.Clone(d.folders) {
		s.lookInto(w, c, folder)
	}
}

// lookAt sees one name in a directory.
func (s *sightings) lookAt(w *Workspace, c Collection, d *sighted, p string) {
	switch name := path.Base(p); {
	case name[0] == '.' || d.read[name]:
	case !documentName(name):
		if info, err := w.root.Lstat(p); err == nil && info.Mode()&fs.ModeType == fs.ModeDir {
			d.folders = append(d.folders, p)
		}
	case !s.seeName(c.Type, stem(name)):
		d.read[name] = true
		if data, st, err := w.Read(p); err == nil {
			s.seeName(c.Type, w.Parse(File{Path: p, Collection: c, Stat: st}, data, nil).ID)
		}
	}
}
