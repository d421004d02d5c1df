package store

import (
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/store/frontmatter"
	"issues-index/store/layout"
)

var testMtime = time.Date(2026, 3, 4, 5, 6, 7, 8_000_000, time.UTC)

// parseFile parses text as an issue of the given file name.
func parseFile(name, text string) *Document {
	c := Collection{Type: TypeIssue, Dir: ".wrangler/issues", archive: ".wrangler/issues/archived"}
	w := &Workspace{Collections: []Collection{c}, Layout: layout.Default()}
	return w.Parse(File{Path: c.Dir + "/" + name, Collection: &c, Stat: Stat{Size: int64(len(text)), Mtime: testMtime.UnixNano()}}, []byte(text), nil)
}

// parseFields parses a document with the given frontmatter lines.
func parseFields(yaml string) *Document { return parseFile("stem.md", "---\n"+yaml+"\n---\nbody\n") }

func wantProblems(t *testing.T, d *Document, codes ...ProblemCode) {
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

func TestParse(t *testing.T) {
	t.Run("reads every field", func(t *testing.T) {
		d := parseFile("ISS-000041-title-of-it.md", `---
id: ISS-000041
title: "Title of it"
type: issue
status: open
priority: high
labels: [bug, "two words"]
assignee: sam
project: Docs
createdAt: '2026-01-21T22:19:45.466Z'
updatedAt: 2026-02-15
wranglerContext:
  agentId: claude
  parentTaskId: SPEC-000001
  estimatedEffort: 2 days
  tries: 3
ours: true
---

The body.
`)
		wantProblems(t, d)
		if d.ID != "ISS-000041" || d.Title != "Title of it" || d.Type != "issue" || d.Collection != "issue" || d.Status != "open" ||
			d.Priority != "high" || d.Assignee != "sam" || d.Project != "Docs" || d.Parent != "SPEC-000001" {
			t.Errorf("%+v", d)
		}
		if !slices.Equal(d.Labels, []string{"bug", "two words"}) {
			t.Errorf("labels %q", d.Labels)
		}
		if d.Created != time.Date(2026, 1, 21, 22, 19, 45, 466e6, time.UTC) || d.Updated != time.Date(2026, 2, 15, 0, 0, 0, 0, time.UTC) || !d.Closed.IsZero() {
			t.Errorf("%v %v %v", d.Created, d.Updated, d.Closed)
		}
		if want := `{"agentId":"claude","parentTaskId":"SPEC-000001","estimatedEffort":"2 days","tries":3}`; string(d.Context) != want {
			t.Errorf("context %s", d.Context)
		}
		if string(d.Extra) != `{"ours":true}` {
			t.Errorf("extra %s", d.Extra)
		}
		if d.Body != "\nThe body.\n" || d.BodyLine != 19 {
			t.Errorf("body %q from line %d", d.Body, d.BodyLine)
		}
	})

	t.Run("falls back to the first heading, the stem and the file's time", func(t *testing.T) {
		d := parseFile("notes on it.md", "Some text.\n\n```\n# a comment\n```\n\nThe *real* title\n===\n")
		wantProblems(t, d)
		if d.ID != "notes on it" || d.Title != "The real title" || d.Type != "issue" || d.Created != testMtime || d.Updated != testMtime || d.BodyLine != 1 {
			t.Errorf("%+v", d)
		}
		if d := parseFile("notes.md", "no heading"); d.Title != "notes" {
			t.Errorf("title %q", d.Title)
		}
		if d := parseFile("empty.md", ""); d.Title != "empty" || d.Body != "" || len(d.Problems) > 0 {
			t.Errorf("%+v", d)
		}
	})

	t.Run("finds the frontmatter's end and nothing else's", func(t *testing.T) {
		for _, c := range []struct{ name, text, id, body string }{
			{"plain", "---\nid: a\n---\nbody", "a", "body"},
			{"CRLF", "---\r\nid: a\r\n---\r\nbody\r\n", "a", "body\r\n"},
			{"byte order mark", "\ufeff" + "---\nid: a\n---\nbody", "a", "body"},
			{"blanks after the fences", "--- \t\nid: a\n---  \nbody", "a", "body"},
			{"dots close", "---\nid: a\n...\nbody", "a", "body"},
			{"nothing after the closing fence", "---\nid: a\n---", "a", ""},
			{"an empty body", "---\nid: a\n---\n", "a", ""},
			{"empty frontmatter", "---\n---\nbody", "x", "body"},
			{"comments only", "---\n# nothing\n---\nbody", "x", "body"},
			{"only null", "---\n~\n---\nbody", "x", "body"},
			{"a second block belongs to the body", "---\nid: a\n---\n---\nid: b\n---\n", "a", "---\nid: b\n---\n"},
			{"a fence inside a value that is indented", "---\nid: a\nnote: |\n  ---\n  more\n---\nbody", "a", "body"},
			{"a rule of four dashes does not close", "---\nid: a\nnote: >\n  x\n# ----\n---\nbody", "a", "body"},
			{"a rule of four dashes does not open", "----\nid: a\n---\n", "x", "----\nid: a\n---\n"},
			{"a blank line first", "\n---\nid: a\n---\n", "x", "\n---\nid: a\n---\n"},
			{"a blank before the fence", " ---\nid: a\n---\n", "x", " ---\nid: a\n---\n"},
			{"a byte order mark without frontmatter", "\ufeff" + "body", "x", "\ufeff" + "body"},
			{"line separators that YAML counts as line breaks", "---\ntitle: \"a\u2028b\u0085c\"\nid: a\n---\nbody", "a", "body"},
		} {
			d := parseFile("x.md", c.text)
			want := "x"
			if c.id != "" {
				want = c.id
			}
			if d.ID != want || d.Body != c.body || !strings.HasSuffix(c.text, d.Body) {
				t.Errorf("%s: id %q, body %q", c.name, d.ID, d.Body)
			}
			if line := 1 + strings.Count(strings.TrimSuffix(c.text, d.Body), "\n"); d.BodyLine != line && d.Body != "" {
				t.Errorf("%s: body on line %d, want %d", c.name, d.BodyLine, line)
			}
			for _, p := range d.Problems {
				if p.Frozen() {
					t.Errorf("%s: %+v", c.name, p)
				}
			}
		}
	})

	t.Run("keeps ids as they are written", func(t *testing.T) {
		for written, want := range map[string]string{
			"000028": "000028", "007": "007", "0x1F": "0x1F", "1_000": "1_000", "1.0": "1.0", "010": "010", "1e3": "1e3", "no": "no",
			"true": "true", "2026-01-01": "2026-01-01", "'000028'": "000028", `"ISS-1"`: "ISS-1", "!!int 007": "007", "&a ISS-2": "ISS-2",
			"12345678901234567890123": "12345678901234567890123", "1:30": "1:30", ".5": ".5", "+1": "+1", "~": "stem", `""`: "stem",
		} {
			if d := parseFields("id: " + written); d.ID != want {
				t.Errorf("id: %s is read as %q", written, d.ID)
			}
		}
	})
}

func TestFolder(t *testing.T) {
	for _, c := range []struct {
		file, status string
		problem      bool
	}{
		{"a.md", "open", false},
		{"a.md", "closed", true},
		{"a.md", "cancelled", true},
		{"a.md", "Done", false},
		{"a.md", "''", false},
		{"archived/a.md", "''", true},
		{"archived/a.md", "closed", false},
		{"archived/a.md", "open", true},
		{"archived/2024/a.md", "in_progress", true},
		{"completed/a.md", "open", true},
		{"complete/a.md", "cancelled", false},
		{"other/a.md", "open", false},
		{"other/a.md", "closed", true},
	} {
		d := parseFile(c.file, "---\nstatus: "+c.status+"\n---\n")
		got := slices.ContainsFunc(d.Problems, func(p Problem) bool { return p.Code == frontmatter.ProblemStatusFolder })
		if got != c.problem {
			t.Errorf("%s in %s: %+v", c.status, c.file, d.Problems)
		}
	}
}

func TestIDAndFileName(t *testing.T) {
	for _, c := range []struct {
		id, file string
		fits     bool
	}{
		{"ISS-000001", "ISS-000001-a-title.md", true},
		{"ISS-000001", "iss-000001-a-title.md", true},
		{"ISS-000001", "ISS-000001.md", true},
		{"BACK-13.1", "back-13.1 - A-title.md", true},
		{"BACK-13", "back-13.1 - A-title.md", false},
		{"ISS-000001", "ISS-0000010-a.md", false},
		{"ISS-000002", "ISS-000001-a.md", false},
		{"'000001'", "000001-a.md", true},
		{"000001", "1-a.md", false},
		{"ÄÖ-1", "äö-1-x.md", true},
		{"ISS-000001", "a.md", false},
	} {
		d := parseFile(c.file, "---\nid: "+c.id+"\n---\n")
		if mismatch := len(d.Problems) > 0 && d.Problems[0].Code == frontmatter.ProblemIDFilename; mismatch == c.fits {
			t.Errorf("id %s in %s: %+v", c.id, c.file, d.Problems)
		}
	}
}

func TestTitleOfUnreadableFrontmatterIsTheFirstHeading(t *testing.T) {
	d := parseFile("x.md", "---\nid: a: b\n---\n\n# The title\n")
	if d.Title != "The title" || d.ID != "x" || d.Created != testMtime {
		t.Errorf("%+v", d)
	}
}
