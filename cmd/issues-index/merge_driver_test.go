package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gitrepo "issues-index/store/git"
	"issues-index/store/storetest"
)

// A clone is a git repository with a workspace, whose documents the merge driver merges.
type clone struct {
	t    *testing.T
	root string
}

func newClone(t *testing.T) *clone {
	t.Helper()
	c := &clone{t, t.TempDir()}
	c.git("init", "-q", "-b", "main")
	for _, s := range append(gitrepo.DriverSettings(), gitrepo.ConfigVariable{Key: "user.name", Value: "t"}, gitrepo.ConfigVariable{Key: "user.email", Value: "t@example.org"},
		gitrepo.ConfigVariable{Key: "core.autocrlf", Value: "false"}, gitrepo.ConfigVariable{Key: "commit.gpgSign", Value: "false"}) {
		c.git("config", s.Key, s.Value)
	}
	c.write(".gitattributes", gitrepo.DriverAttribute(".wrangler/issues")+"\n")
	return c
}

// git runs git, and returns what it says and whether it succeeded.
func (c *clone) try(args ...string) (said string, ok bool) {
	c.t.Helper()
	run := exec.CommandContext(c.t.Context(), "git", args...)
	run.Dir = c.root
	run.Env = append(os.Environ(), "GIT_EDITOR=true", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C")
	out, err := run.CombinedOutput()
	return string(out), err == nil
}

func (c *clone) git(args ...string) string {
	c.t.Helper()
	said, ok := c.try(args...)
	if !ok {
		c.t.Fatalf("git %s: %s", strings.Join(args, " "), said)
	}
	return said
}

func (c *clone) write(file, text string) {
	c.t.Helper()
	path := filepath.Join(c.root, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// read returns a file, "" when there is none.
func (c *clone) read(file string) string {
	c.t.Helper()
	data, err := os.ReadFile(filepath.Join(c.root, filepath.FromSlash(file)))
	if err != nil && !os.IsNotExist(err) {
		c.t.Fatal(err)
	}
	return string(data)
}

func (c *clone) commit(message string) {
	c.t.Helper()
	c.git("add", "-A")
	c.git("commit", "-q", "--allow-empty", "-m", message)
}

// unmerged are the files in which git has left conflicts.
func (c *clone) unmerged() []string {
	c.t.Helper()
	return strings.Split(strings.TrimSuffix(c.git("diff", "--name-only", "--diff-filter=U", "-z"), "\x00"), "\x00")
}

const mergedDocument = `---
id: %[1]s
title: Title of %[1]s
type: issue
status: open
priority: medium
labels:
  - a
  - b
assignee: anna
project: web
dependsOn: [ISS-900001, ISS-900002]
estimate: 3
createdAt: '2026-01-01T00:00:00.000Z'
updatedAt: '2026-01-01T00:00:00.000Z'
wranglerContext:
  agentId: x
  phase: plan
---

# Title of %[1]s

First paragraph of %[1]s.

## Work

- [ ] one of %[1]s
- [ ] two
- [ ] three

Second paragraph of %[1]s.

## Notes

Last line of %[1]s.
`

// Names of changes that a rule is about.
const (
	inProgress = "in progress"
	lineEnds   = "CRLF"
)

// A sideChange is what one side does to a document.
type sideChange struct {
	name string
	// edit is pairs of what is there and what it becomes.
	edit []string
	// touches are the places that it changes; two changes of one place conflict unless they
	// are the same, or a rule decides.
	touches []string
	// holds reports whether a version of the document has the change; nil: whether it has
	// each text of edit.
	holds func(text string) bool

	moves, deletes bool
	breaks         bool // the document cannot be taken apart any more
}

func replaces(place, from, to string) sideChange {
	return sideChange{name: to, edit: []string{from, to}, touches: []string{place}}
}

func lacks(text string) func(string) bool {
	return func(document string) bool { return !strings.Contains(document, text) }
}

// isLabelled holds where there is a label, however the list is written.
func isLabelled(label string) func(string) bool {
	listed := regexp.MustCompile(`- ` + label + `\n|[ [,]` + label + `[,\]]`)
	return listed.MatchString
}

// closes has a terminal status.
func closes(status string) []string {
	return []string{"status: open\n", "status: " + status + "\nclosedAt: '2026-01-05T00:00:00.000Z'\n"}
}

var sideChanges = []sideChange{
	replaces("title", "title: Title of", "title: New title of"),
	replaces("title", "title: Title of", "title: Other title of"),
	{name: inProgress, edit: []string{"status: open\n", "status: in_progress\n"}, touches: []string{"status"}, holds: func(text string) bool { return !strings.Contains(text, "status: open\n") }},
	{name: "closed in its place", edit: closes("closed"), touches: []string{"status"}},
	{name: "cancelled in its place", edit: closes("cancelled"), touches: []string{"status"}},
	replaces("priority", "priority: medium", "priority: high"),
	replaces("priority", "priority: medium", "priority: low"),
	{name: "label c", edit: []string{"  - b\n", "  - b\n  - c\n"}, touches: []string{"labels"}, holds: isLabelled("c")},
	{name: "label d", edit: []string{"  - b\n", "  - b\n  - d\n"}, touches: []string{"labels"}, holds: isLabelled("d")},
	{name: "label a goes", edit: []string{"  - a\n", ""}, touches: []string{"labels"}, holds: lacks("  - a\n")},
	{name: "labels as one line", edit: []string{"labels:\n  - a\n  - b\n", "labels: [b, e]\n"}, touches: []string{"labels"}, holds: isLabelled("e")},
	replaces("assignee", "assignee: anna", "assignee: ben"),
	{name: "no assignee", edit: []string{"assignee: anna\n", ""}, touches: []string{"assignee"}, holds: lacks("assignee:")},
	replaces("project", "project: web", "project: app"),
	{name: "waits for one more", edit: []string{"ISS-900002]", "ISS-900002, ISS-900003]"}, touches: []string{"dependsOn"}, holds: func(text string) bool { return strings.Contains(text, "ISS-900003") }},
	{name: "waits for another one", edit: []string{"ISS-900002]", "ISS-900002, ISS-900004]"}, touches: []string{"dependsOn"}, holds: func(text string) bool { return strings.Contains(text, "ISS-900004") }},
	{name: "waits for one less", edit: []string{"ISS-900001, ", ""}, touches: []string{"dependsOn"}, holds: lacks("ISS-900001")},
	replaces("estimate", "estimate: 3", "estimate: 5 # days"),
	replaces("estimate", "estimate: 3", "estimate: 8"),
	{name: "a comment and a key", edit: []string{"createdAt: ", "# by the team\nteam: red\ncreatedAt: "}, touches: []string{"team"}},
	replaces("wranglerContext.agentId", "agentId: x", "agentId: y"),
	replaces("wranglerContext.phase", "phase: plan", "phase: execute"),
	replaces("box 1", "- [ ] one", "- [x] one"),
	replaces("box 2", "- [ ] two", "- [x] two"),
	replaces("box 3", "- [ ] three", "- [X] three"),
	replaces("first paragraph", "First paragraph of", "First words of"),
	replaces("first paragraph", "First paragraph of", "First thoughts of"),
	replaces("second paragraph", "Second paragraph of", "Second thoughts of"),
	{name: "an addition", edit: []string{"Last line of %[1]s.\n", "Last line of %[1]s.\n\n## More\n\nAdded by one.\n"}, touches: []string{"end"}, holds: func(text string) bool { return strings.Contains(text, "Added by one.\n") }},
	{name: "another addition", edit: []string{"Last line of %[1]s.\n", "Last line of %[1]s.\n\nAdded by another.\n"}, touches: []string{"end"}, holds: func(text string) bool { return strings.Contains(text, "Added by another.\n") }},
	{name: lineEnds, edit: []string{"\n", "\r\n"}, holds: func(string) bool { return true }},
	{name: "archived", edit: closes("closed"), touches: []string{"status"}, moves: true},
	{name: "deleted", deletes: true},
	{name: "broken frontmatter", edit: []string{"project: web", "project: [web"}, touches: []string{"project"}, breaks: true},
}

// A side is what one side does to a document, each change in a place of its own.
type side []sideChange

func (s side) String() string {
	var names []string
	for _, change := range s {
		names = append(names, change.name)
	}
	return strings.Join(names, " + ")
}

func (s side) moves() bool { return slices.ContainsFunc(s, func(c sideChange) bool { return c.moves }) }
func (s side) deletes() bool {
	return slices.ContainsFunc(s, func(c sideChange) bool { return c.deletes })
}
func (s side) breaks() bool {
	return slices.ContainsFunc(s, func(c sideChange) bool { return c.breaks })
}

// at is the change in a place; ok is false where there is none.
func (s side) at(place string) (change sideChange, ok bool) {
	i := slices.IndexFunc(s, func(c sideChange) bool { return slices.Contains(c.touches, place) })
	if i < 0 {
		return sideChange{}, false
	}
	return s[i], true
}

// of returns the document that a side makes of a base. Every change stamps the document, as
// the program does.
func (s side) of(base, id, stamp string) string {
	text := strings.Replace(base, "updatedAt: '2026-01-01", "updatedAt: '"+stamp, 1)
	for _, change := range s {
		for i := 0; i+1 < len(change.edit); i += 2 {
			from, to := strings.ReplaceAll(change.edit[i], "%[1]s", id), strings.ReplaceAll(change.edit[i+1], "%[1]s", id)
			text = strings.ReplaceAll(text, from, to)
		}
	}
	return text
}

// lacking are the changes that a text does not have.
func (s side) lacking(text string) (lost side) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for _, change := range s {
		holds := change.holds
		if holds == nil {
			holds = func(text string) bool {
				for i := 1; i < len(change.edit); i += 2 {
					if !strings.Contains(text, change.edit[i]) {
						return false
					}
				}
				return true
			}
		}
		if !holds(text) {
			lost = append(lost, change)
		}
	}
	return lost
}

// unresolved are the places at which two sides conflict.
func unresolved(ours, theirs side) (places []string) {
	for _, a := range ours {
		for _, place := range a.touches {
			b, both := theirs.at(place)
			switch {
			case !both || slices.Equal(a.edit, b.edit):
			case place == "labels", place == "dependsOn", place == "end": // sets, and additions
			case place == "status" && (a.name == inProgress || b.name == inProgress): // the finished one
			default:
				places = append(places, place)
			}
		}
	}
	return places
}

// decided reports whether a rule has to choose between two statuses.
func decided(ours, theirs side) bool {
	a, inOurs := ours.at("status")
	b, inTheirs := theirs.at("status")
	return inOurs && inTheirs && (a.name == inProgress) != (b.name == inProgress)
}

var conflictMarkers = regexp.MustCompile(`(?s)<<<<<<< ours\r?\n(.*?)\|\|\|\|\|\|\| base\r?\n(.*?)=======\r?\n(.*?)>>>>>>> theirs\r?\n`)

// A matrixPair is one document, and what both sides do to it.
type matrixPair struct {
	id           string
	ours, theirs side
}

func (p matrixPair) file() string     { return ".wrangler/issues/" + p.id + ".md" }
func (p matrixPair) archived() string { return ".wrangler/issues/archived/" + p.id + ".md" }

// check holds that the merge of one document lost nothing and has no needless conflict.
func (p matrixPair) check(t *testing.T, c *clone, said string, unmerged []string) {
	t.Helper()
	file := p.file()
	if c.read(file) == "" {
		file = p.archived()
	}
	text := c.read(file)
	name := p.ours.String() + " and " + p.theirs.String()
	conflicted := slices.Contains(unmerged, p.file()) || slices.Contains(unmerged, p.archived())
	if p.ours.deletes() && p.theirs.deletes() {
		if text != "" || conflicted {
			t.Errorf("%s: it is still there: %s", name, text)
		}
		return
	}
	if p.ours.deletes() || p.theirs.deletes() { // git asks, and leaves what was changed
		other := p.ours
		if p.ours.deletes() {
			other = p.theirs
		}
		if !conflicted || other.lacking(text) != nil {
			t.Errorf("%s: conflict %t, text:\n%s", name, conflicted, text)
		}
		return
	}
	ours, theirs := conflictMarkers.ReplaceAllString(text, "$1"), conflictMarkers.ReplaceAllString(text, "$3")
	if lost := append(p.ours.lacking(ours), p.theirs.lacking(theirs)...); lost != nil {
		t.Errorf("%s: lost is %s:\n%s", name, lost, text)
	}
	if (p.ours.moves() || p.theirs.moves()) != (file == p.archived()) {
		t.Errorf("%s: it lies in %s", name, file)
	}
	if strings.Contains(text, "<<<<<<<") != conflicted {
		t.Errorf("%s: git has a conflict: %t:\n%s", name, conflicted, text)
	}
	if p.ours.breaks() || p.theirs.breaks() {
		return // what is merged by lines may conflict
	}
	places := unresolved(p.ours, p.theirs)
	if conflicted != (len(places) > 0) || len(conflictMarkers.FindAllString(text, -1)) != len(places) {
		t.Errorf("%s: a conflict is expected at %q:\n%s", name, places, text)
	}
	if decided(p.ours, p.theirs) != strings.Contains(said, file+": The status is ") {
		t.Errorf("%s: what is decided about the status is not what is said", name)
	}
	if !strings.Contains(ours, "updatedAt: '2026-01-03") {
		t.Errorf("%s: updatedAt is not the later one:\n%s", name, text)
	}
}

// apply commits on a new branch what one side does to all documents.
func (c *clone) apply(pairs []matrixPair, branch, stamp string, of func(matrixPair) side) {
	c.t.Helper()
	c.git("checkout", "-q", "-B", branch, "main")
	for _, p := range pairs {
		changes := of(p)
		text := changes.of(c.read(p.file()), p.id, stamp)
		if changes.moves() || changes.deletes() {
			if err := os.Remove(filepath.Join(c.root, p.file())); err != nil {
				c.t.Fatal(err)
			}
		}
		switch {
		case changes.moves():
			c.write(p.archived(), text)
		case !changes.deletes():
			c.write(p.file(), text)
		}
	}
	c.commit(branch)
}

// mergeAll merges documents that both sides have changed, all in one merge, and checks each.
func mergeAll(t *testing.T, pairs []matrixPair) {
	t.Helper()
	c := newClone(t)
	for _, p := range pairs {
		c.write(p.file(), fmt.Sprintf(mergedDocument, p.id))
	}
	c.commit("base")
	c.apply(pairs, "theirs", "2026-01-02", func(p matrixPair) side { return p.theirs })
	c.apply(pairs, "ours", "2026-01-03", func(p matrixPair) side { return p.ours })
	said, _ := c.try("merge", "theirs")
	unmerged := c.unmerged()
	for _, p := range pairs {
		p.check(t, c, said, unmerged)
	}
}

// TestMergeMatrix merges documents to which the two sides do every pair of changes; without
// -long, every eighty-third pair.
func TestMergeMatrix(t *testing.T) {
	t.Parallel()
	var pairs []matrixPair
	for i, ours := range sideChanges {
		for j, theirs := range sideChanges {
			if number := i*len(sideChanges) + j; storetest.Long() || number%83 == 0 {
				pairs = append(pairs, matrixPair{fmt.Sprintf("ISS-%06d", number+1), side{ours}, side{theirs}})
			}
		}
	}
	mergeAll(t, pairs)
}

// TestMergeManyChanges merges documents in which each side has changed several places at once.
func TestMergeManyChanges(t *testing.T) {
	t.Parallel()
	count := 6
	if storetest.Long() {
		count = 1500
	}
	random := rand.New(rand.NewPCG(1, 2))
	draw := func() (changes side) {
		for _, i := range random.Perm(len(sideChanges))[:1+random.IntN(10)] {
			change := sideChanges[i]
			taken := slices.ContainsFunc(change.touches, func(place string) bool { _, ok := changes.at(place); return ok })
			if !taken && !change.deletes && change.name != lineEnds {
				changes = append(changes, change)
			}
		}
		if random.IntN(10) == 0 {
			i := slices.IndexFunc(sideChanges, func(c sideChange) bool { return c.name == lineEnds })
			changes = append(changes, sideChanges[i])
		}
		return changes
	}
	var pairs []matrixPair
	for n := range count {
		pairs = append(pairs, matrixPair{fmt.Sprintf("ISS-%06d", n+1), draw(), draw()})
	}
	mergeAll(t, pairs)
}
