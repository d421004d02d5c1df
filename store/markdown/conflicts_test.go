package markdown

import (
	"reflect"
	"strings"
	"testing"
)

func TestConflicts(t *testing.T) {
	const one = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> topic\n"
	for name, c := range map[string]struct {
		body string
		want []TextConflict
	}{
		"two sides":                 {"Text\n" + one, []TextConflict{{2, 6}}},
		"with the base":             {"<<<<<<< HEAD\nours\n||||||| 123\nbase\n=======\n>>>>>>> topic\n", []TextConflict{{1, 6}}},
		"several":                   {one + "\n" + one, []TextConflict{{1, 5}, {7, 11}}},
		"with CRLF":                 {strings.ReplaceAll(one, "\n", "\r\n"), []TextConflict{{1, 5}}},
		"without labels":            {"<<<<<<<\n=======\n>>>>>>>", []TextConflict{{1, 3}}},
		"longer markers":            {"<<<<<<<<<< a\n=======\n==========\n>>>>>>>>>> b\n", []TextConflict{{1, 4}}},
		"a fence on one side":       {"<<<<<<< HEAD\n```\nx\n```\n=======\n>>>>>>> topic\n", []TextConflict{{1, 6}}},
		"an example":                {"```\n" + one + "```\n", nil},
		"an example with indents":   {"Like this:\n\n    " + strings.ReplaceAll(one, "\n", "\n    "), nil},
		"an example before another": {"~~~\n" + one + "~~~\n" + one, []TextConflict{{8, 12}}},
		"an underlined heading":     {"Heading\n=======\n", nil},
		"quotes":                    {">>>>>>> quoted\n<<<<<<< HEAD\n", nil},
		"no end":                    {"<<<<<<< HEAD\n=======\n", nil},
		"an arrow within a line":    {"a <<<<<<< HEAD\n=======\n>>>>>>> b\n", nil},
		"no more than twenty":       {strings.Repeat("<<<<<<<\n=======\n>>>>>>>\n", 30), twenty()},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Conflicts(c.body); !reflect.DeepEqual(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func twenty() (all []TextConflict) {
	for i := range 20 {
		all = append(all, TextConflict{3*i + 1, 3*i + 3})
	}
	return all
}
