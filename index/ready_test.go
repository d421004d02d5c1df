package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/index/db"
)

// ids are the documents that a filter lets through, in order.
func (k *kit) ids(ix *Index, f Filter) string {
	k.Helper()
	var ids []string
	for _, row := range k.everything(ix, Query{Filter: f, Limit: 2}) {
		ids = append(ids, row.ID)
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

// note writes a document with an id and further lines of frontmatter.
func (k *kit) note(id string, lines ...string) {
	k.Helper()
	text := "---\nid: " + id + "\ntitle: The " + id + "\n" + strings.Join(lines, "\n") + "\n---\n"
	k.put(".wrangler/issues/"+id+".md", text)
}

// reasons are why a document is not ready, in words.
func (k *kit) reasons(ix *Index, id string) string {
	k.Helper()
	links, err := ix.Links(k.Context(), id)
	if err != nil {
		k.Fatal(err)
	}
	var all []string
	for _, r := range links.Reasons {
		switch r := r.(type) {
		case NotOpen:
			all = append(all, "is "+r.Status)
		case Deferred:
			all = append(all, "until "+r.Until.Format(time.DateOnly))
		case Waits:
			all = append(all, fmt.Sprintf("waits for %s %s", r.For.State, r.For.ID))
		case AncestorWaits:
			all = append(all, fmt.Sprintf("%s above waits for %s", r.Ancestor, strings.Join(r.For, " ")))
		case HasOpenChildren:
			all = append(all, fmt.Sprintf("%d children", r.Open))
		case InCycle:
			all = append(all, strings.Join(r.Path, " > "))
		}
	}
	return strings.Join(all, "; ")
}

func TestReady(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	ix := k.open(Options{Path: db.MemoryPath, Mode: ModeVerify, Now: func() time.Time { return now }})
	for _, c := range []struct {
		name           string
		files          map[string][]string // lines of frontmatter by id
		ready, blocked string
		reasons        map[string]string
	}{
		{
			"is what is open",
			map[string][]string{"A-1": nil, "A-2": {"status: open"}, "A-3": {"status: in_progress"}, "A-4": {"status: closed"}, "A-5": {"status: someday"}},
			"A-1 A-2", "",
			map[string]string{"A-1": "", "A-3": "is in_progress", "A-4": "is closed"},
		},
		{
			"asks that each dependency is closed",
			map[string][]string{"A-1": nil, "A-2": {"status: closed"}, "A-3": {"dependsOn: [A-1, A-2]"}, "A-4": {"blocked_by: A-2"}},
			"A-1 A-4", "A-3",
			map[string]string{"A-3": "waits for open A-1", "A-4": ""},
		},
		{
			"takes a cancelled dependency for done",
			map[string][]string{"A-1": {"status: cancelled"}, "A-2": {"dependencies: [a-01]"}},
			"A-2", "", nil,
		},
		{
			"waits for what is unknown, and names it",
			map[string][]string{"A-1": {"dependsOn: [A-9]"}, "A-2": {"dependsOn: ['web:A-1', B-1]"}},
			"", "A-1 A-2",
			map[string]string{"A-1": "waits for unknown A-9", "A-2": "waits for external B-1; waits for external web:A-1"},
		},
		{
			"waits for what is ambiguous",
			map[string][]string{"A-1": {"status: closed"}, "A-01": {"status: closed"}, "A-2": {"dependsOn: [a-1]"}},
			"", "A-2",
			map[string]string{"A-2": "waits for ambiguous a-1"},
		},
		{
			"waits for what says that it blocks it",
			map[string][]string{"A-1": {"blocks: [A-2, A-3]"}, "A-2": nil, "A-3": {"dependsOn: [A-1]"}, "A-4": {"blocking: [A-1]", "status: closed"}},
			"A-1", "A-2 A-3",
			map[string]string{"A-2": "waits for open A-1", "A-3": "waits for open A-1"},
		},
		{
			"is not deferred",
			map[string][]string{"A-1": {"defer_until: 2026-03-02"}, "A-2": {"deferUntil: 2026-02-28"}},
			"A-2", "",
			map[string]string{"A-1": "until 2026-03-02"},
		},
		{
			"has no unfinished children, and may have finished ones",
			map[string][]string{"A-1": nil, "A-2": {"parent: A-1", "status: in_progress"}, "A-3": nil, "A-4": {"parent_task_id: A-3", "status: closed"}},
			"A-3", "",
			map[string]string{"A-1": "1 children"},
		},
		{
			"waits with an ancestor",
			map[string][]string{"A-1": {"dependsOn: [A-9, A-8]"}, "A-2": {"parent: A-1"}, "A-3": {"parent: A-2"}, "A-8": {"status: in_progress"}},
			"", "A-1 A-2 A-3",
			map[string]string{"A-3": "A-1 above waits for A-8 unknown A-9"},
		},
		{
			"does not wait with an ancestor for what is below that",
			map[string][]string{"A-1": {"dependsOn: [A-2, A-3]"}, "A-2": {"parent: A-1"}, "A-3": {"parent: A-2"}, "A-4": {"parent: A-1", "dependsOn: [A-3]"}},
			"A-3", "A-1 A-4",
			map[string]string{"A-1": "waits for open A-2; waits for open A-3; 2 children", "A-2": "1 children"},
		},
		{
			"is nothing that waits for itself",
			map[string][]string{"A-1": {"dependsOn: [A-2]"}, "A-2": {"dependsOn: [A-1]"}, "A-3": {"dependsOn: [A-3]"}, "A-4": {"dependsOn: [A-1]"}},
			"", "A-1 A-2 A-3 A-4",
			map[string]string{"A-1": "waits for open A-2; A-1 > A-2 > A-1", "A-3": "waits for open A-3; A-3 > A-3", "A-4": "waits for open A-1"},
		},
		{
			"is no child that waits for its parent",
			map[string][]string{"A-1": nil, "A-2": {"parent: A-1", "dependsOn: [A-1]"}},
			"", "A-2",
			map[string]string{"A-1": "1 children; A-1 > A-2 > A-1"},
		},
		{
			"is no child of a parent that waits for what waits for the child",
			map[string][]string{"A-1": {"dependsOn: [A-3]"}, "A-2": {"parent: A-1"}, "A-3": {"dependsOn: [A-2]"}},
			"", "A-1 A-2 A-3",
			map[string]string{"A-2": "A-1 above waits for A-3; A-2 > A-1 > A-3 > A-2"},
		},
		{
			"is judged against documents of every type, and by any spelling of a link",
			map[string][]string{"SPEC-7": {"type: specification"}, "A-1": {"dependsOn: ['[[SPEC-7]]']"}, "A-2": {"dependsOn: [../specs/SPEC-7.md]"}, "A-3": {"dependsOn: [7]"}},
			"SPEC-7", "A-1 A-2 A-3", nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := k.within(t)
			k.clear()
			for id, lines := range c.files {
				k.note(id, lines...)
			}
			if got := k.ids(ix, Filter{Ready: true}); got != c.ready {
				t.Errorf("ready are %q, want %q", got, c.ready)
			}
			if got := k.ids(ix, Filter{Blocked: true}); got != c.blocked {
				t.Errorf("blocked are %q, want %q", got, c.blocked)
			}
			for id, want := range c.reasons {
				if got := k.reasons(ix, id); got != want {
					t.Errorf("%s: %s, want %s", id, got, want)
				}
			}
		})
	}

	t.Run("leaves out what lies in archived/, and counts it as done", func(t *testing.T) {
		t.Parallel()
		k := newKit(t)
		k.put(".wrangler/issues/archived/A-1.md", "---\nid: A-1\nstatus: open\n---\n")
		k.note("A-2", "dependsOn: [A-1]")
		ix := k.open(Options{Path: db.MemoryPath, Mode: ModeVerify})
		if got := k.ids(ix, Filter{Ready: true}); got != "A-2" {
			t.Errorf("ready are %q", got)
		}
		if got := k.reasons(ix, "A-1"); got != "is open" {
			t.Errorf("A-1 %s", got)
		}
	})

	t.Run("comes with the day that a document is deferred to, without a change", func(t *testing.T) {
		t.Parallel()
		k := newKit(t)
		k.note("A-1", "deferUntil: 2026-03-02")
		now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		ix := k.open(Options{Path: db.MemoryPath, Mode: ModeVerify, Now: func() time.Time { return now }})
		for _, q := range []Query{{Filter: Filter{Ready: true}, Limit: 5}, {Search: true, Text: "The", Filter: Filter{Ready: true}, Limit: 5}} {
			now = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
			if p := k.find(ix, q); p.Total != 0 || len(p.Rows) != 0 {
				t.Errorf("a day before: %d of %d", len(p.Rows), p.Total)
			}
			now = now.AddDate(0, 0, 1)
			if p := k.find(ix, q); p.Total != 1 || len(p.Rows) != 1 {
				t.Errorf("on the day: %d of %d", len(p.Rows), p.Total)
			}
		}
	})

	t.Run("is judged by all documents, also by those that the filter leaves out", func(t *testing.T) {
		t.Parallel()
		k := newKit(t)
		k.note("A-1", "assignee: ann", "labels: [x]")
		k.note("A-2", "assignee: bob", "dependsOn: [A-1]")
		k.note("A-3", "assignee: bob")
		ix := k.open(Options{Path: db.MemoryPath, Mode: ModeVerify})
		for want, f := range map[string]Filter{
			"A-3": {Assignee: "bob", Ready: true}, "A-2": {Assignee: "bob", Blocked: true}, "A-1": {Labels: []string{"x"}, Ready: true}, "": {Statuses: []string{"closed"}, Ready: true},
		} {
			if got := k.ids(ix, f); got != want {
				t.Errorf("%+v: %q, want %q", f, got, want)
			}
			counted, total, err := ix.Stats(t.Context(), "assignee", f)
			if err != nil || total != len(strings.Fields(want)) || len(counted) != total {
				t.Errorf("%+v: %v of %d, %v", f, counted, total, err)
			}
		}
	})

	t.Run("looks at the nearest 20 documents above", func(t *testing.T) {
		t.Parallel()
		k := newKit(t)
		k.note("A-0", "dependsOn: [A-99]")
		for i := range 60 {
			k.note(fmt.Sprintf("A-%d", i+1), fmt.Sprintf("parent: A-%d", i))
		}
		k.note("B-1", "parent: A-20")
		k.note("B-2", "parent: A-19")
		ix := k.open(Options{Path: db.MemoryPath, Mode: ModeVerify})
		if got := k.ids(ix, Filter{Ready: true}); got != "A-60 B-1" {
			t.Errorf("ready: %q", got)
		}
		for id, want := range map[string]bool{"B-1": true, "B-2": false} {
			if links, err := ix.Links(t.Context(), id); err != nil || links.Ready() != want {
				t.Errorf("%s: %v, want %v; %v", id, links.Ready(), want, err)
			}
		}
	})

	t.Run("follows what becomes of a dependency", func(t *testing.T) {
		t.Parallel()
		k := newKit(t)
		k.note("A-1", "dependsOn: [A-2]")
		ix := k.open(Options{Path: db.MemoryPath, Mode: ModeVerify})
		for _, step := range []struct {
			lines []string
			want  string
		}{{[]string{"status: open"}, "A-2"}, {[]string{"status: closed"}, "A-1"}, {[]string{"status: open", "dependsOn: [A-1]"}, ""}} {
			k.note("A-2", step.lines...)
			if got := k.ids(ix, Filter{Ready: true}); got != step.want {
				t.Errorf("%v: %q, want %q", step.lines, got, step.want)
			}
		}
	})
}

func TestLinks(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.note("A-1", "dependsOn: [A-2, A-9]", "relatesTo: [A-3]", "duplicateOf: A-4", "parent: A-5")
	k.note("A-2", "status: cancelled")
	k.note("A-3", "dependsOn: [A-1]", "parent: A-1", "status: closed")
	k.note("A-4", "parent: A-1")
	k.note("A-5", "blocks: [A-1]", "status: in_progress")
	k.note("A-6", "dependsOn: [A-2]")
	ix := k.open(Options{Path: db.MemoryPath, Mode: ModeVerify})
	list := func(links []LinkedDocument) string {
		var all []string
		for _, l := range links {
			all = append(all, fmt.Sprintf("%s:%s:%s", l.Kind, l.ID, l.State))
		}
		return strings.Join(all, " ")
	}
	links, err := ix.Links(t.Context(), "a-1")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ got, want string }{
		"waits for": {list(links.WaitsFor), "waitsFor:A-2:cancelled waitsFor:A-9:unknown waitsFor:A-5:open"},
		"blocks":    {list(links.Blocks), "blocks:A-3:satisfied"},
		"parents":   {list(links.Parents), "parent:A-5:open"},
		"children":  {list(links.Children), "parent:A-3:satisfied parent:A-4:open"},
		"related":   {list(links.Related), "duplicateOf:A-4:open relatesTo:A-3:satisfied"},
		"counts":    {fmt.Sprint(links.Waiting, links.FinishedChildren, links.AllChildren), "1 1 2"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", name, c.got, c.want)
		}
	}
	if _, err := ix.Links(t.Context(), "A-99"); err == nil {
		t.Error("an unknown id has links")
	}
}

