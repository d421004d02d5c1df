package merge

import (
	"bytes"
	"strings"
	"testing"

	"issues-index/store/frontmatter"
	"issues-index/store/layout"
)

const document = `---
# kept: comment
id: ISS-000001
title: "A title" # not bare
zebra: {unknown: [key, 007]}
status: open
labels:
  - one # first
  - two
notes: |
  a block
    # no comment

wranglerContext:
  agentId: a
  estimate: 3
updatedAt: '2026-01-01T00:00:00.000Z'
# the end
---

# A title

- [ ] one
- [ ] two

Last line.
`

// edits are what the sides do to a document in these tests: they do not touch one another.
var (
	ourEdits   = strings.NewReplacer("status: open", "status: closed", "- [ ] one", "- [x] one", "  estimate: 3", "  estimate: 5")
	theirEdits = strings.NewReplacer("[key, 007]", "[key, 008]", "- [ ] two", "- [x] two", "  - two", "  - two\n  - three", "# A title\n", "# A better title\n", "  agentId: a", "  agentId: b")
)

func TestEveryOtherByteIsOurs(t *testing.T) {
	dos := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	before := func(s, mark string) string { head, _, _ := strings.Cut(s, mark); return head }
	for name, form := range map[string]func(string) string{
		"as it is":                   func(s string) string { return s },
		"CRLF":                       dos,
		"a byte order mark":          func(s string) string { return frontmatter.BOM + s },
		"no final newline":           func(s string) string { return strings.TrimSuffix(s, "\n") },
		"closed by dots":             func(s string) string { return strings.Replace(s, "# the end\n---\n", "# the end\n...\n", 1) },
		"no text":                    func(s string) string { return before(s, "\n# A") },
		"ends with the fence":        func(s string) string { return before(s, "\n\n# A") },
		"no frontmatter":             func(s string) string { return s[len(before(s, "\n# A")):] },
		"no frontmatter and CRLF":    func(s string) string { return dos(s[len(before(s, "\n# A")):]) },
		"a byte order mark and CRLF": func(s string) string { return frontmatter.BOM + dos(s) },
	} {
		t.Run(name, func(t *testing.T) {
			base, ours, theirs := form(document), form(ourEdits.Replace(document)), form(theirEdits.Replace(document))
			want := form(theirEdits.Replace(ourEdits.Replace(document)))
			got := documents(t, layout.Default(), []byte(base), []byte(ours), []byte(theirs), Labels{})
			if string(got.Data) != want || got.Conflicts > 0 || got.Notes != nil {
				t.Errorf("%d conflicts, notes %q, merged:\n%q\nwant:\n%q", got.Conflicts, got.Notes, got.Data, want)
			}
		})
	}

	t.Run("line endings that only the other side has changed", func(t *testing.T) {
		got := documents(t, layout.Default(), []byte(document), []byte(ourEdits.Replace(document)), []byte(dos(theirEdits.Replace(document))), Labels{})
		if want := theirEdits.Replace(ourEdits.Replace(document)); string(got.Data) != want || got.Conflicts > 0 {
			t.Errorf("%d conflicts, merged:\n%s", got.Conflicts, got.Data)
		}
	})
	t.Run("markers end as the document's lines do", func(t *testing.T) {
		got := documents(t, layout.Default(), []byte(dos("a\n")), []byte(dos("b\n")), []byte(dos("c\n")), Labels{})
		if want := dos("<<<<<<< ours\nb\n||||||| base\na\n=======\nc\n>>>>>>> theirs\n"); string(got.Data) != want {
			t.Errorf("merged: %q", got.Data)
		}
	})
	t.Run("the caller's labels and size of markers", func(t *testing.T) {
		got := documents(t, layout.Default(), []byte("a\n"), []byte("b\n"), []byte("c\n"), Labels{Base: "opened", Ours: "on disk", Theirs: "saved", MarkerSize: 9})
		want := "<<<<<<<<< on disk\nb\n||||||||| opened\na\n=========\nc\n>>>>>>>>> saved\n"
		if string(got.Data) != want {
			t.Errorf("merged: %q", got.Data)
		}
	})
}

