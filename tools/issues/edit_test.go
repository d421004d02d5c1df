package issues

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"issues-index/store/storetest"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

// editable serves a workspace with one document that has this text.
func editable(t *testing.T, body string) fixture {
	t.Helper()
	f := serve(t, t.TempDir())
	toolstest.Write(t, f.root, editablePath, editableFront+body)
	return f
}

const (
	editablePath  = ".wrangler/issues/ISS-000041.md"
	editableFront = "---\nid: ISS-000041\ntitle: Hook\nstatus: open\nupdatedAt: '2026-01-01T00:00:00.000Z'\n---\n"
)

// bodyOf is the text of the document.
func (f fixture) bodyOf(t *testing.T) string {
	t.Helper()
	_, body, found := strings.Cut(strings.TrimPrefix(f.read(t, editablePath), "---"), "---\n")
	if !found {
		t.Fatal("the frontmatter is gone")
	}
	return body
}

// edit makes a call with some edits.
func (f fixture) edit(t *testing.T, edits ...map[string]any) toolstest.Answer {
	t.Helper()
	return f.Call(t, "issues_edit", map[string]any{"id": "ISS-000041", "edits": edits})
}

// What goes wrong when an agent names a part of a text: the part is found or refused, and
// never added in another place.
func TestEditsOfATextAreExactOrRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body string
		edit map[string]any
		want string // "" when nothing changes
		says []string
	}{
		"a missing heading is not appended": {
			"# Hook\n\n## Steps\n\nRun.\n", map[string]any{"op": "append_section", "section": "Acceptance", "text": "x"}, "",
			[]string{"VALIDATION_ERROR", "edits[0]: No section 'Acceptance'. Nothing was changed. Pass one of these headings:\n1-5 Hook\n3-5 Steps"},
		},
		"a misspelt heading is named first, and eight at most": {
			"# One\n\n# Two\n\n# Three\n\n# Four\n\n# Five\n\n# Six\n\n# Seven\n\n# Acceptance\n\n# Nine\n\n# Ten\n", map[string]any{"op": "replace_section", "section": "Aceptance", "text": "x"}, "",
			[]string{"headings:\n15-16 Acceptance\n1-2 One\n", "\nand 2 more"},
		},
		"a text without headings says what to do": {
			"Run.\n", map[string]any{"op": "append_section", "section": "Notes", "text": "x"}, "",
			[]string{"The text has no headings. Append the section, with its heading, to the text."},
		},
		"a heading that stands twice is not guessed": {
			"# A\n\n## Notes\n\none\n\n# B\n\n## Notes\n\ntwo\n", map[string]any{"op": "append_section", "section": "Notes", "text": "x"}, "",
			[]string{"2 sections fit 'Notes'", "'Notes#2' for the second", "3-6 Notes\n9-11 Notes"},
		},
		"a heading that stands twice has a number": {
			"# A\n\n## Notes\n\none\n\n# B\n\n## Notes\n\ntwo\n", map[string]any{"op": "append_section", "section": "Notes#2", "text": "x"},
			"# A\n\n## Notes\n\none\n\n# B\n\n## Notes\n\ntwo\n\nx\n", []string{"append_section: 1 line at line 13, in 'Notes'"},
		},
		"a heading that stands twice has a path": {
			"# A\n\n## Notes\n\none\n\n# B\n\n## Notes\n\ntwo\n", map[string]any{"op": "append_section", "section": "A > Notes", "text": "x"},
			"# A\n\n## Notes\n\none\n\nx\n\n# B\n\n## Notes\n\ntwo\n", []string{"at line 7"},
		},
		"a heading in a code fence is text": {
			"# A\n\n```\n# Notes\n```\n", map[string]any{"op": "append_section", "section": "Notes", "text": "x"}, "", []string{"No section 'Notes'"},
		},
		"an underlined heading is one": {
			"Notes\n=====\n\none\n", map[string]any{"op": "replace_section", "section": "Notes", "text": "two"}, "Notes\n=====\n\ntwo\n", []string{"replace_section: 'Notes', line 4"},
		},
		"the section's own heading is not doubled": {
			"# A\n\n## Notes\n\none\n", map[string]any{"op": "replace_section", "section": "Notes", "text": "## Notes\n\ntwo"}, "# A\n\n## Notes\n\ntwo\n",
			[]string{"was the section's heading and was left out"},
		},
		"headings that follow are not doubled": {
			"# A\n\none\n\n# B\n\ntwo\n", map[string]any{"op": "replace_section", "section": "A", "text": "one\n\n# B\n\ntwo"}, "",
			[]string{"the heading 'B', which follows at line 5 already", "Change it and send the edits again"},
		},
		"a text that is there already is not added": {
			"# A\n\nDone.\n", map[string]any{"op": "append", "text": "Done."}, "", []string{"No changes to ISS-000041: it is as asked already.\nappend: already present at line 3"},
		},
		"a replaced string is not replaced again": {
			"Run it twice.\n", map[string]any{"op": "replace", "find": "Run it", "text": "Run it twice"}, "", []string{"replace: already present at line 1"},
		},
		"a string that stands more often names its lines": {
			"a b\nb\n", map[string]any{"op": "replace", "find": "b", "text": "c"}, "", []string{"find 'b' is in the text 2 times, not 1: at lines 1, 2.", "count: 2."},
		},
		"a string in a section is that in the section": {
			"# A\n\nb\n\n# C\n\nb\n", map[string]any{"op": "replace", "find": "b", "text": "d", "section": "C"}, "# A\n\nb\n\n# C\n\nd\n", []string{"replace: 1 occurrence in 'C' at line 7"},
		},
		"a count of zero asserts absence": {
			"a\n", map[string]any{"op": "replace", "find": "b", "count": 0}, "", []string{"replace: 'b' does not occur"},
		},
		"boxes that have shifted are a conflict": {
			"- [ ] new\n- [ ] Write tests\n", map[string]any{"op": "check", "boxes": []any{map[string]any{"n": 1, "text": "Write"}}}, "",
			[]string{"CONFLICT", "Box 1 is 'new', not 'Write'", "1 [ ] new\n2 [ ] Write tests"},
		},
		"nested boxes are boxes": {
			"- [ ] a\n  - [ ] b\n", map[string]any{"op": "check", "boxes": []any{2}}, "- [ ] a\n  - [x] b\n", []string{"check: box 2, line 2: b", "boxes: 1/2"},
		},
		"boxes count from one within a section": {
			"# A\n\n- [ ] a\n\n# B\n\n- [ ] b\n", map[string]any{"op": "check", "section": "B", "boxes": []any{1}}, "# A\n\n- [ ] a\n\n# B\n\n- [x] b\n", []string{"box 1 of 'B', line 7: b", "boxes: 1/2"},
		},
		"a box that is checked stays": {
			"- [X] a\n", map[string]any{"op": "check", "boxes": []any{1}}, "", []string{"No changes to ISS-000041", "box 1, line 1: a (no change)", "boxes: 1/1"},
		},
		"a line of the list of boxes names a box": {
			"- [ ] a\n- [ ] " + strings.Repeat("long ", 20) + "\n", map[string]any{"op": "check", "boxes": []any{"2 [ ] " + strings.Repeat("long ", 11) + "lon…"}},
			"- [ ] a\n- [x] " + strings.Repeat("long ", 20) + "\n", []string{"boxes: 1/2"},
		},
		"a line of the list of boxes may name their section": {
			"# A\n\n- [ ] a\n\n# B\n\n- [ ] b\n", map[string]any{"op": "check", "boxes": []any{"2 [ ] b (B)"}}, "# A\n\n- [ ] a\n\n# B\n\n- [x] b\n", []string{"boxes: 1/2"},
		},
		"the section in a line of the list must be the box's": {
			"# A\n\n- [ ] a\n\n# B\n\n- [ ] a\n", map[string]any{"op": "check", "boxes": []any{"2 [ ] a (A)"}}, "", []string{"CONFLICT"},
		},
		"line ends stay as they are": {
			"# A\r\n\r\none\r\n", map[string]any{"op": "append", "text": "two\nthree"}, "# A\r\n\r\none\r\n\r\ntwo\r\nthree\r\n", nil,
		},
		"a missing final newline stays missing": {
			"# A\n\none", map[string]any{"op": "append", "text": "two\n"}, "# A\n\none\n\ntwo", nil,
		},
		"an open code fence cannot take in what follows": {
			"# A\n\none\n\n# B\n", map[string]any{"op": "append_section", "section": "A", "text": "```\ncode"}, "", []string{"close its code fences"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := editable(t, c.body)
			before := f.read(t, editablePath)
			text := f.edit(t, c.edit).Text()
			for _, want := range c.says {
				if !strings.Contains(text, want) {
					t.Errorf("does not say %q: %s", want, text)
				}
			}
			switch {
			case c.want == "" && f.read(t, editablePath) != before:
				t.Errorf("the file was changed: %q", f.read(t, editablePath))
			case c.want != "" && f.bodyOf(t) != c.want:
				t.Errorf("the text is %q, want %q: %s", f.bodyOf(t), c.want, text)
			}
		})
	}
}

