package merge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/store/frontmatter"
	"issues-index/store/layout"
)

// spellings are lines that a key can have in the generated documents.
var spellings = map[string][]string{
	"id":        {"id: ISS-000001\n", "id: 007 # kept\n"},
	"title":     {"title: a\n", "title: 'a'\n", "title: b # c\n", "title: >-\n  c\n  d\n"},
	"status":    {"status: open\n", "status: in_progress\n", "status: closed\n", "status: cancelled\n", "status: review\n"},
	"labels":    {"labels: [a, b]\n", "labels:\n  - a\n  - c\n", "labels: b, d\n", "labels: []\n", "labels:\n- e # f\n- a\n"},
	"blockedBy": {"blockedBy: [ISS-1]\n", "blockedBy:\n  - ISS-1\n  - ISS-2\n", "blockedBy: [ISS-3, ISS-2]\n"},
	"notes":     {"notes: |\n  a\n\n  # b\n", "notes: |\n  a\n  # b\n", "notes:\n"},
	"x-unknown": {"x-unknown: {a: [1, 2]}\n", "x-unknown: [\n  a, # b\n  c]\n", "x-unknown: !t 1.10\n"},
	"updatedAt": {"updatedAt: 2026-01-01\n", "updatedAt: '2026-01-02T00:00:00.000Z'\n", "updatedAt: \"2026-01-03 10:00\"\n"},
	frontmatter.ContextKey: {
		"wranglerContext:\n  a: 1\n  b: 2\n", "wranglerContext:\n  a: 1\n  b: 3\n", "wranglerContext:\n  a: 4\n  # c\n  c: |\n    5\n", "wranglerContext:\n  b: 2\n",
	},
}

// A draft is a document in the making.
type draft struct {
	keys  []string
	lines map[string]string
	text  []string
}

func (d draft) String() string {
	var b strings.Builder
	b.WriteString("---\n")
	for _, key := range d.keys {
		fmt.Fprintf(&b, "# about %s\n%s", key, d.lines[key])
	}
	return b.String() + "---\n" + strings.Join(d.text, "")
}

// draftOf draws a document.
func draftOf(t *rapid.T) draft {
	d := draft{lines: make(map[string]string)}
	d.keys = rapid.SliceOfDistinct(rapid.SampledFrom(slices.Sorted(maps.Keys(spellings))), rapid.ID[string]).Draw(t, "keys")
	for _, key := range d.keys {
		d.lines[key] = rapid.SampledFrom(spellings[key]).Draw(t, key)
	}
	for i := range rapid.IntRange(0, 12).Draw(t, "lines") {
		d.text = append(d.text, rapid.SampledFrom([]string{"- [ ] box %d\n", "- [x] box %d\n", "line %d\n"}).Draw(t, "line"))
		d.text[i] = fmt.Sprintf(d.text[i], i)
	}
	return d
}

// changedBy draws what one side makes of a document: keys change, come and go; lines are
// added, and boxes checked.
func (d draft) changedBy(t *rapid.T, side string) draft {
	c := draft{lines: maps.Clone(d.lines)}
	changes := func() bool { return rapid.IntRange(0, 3).Draw(t, side+" changes") == 0 }
	for _, key := range d.keys {
		switch {
		case !changes():
		case rapid.IntRange(0, 4).Draw(t, side+" removes") == 0:
			delete(c.lines, key)
			continue
		default:
			c.lines[key] = rapid.SampledFrom(spellings[key]).Draw(t, side+" "+key)
		}
		c.keys = append(c.keys, key)
	}
	for _, key := range slices.Sorted(maps.Keys(spellings)) {
		if _, ok := d.lines[key]; !ok && changes() {
			c.keys = slices.Insert(c.keys, rapid.IntRange(0, len(c.keys)).Draw(t, side+" place"), key)
			c.lines[key] = rapid.SampledFrom(spellings[key]).Draw(t, side+" new "+key)
		}
	}
	for i, line := range d.text {
		if changes() {
			c.text = append(c.text, fmt.Sprintf("%s before %d\n", side, i))
		}
		if changes() {
			line = strings.NewReplacer("[ ]", "[x]", "[x]", "[ ]").Replace(line)
		}
		c.text = append(c.text, line)
	}
	if changes() {
		c.text = append(c.text, side+" at the end\n")
	}
	return c
}

