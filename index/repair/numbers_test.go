package repair

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/index/edit"
	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
	"issues-index/store"
)

// twoWithOneID are documents of which the sun keeps its id, and the snow gets another.
var twoWithOneID = map[string]string{
	".wrangler/issues/ISS-000001-sun.md":  "---\nid: ISS-000001\ntitle: Sun\ncreatedAt: 2026-01-01T00:00:00Z\n---\n",
	".wrangler/issues/ISS-000001-snow.md": "---\nid: ISS-000001\ntitle: Snow\ncreatedAt: 2026-01-02T00:00:00Z\n---\n",
	".wrangler/issues/ISS-000002-rain.md": "---\nid: ISS-000002\ntitle: Rain\n---\nAfter [snow](ISS-000001-snow.md).\n",
}

var keepSun = DuplicateOptions{Keep: []string{".wrangler/issues/ISS-000001-sun.md"}}

const snow = ".wrangler/issues/ISS-000001-snow.md"

// repaired are the documents once the snow has an id.
func repaired(id string) map[string]string {
	files := maps.Clone(twoWithOneID)
	delete(files, snow)
	files[".wrangler/issues/"+id+"-snow.md"] = "---\nid: " + id + "\ntitle: Snow\ncreatedAt: 2026-01-02T00:00:00Z\nformerIds:\n  - ISS-000001\n---\n"
	files[".wrangler/issues/ISS-000002-rain.md"] = "---\nid: ISS-000002\ntitle: Rain\n---\nAfter [snow](" + id + "-snow.md).\n"
	return files
}

