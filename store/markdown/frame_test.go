package markdown

import (
	"strings"
	"testing"
)

func TestEditsStayInTheFrameOfASection(t *testing.T) {
	const text = "## Notes\n\n<!-- SECTION:NOTES:BEGIN -->\nnoted\n<!-- SECTION:NOTES:END -->\n\n## Criteria\n<!-- AC:BEGIN -->\n- [ ] #1 a\n<!-- AC:END -->\n\n## Empty\n\n<!-- X:BEGIN -->\n<!-- X:END -->\n"
	for _, c := range []struct {
		name, before, after string // that is replaced in the text
		edit                TextEdit
	}{
		{"append", "noted\n", "noted\n\nmore\n", TextEdit{Op: AppendSection, Section: "Notes", Text: "more"}},
		{"append an item", "#1 a\n", "#1 a\n- [ ] #2 b\n", TextEdit{Op: AppendSection, Section: "Criteria", Text: "- [ ] #2 b"}},
		{"append to an empty one", "X:BEGIN -->\n", "X:BEGIN -->\nmore\n", TextEdit{Op: AppendSection, Section: "Empty", Text: "more"}},
		{"append with the heading and frame", "noted\n", "noted\n\nmore\n", TextEdit{
			Op: AppendSection, Section: "Notes", Text: "## Notes\n\n<!-- SECTION:NOTES:BEGIN -->\nmore\n<!-- SECTION:NOTES:END -->\n",
		}},
		{"replace", "noted\n", "new\n\n### Deeper\n\nand more\n", TextEdit{Op: ReplaceSection, Section: "Notes", Text: "new\n\n### Deeper\n\nand more"}},
		{"replace with the frame", "noted\n", "new\n", TextEdit{
			Op: ReplaceSection, Section: "Notes", Text: "<!-- SECTION:NOTES:BEGIN -->\nnew\n<!-- SECTION:NOTES:END -->",
		}},
		{"replace by nothing", "noted\n", "", TextEdit{Op: ReplaceSection, Section: "Notes"}},
		{"insert after", "NOTES:END -->\n", "NOTES:END -->\n\nbehind\n", TextEdit{Op: InsertAfter, Section: "Notes", Text: "behind"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, end := range []string{"\n", "\r\n"} {
				before := strings.ReplaceAll(text, "\n", end)
				want := strings.ReplaceAll(strings.Replace(text, c.before, c.after, 1), "\n", end)
				got, _, err := Apply(before, []TextEdit{c.edit})
				if err != nil || got != want {
					t.Errorf("%v\n%q, want\n%q", err, got, want)
				}
			}
		})
	}
	t.Run("the same again changes nothing", func(t *testing.T) {
		edits := []TextEdit{{Op: AppendSection, Section: "Notes", Text: "noted"}, {Op: ReplaceSection, Section: "Notes", Text: "noted"}}
		if got, _, err := Apply(text, edits); err != nil || got != text {
			t.Errorf("%v, %q", err, got)
		}
	})
	for _, other := range []string{
		"## Notes\n<!-- A:BEGIN -->\nnoted\n<!-- B:END -->\n",
		"## Notes\n<!-- A:BEGIN -->\nnoted\n<!-- A:END -->\nbehind\n",
	} {
		if got, _, err := Apply(other, []TextEdit{{Op: AppendSection, Section: "Notes", Text: "more"}}); err != nil || got != other+"\nmore\n" {
			t.Errorf("%v, %q", err, got)
		}
	}
}