func TestEditsAreMadeAllOrNone(t *testing.T) {
	t.Parallel()
	f := editable(t, "# A\n\n- [ ] a\n")
	before := f.read(t, editablePath)
	text := f.edit(t, map[string]any{"op": "check", "boxes": []int{1}}, map[string]any{"op": "append", "text": "Done."}, map[string]any{"op": "check", "boxes": []int{2}}).Text()
	if !strings.Contains(text, "edits[2]: There is no box 2. Nothing was changed.") || f.read(t, editablePath) != before {
		t.Errorf("%s\n%s", text, f.read(t, editablePath))
	}
	f.edit(t, map[string]any{"op": "append", "text": "- [ ] b"}, map[string]any{"op": "check", "boxes": []int{2}})
	if want := "# A\n\n- [ ] a\n\n- [x] b\n"; f.bodyOf(t) != want {
		t.Errorf("a later edit does not see what an earlier one did: %q", f.bodyOf(t))
	}
}

// issues_get lists a box under the number that an edit takes, also where the texts of boxes
// have numbers of their own.
func TestBoxesAreEditedByTheNumbersThatAreShown(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"# A\n\n- [ ] a\n- [ ] b\n\n# B\n\n- [ ] a\n", "- [ ] #2 b\n- [ ] #1 a\n", "- [ ] #2 b\n- [ ] a\n"} {
		f := editable(t, body)
		get, _ := toolstest.Must[struct{ Issue struct{ BoxList []string } }](t, f.Client, "issues_get", map[string]any{"id": "ISS-000041", "fields": []string{"boxes"}})
		if len(get.Issue.BoxList) < 2 {
			t.Fatalf("%q: %+v", body, get)
		}
		for _, line := range get.Issue.BoxList {
			if reply := f.edit(t, map[string]any{"op": "check", "boxes": []string{line}}); reply.IsError || strings.HasPrefix(reply.Text(), "No changes") {
				t.Errorf("%q, box %q: %s", body, line, reply.Text())
			}
		}
	}
}