func TestOneSidedChangesAreTakenByteForByte(t *testing.T) {
	for name, x := range map[string]string{
		"a document":          ourEdits.Replace(document),
		"broken frontmatter":  "---\na: b: c\n---\n",
		"NUL":                 "a\x00b",
		"not UTF-8":           "---\nid: \xff\n---\n",
		"empty":               "",
		"other line endings":  strings.ReplaceAll(document, "\n", "\r\n"),
		"conflict markers":    "<<<<<<< a\nb\n=======\nc\n>>>>>>> d\n",
		"without frontmatter": "# A\n",
	} {
		t.Run(name, func(t *testing.T) {
			base := []byte(document)
			for which, sides := range map[string][2][]byte{
				"ours": {[]byte(x), base}, "theirs": {base, []byte(x)}, "both": {[]byte(x), []byte(x)},
			} {
				got := documents(t, layout.Default(), base, sides[0], sides[1], Labels{})
				if string(got.Data) != x || got.Conflicts > 0 || got.Notes != nil {
					t.Errorf("%s: %+v", which, got)
				}
			}
		})
	}
}

func TestWithoutABase(t *testing.T) {
	for _, c := range []mergeCase{
		{
			name:       "two documents with different texts are no appends",
			ours:       front("id: x", "status: open") + "ours\n",
			theirs:     front("id: x", "status: open") + "theirs\n",
			want:       "---\nid: x\nstatus: open\n---\n<<<<<<< ours\n\n# A\nours\n||||||| base\n=======\n\n# A\ntheirs\n>>>>>>> theirs\n",
			conflicted: []string{Text},
		},
		{
			name:       "their keys are merged",
			ours:       front("id: x", "title: a", "labels: [a]", "mine: 1"),
			theirs:     front("id: x", "title: b", "labels: [b]", "yours: 2"),
			want:       front("id: x", "<<<<<<< ours", "title: a", "||||||| base", "=======", "title: b", ">>>>>>> theirs", "labels: [a, b]", "mine: 1", "yours: 2"),
			conflicted: []string{"title"},
		},
	} {
		t.Run(c.name, c.check)
	}
}

func TestFrontmatterThatOneSideAdds(t *testing.T) {
	for _, c := range []mergeCase{{
		name:   "and the other changes the text",
		base:   "# A\n\nb\n",
		ours:   "# A\n\nc\n",
		theirs: "---\nid: x\n---\n# A\n\nb\n",
		want:   "---\nid: x\n---\n# A\n\nc\n",
	}, {
		name:   "both, each with its keys",
		base:   "# A\n",
		ours:   "---\nid: x\na: 1\n---\n# A\n",
		theirs: "---\nid: x\nb: 2\n---\n# A\n",
		want:   "---\nid: x\na: 1\nb: 2\n---\n# A\n",
	}} {
		t.Run(c.name, c.check)
	}
}

func TestADocumentThatCannotBeTakenApartIsMergedByLines(t *testing.T) {
	good := front("id: x", "status: open", "title: a")
	for name, c := range map[string]struct{ ours, note string }{
		"invalid YAML":              {front("id: x", "status: open: y", "title: a"), "not valid YAML"},
		"a duplicate key":           {front("id: x", "status: closed", "status: open", "title: a"), "twice"},
		"conflict markers in front": {front("id: x", "<<<<<<< a", "status: x", "=======", "status: y", ">>>>>>> b", "title: a"), "conflict markers"},
		"NUL":                       {good + "\x00\n", "NUL"},
		"not UTF-8":                 {good + "\xff\n", "UTF-8"},
		"no closing fence":          {"---\nid: x\nstatus: open\ntitle: a\n", "closing fence"},
		"frontmatter removed":       {"# A\n", "removed the frontmatter"},
		"an anchor":                 {front("id: &a x", "status: *a", "title: a"), "lines of their own"},
		"braces around everything":  {front("{id: x, status: open, title: a}"), "lines of their own"},
	} {
		t.Run(name, func(t *testing.T) {
			theirs := front("id: x", "status: open", "title: b") + "theirs\n"
			for _, sides := range [][2]string{{c.ours, theirs}, {theirs, c.ours}} {
				got := documents(t, layout.Default(), []byte(good), []byte(sides[0]), []byte(sides[1]), Labels{})
				want := render(byLines(t, good, sides[0], sides[1]), nil, Labels{}.complete(), "\n")
				if !bytes.Equal(got.Data, want.Data) || got.Conflicts != want.Conflicts {
					t.Errorf("merged:\n%s\nby lines:\n%s", got.Data, want.Data)
				}
				if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], c.note) {
					t.Errorf("the notes are %q", got.Notes)
				}
			}
		})
	}
}
