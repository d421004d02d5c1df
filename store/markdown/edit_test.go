package markdown

import (
	"errors"
	"strings"
	"testing"
)

const plan = `Intro.

# Goals

- [ ] first
- [x] second

## Later

Some day.

# Notes

Text.

# Notes

Other text.
`

func TestEdits(t *testing.T) {
	for name, c := range map[string]struct {
		text, want, says string
		edit             TextEdit
	}{
		"append puts a blank line between":           {"a\n", "a\n\nb\n", "1 line at line 3", TextEdit{Op: Append, Text: "b"}},
		"append keeps a missing final newline":       {"a", "a\n\nb", "1 line at line 3", TextEdit{Op: Append, Text: "b\n"}},
		"append to nothing":                          {"", "b\n", "1 line at line 1", TextEdit{Op: Append, Text: "b"}},
		"append takes over the line endings":         {"a\r\n", "a\r\n\r\nb\r\nc\r\n", "2 lines at line 3", TextEdit{Op: Append, Text: "b\nc\n"}},
		"append what is there":                       {"a\nb\n\nc\n", "a\nb\n\nc\n", "already present at line 1", TextEdit{Op: Append, Text: "a\nb"}},
		"prepend":                                    {"a\n", "b\n\na\n", "1 line at line 1", TextEdit{Op: Prepend, Text: "b"}},
		"prepend after leading blank lines":          {"\na\n", "\nb\n\na\n", "1 line at line 2", TextEdit{Op: Prepend, Text: "b"}},
		"append_section stops before a subsection":   {plan, strings.Replace(plan, "second\n", "second\n\nMore.\n", 1), "1 line at line 8, in 'Goals'", TextEdit{Op: AppendSection, Section: "Goals", Text: "More."}},
		"append_section continues a list":            {plan, strings.Replace(plan, "second\n", "second\n- [ ] third\n", 1), "1 line at line 7, in 'Goals'", TextEdit{Op: AppendSection, Section: "goals", Text: "- [ ] third"}},
		"append_section to an empty section":         {"# A\n# B\n", "# A\n\nx\n\n# B\n", "1 line at line 3, in 'A'", TextEdit{Op: AppendSection, Section: "A", Text: "x"}},
		"append_section at the end of the text":      {"# A", "# A\n\nx", "1 line at line 3, in 'A'", TextEdit{Op: AppendSection, Section: "A", Text: "x"}},
		"append_section what is there":               {plan, plan, "already present at line 10", TextEdit{Op: AppendSection, Section: "Later", Text: "Some day."}},
		"replace_section takes its subsections":      {plan, strings.Replace(plan, "- [ ] first\n- [x] second\n\n## Later\n\nSome day.\n", "New.\n", 1), "'Goals', lines 5-10 are now 1 line", TextEdit{Op: ReplaceSection, Section: "Goals", Text: "New.\n"}},
		"replace_section of an empty one":            {"# A\n\n# B\n", "# A\n\nx\n\n# B\n", "'A', which was empty, has 1 line", TextEdit{Op: ReplaceSection, Section: "A", Text: "x"}},
		"replace_section of one without a line":      {"# A\n# B\n", "# A\n\nx\n\n# B\n", "'A', which was empty, has 1 line", TextEdit{Op: ReplaceSection, Section: "A", Text: "x"}},
		"replace_section at the end":                 {"# A", "# A\n\nx", "'A', which was empty, has 1 line", TextEdit{Op: ReplaceSection, Section: "A", Text: "x"}},
		"replace_section without its blank line":     {"# A\na\n# B\n", "# A\nx\n# B\n", "'A', line 2 are now 1 line", TextEdit{Op: ReplaceSection, Section: "A", Text: "x"}},
		"replace_section by nothing":                 {"# A\n\na\n\n# B\n", "# A\n\n\n# B\n", "'A', line 3 are now 0 lines", TextEdit{Op: ReplaceSection, Section: "A"}},
		"replace_section by what is there":           {"# A\n\na\n\n# B\n", "# A\n\na\n\n# B\n", "'A' has this text already", TextEdit{Op: ReplaceSection, Section: "A", Text: "a"}},
		"replace_section strips its own heading":     {"# A\n\na\n", "# A\n\nx\n", "'A', line 3 are now 1 line; the text's first line was the section's heading and was left out", TextEdit{Op: ReplaceSection, Section: "A", Text: "# A\n\nx"}},
		"replace_section under a setext heading":     {"A\n===\n\na\n\nB\n---\nb\n", "A\n===\n\nx\n", "'A', lines 4-8 are now 1 line", TextEdit{Op: ReplaceSection, Section: "A", Text: "x"}},
		"replace_section of a heading of two lines":  {"A\nlong\n===\na\n", "A\nlong\n===\nx\n", "'A long', line 4 are now 1 line", TextEdit{Op: ReplaceSection, Section: "A long", Text: "x"}},
		"replace_section keeps CRLF":                 {"# A\r\n\r\na\r\n", "# A\r\n\r\nx\r\ny\r\n", "'A', line 3 are now 2 lines", TextEdit{Op: ReplaceSection, Section: "A", Text: "x\ny"}},
		"insert_before":                              {plan, strings.Replace(plan, "# Goals", "# Zero\n\n# Goals", 1), "1 line at line 3, before 'Goals'", TextEdit{Op: InsertBefore, Section: "Goals", Text: "# Zero"}},
		"insert_before what is there":                {"x\n\n# A\n", "x\n\n# A\n", "already present at line 1", TextEdit{Op: InsertBefore, Section: "A", Text: "x"}},
		"insert_after the whole section":             {plan, strings.Replace(plan, "Some day.\n", "Some day.\n\n# New\n\nx\n", 1), "3 lines at line 12, after 'Goals'", TextEdit{Op: InsertAfter, Section: "Goals", Text: "# New\n\nx\n"}},
		"insert_after what is there":                 {"# A\n\na\n\n# B\n", "# A\n\na\n\n# B\n", "already present at line 5", TextEdit{Op: InsertAfter, Section: "A", Text: "# B"}},
		"a path names one of two":                    {"# A\n## N\n# B\n## N\n", "# A\n## N\n# B\n## N\n\nx\n", "1 line at line 6, in 'N'", TextEdit{Op: AppendSection, Section: "B > N", Text: "x"}},
		"a number names one of two":                  {plan, strings.Replace(plan, "Text.", "x", 1), "'Notes', line 14 are now 1 line", TextEdit{Op: ReplaceSection, Section: "Notes#1", Text: "x"}},
		"a heading with the marks it has":            {"## A\n", "## A\n\nx\n", "1 line at line 3, in 'A'", TextEdit{Op: AppendSection, Section: "## A", Text: "x"}},
		"a heading in a fence is text":               {"```\n# A\n```\n\n# A\n", "```\n# A\n```\n\n# A\n\nx\n", "1 line at line 7, in 'A'", TextEdit{Op: AppendSection, Section: "A", Text: "x"}},
		"a heading whose text has a number":          {"# C#2\n", "# C#2\n\nx\n", "1 line at line 3, in 'C#2'", TextEdit{Op: AppendSection, Section: "C#2", Text: "x"}},
		"replace":                                    {"a b a\n", "a c a\n", "1 occurrence at line 1", TextEdit{Op: Replace, Find: "b", Text: "c", Count: 1}},
		"replace several":                            {"a\na\n", "c\nc\n", "2 occurrences at line 1, 2", TextEdit{Op: Replace, Find: "a", Text: "c", Count: 2}},
		"replace in a section":                       {plan, strings.Replace(plan, "Other text", "Other words", 1), "1 occurrence in 'Notes' at line 18", TextEdit{Op: Replace, Section: "Notes#2", Find: "text", Text: "words", Count: 1}},
		"replace over CRLF":                          {"a\r\nb\r\n", "c\r\nd\r\n", "1 occurrence at line 1", TextEdit{Op: Replace, Find: "a\nb", Text: "c\nd", Count: 1}},
		"replace by what is there":                   {"a c\n", "a c\n", "already present at line 1", TextEdit{Op: Replace, Find: "b", Text: "c", Count: 1}},
		"replace sent twice, text within text":       {"a b\n", "a b\n", "already present at line 1", TextEdit{Op: Replace, Find: "a", Text: "a b", Count: 1}},
		"replace by nothing":                         {"a b\n", "a \n", "1 occurrence at line 1", TextEdit{Op: Replace, Find: "b", Count: 1}},
		"replace with count 0 asserts absence":       {"a\n", "a\n", "'b' does not occur", TextEdit{Op: Replace, Find: "b"}},
		"check a box":                                {plan, strings.Replace(plan, "[ ] first", "[x] first", 1), "box 1, line 5: first", TextEdit{Op: Check, Boxes: []BoxRef{{N: 1}}}},
		"uncheck a box":                              {plan, strings.Replace(plan, "[x] second", "[ ] second", 1), "box 2, line 6: second", TextEdit{Op: Uncheck, Boxes: []BoxRef{{N: 2, Text: "sec"}}}},
		"check what is checked":                      {plan, plan, "box 2, line 6: second (no change)", TextEdit{Op: Check, Boxes: []BoxRef{{N: 2}}}},
		"check in a section":                         {"- [ ] a\n\n# B\n- [ ] b\n", "- [ ] a\n\n# B\n- [x] b\n", "box 1 of 'B', line 4: b", TextEdit{Op: Check, Section: "B", Boxes: []BoxRef{{N: 1}}}},
		"nested boxes are boxes of their own":        {"- [ ] a\n  - [ ] b\n- [ ] c\n", "- [ ] a\n  - [x] b\n- [ ] c\n", "box 2, line 2: b", TextEdit{Op: Check, Boxes: []BoxRef{{N: 2}}}},
		"boxes in code are text":                     {"```\n- [ ] a\n```\n- [ ] b\n", "```\n- [ ] a\n```\n- [x] b\n", "box 1, line 4: b", TextEdit{Op: Check, Boxes: []BoxRef{{N: 1}}}},
		"a link is no box":                           {"- [x](y)\n- [ ] b\n", "- [x](y)\n- [x] b\n", "box 1, line 2: b", TextEdit{Op: Check, Boxes: []BoxRef{{N: 1}}}},
		"boxes that carry numbers are named by them": {"- [ ] #2 a\n- [ ] #1 b\n", "- [x] #2 a\n- [ ] #1 b\n", "box 2, line 1: #2 a", TextEdit{Op: Check, Boxes: []BoxRef{{N: 2}}}},
		"boxes with CRLF":                            {"- [ ] a\r\n- [ ] b\r\n", "- [ ] a\r\n- [x] b\r\n", "box 2, line 2: b", TextEdit{Op: Check, Boxes: []BoxRef{{N: 2, Text: "b"}}}},
		"boxes of an ordered list":                   {"1. [ ] a\n2) [ ] b\n", "1. [ ] a\n2) [x] b\n", "box 2, line 2: b", TextEdit{Op: Check, Boxes: []BoxRef{{N: 2}}}},
		"a box without a text":                       {"- [ ]\n", "- [x]\n", "box 1, line 1: ", TextEdit{Op: Check, Boxes: []BoxRef{{N: 1}}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, changes, err := Apply(c.text, []TextEdit{c.edit})
			if err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if changes[0].Says != c.says || changes[0].Op != c.edit.Op {
				t.Errorf("it says %q, want %q", changes[0].Says, c.says)
			}
			if changes[0].Same != (got == c.text) {
				t.Errorf("same is %v", changes[0].Same)
			}
			again, changes, err := Apply(got, []TextEdit{c.edit})
			if err == nil && again != got && c.edit.Op != ReplaceSection && !strings.Contains(name, "by nothing") {
				t.Errorf("the same call again gives %q (%s)", again, changes[0].Says)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		text, say string
		edit      TextEdit
	}{
		"an unknown heading names the nearest":    {plan, `there are "Goals" (lines 3-11), "Later"`, TextEdit{Op: AppendSection, Section: "Gaols", Text: "x"}},
		"a heading that stands twice":             {plan, `several sections fit "Notes": "Notes" (lines 12-15), "Notes" (lines 16-20)`, TextEdit{Op: ReplaceSection, Section: "Notes", Text: "x"}},
		"a number beyond those that there are":    {plan, `no section "Notes#3"; there are "Notes" (lines 12-15)`, TextEdit{Op: ReplaceSection, Section: "Notes#3", Text: "x"}},
		"a text without headings":                 {"a\n", `has no headings`, TextEdit{Op: InsertBefore, Section: "A", Text: "x"}},
		"a heading that is only in a fence":       {"```\n# A\n```\n", `has no headings`, TextEdit{Op: AppendSection, Section: "A", Text: "x"}},
		"a string that occurs more often":         {"a a\n", `occurs 2 times, not 1`, TextEdit{Op: Replace, Find: "a", Text: "b", Count: 1}},
		"a string that does not occur":            {"a\n", `occurs 0 times, not 1`, TextEdit{Op: Replace, Find: "A", Text: "b", Count: 1}},
		"an asserted absence":                     {"a\n", `occurs 1 time, not 0`, TextEdit{Op: Replace, Find: "a"}},
		"an empty string":                         {"a\n", `find is empty`, TextEdit{Op: Replace, Text: "b", Count: 1}},
		"an empty text":                           {"a\n", `the text is empty`, TextEdit{Op: Append, Text: " \n"}},
		"a text that repeats what follows":        {"# A\n\na\n\n# B\n\nb\n", `has the heading 'B', which follows at line 5 already`, TextEdit{Op: ReplaceSection, Section: "A", Text: "x\n\n# B\n\nb"}},
		"a text that leaves a fence open":         {"# A\n\n# B\n", `close its code fences`, TextEdit{Op: AppendSection, Section: "A", Text: "```\ncode"}},
		"a text behind a fence that is open":      {"# A\n\n```\n", `close its code fences`, TextEdit{Op: Append, Text: "# New"}},
		"a box that is not there":                 {plan, `find box 3: there are 2`, TextEdit{Op: Check, Boxes: []BoxRef{{N: 3}}}},
		"a box with another text":                 {plan, `its text is "first", not "second"`, TextEdit{Op: Check, Boxes: []BoxRef{{N: 1, Text: "second"}}}},
		"a box of another section":                {plan, `find box 1: there are 0`, TextEdit{Op: Check, Section: "Notes#1", Boxes: []BoxRef{{N: 1}}}},
		"an operation that does not exist":        {plan, `unknown operation "add"`, TextEdit{Op: "add", Text: "x"}},
		"a paragraph that would become a heading": {"# A\n\ntext\n---\n", `which headings there are`, TextEdit{Op: InsertBefore, Section: "text", Text: "```"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, changes, err := Apply(c.text, []TextEdit{{Op: Append, Text: "some other edit before"}, c.edit})
			failed := (*TextEditError)(nil)
			if !errors.As(err, &failed) || failed.Index != 1 || !strings.Contains(err.Error(), c.say) || got != "" || changes != nil {
				t.Errorf("%q %v %v", got, changes, err)
			}
		})
	}
}
