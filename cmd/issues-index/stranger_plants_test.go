//go:build linux

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A strangerPlant is what a stranger put at a path of the workspace.
type strangerPlant struct {
	kind   plantKind
	path   string // relative to the workspace
	target string // where it leads, "" where it is no link
	victim string // what it leads to, relative to the world
}

func (p strangerPlant) String() string {
	if p.target == "" {
		return fmt.Sprintf("%s: %s", p.path, p.kind)
	}
	return fmt.Sprintf("%s -> %s: %s", p.path, p.target, p.kind)
}

// A plantKind is a kind of plants.
type plantKind string

const (
	linkToFile    plantKind = "link to a file outside"
	linkToNothing plantKind = "link to a name outside that is free"
	linkToFolder  plantKind = "link to a folder outside"
	linkToOwnFile plantKind = "link to a file of the user's in the workspace"
	foreignFile   plantKind = "file with text of another program"
	pipe          plantKind = "named pipe"
	linkedFolder  plantKind = "folder that is a link to one outside with the same files"
	linkedToEmpty plantKind = "folder that is a link to an empty one outside"
)

// secretOfVictim begins what stands in a victim, before its number.
const secretOfVictim = "secret-of-victim-"

var shownSecrets = regexp.MustCompile(secretOfVictim + `\d{4}`)

// leafKinds are the kinds of plants in the place of a file.
var leafKinds = []plantKind{linkToFile, linkToNothing, linkToFolder, linkToOwnFile, foreignFile, pipe}

// pidNeighbours is how many process ids of the near future a name with one is planted
// for. The threads of the runs before take some of them.
const pidNeighbours = 64

// names are those to plant a path at: names with process ids that soon will be.
func (p *tracedPath) names(t *testing.T) []string {
	t.Helper()
	if !strings.Contains(p.name, pidMark) {
		return []string{p.name}
	}
	load, err := os.ReadFile("/proc/loadavg") // its last word is the process id given out last
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(load))
	last, err := strconv.Atoi(words[len(words)-1])
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for pid := last; pid < last+pidNeighbours; pid++ {
		names = append(names, strings.ReplaceAll(p.name, pidMark, strconv.Itoa(pid)))
	}
	return names
}

// plant puts something in the place of a path, and gives it a victim of its own. relative
// says how a link names it.
func (w *strangerWorld) plant(t *testing.T, kind plantKind, path string, number int, relative bool) strangerPlant {
	t.Helper()
	name := filepath.Base(path)
	p := strangerPlant{kind: kind, path: path, victim: fmt.Sprintf("victims/%04d", number)}
	secret := fmt.Sprintf("%s%04d", secretOfVictim, number)
	if kind == linkToOwnFile {
		secret = "a file of the user's" // which may be shown
	}
	text := secret + ": " + secret + "\n"
	switch filepath.Ext(path) {
	case ".md":
		text = "---\nid: ISS-00077" + strconv.Itoa(number%10) + "\ntitle: " + secret + "\n---\nhook " + secret + "\n"
	case ".json", ".jsonl":
		text = fmt.Sprintf("{\"id\": %q, \"status\": \"running\"}\n", secret)
	}
	files := map[string]string{}
	switch kind {
	case linkToFile:
		files[p.victim] = text
	case linkToNothing:
		p.victim = fmt.Sprintf("victims/free/%04d", number)
		files["victims/free/not"] = "not free\n"
	case linkToFolder:
		files[p.victim+"/"+name] = text
	case linkToOwnFile:
		p.victim = fmt.Sprintf("repo/docs/%04d.txt", number)
		files[p.victim] = text
	case linkedFolder, linkedToEmpty:
		w.mustMkdir(t, p.victim)
		if kind == linkedFolder {
			w.copyFolder(t, path, p.victim)
		}
	}
	plantFiles(t, w.base, files)
	w.clear(t, path)
	place := filepath.Join(w.repo, path)
	var err error
	switch kind {
	case foreignFile:
		err = os.WriteFile(place, []byte("SQLite format 3\x00 of another program\n"), 0o644)
	case pipe:
		err = syscall.Mkfifo(place, 0o644)
	default:
		p.target = filepath.Join(w.base, p.victim)
		if relative {
			if p.target, err = filepath.Rel(filepath.Dir(place), p.target); err != nil {
				t.Fatal(err)
			}
		}
		err = os.Symlink(p.target, place)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (w *strangerWorld) mustMkdir(t *testing.T, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(w.base, name), 0o755); err != nil {
		t.Fatal(err)
	}
}

// clear makes room for a plant: its folder is there, and nothing else.
func (w *strangerWorld) clear(t *testing.T, path string) {
	t.Helper()
	place := filepath.Join(w.repo, path)
	if err := errors.Join(os.RemoveAll(place), os.MkdirAll(filepath.Dir(place), 0o755)); err != nil {
		t.Fatal(err)
	}
}

// copyFolder copies the files of a folder of the workspace, which need not be there.
func (w *strangerWorld) copyFolder(t *testing.T, from, to string) {
	t.Helper()
	source := filepath.Join(w.repo, from)
	if _, err := os.Stat(source); errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err := os.CopyFS(filepath.Join(w.base, to), os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
}
