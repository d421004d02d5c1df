//go:build !windows

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	gitrepo "issues-index/store/git"
	"issues-index/store/layout"
	"issues-index/store/storetest"
)

// A week is how two people work on one repository, each in a clone.
type week struct {
	name   string
	driver bool
	config string // of the workspace
}

var weeks = []week{
	{name: "git alone"},
	{name: "`stampUpdates: false`", config: "stampUpdates: false\n"},
	{name: "merge driver", driver: true},
}

// An operation is one of a person: a change of a document, or with no kind a merge of what the
// other one has pushed, and a push.
type operation struct {
	person, number int
	kind           string
	paper, other   int
}

// operationKinds has each kind as often as it is done.
var operationKinds = strings.Fields(`new new new status status priority priority assignee label label
	tick tick tick tick note note note note edit done reopen wait`)

// weekOperations are those of a week: most are on documents that were made lately, which both
// people know.
func weekOperations(count int) (all []operation) {
	random := rand.New(rand.NewPCG(18, 5))
	papers := 0
	known, pushed := [2]map[int]bool{{}, {}}, map[int]bool{}
	sync := func(person int) {
		all = append(all, operation{person: person})
		maps.Copy(known[person], pushed)
		maps.Copy(pushed, known[person])
	}
	for number := range count {
		person := random.IntN(2)
		op := operation{person: person, number: number, kind: operationKinds[random.IntN(len(operationKinds))]}
		var lately []int
		for paper := papers; paper > 0 && len(lately) < 8; paper-- {
			if known[person][paper] {
				lately = append(lately, paper)
			}
		}
		if len(lately) < 3 {
			op.kind = "new"
		}
		if op.kind == "new" {
			papers++
			op.paper = papers
			known[person][papers] = true
		} else {
			op.paper, op.other = lately[random.IntN(len(lately))], lately[random.IntN(len(lately))]
		}
		all = append(all, op)
		if random.IntN(5) == 0 {
			sync(person)
		}
	}
	for _, person := range []int{0, 1, 0} {
		sync(person)
	}
	return all
}

// A weekCount is what became of a week.
type weekCount struct {
	merges, conflicting, files, byCheck, byPerson, renumbered int
	lost                                                      []string
}

// A team is two clones of one repository.
type team struct {
	*testing.T
	week   week
	clones [2]*clone
	count  weekCount
	// wanted is what changes added to the documents, by title: it stays, whatever is merged.
	wanted map[string][]string
	waits  map[[2]int]bool // paper, and the one that it waits for
}

func newTeam(t *testing.T, w week) *team {
	t.Helper()
	tm := &team{T: t, week: w, wanted: map[string][]string{}, waits: map[[2]int]bool{}}
	origin := filepath.Join(t.TempDir(), "origin.git")
	for person := range tm.clones {
		c := &clone{t, filepath.Join(t.TempDir(), []string{"ann", "ben"}[person])}
		if err := os.MkdirAll(c.root, 0o755); err != nil {
			t.Fatal(err)
		}
		tm.clones[person] = c
		c.git("init", "-q", "-b", "main")
		settings := []gitrepo.ConfigVariable{
			{Key: "user.name", Value: filepath.Base(c.root)}, {Key: "user.email", Value: "t@example.org"},
			{Key: "core.autocrlf", Value: "false"}, {Key: "commit.gpgSign", Value: "false"},
		}
		if w.driver {
			settings = append(settings, gitrepo.DriverSettings()...)
		}
		for _, s := range settings {
			c.git("config", s.Key, s.Value)
		}
		c.git("remote", "add", "origin", origin)
	}
	ann, ben := tm.clones[0], tm.clones[1]
	ann.git("init", "-q", "--bare", "-b", "main", origin)
	if w.config != "" {
		ann.write(layout.File, w.config)
	}
	if w.driver {
		ann.write(".gitattributes", gitrepo.DriverAttribute(".wrangler/issues")+"\n")
	}
	ann.write(".wrangler/issues/.gitkeep", "")
	ann.commit("begin")
	ann.git("push", "-q", "-u", "origin", "main")
	ben.git("fetch", "-q")
	ben.git("checkout", "-q", "-f", "main")
	return tm
}

// run runs the program for a person, which has to succeed.
func (tm *team) run(person int, args ...string) printed {
	tm.Helper()
	got := runIn(tm.T, tm.clones[person].root, args...)
	if got.code != 0 {
		tm.Fatalf("issues-index %q: exit code %d\n%s%s", args, got.code, got.out, got.errOut)
	}
	return got
}

func paperTitle(paper int) string { return fmt.Sprintf("Paper %03d", paper) }

// find returns the path of a paper in a clone, and its text.
func (tm *team) find(person, paper int) (path, text string) {
	tm.Helper()
	for _, folder := range []string{".wrangler/issues", ".wrangler/issues/archived"} {
		entries, err := os.ReadDir(filepath.Join(tm.clones[person].root, folder))
		if err != nil && !os.IsNotExist(err) {
			tm.Fatal(err)
		}
		for _, e := range entries {
			if strings.Contains(e.Name(), fmt.Sprintf("paper-%03d.md", paper)) {
				path = folder + "/" + e.Name()
				return path, tm.clones[person].read(path)
			}
		}
	}
	tm.Fatalf("there is no %s", paperTitle(paper))
	return "", ""
}