// valuesOf are the values of a document's keys, each as JSON.
func valuesOf(t rapid.TB, data string) map[string]string {
	t.Helper()
	m, _, err := parse(data).Layout()
	if err != nil {
		t.Fatalf("%v:\n%s", err, data)
	}
	values := make(map[string]string)
	read(values, "", m.Keys...)
	return values
}

// model is the value that a key shall have, by the rules for values alone; "" is none.
func model(key, base, ours, theirs string) (value string, ok bool) {
	text := func(value string) (s string) {
		_ = json.Unmarshal([]byte(value), &s)
		return s
	}
	switch {
	case ours == theirs || base == theirs:
		return ours, true
	case base == ours:
		return theirs, true
	case key == "updatedAt" && ours != "" && theirs != "":
		a, _ := frontmatter.ParseTime(text(ours))
		b, _ := frontmatter.ParseTime(text(theirs))
		if a.After(b) {
			return ours, true
		}
		return theirs, true
	case key == "labels" || key == "blockedBy":
		set := make(map[string]bool)
		b, o, t := members(base), members(ours), members(theirs)
		for _, item := range slices.Concat(b, o, t) {
			inB, inO, inT := slices.Contains(b, item), slices.Contains(o, item), slices.Contains(t, item)
			set[item] = inO && inT || !inB
		}
		maps.DeleteFunc(set, func(_ string, in bool) bool { return !in })
		return strings.Join(slices.Sorted(maps.Keys(set)), ","), true
	case key == "status":
		order := map[string]int{"": 0, "open": 0, "in_progress": 1, "closed": 2, "cancelled": 2}
		b, known := order[text(base)]
		for _, s := range [][2]string{{ours, theirs}, {theirs, ours}} {
			other, alsoKnown := order[text(s[1])]
			if order[text(s[0])] == 2 && known && alsoKnown && s[1] != "" && other < 2 && other >= b {
				return s[0], true
			}
		}
	}
	return "", false
}

// members are the labels of a list, or of one text.
func members(value string) (items []string) {
	var text string
	if json.Unmarshal([]byte(value), &text) == nil && text != "" {
		return strings.Split(text, ", ")
	}
	_ = json.Unmarshal([]byte(value), &items)
	return items
}

