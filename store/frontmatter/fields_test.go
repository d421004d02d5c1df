package frontmatter

import (
	"slices"
	"testing"
	"time"

	"issues-index/store/layout"
)

func TestLabels(t *testing.T) {
	for _, c := range []struct {
		yaml  string
		want  []string
		codes []ProblemCode
	}{
		{"labels: [a, 'b c', \"d\"]", []string{"a", "b c", "d"}, nil},
		{"labels:\n  - a\n  - b", []string{"a", "b"}, nil},
		{"labels: a, b,c ,, d", []string{"a", "b", "c", "d"}, nil},
		{"labels: 'a, b'", []string{"a", "b"}, nil},
		{"labels: one", []string{"one"}, nil},
		{"labels: 007", []string{"007"}, nil},
		{"labels: [no, 2026-01-01, 1.10, true]", []string{"no", "2026-01-01", "1.10", "true"}, nil},
		{"labels: ['a, b', c]", []string{"a, b", "c"}, nil},
		{"labels: [a, a, b, a]", []string{"a", "b"}, nil},
		{"labels: a, a", []string{"a"}, nil},
		{"labels: [a, ~, '', b]", []string{"a", "b"}, nil},
		{"labels: []", nil, nil},
		{"labels:", nil, nil},
		{"labels: ~", nil, nil},
		{"labels: [a, [b], {c: d}]", []string{"a"}, []ProblemCode{ProblemBadValue, ProblemBadValue}},
		{"labels: {a: b}", nil, []ProblemCode{ProblemBadValue}},
		{"x: &x [a, b]\nlabels: *x", []string{"a", "b"}, nil},
		{"labels: [\"two\\nlines\"]", []string{"two lines"}, nil},
	} {
		d := parseFields(c.yaml)
		if !slices.Equal(d.Labels, c.want) {
			t.Errorf("%s: %q, want %q", c.yaml, d.Labels, c.want)
		}
		wantProblems(t, d, c.codes...)
	}
}

