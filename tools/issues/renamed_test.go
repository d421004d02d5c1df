package issues

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/db"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/storetest"
	"issues-index/tools"
	"issues-index/tools/toolstest"
)

// ownWords are other words with the meaning of the usual ones. Their alphabetical order is that
// of the usual ones, too: equal counts are listed in it.
const ownWords = `statuses:
  - {name: Wartet, category: open}
  - {name: Läuft, category: active}
  - {name: Fertig, category: done}
  - {name: Abgelehnt, category: cancelled}
priorities: [gering, üblich, eilig, brennt]
`

// usualOf has the usual words for the own ones, and back.
var (
	ownAndUsual = []string{"Wartet", "open", "Läuft", "in_progress", "Fertig", "closed", "Abgelehnt", "cancelled", "gering", "low", "üblich", "medium", "eilig", "high", "brennt", "critical"}
	toUsual     = strings.NewReplacer(ownAndUsual...)
	// ofItsOwn is what differs between any two workspaces: versions, and names of holders.
	ofItsOwn = regexp.MustCompile(`version: \w+|"version":"\w+"|agent/\w+`)
)

// worded serves an empty workspace with this configuration and a clock of its own.
func worded(t *testing.T, configuration string) fixture {
	t.Helper()
	root := t.TempDir()
	toolstest.Write(t, root, layout.File, configuration)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tick := func() time.Time { now = now.Add(time.Second); return now }
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }, Getwd: os.Getwd, Now: tick})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	still := func() time.Time { return now }
	ix, err := index.Open(t.Context(), ws, index.Options{Mode: index.ModeVerify, Path: db.MemoryPath, Now: still})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ix.Close() })
	set := toolset(ix, edit.New(ix, edit.LockWait))
	return fixture{toolstest.NewClient(t, tools.Config{Toolsets: []tools.Toolset{set}}), root, ix}
}

// A drawnCall is a call whose words are among those of one workspace.
type drawnCall struct {
	tool      string
	arguments map[string]any
}

// draw draws a call in the words of w, and the same for every w from the same numbers.
func draw(r *rand.Rand, w *layout.Layout, created int) drawnCall {
	status := func() string { return w.Statuses[r.IntN(len(w.Statuses))].Name }
	priority := func() string { return w.Priorities[r.IntN(len(w.Priorities))] }
	id := func() string { return fmt.Sprintf("ISS-%06d", 1+r.IntN(max(created, 1))) }
	maybe := func(arguments map[string]any, name string, value func() any) {
		if drawn := value(); r.IntN(2) == 0 {
			arguments[name] = drawn
		}
	}
	filter := func() map[string]any {
		f := map[string]any{}
		maybe(f, "status", func() any { return []string{status(), status()} })
		maybe(f, "priority", func() any { return []string{priority(), priority()} })
		return f
	}
	with := func(arguments map[string]any, name string, value any) map[string]any {
		arguments[name] = value
		return arguments
	}
	switch r.IntN(16) {
	case 0, 1, 2:
		arguments := map[string]any{"title": fmt.Sprintf("Task %d", created+1), "description": "Do it.\n\n- [ ] a box\n"}
		maybe(arguments, "status", func() any { return status() })
		maybe(arguments, "priority", func() any { return priority() })
		maybe(arguments, "dependsOn", func() any { return []string{id()} })
		maybe(arguments, "parent", func() any { return id() })
		return drawnCall{"issues_create", arguments}
	case 3, 4:
		return drawnCall{"issues_update", map[string]any{"id": id(), "status": status()}}
	case 5:
		return drawnCall{"issues_update_batch", map[string]any{"updates": []any{map[string]any{"id": id(), "priority": priority()}, map[string]any{"id": id(), "status": status()}}}}
	case 6:
		return drawnCall{"issues_mark_complete", map[string]any{"id": id()}}
	case 7:
		return drawnCall{"issues_claim", map[string]any{"operation": "next"}}
	case 8:
		return drawnCall{"issues_claim", map[string]any{"operation": []string{"claim", "renew", "release"}[r.IntN(3)], "id": id()}}
	case 9:
		return drawnCall{"issues_list", with(filter(), []string{"ready", "blocked"}[r.IntN(2)], true)}
	case 10:
		by := []string{"status", "priority", "updated"}[r.IntN(3)]
		return drawnCall{"issues_list", with(filter(), "sortBy", by)}
	case 11:
		criteria := []string{
			"status < " + quoted(status()), "status in (" + quoted(status()) + ", " + quoted(status()) + ") sort status, priority desc", "priority >= " + quoted(priority()),
			"is:active or is:done", "not is:cancelled sort priority", "is:ready", "is:closable",
		}
		return drawnCall{"issues_list", map[string]any{"where": criteria[r.IntN(len(criteria))]}}
	case 12:
		return drawnCall{"issues_search", map[string]any{"query": "task", "filters": filter()}}
	case 13:
		return drawnCall{"issues_stats", with(filter(), "groupBy", []string{"status", "priority"}[r.IntN(2)])}
	case 14:
		return drawnCall{"issues_all_complete", nil}
	}
	return drawnCall{"issues_get", map[string]any{"id": id()}}
}

