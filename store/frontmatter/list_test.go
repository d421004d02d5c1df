package frontmatter

import "testing"

func TestEditLabels(t *testing.T) {
	for _, c := range []struct {
		name, before string
		labels       []string
		after        string
	}{
		{"added to an indented block", "labels:\n  - a\nx: y\n", []string{"a", "b"}, "labels:\n  - a\n  - b\nx: y\n"},
		{"added to a block that is not indented", "labels:\n- a\nx: y\n", []string{"a", "b"}, "labels:\n- a\n- b\nx: y\n"},
		{"added in front", "labels:\n  - b\n", []string{"a", "b"}, "labels:\n  - a\n  - b\n"},
		{"added between", "labels:\n  - a\n  - c\n", []string{"a", "b", "c"}, "labels:\n  - a\n  - b\n  - c\n"},
		{"added with the last one's quotes", "labels:\n  - a\n  - \"b\"\n", []string{"a", "b", "c"}, "labels:\n  - a\n  - \"b\"\n  - \"c\"\n"},
		{"added with quotes it needs", "labels:\n  - a\n", []string{"a", "no", "b: c", "7", "area:ui"}, "labels:\n  - a\n  - 'no'\n  - 'b: c'\n  - '7'\n  - area:ui\n"},
		{"added behind wide dashes", "labels:\n  -   a\n", []string{"a", "b"}, "labels:\n  - a\n  - b\n"},
		{"removed from a block", "labels:\n  - a\n  - b # why\n  - c\nx: y\n", []string{"a", "c"}, "labels:\n  - a\n  - c\nx: y\n"},
		{"comments of items that stay", "labels: # all\n  # first\n  - a # one\n\n  # second\n  - b\n  # third\n  - c\n# end\nx: y\n", []string{"a", "c", "d"}, "labels: # all\n  # first\n  - a # one\n  # third\n  - c\n  - d\n# end\nx: y\n"},
		{"quotes of the others stay", "labels:\n  - 'a'\n  - \"b\"\n  - c\n", []string{"a", "c"}, "labels:\n  - 'a'\n  - c\n"},
		{"numbers of the others stay", "labels:\n  - 007\n  - 1.10\n", []string{"007", "1.10", "x"}, "labels:\n  - 007\n  - 1.10\n  - x\n"},
		{"another order", "labels:\n  - 'a'\n  - b\n  - c\n", []string{"c", "a"}, "labels:\n  - c\n  - 'a'\n"},
		{"all others", "labels:\n  - a\n  - b\n", []string{"w", "x"}, "labels:\n  - w\n  - x\n"},
		{"cleared in a block", "labels: # all\n  - a\n  - b\nx: y\n", nil, "labels: [] # all\nx: y\n"},
		{"a folded label", "labels:\n  - >-\n    two\n    words\n  - b\n", []string{"two words", "c"}, "labels:\n  - two words\n  - c\n"},
		{"a folded label goes", "labels:\n  - >-\n    two\n    words\n  - b\n", []string{"b"}, "labels:\n  - b\n"},
		{"a folded label moves", "labels:\n  - >-\n    two\n    words\n  - b\n", []string{"b", "two words"}, "labels:\n  - b\n  - two words\n"},
		{"an alias as a label", "x: &a b\nlabels:\n  - *a\n  - c\n", []string{"b", "d"}, "x: &a b\nlabels:\n  - *a\n  - d\n"},
		{"a label that is nothing", "labels:\n  -\n  - a\n", []string{"a", "b"}, "labels:\n  - a\n  - b\n"},

		{"added in brackets", "labels: [a, b] # why\n", []string{"a", "b", "c"}, "labels: [a, b, c] # why\n"},
		{"added in brackets with quotes", "labels: [\"a\", \"b\"]\n", []string{"a", "b", "c"}, "labels: [\"a\", \"b\", \"c\"]\n"},
		{"added in brackets without blanks", "labels: ['a','b']\n", []string{"a", "b", "c"}, "labels: ['a', 'b', 'c']\n"},
		{"added in padded brackets", "labels: [ a, b ]\n", []string{"a", "b", "c"}, "labels: [a, b, c]\n"},
		{"added in brackets over several lines", "labels: [\n  a,\n  b,\n]\n", []string{"a", "b", "c"}, "labels: [a, b, c]\n"},
		{"quoted for brackets", "labels: [a]\n", []string{"a", "b, c", "[d]"}, "labels: [a, 'b, c', '[d]']\n"},
		{"removed from brackets", "labels: [a, 'b', c]\n", []string{"'b'", "c"}, "labels: ['''b''', c]\n"},
		{"the last one removed from brackets", "labels: [a, 'b', c]\n", []string{"a", "b"}, "labels: [a, 'b']\n"},
		{"cleared in brackets", "labels: [a, b] # why\n", nil, "labels: [] # why\n"},
		{"an anchor on brackets", "labels: &l [a]\n", []string{"a", "b"}, "labels: [a, b]\n"},
		{"a tag on a block", "labels: !!seq\n  - a\n", []string{"a", "b"}, "labels:\n  - a\n  - b\n"},

		{"added to one string", "labels: a, b # why\n", []string{"a", "b", "c"}, "labels: a, b, c # why\n"},
		{"added to one string in quotes", "labels: \"a, b\"\n", []string{"a", "b", "c"}, "labels: \"a, b, c\"\n"},
		{"added to a single one", "labels: a\n", []string{"a", "b"}, "labels: a, b\n"},
		{"a comma needs a list", "labels: a, b\n", []string{"a", "b,c"}, "labels:\n  - a\n  - b,c\n"},
		{"one string cleared", "labels: a, b\n", nil, "labels: []\n"},

		{"the first one", "labels: []\n", []string{"a", "b"}, "labels: [a, b]\n"},
		{"the first one in place of null", "labels: # why\nx: y\n", []string{"a", "b"}, "labels: # why\n  - a\n  - b\nx: y\n"},
		{"the first ones beside another list on lines", "labels: [] # why\nx:\n- y\n", []string{"a", "b"}, "labels: # why\n  - a\n  - b\nx:\n- y\n"},
		{"on lines, whatever other lists are", "labels:\nx: [y]\n", []string{"a", "b"}, "labels:\n  - a\n  - b\nx: [y]\n"},
		{"a new key", "x: y\n", []string{"a", "b"}, "x: y\nlabels:\n  - a\n  - b\n"},
		{"a new key on lines", "x: [y]\n", []string{"a", "b"}, "x: [y]\nlabels:\n  - a\n  - b\n"},
		{"in place of a mapping", "labels:\n  a: b\nx: y\n", []string{"a"}, "labels:\n  - a\nx: y\n"},
		{"repeated and empty ones", "labels: [a]\n", []string{"a", "b", " a ", "", "b"}, "labels: [a, b]\n"},
	} {
		t.Run(c.name, func(t *testing.T) { wantFields(t, set("labels", c.labels), c.before, c.after) })
	}

	for _, c := range []struct {
		name, text string
		labels     []string
	}{
		{"a block", "labels:\n  - a\n  - b\n", []string{"a", "b"}},
		{"one string", "labels: a , b\n", []string{"a", "b"}},
		{"repetitions", "labels: [a, a]\n", []string{"a"}},
		{"numbers", "labels: [007]\n", []string{"007"}},
		{"none", "labels:\n", nil},
		{"no key", "x: y\n", []string{""}},
	} {
		t.Run("unchanged: "+c.name, func(t *testing.T) {
			text := "---\n" + c.text + "---\n"
			wantEdit(t, set("labels", c.labels), text, text)
		})
	}
	t.Run("a list that others refer to is left alone", func(t *testing.T) {
		wantRefused(t, set("labels", []string{"b"}), "---\nlabels: &l [a]\nx: *l\n---\n", "unknown anchor 'l'", 0)
	})
}

