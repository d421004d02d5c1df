package markdown

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// corpora are the bodies of all sample documents.
func corpora(t testing.TB) (bodies []string) {
	err := filepath.WalkDir("../../testdata", func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := string(data)
		if _, body, found := strings.Cut(strings.TrimPrefix(text, "---"), "\n---"); found {
			_, text, _ = strings.Cut(body, "\n")
		}
		bodies = append(bodies, text)
		return nil
	})
	if err != nil || len(bodies) < 20 {
		t.Fatalf("%d sample documents: %v", len(bodies), err)
	}
	return bodies
}

// pieces make texts with all that edits have to do with.
var pieces = []string{
	"# A", "# A", "## B", "## B", "### C", "Title\n===", "Long\ntitle\n---", "", "", "- [ ] one", "- [x] two", "  - [ ] nested", "1. [ ] three",
	"text", "more text here", "```\n# code\n- [ ] code\n```", "> # quoted", "<!-- # comment -->", "~~~", "\ttab", "* * *", "é——", "- [x](link)", "---",
}

func drawText(t *rapid.T, bodies []string) string {
	text := rapid.SampledFrom(bodies).Draw(t, "body")
	if rapid.Bool().Draw(t, "made") {
		text = strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 20).Draw(t, "pieces"), "\n")
	}
	if rapid.Bool().Draw(t, "crlf") {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	}
	if rapid.Bool().Draw(t, "final line end") && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// An edit changes the bytes that it says and no others, or is refused.
func TestEditsChangeWhatTheySayAlone(t *testing.T) {
	bodies := corpora(t)
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t, bodies)
		edit := TextEdit{Op: rapid.SampledFrom(Ops).Draw(t, "op"), Count: 1}
		headings := Outline(text)
		section := Heading{}
		if len(headings) > 0 && (edit.Op.NeedsSection() || rapid.Bool().Draw(t, "in a section") && !edit.Op.TakesText()) {
			section = rapid.SampledFrom(headings).Draw(t, "section")
			edit.Section = section.Text
		}
		edit.Text = strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 4).Draw(t, "text"), "\n")
		if edit.Op == Replace && text != "" {
			from := rapid.IntRange(0, len(text)-1).Draw(t, "from")
			edit.Find = strings.TrimSuffix(text[from:min(len(text), from+rapid.IntRange(1, 30).Draw(t, "length"))], "\r")
		}
		boxes := Boxes(text)
		edit.Boxes = []BoxRef{{N: rapid.IntRange(1, len(boxes)+1).Draw(t, "box")}}

		after, changes, err := Apply(text, []TextEdit{edit})
		if err != nil {
			if after != "" || changes != nil {
				t.Fatalf("refused, with a text: %v", err)
			}
			return
		}
		if changes[0].Same != (after == text) {
			t.Fatalf("same is %v: %s", changes[0].Same, changes[0].Says)
		}
		if changes[0].Same {
			return
		}
		if strings.Contains(text, "\r\n") && !strings.Contains(strings.ReplaceAll(text, "\r\n", ""), "\n") && strings.Contains(strings.ReplaceAll(after, "\r\n", ""), "\n") {
			t.Fatalf("a line ends in another way: %q", after)
		}
		if strings.HasSuffix(text, "\n") != strings.HasSuffix(after, "\n") && text != "" && edit.Op != Replace {
			t.Fatalf("the end changed from %q to %q", text, after)
		}
		head, tail := 0, 0
		for head < min(len(text), len(after)) && text[head] == after[head] {
			head++
		}
		for tail < min(len(text), len(after))-head && text[len(text)-1-tail] == after[len(after)-1-tail] {
			tail++
		}
		switch edit.Op {
		case Check, Uncheck:
			if len(after) != len(text) || head+tail != len(text)-1 || !strings.ContainsAny(text[head:head+1], " \txX") || !strings.ContainsAny(after[head:head+1], " x") {
				t.Fatalf("%q became %q", text, after)
			}
			was, is := Boxes(text), Boxes(after)
			if len(was) != len(is) {
				t.Fatalf("%d boxes became %d", len(was), len(is))
			}
		case ReplaceSection:
			l := newLineTable(text)
			h, err := Find(headings, edit.Section)
			if err != nil {
				t.Fatal(err)
			}
			if head < min(len(strings.TrimRight(text[:l.start(h.TextLine)], "\r\n")), len(after)) || tail < len(text)-l.start(h.EndLine+1) && !strings.HasSuffix(after, text[l.start(h.EndLine+1):]) {
				t.Fatalf("bytes outside of lines %d-%d changed: %q became %q", h.TextLine, h.EndLine, text, after)
			}
		case Replace:
			if strings.Replace(text, edit.Find, withLineEnds(edit.Text, lineEnd(text)), 1) != after && !strings.Contains(edit.Find, "\n") {
				t.Fatalf("%q became %q", text, after)
			}
		default: // the text is whole on both sides of what was added
			if head+tail < len(text) {
				t.Fatalf("%q became %q", text, after)
			}
			added := trimBlankLines(edit.Text)
			if edit.Op == AppendSection {
				added, _ = withoutHeading(added, section)
			}
			if !strings.Contains(strings.ReplaceAll(after, "\r\n", "\n"), trimBlankLines(added)) {
				t.Fatalf("the text is not in %q", after)
			}
		}
	})
}

func TestSeveralEditsAreAppliedAllOrNotAtAll(t *testing.T) {
	text, changes, err := Apply(plan, []TextEdit{
		{Op: Check, Boxes: []BoxRef{{N: 1}}},
		{Op: AppendSection, Section: "Goals", Text: "- [ ] third"},
		{Op: Check, Section: "Goals", Boxes: []BoxRef{{N: 3, Text: "third"}}},
	})
	if err != nil || len(changes) != 3 || !strings.Contains(text, "- [x] first\n- [x] second\n- [x] third\n") {
		t.Errorf("%s %v %v", text, changes, err)
	}
	if text, _, err := Apply(plan, []TextEdit{{Op: Append, Text: "x"}, {Op: Check, Boxes: []BoxRef{{N: 9}}}}); err == nil || text != "" {
		t.Errorf("%q %v", text, err)
	}
}

func FuzzApply(f *testing.F) {
	f.Add(plan, "append_section", "Goals", "x\n", "a", 1, 1)
	f.Add("# A\n\n```\n", "replace_section", "A", "```", "", 0, 2)
	f.Add("a\r\n- [ ] b\r\n", "check", "", "", "", 1, 1)
	f.Add("A\n=\n", "insert_after", "A#1", "# B", "", 1, 1)
	f.Fuzz(func(t *testing.T, text, op, section, added, find string, count, box int) {
		if len(text) > 4<<10 || len(added) > 1<<10 {
			return
		}
		edit := TextEdit{Op: Op(op), Section: section, Text: added, Find: find, Count: count, Boxes: []BoxRef{{N: box}}}
		after, changes, err := Apply(text, []TextEdit{edit})
		if err != nil {
			return
		}
		if changes[0].Same != (after == text) {
			t.Fatalf("same is %v of %q and %q", changes[0].Same, text, after)
		}
		if !edit.Op.TakesText() && len(after) != len(text) {
			t.Fatalf("%q became %q", text, after)
		}
		if edit.Op.NeedsSection() && edit.Op != ReplaceSection && len(Outline(after)) < len(Outline(text)) {
			t.Fatalf("headings are lost: %q became %q", text, after)
		}
	})
}