const paperText = `Background of %[1]s.

The first thing to know.

The second thing to know.

## Tasks

- [ ] One of %[1]s
- [ ] Two of %[1]s
- [ ] Three of %[1]s
- [ ] Four of %[1]s
`

// do does an operation, and commits it.
func (tm *team) do(op operation) {
	tm.Helper()
	name := []string{"ann", "ben"}[op.person]
	title := paperTitle(op.paper)
	want := func(text string) { tm.wanted[title] = append(tm.wanted[title], text) }
	if op.kind == "new" {
		tm.run(op.person, "new", title, "--body", fmt.Sprintf(paperText, title))
		want("Background of " + title)
		tm.clones[op.person].commit("new " + title)
		return
	}
	path, text := tm.find(op.person, op.paper)
	set := func(value string) { tm.run(op.person, "set", path, value) }
	switch op.kind {
	case "status":
		if strings.Contains(text, "status: open") {
			set("status=in_progress")
		}
	case "priority":
		set("priority=" + []string{"low", "medium", "high", "critical"}[op.number%4])
	case "assignee":
		set("assignee=" + name)
	case "label":
		label := fmt.Sprint("l", op.number)
		set("labels+=" + label)
		want(label)
	case "tick":
		box := op.number % 4
		tm.run(op.person, "tick", path, strconv.Itoa(box+1))
		want("[x] " + []string{"One", "Two", "Three", "Four"}[box])
	case "note":
		note := fmt.Sprintf("Note %d of %s.", op.number, name)
		tm.run(op.person, "append", path, note)
		want(note)
	case "edit": // in an editor
		line := regexp.MustCompile(`The (first|second) thing.*`)
		changed := line.FindAllString(text, -1)[op.number%2]
		which, _, _ := strings.Cut(changed, " thing")
		tm.clones[op.person].write(path, strings.Replace(text, changed, fmt.Sprintf("%s thing, as %s says (%d).", which, name, op.number), 1))
	case "done":
		tm.run(op.person, "done", path)
	case "reopen":
		tm.run(op.person, "reopen", path)
	case "wait":
		later, earlier := max(op.paper, op.other), min(op.paper, op.other)
		if later != earlier {
			from, _ := tm.find(op.person, later)
			to, _ := tm.find(op.person, earlier)
			tm.run(op.person, "dep", "add", from, to)
			tm.waits[[2]int{later, earlier}] = true
		}
	default:
		tm.Fatalf("there is no operation %q", op.kind)
	}
	tm.clones[op.person].commit(op.kind + " " + title)
}

// sync merges what the other one has pushed, and pushes.
func (tm *team) sync(person int) {
	tm.Helper()
	c := tm.clones[person]
	c.git("fetch", "-q")
	if c.git("rev-list", "HEAD..origin/main") != "" && c.git("rev-list", "origin/main..HEAD") != "" {
		tm.count.merges++
	}
	if said, ok := c.try("merge", "-q", "-m", "merge", "origin/main"); !ok {
		conflicting := strings.Fields(c.git("diff", "--name-only", "--diff-filter=U"))
		if len(conflicting) == 0 {
			tm.Fatalf("git merge: %s", said)
		}
		tm.count.conflicting++
		tm.count.files += len(conflicting)
		runIn(tm.T, c.root, "check", "--fix", "--yes") // which is not content before the markers have gone
		for _, path := range conflicting {
			switch text := c.read(path); {
			case !strings.Contains(text, "\n<<<<<<<"):
				tm.count.byCheck++
			default:
				tm.count.byPerson++
				c.write(path, mergedByPerson(text))
			}
		}
		c.commit("merge")
	}
	tm.repair(person)
	c.git("push", "-q")
}

// mergedByPerson is a conflict as a person would resolve it here: of a field that both have
// changed ours, but of a list, and of all else, both.
func mergedByPerson(text string) string {
	var out []string
	frontmatter, side := 0, ""
	ours := map[string]int{} // where the keys of this conflict are in out, from 1
	key := func(line string) string {
		before, _, _ := strings.Cut(line, ":")
		return before
	}
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "<<<<<<<"):
			side = "ours"
			clear(ours)
			continue
		case strings.HasPrefix(line, "|||||||"):
			side = "base"
			continue
		case side != "" && line == "=======\n":
			side = "theirs"
			continue
		case strings.HasPrefix(line, ">>>>>>>"):
			side = ""
			continue
		case line == "---\n":
			frontmatter++
		}
		if side == "ours" {
			ours[key(line)] = len(out) + 1
		}
		at := ours[key(line)]
		switch {
		case side == "base":
			continue
		case side != "theirs" || frontmatter != 1 || at == 0:
		case strings.HasSuffix(line, "]\n"):
			_, items, _ := strings.Cut(strings.TrimSuffix(line, "]\n"), "[")
			list := strings.TrimSuffix(out[at-1], "]\n")
			for item := range strings.SplitSeq(items, ", ") {
				if !strings.Contains(list, item) {
					list += ", " + item
				}
			}
			out[at-1] = strings.Replace(list, "[, ", "[", 1) + "]\n"
			continue
		default:
			continue
		}
		out = append(out, line)
	}
	return strings.Join(out, "")
}