func TestAnyTwoChangesOfADocumentAreMergedByTheRules(t *testing.T) {
	clean, conflicting := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		base := draftOf(t)
		ours, theirs := base.changedBy(t, "ours"), base.changedBy(t, "theirs")
		b, o, th := base.String(), ours.String(), theirs.String()
		got := documents(t, layout.Default(), []byte(b), []byte(o), []byte(th), Labels{})
		fail := func(format string, args ...any) {
			t.Fatalf("%s\nbase:\n%s\nours:\n%s\ntheirs:\n%s\nmerged:\n%s\nconflicts in %q, notes %q", fmt.Sprintf(format, args...), b, o, th, got.Data, got.Conflicted, got.Notes)
		}
		if got.Conflicts == 0 {
			clean++
		} else {
			conflicting++
		}
		for _, note := range got.Notes {
			if strings.Contains(note, "line by line") {
				fail("fell back")
			}
		}

		// Every line that a side has added stands in the result, be it between markers. A
		// value that a rule decides is held below.
		for _, line := range slices.Concat(ours.text, theirs.text) {
			if !slices.Contains(base.text, line) && !strings.HasPrefix(line, "- [") && !strings.Contains("\n"+string(got.Data), "\n"+line) {
				fail("the line %q is lost", line)
			}
		}

		// The keys are what the rules make of their values. Between markers, ours counts.
		merged := valuesOf(t, string(withOurs(got.Data)))
		vb, vo, vt := valuesOf(t, b), valuesOf(t, o), valuesOf(t, th)
		for _, key := range slices.Sorted(maps.Keys(spellings)) {
			if key == frontmatter.ContextKey {
				continue
			}
			want, ok := model(key, vb[key], vo[key], vt[key])
			value := merged[key]
			conflicted := slices.Contains(got.Conflicted, key)
			isSet := key == "labels" || key == "blockedBy"
			untouched := base.lines[key] == ours.lines[key] && ours.lines[key] == theirs.lines[key]
			switch {
			case conflicted && strings.Contains(o+th, " #") && ok: // a comment on the line can be in conflict
			case conflicted == ok:
				fail("%s has a conflict: %v", key, conflicted)
			case ok && !isSet && value != want:
				fail("%s is %s, not %s", key, value, want)
			case ok && isSet && !slices.Equal(slices.Sorted(slices.Values(members(value))), members(asList(want))):
				fail("%s is %s, not %s", key, value, want)
			case untouched && !strings.Contains(string(got.Data), ours.lines[key]):
				fail("the lines of %s, which nobody changed, are others", key)
			}
		}
		for _, key := range []string{"wranglerContext.a", "wranglerContext.b", "wranglerContext.c"} {
			want, ok := model(key, vb[key], vo[key], vt[key])
			if ok == slices.Contains(got.Conflicted, key) && !slices.Contains(got.Conflicted, frontmatter.ContextKey) || ok && merged[key] != want && !slices.Contains(got.Conflicted, frontmatter.ContextKey) {
				fail("%s is %s, not %s, %v", key, merged[key], want, ok)
			}
		}

		back := documents(t, layout.Default(), []byte(b), []byte(th), []byte(o), Labels{})
		if back.Conflicts != got.Conflicts || len(back.Notes) != len(got.Notes) {
			fail("the other way round: %d conflicts, notes %q", back.Conflicts, back.Notes)
		}
	})
	if clean == 0 || conflicting == 0 {
		t.Errorf("%d merges were clean and %d were not", clean, conflicting)
	}
}

// asList is a merged set of the model, or the value that one side gave it, as sorted JSON.
func asList(want string) string {
	items := members(want)
	if want != "" && want[0] != '[' && want[0] != '"' {
		items = strings.Split(want, ",")
	}
	slices.Sort(items)
	data, _ := json.Marshal(items)
	return string(data)
}

// withOurs is a merged document with our side of each conflict.
func withOurs(data []byte) []byte {
	var out strings.Builder
	skip := false
	for line := range strings.Lines(string(data)) {
		switch {
		case strings.HasPrefix(line, "<<<<<<< "):
		case strings.HasPrefix(line, "||||||| "):
			skip = true
		case strings.HasPrefix(line, ">>>>>>> "):
			skip = false
		case !skip:
			out.WriteString(line)
		}
	}
	return []byte(out.String())
}

func TestBoxesAreMergedOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var base, ours, theirs, want strings.Builder
		for i := range rapid.IntRange(1, 10).Draw(t, "boxes") {
			b, o, th := rapid.Bool().Draw(t, "base"), rapid.Bool().Draw(t, "ours"), rapid.Bool().Draw(t, "theirs")
			w := o
			if o == b {
				w = th
			}
			for _, v := range []struct {
				to      *strings.Builder
				checked bool
			}{{&base, b}, {&ours, o}, {&theirs, th}, {&want, w}} {
				state := " "
				if v.checked {
					state = "x"
				}
				fmt.Fprintf(v.to, "- [%s] same text\n%s", state, strings.Repeat("\n", i%2))
			}
		}
		got := documents(t, layout.Default(), []byte(base.String()), []byte(ours.String()), []byte(theirs.String()), Labels{})
		if string(got.Data) != want.String() || got.Conflicts > 0 {
			t.Fatalf("base:\n%s\nours:\n%s\ntheirs:\n%s\nmerged:\n%s", base.String(), ours.String(), theirs.String(), got.Data)
		}
	})
}
