//go:build linux

package main

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"issues-index/store/storetest"
)

// A repository from a stranger can hold a link, a pipe or another program's file at any
// path that the program opens. The test finds these paths by tracing runs of every command
// and calls of every tool in an honest workspace. Without -long it tries the most harmful
// plants.
func TestStrangersPlantsHarmNobody(t *testing.T) {
	needStraceOfAll(t)
	w := newStrangerWorld(t)
	trace := traceHonestly(t, w)
	// Git's own folders have a test of their own.
	tried := func(name string) bool { return storetest.Long() || strings.HasPrefix(name, ".wrangler/") }
	t.Run("at every path that is written", func(t *testing.T) {
		paths := trace.own(func(p *tracedPath) bool { return !p.folder && p.writes && !trace.isGate(p) })
		kinds, runs := leafKinds, trace.runs
		if !storetest.Long() {
			kinds, runs = []plantKind{linkToFile, linkToNothing}, trace.cover(paths...)
		}
		for _, kind := range kinds {
			w.together(t, string(kind), kind, paths, runs)
		}
	})
	t.Run("at the files of each folder that are read", func(t *testing.T) {
		byFolder := make(map[string][]*tracedPath)
		for _, path := range trace.own(func(p *tracedPath) bool { return !p.folder && !p.writes && tried(p.name) }) {
			if !storetest.Long() && !strings.HasPrefix(path.name, ".wrangler/cache") && !strings.HasPrefix(path.name, ".wrangler/config") {
				continue
			}
			byFolder[filepath.Dir(path.name)] = append(byFolder[filepath.Dir(path.name)], path)
		}
		for _, folder := range slices.Sorted(maps.Keys(byFolder)) {
			kinds := []plantKind{linkToFile}
			if storetest.Long() {
				kinds = append(kinds, pipe)
			}
			for _, kind := range kinds {
				w.together(t, folder+", "+string(kind), kind, byFolder[folder], trace.cover(byFolder[folder]...))
			}
		}
	})
	t.Run("in place of each folder", func(t *testing.T) {
		for _, folder := range trace.own(func(p *tracedPath) bool { return p.folder && tried(p.name) }) {
			below := trace.own(func(p *tracedPath) bool {
				inside, err := filepath.Rel(folder.name, p.name)
				return err == nil && filepath.IsLocal(inside)
			})
			kinds := []plantKind{linkedFolder}
			if storetest.Long() {
				kinds = append(kinds, linkedToEmpty)
			}
			for _, kind := range kinds {
				w.together(t, folder.name+", "+string(kind), kind, []*tracedPath{folder}, trace.cover(below...))
			}
		}
	})
	t.Run("at each path alone", func(t *testing.T) {
		alone := func(p *tracedPath) bool {
			// Where the program refuses one of the files that it keeps for itself, it does
			// without the others: planted together, one would hide the rest.
			return !p.folder && (storetest.Long() || trace.isGate(p) && strings.HasPrefix(p.name, ".wrangler/cache/"))
		}
		for _, path := range trace.own(alone) {
			kinds := []plantKind{linkToNothing}
			if storetest.Long() {
				kinds = leafKinds
			}
			for _, kind := range kinds {
				w.together(t, path.name+", "+string(kind), kind, []*tracedPath{path}, trace.cover(path))
			}
		}
	})
}

// together plants one kind at all of the paths in a copy of the world, and carries the
// runs out. Links are absolute and relative in turn; with -long, both.
func (w *strangerWorld) together(t *testing.T, name string, kind plantKind, paths []*tracedPath, runs []strangerRun) {
	t.Helper()
	if kind == pipe { // git writes the files of a merge, and has no pipes
		runs = slices.DeleteFunc(slices.Clone(runs), func(r strangerRun) bool { return slices.Contains(r.args, "merge-driver") })
	}
	turns := 1
	if storetest.Long() && kind != foreignFile && kind != pipe {
		turns = 2
	}
	for turn := range turns {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stranger := w.copy(t)
			var plants []strangerPlant
			for i, path := range paths {
				if kind == pipe && path.git {
					continue // git itself waits for a pipe in its folder, as it does for its user
				}
				for _, at := range path.names(t) {
					plants = append(plants, stranger.plant(t, kind, at, len(plants), i%2 == turn))
				}
			}
			ordeal{strangerWorld: stranger, plants: plants}.endure(t, runs)
		})
	}
}
