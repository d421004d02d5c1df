package merge

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/store/frontmatter"
	"issues-index/store/layout"
)

// documents is Documents, with the program git.
func documents(t rapid.TB, workspace *layout.Layout, base, ours, theirs []byte, labels Labels) Merged {
	t.Helper()
	merged, err := Documents(context.Background(), workspace, base, ours, theirs, labels)
	if err != nil {
		t.Fatalf("merge: %v", err)
	}
	return merged
}

// byLines is mergeLines for lines that end as in this program's files.
func byLines(t rapid.TB, base, ours, theirs string) []piece {
	t.Helper()
	pieces, err := mergeLines(context.Background(), base, ours, theirs, lineEndsOf([]byte(ours)), false)
	if err != nil {
		t.Fatalf("merge lines: %v", err)
	}
	return pieces
}

// A mergeCase is a merge of three documents and what it gives.
type mergeCase struct {
	name               string
	base, ours, theirs string
	want               string
	conflicted         []string
	note               string // a part of the only note
}

// check merges, and merges the other way round: the sides are equal but for whose bytes
// stay.
func (c mergeCase) check(t *testing.T) {
	t.Helper()
	got := documents(t, layout.Default(), []byte(c.base), []byte(c.ours), []byte(c.theirs), Labels{})
	if string(got.Data) != c.want {
		t.Errorf("merged:\n%s\nwant:\n%s", got.Data, c.want)
	}
	if !slices.Equal(got.Conflicted, c.conflicted) || (got.Conflicts > 0) != (len(c.conflicted) > 0) {
		t.Errorf("%d conflicts in %q, want %q", got.Conflicts, got.Conflicted, c.conflicted)
	}
	if (c.note == "") != (len(got.Notes) == 0) || !strings.Contains(strings.Join(got.Notes, "\n"), c.note) {
		t.Errorf("the notes are %q, want %q", got.Notes, c.note)
	}
	back := documents(t, layout.Default(), []byte(c.base), []byte(c.theirs), []byte(c.ours), Labels{})
	slices.Sort(back.Conflicted)
	if !slices.Equal(back.Conflicted, slices.Sorted(slices.Values(c.conflicted))) || len(back.Notes) != len(got.Notes) {
		t.Errorf("the other way round: conflicts in %q, notes %q", back.Conflicted, back.Notes)
	}
}

// front is a document of some lines of frontmatter.
func front(lines ...string) string {
	return "---\n" + strings.Join(lines, "\n") + "\n---\n\n# A\n"
}