func TestEditAssignee(t *testing.T) {
	for _, c := range []struct {
		name, before string
		value        any
		after        string
	}{
		{"a new one", "id: x\n", "sam", "id: x\nassignee: sam\n"},
		{"cleared", "assignee: sam\nid: x\n", nil, "id: x\n"},
		{"a list stays a list", "assignee:\n  - '@sam'\n", "@ann", "assignee:\n  - '@ann'\n"},
		{"a list of several", "assignee: [sam]\n", "sam, ann", "assignee: [sam, ann]\n"},
		{"an empty list beside one on lines", "assignee: []\nlabels:\n  - a\n", "sam", "assignee:\n  - sam\nlabels:\n  - a\n"},
		{"a list emptied", "assignee: [sam]\n", "", "assignee: []\n"},
	} {
		t.Run(c.name, func(t *testing.T) { wantFields(t, set("assignee", c.value), c.before, c.after) })
	}
	for _, text := range []string{"assignee: []\n", "assignee:\n", "assignee: ''\n", "id: x\n"} {
		t.Run("clearing what is empty changes nothing: "+text, func(t *testing.T) {
			wantEdit(t, set("assignee", nil), "---\n"+text+"---\n", "---\n"+text+"---\n")
			wantEdit(t, set("assignee", ""), "---\n"+text+"---\n", "---\n"+text+"---\n")
		})
	}
}