func quoted(value string) string { return `"` + value + `"` }

// Every rule that depends on what a status means gives the same with other words: two
// workspaces that differ in the words alone answer the same calls alike, and have the same
// files after each.
func TestOtherWordsWithTheSameMeaningGiveTheSameAnswers(t *testing.T) {
	for _, seed := range storetest.FewOf([]uint64{0, 1, 2, 3}, 2) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			usual, own := worded(t, ""), worded(t, ownWords)
			draws := [2]*rand.Rand{rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 1))}
			created := 0
			for range 60 {
				a, b := draw(draws[0], usual.ix.Workspace().Layout, created), draw(draws[1], own.ix.Workspace().Layout, created)
				want, got := usual.Call(t, a.tool, a.arguments), own.Call(t, b.tool, b.arguments)
				if a.tool == "issues_create" && !want.IsError {
					created++
				}
				for _, texts := range [][2]string{{want.Text(), got.Text()}, {string(want.Structured), string(got.Structured)}} {
					wanted, was := ofItsOwn.ReplaceAllString(texts[0], ""), ofItsOwn.ReplaceAllString(toUsual.Replace(texts[1]), "")
					if want.IsError != got.IsError || wanted != was {
						t.Fatalf("%s %v:\n%s\nwith other words\n%s", a.tool, a.arguments, texts[0], texts[1])
					}
				}
				if wanted, was := documentTexts(t, usual.root), toUsual.Replace(documentTexts(t, own.root)); wanted != was {
					t.Fatalf("%s %v leaves\n%s\nwith other words\n%s", a.tool, a.arguments, wanted, was)
				}
			}
		})
	}
}

// documentTexts are the paths and texts of all documents of a workspace.
func documentTexts(t *testing.T, root string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(filepath.Join(root, ".wrangler"), func(file string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".md" {
			return err
		}
		data, err := os.ReadFile(file)
		fmt.Fprintf(&all, "%s\n%s\n", strings.TrimPrefix(file, root), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ofItsOwn.ReplaceAllString(all.String(), "")
}

// The definitions of the tools name the words that their workspace has.
func TestDefinitionsNameTheOwnWords(t *testing.T) {
	named := func(f fixture) string {
		var all strings.Builder
		for _, d := range f.List(t) {
			all.Write(d.InputSchema)
			all.WriteString(d.Description)
		}
		return all.String()
	}
	own := named(worded(t, ownWords))
	if !strings.Contains(own, `["Wartet","Läuft","Fertig","Abgelehnt"]`) || !strings.Contains(own, `["gering","üblich","eilig","brennt"]`) || strings.Contains(own, "in_progress") {
		t.Errorf("the definitions are %s", own)
	}
	var many strings.Builder
	for i := range 47 {
		fmt.Fprintf(&many, ",{name: status number %d of many, category: open}", i)
	}
	long := named(worded(t, "statuses: [{name: a, category: open},{name: b, category: active},{name: c, category: done}"+many.String()+"]"))
	if strings.Contains(long, "status number 3") || len(long) > len(own) {
		t.Errorf("a long list of statuses is in the definitions, of %d bytes", len(long))
	}
}