func TestScalarFields(t *testing.T) {
	for _, c := range []struct {
		name, yaml string
		got        func(*Parsed) string
		want       string
		codes      []ProblemCode
	}{
		{"a title over several lines is one line", "title: >-\n  one\n  two\n\n  three", func(d *Parsed) string { return d.Title }, "one two three", nil},
		{"a literal title is one line", "title: |\n  one\n  two", func(d *Parsed) string { return d.Title }, "one two", nil},
		{"a title keeps blanks and dollars", "title: 'a  b $1 $& c'", func(d *Parsed) string { return d.Title }, "a  b $1 $& c", nil},
		{"a title may be a date", "title: 2026-01-01", func(d *Parsed) string { return d.Title }, "2026-01-01", nil},
		{"a title may be no", "title: no", func(d *Parsed) string { return d.Title }, "no", nil},
		{"a title may have a hash", "title: C# and #1", func(d *Parsed) string { return d.Title }, "C# and", nil},
		{"a NUL escaped in YAML is shown", `title: "a\0b"`, func(d *Parsed) string { return d.Title }, "a\ufffdb", nil},
		{"a null title is none", "title: ~", func(d *Parsed) string { return d.Title }, "", nil},
		{"a title that is a list is none", "title: [a]", func(d *Parsed) string { return d.Title }, "", []ProblemCode{ProblemBadValue}},
		{"an assignee list is joined", "assignee:\n  - '@a'\n  - b", func(d *Parsed) string { return d.Assignee }, "@a, b", nil},
		{"an empty assignee list is none", "assignee: []", func(d *Parsed) string { return d.Assignee }, "", nil},
		{"one assignee", "assignee: '@a'", func(d *Parsed) string { return d.Assignee }, "@a", nil},
		{"an unknown status is kept", "status: To Do", func(d *Parsed) string { return d.Status }, "To Do", []ProblemCode{ProblemUnknownStatus}},
		{"a status in capitals is unknown", "status: OPEN", func(d *Parsed) string { return d.Status }, "OPEN", []ProblemCode{ProblemUnknownStatus}},
		{"a status that is a list is none", "status: [open]", func(d *Parsed) string { return d.Status }, "", []ProblemCode{ProblemBadValue}},
		{"an unknown priority is kept", "priority: P1", func(d *Parsed) string { return d.Priority }, "P1", []ProblemCode{ProblemUnknownPriority}},
		{"another type of ours counts", "type: idea", func(d *Parsed) string { return d.Type }, "idea", nil},
		{"an unknown type is the collection's", "type: Standards Track", func(d *Parsed) string { return d.Type + string(d.Extra) }, `issue{"type":"Standards Track"}`, []ProblemCode{ProblemUnknownType}},
		{"a number as project", "project: 010", func(d *Parsed) string { return d.Project }, "010", nil},
		{"a parent at the top level", "parentTaskId: ISS-1", func(d *Parsed) string { return d.Parent }, "ISS-1", nil},
		{"a parent of another tracker", "parent_task_id: BACK-13", func(d *Parsed) string { return d.Parent }, "BACK-13", nil},
		{"wranglerContext's parent wins", "parentTaskId: ISS-1\nwranglerContext:\n  parentTaskId: 000002", func(d *Parsed) string { return d.Parent }, "000002", nil},
		{"an empty parent there does not", "wranglerContext:\n  parentTaskId: ~\nparentTaskId: ISS-1", func(d *Parsed) string { return d.Parent }, "ISS-1", nil},
		{"an empty context is an object", "wranglerContext: {}", func(d *Parsed) string { return string(d.Context) }, "{}", nil},
		{"a null context is none", "wranglerContext:", func(d *Parsed) string { return string(d.Context) + "none" }, "none", nil},
		{"a context that is no mapping is kept aside", "wranglerContext: [a]", func(d *Parsed) string { return string(d.Context) + string(d.Extra) }, `{"wranglerContext":["a"]}`, []ProblemCode{ProblemBadValue}},
		{"keys that are no fields are kept", "zeta: 1\nalpha:\n  - x: y\nref: ~", func(d *Parsed) string { return string(d.Extra) }, `{"zeta":1,"alpha":[{"x":"y"}],"ref":null}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := parseFields(c.yaml)
			if got := c.got(d); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			wantProblems(t, d, c.codes...)
		})
	}
}

func TestTimes(t *testing.T) {
	day := time.Date(2026, 2, 15, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name, yaml               string
		created, updated, closed time.Time
		codes                    []ProblemCode
	}{
		{"are zero without any key", "id: stem", time.Time{}, time.Time{}, time.Time{}, nil},
		{"are read from our keys", "createdAt: 2026-02-15\nupdatedAt: 2026-02-16\nclosedAt: 2026-02-17", day, day.AddDate(0, 0, 1), day.AddDate(0, 0, 2), nil},
		{"are read from other trackers' keys", "created_date: 2026-02-15\nupdated_date: 2026-02-16", day, day.AddDate(0, 0, 1), time.Time{}, nil},
		{"are read from plain keys", "created: 2026-02-15\nupdated: 2026-02-16", day, day.AddDate(0, 0, 1), time.Time{}, nil},
		{"prefer our keys whatever the order", "created: 2020-01-01\ncreatedAt: 2026-02-15", day, time.Time{}, time.Time{}, nil},
		{"fall back over a bad date to the next key", "createdAt: soon\ncreated: 2026-02-15", day, time.Time{}, time.Time{}, []ProblemCode{ProblemBadValue}},
		{"are zero with nothing but bad dates", "createdAt: 2026-02-31\nupdatedAt: [1]\nclosedAt: yes", time.Time{}, time.Time{}, time.Time{}, []ProblemCode{ProblemBadValue, ProblemBadValue, ProblemBadValue}},
		{"take null and empty as absent", "createdAt: ~\nupdatedAt: ''\nclosedAt:", time.Time{}, time.Time{}, time.Time{}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := parseFields(c.yaml)
			if d.Created != c.created || d.Updated != c.updated || d.Closed != c.closed {
				t.Errorf("%v, %v, %v", d.Created, d.Updated, d.Closed)
			}
			wantProblems(t, d, c.codes...)
			if d.Extra != nil {
				t.Errorf("extra %s", d.Extra)
			}
		})
	}
}

// parseFile parses the text of an issue.
func parseFile(text string) *Parsed {
	p := Parse([]byte(text), "issue", layout.Default())
	return &p
}

// parseFields parses a document with the given frontmatter lines.
func parseFields(yaml string) *Parsed { return parseFile("---\n" + yaml + "\n---\nbody\n") }

func wantProblems(t *testing.T, d *Parsed, codes ...ProblemCode) {
	t.Helper()
	var got []ProblemCode
	for _, p := range d.Problems {
		got = append(got, p.Code)
		if p.Message == "" {
			t.Errorf("problem %s has no message", p.Code)
		}
	}
	if !slices.Equal(got, codes) {
		t.Errorf("problems are %v, want %v: %+v", got, codes, d.Problems)
	}
}