// The hint says that a repeated call may do something, and this is such a call.
func TestARepeatedEditMayChangeTheTextAgain(t *testing.T) {
	t.Parallel()
	f := editable(t, "a b\n")
	swap := []map[string]any{{"find": "a", "text": "tmp"}, {"find": "b", "text": "a"}, {"find": "tmp", "text": "b"}}
	f.edit(t, swap...)
	f.edit(t, swap...)
	if f.bodyOf(t) != "a b\n" {
		t.Error(f.bodyOf(t))
	}
}

func TestAnEditOfAnotherVersionIsAConflict(t *testing.T) {
	t.Parallel()
	f := editable(t, "# A\n")
	first, _ := toolstest.Must[editAnswer](t, f.Client, "issues_edit", map[string]any{"id": "ISS-000041", "op": "append", "text": "one"})
	call := map[string]any{"id": "ISS-000041", "op": "append", "text": "two", "ifVersion": first.Version}
	second, _ := toolstest.Must[editAnswer](t, f.Client, "issues_edit", call)
	call["text"] = "three"
	if text := f.Refused(t, tools.CodeConflict, "issues_edit", call); !strings.Contains(text, second.Version) {
		t.Error(text)
	}
	if f.bodyOf(t) != "# A\n\none\n\ntwo\n" {
		t.Error(f.bodyOf(t))
	}
}

