package layout_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"issues-index/store/layout"
)

const sample = `output: text
statuses:
  - {name: In Progress, category: active}
  - {name: To Do, category: open}
  - name: Someday
    category: open
  - {name: Done, category: done}
priorities: [low, medium, high]
`

func TestOwnWords(t *testing.T) {
	l, err := layout.Parse([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	if got := l.StatusNames(); !reflect.DeepEqual(got, []string{"To Do", "Someday", "In Progress", "Done"}) {
		t.Errorf("statuses %q", got)
	}
	if l.DefaultStatus() != "To Do" || l.First(layout.Cancelled) != "" || l.CategoryOf("Done") != layout.Done || l.CategoryOf("closed") != layout.Unknown {
		t.Errorf("%+v", l)
	}
	for list, want := range map[string]string{"[a]": "a", "[a, b]": "a", "[a, b, c]": "b", "[a, b, c, d]": "b", "[Medium, x]": "Medium"} {
		l, err := layout.Parse([]byte("priorities: " + list))
		if err != nil || l.DefaultPriority() != want {
			t.Errorf("%s: %v, %+v", list, err, l)
		}
	}
}

func TestNothingConfigured(t *testing.T) {
	for _, text := range []string{"", "# only a comment\n", "output: text\n", "\ufeff", "null\n", "{}"} {
		l, err := layout.Parse([]byte(text))
		if err != nil || !reflect.DeepEqual(l, layout.Default()) {
			t.Errorf("%q: %v, %+v", text, err, l)
		}
	}
}

func TestWrongLayouts(t *testing.T) {
	for text, want := range map[string][]string{
		"statuses: open\n":                       {"1: invalid statuses: must be a list of 3 to 50"},
		"statuses:\n":                            {"1: invalid statuses"},
		"statuses: []\n":                         {"1: invalid statuses"},
		"statuses: {To Do: open}\n":              {"1: invalid statuses"},
		"statuses:\n- To Do\n":                   {"2: invalid statuses"},
		"statuses:\n- {name: a, category: open}": {"2: invalid statuses", "one active"},
		"statuses:\n- {name: a, category: done}": {"one at least that is open"},
		"statuses:\n- {name: a}\n":               {"2: invalid category \"\""},
		"statuses:\n- {name: a, kind: open}\n":   {"2: statuses has no \"kind\": it has name, category"},
		"statuses:\n- {name: a, category: Open}": {"2: invalid category \"Open\""},
		"statuses:\n- {name: a, category: open}\n- {name: A, category: done}":         {"3: \"a\" and \"A\" are spellings of one word"},
		"statuses:\n- {name: a, category: open}\n- {name: \"a\\nb\", category: done}": {"3: invalid name \"a\\nb\""},
		"statuses:\n- {name: 'a, b', category: open}":                                 {"2: invalid name \"a, b\""},
		"statuses:\n- {name: \"\\u202etxt\", category: open}":                         {"2: invalid name"},
		"statuses:\n- {name: [a], category: open}":                                    {"2: invalid statuses"},
		"statuses:\n- {name: ~, category: open}":                                      {"2: invalid name \"\""},
		"statuses:\n- {name: '-', category: open}":                                    {"2: invalid name \"-\""},
		"statuses:\n- {name: " + strings.Repeat("a", 41) + ", category: open}":        {"at most 40"},
		"statuses: [" + strings.Repeat("{name: a, category: open},", 51) + "]":        {"a list of 3 to 50"},
		"statuses: &a []\n": {"1: anchors and aliases"},
		"x: &a [{name: a, category: open}]\nstatuses: *a\n": {"2: anchors and aliases"},
		"statuses: !!set []\n":                              {"1: tags are not allowed"},
		"priorities: low\n":                                 {"1: invalid priorities: must be a list of 1 to 20 names"},
		"priorities: [low, LOW]\n":                          {"spellings of one word"},
		"priorities: [low]\npriorities: [low]\n":            {"2: "},
		"- a\n":                                             {"1: the file must be a block of keys, not a list"},
		"a: 1\nb: c: d\n":                                   {"2: not valid YAML: "},
		"priorities: [a]\n---\nb: c\n":                      {"a second begins"},
		strings.Repeat("#", 65<<10):                         {"over 65536 bytes long"},
		"priorities: [1a, '']\nstatuses: 1\n":               {"1: invalid name \"\"", "2: invalid statuses"},
		"statuses:\n- {name: a, name: b, category: open, category: done}\npriorities: 3\n": {"2: "},
	} {
		l, err := layout.Parse([]byte(text))
		var invalid *layout.InvalidError
		if !errors.As(err, &invalid) || l != nil {
			t.Errorf("%.60q: %+v, %v", text, l, err)
			continue
		}
		for _, part := range want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%.60q: %v, want %q in it", text, err, part)
			}
		}
	}
}

// FuzzParse holds that any bytes give a layout that can be worked with, or problems.
func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("statuses: [{name: a, category: open}, {name: c, category: active}, {name: b, category: done}]\npriorities: [x]"))
	f.Add([]byte("priorities: [\"\\x00\"]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := layout.Parse(data)
		if (l == nil) == (err == nil) {
			t.Fatalf("%+v and %v", l, err)
		}
		if err != nil {
			return
		}
		names := l.StatusNames()
		if len(names) != len(l.Statuses) || len(names) > 50 || len(l.Priorities) > 20 {
			t.Fatalf("%+v", l)
		}
		if l.CategoryOf(l.DefaultStatus()) != layout.Open || !l.Finished(l.First(layout.Done)) || !slices.Contains(l.Priorities, l.DefaultPriority()) {
			t.Fatalf("%+v", l)
		}
		for _, name := range slices.Concat(names, l.Priorities) {
			if name == "" || strings.TrimSpace(name) != name || strings.ContainsAny(name, "\n\r\x00,\"") {
				t.Fatalf("%q is a name", name)
			}
		}
	})
}

// The words of each format of a time stand for what its layout in package time has there.
func TestTimeLayouts(t *testing.T) {
	parts := strings.NewReplacer("yyyy", "2006", "-mm-", "-01-", "dd", "02", "hh", "15", ":mm", ":04", ":ss", ":05", ".sss", ".000")
	for _, format := range []string{
		"yyyy-mm-dd", "yyyy-mm-dd hh:mm", "yyyy-mm-dd hh:mm:ss", "yyyy-mm-ddThh:mm:ssZ", "yyyy-mm-ddThh:mm:ss.sssZ",
	} {
		k := layout.Keys{Dates: layout.Dates{DateFormat: format}}
		if got, want := k.TimeLayout(), parts.Replace(format); got != want {
			t.Errorf("%s is %s, want %s", format, got, want)
		}
	}
}
