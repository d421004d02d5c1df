//go:build linux

package main

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Everything is traced that the program asks of the system with a path, with a process
// and with an address.
const wholeTrace = "%file,%process,%network"

// A tracedPath is a path below the workspace that the program names in a system call,
// whether there is anything or not: what is not there yet, a stranger may plant.
type tracedPath struct {
	name   string // relative to the workspace; pidMark stands for the program's process id
	folder bool   // something below it is named, too
	writes bool   // some call may make, change, rename or remove it
	git    bool   // git opens it, too
	calls  map[int]map[string]bool
}

// pidMark stands for a process id in a traced name.
const pidMark = "{pid}"

// toWrite ends the name of a call that may change what it names.
const toWrite = " to write"

// A strangerTrace is what all runs do in an honest workspace.
type strangerTrace struct {
	runs  []strangerRun
	paths map[string]*tracedPath
}

// traceHonestly traces every run, in order, in a copy of an honest world.
func traceHonestly(t *testing.T, w *strangerWorld) *strangerTrace {
	t.Helper()
	honest := w.copy(t)
	outside := honest.outside(t)
	trace := &strangerTrace{runs: strangerRuns(t, w.sessionID), paths: make(map[string]*tracedPath)}
	for i, run := range trace.runs {
		said, seen, err := honest.traced(t, honest.repo, wholeTrace, run)
		if err != nil {
			t.Fatalf("in an honest workspace, %v: %v", run, err)
		}
		for _, call := range run.calls {
			connector := !strings.HasPrefix(call.tool, "issues_") && !strings.HasPrefix(call.tool, "session_")
			if !strings.Contains(said, call.tool+" answered: ") && !(connector && strings.Contains(said, call.tool+" refused: ")) {
				t.Errorf("%s has no answer: %s", call.tool, said)
			}
		}
		for _, page := range run.pages {
			if !strings.Contains(said, "\n"+page+": 200 OK") && !strings.Contains(said, "\n"+page+": 40") {
				t.Errorf("the page /%s has no answer: %s", page, said)
			}
		}
		trace.add(honest.repo, i, seen)
		honest.checkPrograms(t, run.String(), run.git, seen)
		honest.checkSockets(t, run.String(), run.pages != nil, seen)
		for path, change := range outside.changes(honest.outside(t)) {
			t.Errorf("in an honest workspace, %v: %s %s", run, path, change)
		}
	}
	return trace
}

// add keeps the paths below the workspace of one run.
func (s *strangerTrace) add(repo string, run int, seen *systemTrace) {
	pid := strconv.Itoa(seen.process)
	for _, file := range seen.files {
		name, below := strings.CutPrefix(file.path, repo+"/")
		if !below {
			continue
		}
		name = strings.ReplaceAll(name, pid, pidMark)
		path := s.paths[name]
		if path == nil {
			path = &tracedPath{name: name, calls: make(map[int]map[string]bool)}
			s.paths[name] = path
		}
		if file.program != "issues-index" {
			path.git = true
			continue
		}
		if path.calls[run] == nil {
			path.calls[run] = make(map[string]bool)
		}
		call := file.call
		if file.writes {
			call += toWrite
		}
		path.calls[run][call] = true
		path.writes = path.writes || file.writes
		for parent := filepath.Dir(name); parent != "."; parent = filepath.Dir(parent) {
			if s.paths[parent] != nil {
				s.paths[parent].folder = true
			}
		}
	}
}

// own are the paths that the program itself names, those of git alone left out.
func (s *strangerTrace) own(which func(*tracedPath) bool) (list []*tracedPath) {
	for _, name := range slices.Sorted(maps.Keys(s.paths)) {
		if path := s.paths[name]; len(path.calls) > 0 && which(path) {
			list = append(list, path)
		}
	}
	return list
}

// isRead reports whether a run that changes nothing opens a path.
func (s *strangerTrace) isRead(p *tracedPath) bool {
	for run := range p.calls {
		if !s.runs[run].changes {
			return true
		}
	}
	return false
}

// isGate reports whether most runs that change something open a path, and no other run
// does, as with the locks of writers. Where the program refuses what is planted there, no
// run comes to the other paths: it is planted alone.
func (s *strangerTrace) isGate(p *tracedPath) bool {
	changing := 0
	for _, run := range s.runs {
		if run.changes {
			changing++
		}
	}
	return len(p.calls) > changing/2 && !s.isRead(p)
}

// cover chooses few runs that together make every call on these paths that any run makes.
func (s *strangerTrace) cover(paths ...*tracedPath) (chosen []strangerRun) {
	open := make(map[string]bool)
	by := make([][]string, len(s.runs))
	for _, path := range paths {
		for run, calls := range path.calls {
			for call := range calls {
				open[path.name+" "+call] = true
				by[run] = append(by[run], path.name+" "+call)
			}
		}
	}
	uses := make(map[int]bool)
	for len(open) > 0 {
		best, most := 0, 0
		for run, touches := range by {
			count := 0
			for _, touch := range touches {
				if open[touch] {
					count++
				}
			}
			if count > most {
				best, most = run, count
			}
		}
		uses[best] = true
		for _, touch := range by[best] {
			delete(open, touch)
		}
	}
	for _, run := range slices.Sorted(maps.Keys(uses)) {
		chosen = append(chosen, s.runs[run])
	}
	return chosen
}