func TestAnEditAnswersWithTheHeadingsThatAreNew(t *testing.T) {
	t.Parallel()
	const body = "# A\n\n## Notes\n\none\n\n## End\n\n## Notes\n\ntwo\n"
	for name, c := range map[string]struct {
		edit map[string]any
		want []string
	}{
		"none for those that only moved": {map[string]any{"op": "prepend", "text": "Before."}, nil},
		"one that was added":             {map[string]any{"op": "append", "text": "## Log\n\nx"}, []string{"13-15 ## Log"}},
		"one that was renamed":           {map[string]any{"find": "## End", "text": "## Finish"}, []string{"7-8 ## Finish"}},
		"one whose level changed":        {map[string]any{"find": "## End", "text": "### End"}, []string{"7-8 ### End"}},
		"the new one of several":         {map[string]any{"op": "insert_before", "section": "End", "text": "## Notes\n\nnew"}, []string{"7-10 ## Notes"}},
		"one with sections of its own":   {map[string]any{"op": "replace_section", "section": "End", "text": "### X\n\n#### Y"}, []string{"9-12 ### X", "11-12 #### Y"}},
		"none for those that are gone":   {map[string]any{"find": "## End\n\n", "text": ""}, nil},
		"none for sections that swapped": {map[string]any{"find": "## End\n\n## Notes\n\ntwo", "text": "## Notes\n\ntwo\n\n## End"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := editable(t, body)
			a, text := toolstest.Must[editAnswer](t, f.Client, "issues_edit", map[string]any{"id": "ISS-000041", "edits": c.edit})
			if !slices.Equal(a.Outline, c.want) {
				t.Errorf("the outline is %q, want %q", a.Outline, c.want)
			}
			if listed := strings.Contains(text, "new headings:\n"+strings.Join(c.want, "\n")+"\n"); listed != (c.want != nil) {
				t.Error(text)
			}
		})
	}
}

// Twenty edits with the longest texts answer in under 500 tokens, and say what is missing.
func TestTheAnswerToAnEditIsShort(t *testing.T) {
	t.Parallel()
	for name, long := range storetest.Few(map[string]string{
		"words": strings.Repeat("far too long ", 40), "wide characters": strings.Repeat("検索", 100), "one word": strings.Repeat("x", 500),
		"quotation marks": strings.Repeat(`"\" `, 100),
	}, 1) {
		var body strings.Builder
		for i := range 20 {
			fmt.Fprintf(&body, "# %d %s\n\n%s\n\n", i, long, strings.Repeat("- [ ] "+long+"\n", 30))
		}
		all := make([]int, 600)
		for i := range all {
			all[i] = i + 1
		}
		var headings, boxes, replacements []map[string]any
		for i := range 20 {
			headings = append(headings, map[string]any{"op": "append", "text": fmt.Sprintf("# New %d %s\n\n## Below %s", i, long, long)})
			boxes = append(boxes, map[string]any{"op": []string{"check", "uncheck"}[i%2], "boxes": all})
			replacements = append(replacements, map[string]any{"op": "replace", "find": long, "text": long + "!", "count": 620})
		}
		for _, c := range []struct {
			edits []map[string]any
			line  string // of each edit
			says  string
		}{
			{headings, "append: ", " more headings"},
			{boxes, "check 600 boxes: ", "boxes: 0/600"},
			{replacements, "replace: ", "version: "},
		} {
			t.Run(name+", "+c.line, func(t *testing.T) {
				f := editable(t, body.String())
				reply := f.edit(t, c.edits...)
				if reply.IsError || strings.Count(reply.Text(), c.line) != 20 || !strings.Contains(reply.Text(), c.says) {
					t.Errorf("%.500s", reply.Text())
				}
				for _, channel := range []string{reply.Text(), string(reply.Structured)} {
					if tokens := answer.Measure(channel).Tokens(); tokens >= 500 {
						t.Errorf("%d tokens: %s", tokens, channel)
					}
				}
			})
		}
	}
}

func TestAnEditNeverAnswersWithTheText(t *testing.T) {
	t.Parallel()
	f := editable(t, "# A\n\nThe secret of the text.\n")
	for _, text := range []string{"Another sentence.", "The secret of the text."} {
		reply := f.edit(t, map[string]any{"op": "append", "text": text})
		if both := reply.Text() + string(reply.Structured); reply.IsError || strings.Contains(both, "sentence") || strings.Contains(both, "secret") {
			t.Error(both)
		}
	}
}