func TestFrontmatterIsMergedByKey(t *testing.T) {
	for _, c := range []mergeCase{
		{
			name:   "each side changed another key",
			base:   front("id: x", "status: open", "labels: [a]"),
			ours:   front("id: x", "status: closed", "labels: [a]"),
			theirs: front("id: x", "status: open", "labels: [a, b]"),
			want:   front("id: x", "status: closed", "labels: [a, b]"),
		},
		{
			name:   "neighbouring keys and the later updatedAt",
			base:   front("status: open", "priority: low", "updatedAt: '2026-01-01T00:00:00.000Z'"),
			ours:   front("status: closed", "priority: low", "updatedAt: '2026-01-03T00:00:00.000Z'"),
			theirs: front("status: open", "priority: high", "updatedAt: '2026-01-02T00:00:00.000Z'"),
			want:   front("status: closed", "priority: high", "updatedAt: '2026-01-03T00:00:00.000Z'"),
		},
		{
			name:   "the later closedAt, in its own form",
			base:   front("closedAt: 2026-01-01"),
			ours:   front("closedAt: 2026-01-02"),
			theirs: front("closedAt: '2026-01-02T00:00:01Z'"),
			want:   front("closedAt: '2026-01-02T00:00:01Z'"),
		},
		{
			name:   "both sides changed a key to the same",
			base:   front("title: a"),
			ours:   front("title: b", "x: 1"),
			theirs: front("title: 'b'"),
			want:   front("title: b", "x: 1"),
		},
		{
			name:   "what one side only spells in another way",
			base:   front("title: a"),
			ours:   front("title: \"a\"", "x: 1"),
			theirs: front("title: b"),
			want:   front("title: b", "x: 1"),
		},
		{
			name:       "a key that both changed differently is the only conflict",
			base:       front("title: a", "priority: low", "status: open"),
			ours:       front("title: b", "priority: low", "status: closed"),
			theirs:     front("title: c", "priority: high", "status: open"),
			want:       front("<<<<<<< ours", "title: b", "||||||| base", "title: a", "=======", "title: c", ">>>>>>> theirs", "priority: high", "status: closed"),
			conflicted: []string{"title"},
		},
		{
			name:       "a key that one side removed and the other changed",
			base:       front("id: x", "assignee: a"),
			ours:       front("id: x"),
			theirs:     front("id: x", "assignee: b"),
			want:       front("id: x", "<<<<<<< ours", "||||||| base", "assignee: a", "=======", "assignee: b", ">>>>>>> theirs"),
			conflicted: []string{"assignee"},
		},
		{
			name:   "a key that one side removed",
			base:   front("id: x", "assignee: a", "title: b"),
			ours:   front("id: x", "assignee: a", "title: c"),
			theirs: front("id: x", "title: b"),
			want:   front("id: x", "title: c"),
		},
		{
			name:   "keys that were added in one place",
			base:   front("id: x"),
			ours:   front("id: x", "a: 1"),
			theirs: front("id: x", "b: 2"),
			want:   front("id: x", "a: 1", "b: 2"),
		},
		{
			name:   "status: finished on one side, further on the other",
			base:   front("status: open"),
			ours:   front("status: in_progress"),
			theirs: front("status: closed"),
			want:   front("status: closed"),
			note:   "The status is in_progress in ours and closed in theirs: it stays closed.",
		},
		{
			name:   "status: a document without one is open",
			base:   front("id: x"),
			ours:   front("id: x", "status: cancelled"),
			theirs: front("id: x", "status: in_progress"),
			want:   front("id: x", "status: cancelled"),
			note:   "it stays cancelled",
		},
		{
			name:       "status: finished on one side, further back on the other",
			base:       front("status: in_progress"),
			ours:       front("status: closed"),
			theirs:     front("status: open"),
			want:       front("<<<<<<< ours", "status: closed", "||||||| base", "status: in_progress", "=======", "status: open", ">>>>>>> theirs"),
			conflicted: []string{"status"},
		},
		{
			name:       "status: finished in two ways",
			base:       front("status: open"),
			ours:       front("status: closed"),
			theirs:     front("status: cancelled"),
			want:       front("<<<<<<< ours", "status: closed", "||||||| base", "status: open", "=======", "status: cancelled", ">>>>>>> theirs"),
			conflicted: []string{"status"},
		},
		{
			name:       "status: of another vocabulary",
			base:       front("status: open"),
			ours:       front("status: closed"),
			theirs:     front("status: review"),
			want:       front("<<<<<<< ours", "status: closed", "||||||| base", "status: open", "=======", "status: review", ">>>>>>> theirs"),
			conflicted: []string{"status"},
		},
		{
			name:   "labels: added and removed on both sides",
			base:   front("labels: [a, b, c]"),
			ours:   front("labels: [a, c, d]"),
			theirs: front("labels: [a, b, e]"),
			want:   front("labels: [a, d, e]"),
		},
		{
			name:   "labels: a block list keeps its comments and its form",
			base:   front("labels:", "  - a # first", "  - 'b'"),
			ours:   front("labels:", "  - a # first", "  - 'b'", "  - 'c'"),
			theirs: front("labels: [a, b, d]"),
			want:   front("labels:", "  - a # first", "  - 'b'", "  - 'c'", "  - 'd'"),
		},
		{
			name:   "labels: in one text",
			base:   front("labels: a, b"),
			ours:   front("labels: a, b, c"),
			theirs: front("labels: b, d"),
			want:   front("labels: b, c, d"),
		},
		{
			name:   "labels: removed on one side, more on the other",
			base:   front("id: x", "labels: [a]"),
			ours:   front("id: x"),
			theirs: front("id: x", "labels: [a, b]"),
			want:   front("id: x", "labels: [b]"),
		},
		{
			name:   "links: new on both sides",
			base:   front("id: x"),
			ours:   front("id: x", "dependsOn: [ISS-000001]"),
			theirs: front("id: x", "dependsOn:", "- ISS-000002"),
			want:   front("id: x", "dependsOn: [ISS-000001, ISS-000002]"),
		},
		{
			name:       "links: one value on each side",
			base:       front("id: x"),
			ours:       front("id: x", "duplicateOf: A"),
			theirs:     front("id: x", "duplicateOf: B"),
			want:       front("id: x", "<<<<<<< ours", "duplicateOf: A", "||||||| base", "=======", "duplicateOf: B", ">>>>>>> theirs"),
			conflicted: []string{"duplicateOf"},
		},
		{
			name:   "wranglerContext is merged by its own keys",
			base:   front("wranglerContext:", "  a: 1", "  b: 2", "  c: 3"),
			ours:   front("wranglerContext:", "  a: 10 # ten", "  b: 2", "  c: 3", "  d: 4"),
			theirs: front("wranglerContext:", "  a: 1", "  b: 20", "  e: 5"),
			want:   front("wranglerContext:", "  a: 10 # ten", "  b: 20", "  d: 4", "  e: 5"),
		},
		{
			name:       "wranglerContext has a conflict at one of its keys alone",
			base:       front("wranglerContext:", "  a: 1", "  b: 2"),
			ours:       front("wranglerContext:", "  a: 3", "  b: 5"),
			theirs:     front("wranglerContext:", "  a: 4", "  b: 2"),
			want:       front("wranglerContext:", "<<<<<<< ours", "  a: 3", "||||||| base", "  a: 1", "=======", "  a: 4", ">>>>>>> theirs", "  b: 5"),
			conflicted: []string{"wranglerContext.a"},
		},
		{
			name:   "wranglerContext in braces",
			base:   front("wranglerContext: {a: 1, b: 2}"),
			ours:   front("wranglerContext: {a: 3, b: 2}"),
			theirs: front("wranglerContext: {a: 1, b: 2, c: [d]}"),
			want: front("<<<<<<< ours", "wranglerContext: {a: 3, b: 2}", "||||||| base", "wranglerContext: {a: 1, b: 2}",
				"=======", "wranglerContext: {a: 1, b: 2, c: [d]}", ">>>>>>> theirs"),
			conflicted: []string{"wranglerContext"},
		},
		{
			name:   "a comment that one side changed",
			base:   front("# one", "id: x", "# two", "status: open"),
			ours:   front("# one", "id: x", "# two", "status: closed"),
			theirs: front("# one", "id: x", "# three", "status: open"),
			want:   front("# one", "id: x", "# three", "status: closed"),
		},
		{
			name:       "a comment behind a value is no value",
			base:       front("status: open"),
			ours:       front("status: closed # by me"),
			theirs:     front("status: closed # released"),
			want:       front("<<<<<<< ours", "status: closed # by me", "||||||| base", "status: open", "=======", "status: closed # released", ">>>>>>> theirs"),
			conflicted: []string{"status"},
		},
		{
			name:   "a block scalar comes as it is written",
			base:   front("id: x", "notes: |", "  one", "status: open"),
			ours:   front("id: x", "notes: |", "  one", "status: closed"),
			theirs: front("id: x", "notes: |", "  one", "", "  # two", "status: open"),
			want:   front("id: x", "notes: |", "  one", "", "  # two", "status: closed"),
		},
		{
			name:   "unknown keys of any kind",
			base:   front("x: {a: [1, 2]}", "y: 007"),
			ours:   front("x: {a: [1, 2]}", "y: 008", "z: !t v"),
			theirs: front("x: {a: [1]}", "y: 007"),
			want:   front("x: {a: [1]}", "y: 008", "z: !t v"),
		},
		{
			name:   "wranglerContext that is indented in two ways",
			base:   front("wranglerContext:", "  a: 1", "  b: 2"),
			ours:   front("wranglerContext:", "  a: 3", "  b: 2"),
			theirs: front("wranglerContext:", "    a: 1", "    b: 2", "    c: d"),
			want: front("<<<<<<< ours", "wranglerContext:", "  a: 3", "  b: 2", "||||||| base", "wranglerContext:", "  a: 1", "  b: 2",
				"=======", "wranglerContext:", "    a: 1", "    b: 2", "    c: d", ">>>>>>> theirs"),
			conflicted: []string{"wranglerContext"},
		},
		{
			name:   "keys that both add to an empty wranglerContext",
			base:   front("wranglerContext: {}"),
			ours:   front("wranglerContext:", "  a: 3"),
			theirs: front("wranglerContext:", "  b: 2"),
			want:   front("wranglerContext:", "  a: 3", "  b: 2"),
		},
		{
			name:       "a comment between keys that both sides changed",
			base:       front("# one", "id: x"),
			ours:       front("# two", "id: x", "a: 1"),
			theirs:     front("# three", "id: x", "b: 2"),
			want:       front("<<<<<<< ours", "# two", "||||||| base", "# one", "=======", "# three", ">>>>>>> theirs", "id: x", "a: 1", "b: 2"),
			conflicted: []string{"id"},
		},
		{
			name:   "a comment stays when its key is removed by the other side",
			base:   front("# one", "id: x", "# two", "a: 1", "b: 2"),
			ours:   front("# one", "id: x", "# two", "a: 1", "b: 3"),
			theirs: front("# one", "id: x", "# two", "b: 2"),
			want:   front("# one", "id: x", "# two", "b: 3"),
		},
		{
			name:   "labels whose comments only the other side has",
			base:   front("id: x"),
			ours:   front("id: x", "labels: [a]"),
			theirs: front("id: x", "labels:", "- b # why", "- a"),
			want:   front("id: x", "labels:", "- b # why", "- a"),
		},
		{
			name:       "a tag is no other spelling",
			base:       front("id: x", "x: v"),
			ours:       front("id: x", "x: !a v"),
			theirs:     front("id: x", "x: w"),
			want:       front("id: x", "<<<<<<< ours", "x: !a v", "||||||| base", "x: v", "=======", "x: w", ">>>>>>> theirs"),
			conflicted: []string{"x"},
		},
		{
			name:   "keys keep our order",
			base:   front("a: 1", "b: 2", "c: 3"),
			ours:   front("c: 3", "b: 2", "a: 1", "d: 4"),
			theirs: front("a: 1", "e: 5", "b: 6", "c: 3"),
			want:   front("c: 3", "b: 6", "a: 1", "d: 4", "e: 5"),
		},
	} {
		t.Run(c.name, c.check)
	}
}

