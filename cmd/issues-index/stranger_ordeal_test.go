//go:build linux

package main

import (
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// startsAndAddresses are the system calls that start programs and name addresses.
const startsAndAddresses = "%process,bind,connect"

// An ordeal is a world with what a stranger planted in its workspace, for runs to endure.
type ordeal struct {
	*strangerWorld
	dir     string // that the program is run in, relative to the workspace
	planted string // what a reader needs to do the same by hand
	plants  []strangerPlant
	traced  bool // programs and addresses are checked, too
	listens bool // the program may listen at a loopback address
	starts  bool // servers must not refuse to start, since then nothing is tried
}

// endure carries runs out and reports each that changes something outside, starts a
// program, hangs, shows what is in a victim outside, or leaves files where the program
// keeps none. Runs that change nothing leave what is the user's in the workspace as it
// was, too. What one plant does to one folder is reported once.
func (o ordeal) endure(t *testing.T, runs []strangerRun) {
	t.Helper()
	outside, own, reported := o.outside(t), o.own(t), make(map[string]bool)
	for _, run := range runs {
		report := func(place, what string, led func(strangerPlant) bool) {
			t.Helper()
			planted := o.some(led)
			if !reported[place+planted] {
				t.Errorf("%v\n  in %s: %s\n  planted: %s", run, filepath.Join("repo", o.dir), what, planted)
			}
			reported[place+planted] = true
		}
		said, err := o.carryOut(t, run)
		if err != nil {
			report("run", err.Error(), func(strangerPlant) bool { return true })
			return // each that hangs costs its deadline
		}
		if o.starts && strings.HasPrefix(said, refusedToStart) {
			t.Fatalf("%v: %s", run, said)
		}
		laterOutside, laterOwn := o.outside(t), o.own(t)
		changes := outside.changes(laterOutside)
		if !run.changes {
			for path, change := range own.changes(laterOwn) {
				changes["repo/"+path] = change
			}
		}
		outside, own = laterOutside, laterOwn
		for _, path := range slices.Sorted(maps.Keys(changes)) {
			if path != "marks" && path != "victims" && path != "victims/free" { // something below it is reported
				place, _, _ := strings.Cut(path, "/")
				report(place, path+" "+changes[path], func(p strangerPlant) bool { return p.leadsTo(path) })
			}
		}
		for _, secret := range shownSecrets.FindAllString(said, -1) {
			report("answer", "shows what is in a file outside", func(p strangerPlant) bool {
				return strings.HasSuffix(p.victim, secret[len(secretOfVictim):])
			})
		}
	}
	o.checkOwnPlaces(t)
}

// carryOut is one run, traced where that is wanted.
func (o ordeal) carryOut(t *testing.T, run strangerRun) (said string, err error) {
	t.Helper()
	dir := filepath.Join(o.repo, o.dir)
	if !o.traced {
		return o.run(t, dir, nil, run)
	}
	said, seen, err := o.strangerWorld.traced(t, dir, startsAndAddresses, run)
	if err != nil {
		return said, err
	}
	about := fmt.Sprintf("%v\n  in %s, planted: %s", run, filepath.Join("repo", o.dir), o.planted)
	o.checkPrograms(t, about, run.git, seen)
	o.checkSockets(t, about, o.listens || run.pages != nil, seen)
	return said, nil
}

// some lists the first of the plants that are meant, else how the world was prepared.
func (o ordeal) some(which func(strangerPlant) bool) string {
	var meant []string
	for _, p := range o.plants {
		if which(p) {
			meant = append(meant, p.String())
		}
	}
	if len(meant) > 3 {
		meant = append(meant[:3], fmt.Sprintf("and %d more", len(meant)-3))
	}
	if o.planted != "" {
		meant = append(meant, o.planted)
	}
	return strings.Join(meant, "\n    ")
}

// leadsTo reports whether a plant is a link to a path of the world, or to a folder above it.
func (p strangerPlant) leadsTo(path string) bool {
	return p.target != "" && (path == p.victim || strings.HasPrefix(path, p.victim+"/"))
}

// checkOwnPlaces reports files in the folders for caches and temporary files that are
// none of the program's.
func (w *strangerWorld) checkOwnPlaces(t *testing.T) {
	t.Helper()
	for place, allowed := range map[string]string{"xdg": "issues-index", "tmp": ""} {
		entries, err := os.ReadDir(filepath.Join(w.base, place))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() != allowed {
				t.Errorf("%s is left in %s", e.Name(), place)
			}
		}
	}
}

// checkPrograms reports programs that may not be started: all but the user's git.
func (w *strangerWorld) checkPrograms(t *testing.T, about string, git bool, seen *systemTrace) {
	t.Helper()
	if len(seen.execs) == 0 || filepath.Base(seen.execs[0].path) != "issues-index" {
		t.Fatalf("%s\n  the trace does not begin with the program", about)
	}
	for _, exec := range seen.execs[1:] {
		name := filepath.Base(exec.path)
		if isGit := name == "git" || strings.HasPrefix(name, "git-"); !isGit || !git || strings.HasPrefix(exec.path, w.base) {
			t.Errorf("%s\n  %s started %s %v", about, exec.by, exec.path, exec.args)
			return // what follows is mostly its doing
		}
	}
}

// checkSockets reports addresses that may not be listened at, or connected to: those
// that the environment does not name. The C library may ask the name service: git's does, and the
// program's for the name of its user where the environment has none.
func (w *strangerWorld) checkSockets(t *testing.T, about string, listens bool, seen *systemTrace) {
	t.Helper()
	for _, socket := range seen.sockets {
		internet := socket.family == "AF_INET" || socket.family == "AF_INET6"
		named := slices.ContainsFunc(w.env, func(v string) bool { return strings.Contains(v, "//"+socket.address+":") })
		switch {
		case !internet && (socket.program != "issues-index" || strings.HasSuffix(socket.address, `/nscd/socket"`)):
		case socket.call == "connect" && named:
		case socket.call == "bind" && listens && net.ParseIP(socket.address).IsLoopback():
		default:
			t.Errorf("%s\n  %s: %s to %s %s", about, socket.program, socket.call, socket.family, socket.address)
			return // the others are mostly the same
		}
	}
}