// drawn is the newest number of the team's counter, which the test goes on with.
func drawn(t *testing.T, machine *sharetest.Machine) int {
	t.Helper()
	n, err := machine.NextNumber(t.Context(), "api", store.TypeIssue, 0)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (w *workspace) apply(r *DuplicateRepair) {
	w.Helper()
	behind, err := r.Apply(w.Context(), w.ix)
	if err := errors.Join(behind, err); err != nil {
		w.Fatal(err)
	}
}

func (w *workspace) wantNote(r *DuplicateRepair, part string) {
	w.Helper()
	if !slices.ContainsFunc(r.Notes, func(note string) bool { return strings.Contains(note, part) }) {
		w.Errorf("no note says %q: %q", part, r.Notes)
	}
}

// The new ids of a repair are drawn from the team's counter when it is made, not when it is shown.
func TestTheTeamsCounterGivesTheNewIDs(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	other := engine.Connect()
	first, second := cloneOf(t, engine.Connect(), twoWithOneID), cloneOf(t, engine.Connect(), twoWithOneID)
	alone := newWorkspace(t, "", twoWithOneID)

	without := alone.duplicates(keepSun)
	r, later := first.duplicates(keepSun), second.duplicates(keepSun)
	if r.Fingerprint() != without.Fingerprint() || later.Fingerprint() != r.Fingerprint() {
		t.Error("the same changes have other fingerprints in a team")
	}
	first.wantNote(r, "these, or higher ones")
	if n := drawn(t, other); n != 1 {
		t.Errorf("a preview has drawn numbers up to %d", n-1)
	}

	first.apply(r)
	sameFiles(t, first.files(), repaired("ISS-000003"))
	if len(r.Notes) != 2 { // of git, and the preview's
		t.Errorf("%q", r.Notes)
	}
	if n := drawn(t, other); n != 4 {
		t.Errorf("the counter is at %d", n)
	}
	fingerprint := later.Fingerprint()
	second.apply(later)
	sameFiles(t, second.files(), repaired("ISS-000005"))
	second.wantNote(later, "the new id of "+snow+" is ISS-000005: the team's counter is past ISS-000003")
	if later.Fingerprint() != fingerprint {
		t.Error("the numbers of the counter have changed the fingerprint")
	}
	if i := slices.IndexFunc(later.Changes, func(c FileChange) bool { return c.From == snow }); i < 0 || !strings.Contains(later.Changes[i].Why, "→ ISS-000005") {
		t.Errorf("%+v are not the changes that were made", later.Changes)
	}
	alone.apply(without)
	sameFiles(t, alone.files(), repaired("ISS-000003"))
	for _, w := range []*workspace{first, second, alone} {
		if again := w.duplicates(DuplicateOptions{}); len(again.Changes) > 0 {
			t.Errorf("a second repair changes %+v", again.Changes)
		}
	}
}

func TestTwoClonesThatRepairAtOnceGiveNoIDTwice(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	files := maps.Clone(twoWithOneID)
	delete(files, ".wrangler/issues/ISS-000002-rain.md")
	one, two := maps.Clone(files), maps.Clone(files)
	one[".wrangler/issues/ISS-000001-fog.md"] = "---\nid: ISS-000001\ntitle: Fog\ncreatedAt: 2026-01-03T00:00:00Z\n---\n"
	two[".wrangler/issues/ISS-000001-hail.md"] = "---\nid: ISS-000001\ntitle: Hail\ncreatedAt: 2026-01-03T00:00:00Z\n---\n"
	clones := []*workspace{cloneOf(t, engine.Connect(), one), cloneOf(t, engine.Connect(), two)}
	repairs := []*DuplicateRepair{clones[0].duplicates(keepSun), clones[1].duplicates(keepSun)}
	given := map[string]string{}
	for i, w := range clones {
		w.apply(repairs[i])
		for path := range w.files() {
			name := strings.TrimPrefix(path, ".wrangler/issues/")
			id, rest := name[:len("ISS-000001")], name[len("ISS-000001"):]
			if other, taken := given[id]; taken && other != rest {
				t.Errorf("%s is the id of %s and of %s", id, other, rest)
			}
			given[id] = rest
		}
	}
	if len(given) != 5 {
		t.Errorf("%v", given)
	}
}

// A countingTeam counts how often it is asked for a number.
type countingTeam struct {
	share.Team
	asked int
}

func (c *countingTeam) NextNumber(ctx context.Context, workspace, series string, atLeast int) (int, error) {
	c.asked++
	return c.Team.NextNumber(ctx, workspace, series, atLeast)
}

func TestWithoutTheCounterTheNextNumbersAreUsed(t *testing.T) {
	machine := sharetest.NewEngine(nil).Connect()
	files := maps.Clone(twoWithOneID)
	for _, name := range []string{"fog", "mist"} {
		files[".wrangler/issues/ISS-000001-"+name+".md"] = "---\nid: ISS-000001\ntitle: " + name + "\ncreatedAt: 2026-01-03T00:00:00Z\n---\n"
	}
	team := &countingTeam{Team: machine}
	w := cloneOf(t, team, files)
	machine.Cut()
	r := w.duplicates(keepSun)
	w.apply(r)
	w.wantNote(r, "new numbers are not agreed with the team: its engine cannot be reached, and other machines may give them out")
	if team.asked != 1 {
		t.Errorf("an engine that does not answer was asked for %d numbers", team.asked)
	}
	var ids []string
	for path := range w.files() {
		ids = append(ids, strings.TrimPrefix(path, ".wrangler/issues/")[:len("ISS-000001")])
	}
	if slices.Sort(ids); !slices.Equal(ids, []string{"ISS-000001", "ISS-000002", "ISS-000003", "ISS-000004", "ISS-000005"}) {
		t.Errorf("%q", ids)
	}
}

// The ids of children that follow their parent need no numbers of their own.
func TestChildrenFollowTheNumberOfTheCounter(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	machine := engine.Connect()
	if _, err := machine.NextNumber(t.Context(), "api", store.TypeIssue, 40); err != nil {
		t.Fatal(err)
	}
	w := cloneOf(t, machine, map[string]string{
		".wrangler/config/issues-index.yaml":   "idPattern: TASK-{n:3}[.{n}]\n",
		".wrangler/issues/TASK-002-sun.md":     "---\nid: TASK-002\ntitle: Sun\ncreatedAt: 2026-01-01T00:00:00Z\n---\n",
		".wrangler/issues/TASK-002-rain.md":    "---\nid: TASK-002\ntitle: Rain\ncreatedAt: 2026-01-02T00:00:00Z\n---\n",
		".wrangler/issues/TASK-002.7-hat.md":   "---\nid: TASK-002.7\ntitle: Hat\nparent: TASK-002-rain.md\n---\n",
		".wrangler/issues/TASK-003.1-tea.md":   "---\nid: TASK-003.1\ntitle: Tea\ncreatedAt: 2026-01-01T00:00:00Z\n---\n",
		".wrangler/issues/TASK-003.1-juice.md": "---\nid: TASK-003.1\ntitle: Juice\ncreatedAt: 2026-01-02T00:00:00Z\n---\n",
	})
	if _, err := machine.NextNumber(t.Context(), "api", store.FoldID("TASK-003"), 8); err != nil {
		t.Fatal(err)
	}
	w.apply(w.duplicates(DuplicateOptions{Keep: []string{".wrangler/issues/TASK-002-sun.md"}}))
	got := slices.Sorted(maps.Keys(w.files()))
	want := []string{
		".wrangler/issues/TASK-002-sun.md", ".wrangler/issues/TASK-003.1-tea.md", ".wrangler/issues/TASK-003.9-juice.md",
		".wrangler/issues/TASK-041-rain.md", ".wrangler/issues/TASK-041.7-hat.md",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for _, parent := range []string{"TASK-002", "TASK-004", "TASK-041"} {
		if n, err := machine.NextNumber(t.Context(), "api", store.FoldID(parent), 0); n != 1 || err != nil {
			t.Errorf("numbers of the children of %s were drawn up to %d: %v", parent, n-1, err)
		}
	}
}

// What has changed since the preview has nothing changed, and no number drawn.
func TestARepairThatCannotBeMadeDrawsNoNumber(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	machine := engine.Connect()
	w := cloneOf(t, machine, twoWithOneID)
	r := w.duplicates(keepSun)
	if err := os.WriteFile(filepath.Join(w.root, filepath.FromSlash(snow)), []byte(twoWithOneID[snow]+"More.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var conflict *store.ConflictError
	if _, err := r.Apply(t.Context(), w.ix); !errors.As(err, &conflict) || conflict.Path != snow {
		t.Errorf("%v", err)
	}
	if n := drawn(t, machine); n != 1 {
		t.Errorf("numbers were drawn up to %d", n-1)
	}
	if got := w.duplicates(keepSun); got.Fingerprint() == r.Fingerprint() {
		t.Error("the fingerprint does not tell that a file has changed")
	}
}

// A repair that was interrupted goes on with the numbers that it had drawn.
func TestAnInterruptedRepairKeepsItsNumbers(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	machine := engine.Connect()
	w := cloneOf(t, machine, twoWithOneID)
	begun, err := json.Marshal(w.duplicates(keepSun).batch())
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, w.root, map[string]string{store.UnfinishedFixes: string(begun)})
	if _, err := machine.NextNumber(t.Context(), "api", store.TypeIssue, 40); err != nil {
		t.Fatal(err)
	}
	r := w.duplicates(DuplicateOptions{})
	if !r.Resumed {
		t.Fatalf("%+v", r)
	}
	w.apply(r)
	sameFiles(t, w.files(), repaired("ISS-000003"))
	if n := drawn(t, machine); n != 41 {
		t.Errorf("the counter is at %d", n)
	}
}

// A document that is made while a preview is looked at may get the number that was shown.
func TestANumberThatWasGivenOutSinceThePreviewIsNotUsed(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	w := cloneOf(t, engine.Connect(), twoWithOneID)
	r := w.duplicates(keepSun)
	made, err := edit.New(w.ix, edit.LockWait).Create(t.Context(), store.NewDocument{Title: "Wind"}, false)
	if err != nil || made.After.ID != "ISS-000003" {
		t.Fatalf("%+v %v", made.After, err)
	}
	w.apply(r)
	if _, ok := w.files()[".wrangler/issues/ISS-000004-snow.md"]; !ok {
		t.Errorf("%q", slices.Sorted(maps.Keys(w.files())))
	}
}

// cloneOf is a new clone of a team's workspace that has these files.
func cloneOf(t *testing.T, team share.Team, files map[string]string) *workspace {
	t.Helper()
	root := t.TempDir()
	writeFiles(t, root, files)
	connected := func(context.Context) (share.Team, error) { return team, nil }
	return openIndex(t, root, "", index.Options{Mode: index.ModeVerify, Team: claims.TeamOptions{Team: connected, Workspace: "api"}})
}