func TestRulesHoldForEveryKeyThatTheyName(t *testing.T) {
	for _, key := range append(frontmatter.LinkKeys(), "labels", "formerIds") {
		t.Run(key+" is a set", mergeCase{
			base:   front("id: x", key+": [R&D, b]"),
			ours:   front("id: x", key+": [R&D, b, c]"),
			theirs: front("id: x", key+": [b, d]"),
			want:   front("id: x", key+": [b, c, d]"),
		}.check)
	}
	for _, key := range []string{"updatedAt", "updated_date", "updated", "closedAt"} {
		t.Run(key+" is the later time", mergeCase{
			base:   front("id: x", key+": 2026-01-01"),
			ours:   front("id: x", key+": 2026-01-02"),
			theirs: front("id: x", key+": 2026-01-03"),
			want:   front("id: x", key+": 2026-01-03"),
		}.check)
		t.Run(key+" that is no time", mergeCase{
			base:       front("id: x", key+": 2026-01-01"),
			ours:       front("id: x", key+": soon"),
			theirs:     front("id: x", key+": 2026-01-03"),
			want:       front("id: x", "<<<<<<< ours", key+": soon", "||||||| base", key+": 2026-01-01", "=======", key+": 2026-01-03", ">>>>>>> theirs"),
			conflicted: []string{key},
		}.check)
	}
}