// repair gives the documents with one id others, and corrects what a branch that did not know
// of an earlier repair has brought.
func (tm *team) repair(person int) {
	tm.Helper()
	tm.count.renumbered += tm.doubled(person)
	got := runIn(tm.T, tm.clones[person].root, "check", "--fix", "duplicate-id", "--yes")
	if left := tm.doubled(person); left > 0 {
		tm.Fatalf("%d documents share their ids after the repair:\n%s%s", left, got.out, got.errOut)
	}
	if tm.clones[person].git("status", "--porcelain") != "" {
		tm.clones[person].commit("repair")
	}
}

// doubled is how many documents have the id of an earlier one.
func (tm *team) doubled(person int) int {
	tm.Helper()
	var list struct {
		Documents []struct {
			ID string `json:"id"`
		} `json:"documents"`
	}
	if err := json.Unmarshal([]byte(tm.run(person, "list", "--limit", "0", "--json").out), &list); err != nil {
		tm.Fatal(err)
	}
	ids := map[string]bool{}
	for _, d := range list.Documents {
		ids[d.ID] = true
	}
	return len(list.Documents) - len(ids)
}

var frontmatterID = regexp.MustCompile(`(?m)^id: (.*)$`)

// check notes what was lost.
func (tm *team) check() {
	tm.Helper()
	for person := range tm.clones {
		for title, wanted := range tm.wanted {
			var paper int
			if _, err := fmt.Sscanf(title, "Paper %d", &paper); err != nil {
				tm.Fatal(err)
			}
			_, text := tm.find(person, paper)
			for _, want := range wanted {
				if !strings.Contains(text, want) {
					tm.count.lost = append(tm.count.lost, title+": "+want)
				}
			}
		}
		for pair := range tm.waits {
			_, text := tm.find(person, pair[0])
			_, other := tm.find(person, pair[1])
			if id := frontmatterID.FindStringSubmatch(other); len(id) == 0 || !strings.Contains(text, strings.Trim(id[1], `'"`)) {
				tm.count.lost = append(tm.count.lost, fmt.Sprintf("%s waits for %s", paperTitle(pair[0]), paperTitle(pair[1])))
			}
		}
	}
	slices.Sort(tm.count.lost)
}

// Two people work on the same documents for a week. Whatever their setup, nothing of it is
// lost, each document has an id of its own, and dependencies lead to what was meant.
func TestAWeekOfTwoPeople(t *testing.T) {
	count := 15
	if storetest.Long() {
		count = 200
	}
	counts := make([]weekCount, len(weeks))
	t.Run("weeks", func(t *testing.T) {
		for i, w := range weeks {
			if !storetest.Long() && !w.driver {
				continue
			}
			t.Run(w.name, func(t *testing.T) {
				t.Parallel()
				tm := newTeam(t, w)
				for _, op := range weekOperations(count) {
					if op.kind == "" {
						tm.sync(op.person)
					} else {
						tm.do(op)
					}
				}
				tm.check()
				counts[i] = tm.count
				if len(tm.count.lost) > 0 {
					t.Errorf("lost: %q", tm.count.lost)
				}
				if ann, ben := tm.clones[0].git("rev-parse", "HEAD^{tree}"), tm.clones[1].git("rev-parse", "HEAD^{tree}"); ann != ben {
					t.Error("the two clones differ in the end")
				}
			})
		}
	})
	if !storetest.Long() || t.Failed() {
		return
	}
	table := "| of 200 operations |"
	for _, w := range weeks {
		table += " " + w.name + " |"
	}
	table += "\n|---" + strings.Repeat("|---", len(weeks)) + "|\n"
	for _, row := range []struct {
		name  string
		value func(weekCount) int
	}{
		{"merges", func(c weekCount) int { return c.merges }},
		{"merges with conflicts", func(c weekCount) int { return c.conflicting }},
		{"files in conflict", func(c weekCount) int { return c.files }},
		{"merged by `check --fix`", func(c weekCount) int { return c.byCheck }},
		{"left to a person", func(c weekCount) int { return c.byPerson }},
		{"documents whose id another one had, repaired", func(c weekCount) int { return c.renumbered }},
		{"changes lost", func(c weekCount) int { return len(c.lost) }},
	} {
		table += "| " + row.name + " |"
		for _, c := range counts {
			table += fmt.Sprintf(" %d |", row.value(c))
		}
		table += "\n"
	}
	keepTable(t, "docs/merging.md", "week", table)
}
