package frontmatter

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestLinks(t *testing.T) {
	for _, c := range []struct {
		yaml  string
		want  string // each link as kind:id
		codes []ProblemCode
	}{
		{"dependsOn: [ISS-1, ISS-2]", "waitsFor:ISS-1 waitsFor:ISS-2", nil},
		{"dependsOn:\n  - ISS-1\n  - ISS-2", "waitsFor:ISS-1 waitsFor:ISS-2", nil},
		{"depends_on: ISS-1", "waitsFor:ISS-1", nil},
		{"dependencies: ISS-1, ISS-2,,", "waitsFor:ISS-1 waitsFor:ISS-2", nil},
		{"blockedBy: [1, 002]", "waitsFor:1 waitsFor:002", nil},
		{"blocked_by: '#12'", "waitsFor:12", nil},
		{"blocks: ISS-1\nblocking: [ISS-2]", "blocks:ISS-1 blocks:ISS-2", nil},
		{"relatesTo: A-1\nduplicateOf: B-1\ndiscovered_from: C-1", "relatesTo:A-1 duplicateOf:B-1 discoveredFrom:C-1", nil},
		{"parent: ISS-1", "parent:ISS-1", nil},
		{"parent_task_id: task-4\nparent: ISS-1", "parent:task-4", nil},
		{"wranglerContext: {parentTaskId: ISS-2}\nparent: ISS-1", "parent:ISS-2", nil},
		{"dependsOn: '[[ISS-1]], [[ISS-2|a, b]]'", "waitsFor:ISS-1 waitsFor:ISS-2", nil},
		{"dependsOn: ['[Fix, at last](../issues/ISS-1-fix%20it.md#part)']", "waitsFor:ISS-1-fix it", nil},
		{"dependsOn: .wrangler/issues/ISS-1-fix.md", "waitsFor:ISS-1-fix", nil},
		{"dependsOn: '`ISS-1`'", "waitsFor:ISS-1", nil},
		{"dependsOn: other:ISS-1", "waitsFor:other:ISS-1", nil},
		{"dependsOn: []\nblockedBy:\nblocks: ~", "", nil},
		{"dependsOn: [ISS-1, {id: ISS-2}, [ISS-3]]", "waitsFor:ISS-1", []ProblemCode{ProblemBadValue, ProblemBadValue}},
		{"dependsOn: [[ISS-1]]", "waitsFor:ISS-1", nil}, // as people write a wiki link
		{"dependsOn: [[[ISS-1]], [[ISS-2|two]], ISS-3]", "waitsFor:ISS-1 waitsFor:ISS-2 waitsFor:ISS-3", nil},
		{"blockedBy:\n  - [[ISS-1]]\n  - [[ISS-2#Notes]]", "waitsFor:ISS-1 waitsFor:ISS-2", nil},
		{"parent: [[ISS-1]]", "parent:ISS-1", nil},
		{"wranglerContext:\n  parentTaskId: [[ISS-1]]", "parent:ISS-1", nil},
		{"dependsOn: [[ISS-1, ISS-2]]", "", []ProblemCode{ProblemBadValue}},
		{"dependsOn: {a: b}", "", []ProblemCode{ProblemBadValue}},
		{"dependsOn: '[[]]'", "", []ProblemCode{ProblemBadValue}},
		{"dependsOn: the other team", "waitsFor:the other team", []ProblemCode{ProblemBadValue}}, // and waits, until somebody writes an id
	} {
		d := parseFields(c.yaml)
		got := ""
		for _, l := range d.AllLinks() {
			got += fmt.Sprintf(" %s:%s", l.Kind, l.Destination.ID)
		}
		if got != "" {
			got = got[1:]
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.yaml, got, c.want)
		}
		wantProblems(t, d, c.codes...)
	}
}

func TestParseDestination(t *testing.T) {
	for written, want := range map[string]LinkDestination{
		"ISS-000012":                {"ISS-000012", ""},
		" iss-12 ":                  {"iss-12", ""},
		"12":                        {"12", ""},
		"task-100.1":                {"task-100.1", ""},
		"a-file's-name":             {"a-file's-name", "a-file's-name"},
		"ISS-12.md":                 {"ISS-12", "ISS-12"},
		`..\issues\ISS-12.MD`:       {"ISS-12", "ISS-12"},
		"[[ISS-12#Notes]]":          {"ISS-12", "ISS-12"},
		"[twelve](<a b/ISS-12.md>)": {"ISS-12", "ISS-12"},
		"https://example.com/12":    {"https://example.com/12", ""},
		"[[]]":                      {},
		"[x]()":                     {},
		"":                          {},
	} {
		if got := ParseDestination(written); got != want {
			t.Errorf("%q: %+v, want %+v", written, got, want)
		}
	}
}

func TestDeferred(t *testing.T) {
	want := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for _, yaml := range []string{"deferUntil: 2026-05-01", "defer_until: 2026-05-01T00:00:00Z", "deferUntil: someday\ndefer_until: 2026-05-01"} {
		if d := parseFields(yaml); !d.Deferred.Equal(want) {
			t.Errorf("%s: %v", yaml, d.Deferred)
		}
	}
	wantProblems(t, parseFields("deferUntil: someday"), ProblemBadValue)
}

func TestEditLinks(t *testing.T) {
	for _, c := range []struct {
		name, before string
		ids          []string
		after        string
	}{
		{"numbers stay numbers", "dependencies: [1, 002]\n", []string{"1", "002", "3"}, "dependencies: [1, 002, '3']\n"},
		{"comments of a block stay", "dependencies:\n  # first\n  - A-1 # why\n  - A-2\n", []string{"A-1"}, "dependencies:\n  # first\n  - A-1 # why\n"},
		{"one text stays one text", "dependencies: A-1, A-2 # why\n", []string{"A-2", "A-3"}, "dependencies: A-2, A-3 # why\n"},
		{"the first one of an empty list", "dependencies: []\n", []string{"A-1"}, "dependencies: [A-1]\n"},
		{"the last one goes", "dependencies:\n- A-1\n", nil, "dependencies: []\n"},
	} {
		t.Run(c.name, func(t *testing.T) { wantFields(t, set("dependencies", c.ids), c.before, c.after) })
	}
}

func TestCommasInBracketsSplitNoLinks(t *testing.T) {
	values := splitLinks("[a, b](c, d), [[e, f]], g], h")
	if want := []string{"[a, b](c, d)", "[[e, f]]", "g]", "h"}; !slices.Equal(values, want) {
		t.Errorf("%q, want %q", values, want)
	}
}