// task is a document with a text alone.
func task(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

func TestTextIsMergedByLine(t *testing.T) {
	for _, c := range []mergeCase{
		{
			name:   "changes in different places",
			base:   task("a", "b", "c"),
			ours:   task("A", "b", "c"),
			theirs: task("a", "b", "C"),
			want:   task("A", "b", "C"),
		},
		{
			name:       "changes in one place",
			base:       task("a", "b", "c"),
			ours:       task("a", "B", "c"),
			theirs:     task("a", "bb", "c"),
			want:       task("a", "<<<<<<< ours", "B", "||||||| base", "b", "=======", "bb", ">>>>>>> theirs", "c"),
			conflicted: []string{Text},
		},
		{
			name:   "two appends",
			base:   task("a"),
			ours:   task("a", "", "ours"),
			theirs: task("a", "", "theirs"),
			want:   task("a", "", "ours", "", "theirs"),
		},
		{
			name:   "two appends to a text without a final newline",
			base:   "a",
			ours:   "a\nours",
			theirs: "a\ntheirs",
			want:   "a\nours\ntheirs",
		},
		{
			name:   "the last line removed from a text without a final newline",
			base:   "a\nb\nc",
			ours:   "A\nb\nc",
			theirs: "a\nb",
			want:   "A\nb",
		},
		{
			name:   "a final newline that one side adds",
			base:   "a\nb\nc",
			ours:   "A\nb\nc",
			theirs: "a\nb\nc\n",
			want:   "A\nb\nc\n",
		},
		{
			name:   "two different boxes, on neighbouring lines",
			base:   task("- [ ] a", "- [ ] b"),
			ours:   task("- [x] a", "- [ ] b"),
			theirs: task("- [ ] a", "- [x] b"),
			want:   task("- [x] a", "- [x] b"),
		},
		{
			name:   "boxes checked and unchecked",
			base:   task("- [x] a", "  - [ ] b", "1. [X] c"),
			ours:   task("- [ ] a", "  - [ ] b", "1. [x] c"),
			theirs: task("- [x] a", "  - [x] b", "1. [ ] c"),
			want:   task("- [ ] a", "  - [x] b", "1. [ ] c"),
		},
		{
			name:       "a box that one side checked and the other reworded",
			base:       task("- [ ] Write the test", "- [ ] b"),
			ours:       task("- [ ] Write all of the tests", "- [ ] b"),
			theirs:     task("- [x] Write the test", "- [x] b"),
			want:       task("<<<<<<< ours", "- [ ] Write all of the tests", "||||||| base", "- [ ] Write the test", "=======", "- [x] Write the test", ">>>>>>> theirs", "- [x] b"),
			conflicted: []string{Text},
		},
		{
			name:       "a box that one side checked and the other removed",
			base:       task("# A", "- [ ] Write the test", "- [ ] b"),
			ours:       task("# A", "- [ ] b"),
			theirs:     task("# A", "- [x] Write the test", "- [ ] b"),
			want:       task("# A", "<<<<<<< ours", "||||||| base", "- [ ] Write the test", "=======", "- [x] Write the test", ">>>>>>> theirs", "- [ ] b"),
			conflicted: []string{Text},
		},
		{
			name:       "a box that one side checked and the other put another in the place of",
			base:       task("- [ ] Write the test"),
			ours:       task("- [ ] Release"),
			theirs:     task("- [x] Write the test"),
			want:       task("<<<<<<< ours", "- [ ] Release", "||||||| base", "- [ ] Write the test", "=======", "- [x] Write the test", ">>>>>>> theirs"),
			conflicted: []string{Text},
		},
		{
			name:       "boxes of one text whose order is another",
			base:       task("# A", "- [ ] Test", "", "# B", "- [ ] Test"),
			ours:       task("# B", "- [ ] Test", "", "# A", "- [ ] Test"),
			theirs:     task("# A", "- [ ] Test", "", "# B", "- [x] Test"),
			want:       task("# B", "- [ ] Test", "", "<<<<<<< ours", "# A", "- [ ] Test", "||||||| base", "# B", "- [ ] Test", "=======", "# B", "- [x] Test", ">>>>>>> theirs"),
			conflicted: []string{Text},
		},
		{
			name:       "boxes in code are text",
			base:       task("```", "- [ ] a", "- [ ] b", "```"),
			ours:       task("```", "- [x] a", "- [ ] b", "```"),
			theirs:     task("```", "- [ ] a", "- [x] b", "```"),
			want:       task("```", "<<<<<<< ours", "- [x] a", "- [ ] b", "||||||| base", "- [ ] a", "- [ ] b", "=======", "- [ ] a", "- [x] b", ">>>>>>> theirs", "```"),
			conflicted: []string{Text},
		},
	} {
		t.Run(c.name, c.check)
	}
}

func TestTimesOfTheLayoutAreTheLater(t *testing.T) {
	l, err := layout.Parse([]byte("dates: {updated: changed, closed: finished}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"changed", "finished"} {
		got := documents(t, l, []byte(front(key+": '2026-01-01 08:00'")), []byte(front(key+": '2026-01-02 08:00'")), []byte(front(key+": '2026-01-03 08:00'")), Labels{})
		if want := front(key + ": '2026-01-03 08:00'"); string(got.Data) != want || got.Conflicts > 0 {
			t.Errorf("%s", got.Data)
		}
	}
}