func TestCycles(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.note("A-1")
	k.note("A-2", "dependsOn: [A-1]")
	k.note("A-3", "parent: A-2")
	k.note("A-4", "dependsOn: [A-3]", "status: closed")
	ix := k.open(Options{Path: db.MemoryPath, Mode: ModeVerify})
	for _, c := range []struct {
		name     string
		proposed []ProposedLinks
		want     string
	}{
		{"a document that waits for itself", []ProposedLinks{{ID: "A-1", WaitsFor: new([]string{"a-01"})}}, "A-1 A-1"},
		{"one that waits for what waits for it", []ProposedLinks{{ID: "A-1", WaitsFor: new([]string{"A-2"})}}, "A-1 A-2 A-1"},
		{"one that waits for a child of what waits for it", []ProposedLinks{{ID: "A-1", WaitsFor: new([]string{"A-3"})}}, "A-1 A-3 A-2 A-1"},
		{"a parent below its own child", []ProposedLinks{{ID: "A-2", Parent: new("A-3")}}, "A-2 A-3 A-2"},
		{"two at once", []ProposedLinks{{ID: "A-2", WaitsFor: new([]string{})}, {ID: "A-1", WaitsFor: new([]string{"A-2"})}}, ""},
		{"a finished document ends it", []ProposedLinks{{ID: "A-3", WaitsFor: new([]string{"A-4"})}}, ""},
		{"unless it is the one that is written", []ProposedLinks{{ID: "A-4", WaitsFor: new([]string{"A-4"})}}, "A-4 A-4"},
		{"a parent that waits for its child", []ProposedLinks{{ID: "A-2", WaitsFor: new([]string{"A-3"})}}, ""},
		{"what is there already", []ProposedLinks{{ID: "A-2", WaitsFor: new([]string{"A-1", "A-9"}), Parent: new("")}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			cycle, err := ix.NewCycle(t.Context(), c.proposed)
			if got := strings.Join(cycle, " "); err != nil || got != c.want {
				t.Errorf("%q, want %q; %v", got, c.want, err)
			}
		})
	}

	t.Run("found on disk are a problem of each document in one", func(t *testing.T) {
		k.note("A-1", "dependsOn: [A-3]")
		problems, err := ix.Problems(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, p := range problems {
			if p.Problem.Code == problemDependencyCycle {
				got[p.ID] = p.Problem.Message
			}
		}
		const ends = "; remove one of these links"
		if len(got) != 3 || got["A-1"] != "it waits for itself: A-1 → A-3 → A-2 → A-1"+ends {
			t.Errorf("%q", got)
		}
		if cycle, err := ix.NewCycle(t.Context(), []ProposedLinks{{ID: "A-1", WaitsFor: new([]string{"A-3", "A-9"})}}); err != nil || cycle != nil {
			t.Errorf("a cycle that is there is no new one: %q, %v", cycle, err)
		}
	})

	t.Run("a long one is told in part", func(t *testing.T) {
		k := newKit(t)
		for i := range 300 {
			k.note(fmt.Sprintf("B-%d", i), fmt.Sprintf("dependsOn: [B-%d]", (i+1)%300))
		}
		problems, err := k.open(Options{Path: db.MemoryPath, Mode: ModeVerify}).Problems(t.Context())
		if err != nil || len(problems) != 300 {
			t.Fatalf("%d problems, %v", len(problems), err)
		}
		for _, p := range problems {
			if m := p.Problem.Message; p.Problem.Code != problemDependencyCycle || len(m) > 200 || !strings.Contains(m, "documents in one circle") || !strings.Contains(m, " → … → ") {
				t.Fatalf("%s: %s", p.ID, m)
			}
		}
	})

	t.Run("are searched for up to where all that waits is finished", func(t *testing.T) {
		k := newKit(t)
		for i := range 9 {
			k.note(fmt.Sprintf("C-%d", i), fmt.Sprintf("dependsOn: [C-%d]", i+1))
		}
		k.note("C-3", "dependsOn: [C-4]", "status: closed")
		ix := k.open(Options{Path: db.MemoryPath, Mode: ModeVerify})
		if cycle, err := ix.NewCycle(t.Context(), []ProposedLinks{{ID: "C-8", WaitsFor: new([]string{"C-0"})}}); err != nil || cycle != nil {
			t.Errorf("through a finished document: %q, %v", cycle, err)
		}
		if cycle, err := ix.NewCycle(t.Context(), []ProposedLinks{{ID: "C-8", WaitsFor: new([]string{"C-4"})}}); err != nil || len(cycle) != 6 {
			t.Errorf("beside it: %q, %v", cycle, err)
		}
	})
}
