package frontmatter

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"issues-index/store/layout"
)

var editTime = time.Date(2026, 2, 15, 10, 11, 12, 345_678_900, time.UTC)

// newStamp is the line that an edit adds to a document without a time of change.
const newStamp = "updatedAt: '2026-02-15T10:11:12.345Z'\n"

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func set(key string, value any) Edit { return Edit{Set: []Assignment{{key, value}}} }

func setContext(key string, value any) Edit { return Edit{Context: []Assignment{{key, value}}} }

// wantEdit applies an edit, wants these bytes, and wants the same edit to change
// nothing the second time.
func wantEdit(t *testing.T, e Edit, before, after string) {
	t.Helper()
	out, changed, err := e.Apply(Parse([]byte(before), "", layout.Default()), editTime)
	if err != nil {
		t.Fatalf("%v\nin %q", err, before)
	}
	if string(out) != after {
		t.Errorf("edited to\n%s\nwant\n%s\nas text %q", out, after, out)
	}
	if changed != (before != after) {
		t.Errorf("changed is %v", changed)
	}
	again, changed, err := e.Apply(Parse(out, "", layout.Default()), editTime.Add(time.Hour))
	if err != nil || changed || !bytes.Equal(again, out) {
		t.Errorf("the second time: changed %v, error %v\n%s", changed, err, again)
	}
}

// wantFields is wantEdit for frontmatter lines and the stamp that follows them.
func wantFields(t *testing.T, e Edit, before, after string) {
	t.Helper()
	const body = "---\n\nThe body. \n\n---\nid: x\n"
	wantEdit(t, e, "---\n"+before+body, "---\n"+after+newStamp+body)
}

// wantRefused wants an edit to be refused and the bytes back as they were.
func wantRefused(t *testing.T, e Edit, before, reason string, line int) {
	t.Helper()
	out, changed, err := e.Apply(Parse([]byte(before), "", layout.Default()), editTime)
	var uneditable *UneditableError
	if !errors.As(err, &uneditable) {
		t.Fatalf("error %v, edited to\n%s", err, out)
	}
	if changed || string(out) != before {
		t.Errorf("changed %v, to %q", changed, out)
	}
	if !strings.Contains(uneditable.Error(), reason) || uneditable.Line != line {
		t.Errorf("refused with %q on line %d, want %q on line %d", uneditable, uneditable.Line, reason, line)
	}
}

func TestEditScalar(t *testing.T) {
	for _, c := range []struct {
		name, before string
		value        string
		after        string
	}{
		{"bare stays bare", "title: Old one\n", "New one", "title: New one\n"},
		{"single quotes stay", "title: 'Old one'\n", "New", "title: 'New'\n"},
		{"double quotes stay", "title: \"Old one\"\n", "New", "title: \"New\"\n"},
		{"a quote in single quotes", "title: 'it''s old'\n", "it's new", "title: 'it''s new'\n"},
		{"a quote in double quotes", "title: \"an \\\"old\\\" one\"\n", `a "new" \ one`, "title: \"a \\\"new\\\" \\\\ one\"\n"},
		{"a quote bare", "title: Old\n", `it's "new"`, "title: it's \"new\"\n"},
		{"a colon needs quotes", "title: Old\n", "New: one", "title: 'New: one'\n"},
		{"a colon at the end", "title: Old\n", "New:", "title: 'New:'\n"},
		{"a colon within a word does not", "title: Old\n", "http://x", "title: http://x\n"},
		{"a comment sign", "title: Old\n", "fix #1", "title: 'fix #1'\n"},
		{"a hash in a word", "title: Old\n", "C#1", "title: C#1\n"},
		{"a hash in front", "title: Old\n", "#1", "title: '#1'\n"},
		{"an at sign", "title: Old\n", "@claude", "title: '@claude'\n"},
		{"an asterisk", "title: Old\n", "*x*", "title: '*x*'\n"},
		{"a dash", "title: Old\n", "- x", "title: '- x'\n"},
		{"brackets", "title: Old\n", "[x] done", "title: '[x] done'\n"},
		{"brackets inside", "title: Old\n", "done [x], {y}", "title: done [x], {y}\n"},
		{"dollars", "title: Old\n", "$1 $& \\1 ${x}", "title: $1 $& \\1 ${x}\n"},
		{"a backslash in single quotes", "title: 'a'\n", `\n`, "title: '\\n'\n"},
		{"single quotes are usual", "id: \"x\"\ntitle: Old\n", "a: b", "id: \"x\"\ntitle: 'a: b'\n"},
		{"a number", "title: Old\n", "007", "title: '007'\n"},
		{"a float", "title: Old\n", "1e3", "title: '1e3'\n"},
		{"a version", "title: Old\n", "1.2.3", "title: '1.2.3'\n"},
		{"a word after a number", "title: Old\n", "3 things", "title: 3 things\n"},
		{"hexadecimal", "title: Old\n", "0xff", "title: '0xff'\n"},
		{"a date", "title: Old\n", "2026-02-15", "title: '2026-02-15'\n"},
		{"a time", "title: Old\n", "12:30", "title: '12:30'\n"},
		{"no", "title: Old\n", "no", "title: 'no'\n"},
		{"Yes", "title: Old\n", "Yes", "title: 'Yes'\n"},
		{"null", "title: Old\n", "null", "title: 'null'\n"},
		{"a tilde", "title: Old\n", "~", "title: '~'\n"},
		{"a tilde in front", "title: Old\n", "~3 days", "title: ~3 days\n"},
		{"infinity", "title: Old\n", ".inf", "title: '.inf'\n"},
		{"an umlaut", "title: Old\n", "Übung 漢字 🎉", "title: Übung 漢字 🎉\n"},
		{"a control character", "title: 'Old'\n", "a\x01b", "title: \"a\\x01b\"\n"},
		{"a separator", "title: 'Old'\n", "a\u2028b\u0085c\ufeffd", "title: \"a\\u2028b\\u0085c\\ufeffd\"\n"},
		{"a NUL", "title: Old\n", "a\x00b", "title: a\ufffdb\n"},
		{"bytes that are no UTF-8", "title: Old\n", "a\xffb", "title: a\ufffdb\n"},
		{"lines become one", "title: Old\n", "a\nb", "title: a b\n"},
		{"blanks around", "title: Old\n", "  a ", "title: a\n"},
		{"to nothing", "title: Old\n", "", "title: ''\n"},
		{"from nothing", "title:\n", "New", "title: New\n"},
		{"from nothing and a blank", "title: \n", "New", "title: New\n"},
		{"from nothing before a comment", "title:  # why\n", "New", "title: New  # why\n"},
		{"from null", "title: ~\n", "New", "title: New\n"},
		{"a comment stays", "title: Old # why\n", "New", "title: New # why\n"},
		{"a comment behind quotes stays", "title: 'Old #'  #why\n", "New", "title: 'New'  #why\n"},
		{"blanks before go", "title:   Old\n", "New", "title: New\n"},
		{"a quoted key stays", "'title': Old\n", "New", "'title': New\n"},
		{"blanks before the colon stay", "title : Old\n", "New", "title : New\n"},
		{"several bare lines", "title: Old\n  and long # why\nx: y\n", "New", "title: New # why\nx: y\n"},
		{"bare on the next line", "title:\n  Old\n  one\nx: y\n", "New", "title: New\nx: y\n"},
		{"several quoted lines", "title: \"Old\n  and # long\"\nx: y\n", "New", "title: \"New\"\nx: y\n"},
		{"a folded block", "title: >-\n  Old\n\n  one\n\n# c\nx: y\n", "New", "title: New\n\n# c\nx: y\n"},
		{"a folded block with comments", "title: >- # why\n  Old\n  # one\n# c\nx: y\n", "New", "title: New # why\n# c\nx: y\n"},
		{"a literal block that keeps its lines", "title: |+\n  Old\n\n\nx: y\n", "New", "title: New\nx: y\n"},
		{"a literal block with a digit", "title: |2\n    Old\n  one\nx: y\n", "New", "title: New\nx: y\n"},
		{"an empty block", "title: |\nx: y\n", "New", "title: New\nx: y\n"},
		{"an empty block that keeps its lines", "title: >+\n\n\nx: y\n", "New", "title: New\nx: y\n"},
		{"a block less deep than a comment after it", "title: |\n   Old\n  # c\nx: y\n", "New", "title: New\nx: y\n"},
		{"an alias", "x: &a Old\ntitle: *a\n", "New", "x: &a Old\ntitle: New\n"},
		{"an anchor that nothing uses", "title: &a Old\nx: y\n", "New", "title: New\nx: y\n"},
		{"a tag", "title: !!str Old # c\nx: y\n", "New", "title: New # c\nx: y\n"},
		{"a tag and nothing", "title: !!str\nx: y\n", "New", "title: New\nx: y\n"},
		{"a verbatim tag", "title: !<tag:yaml.org,2002:str> 'Old'\nx: y\n", "New", "title: 'New'\nx: y\n"},
		{"a list", "title:\n- Old\n- one\nx: y\n", "New", "title: New\nx: y\n"},
		{"a list with comments", "title: # why\n  - Old # one\nx: y\n", "New", "title: New # why\nx: y\n"},
		{"a list in brackets", "title: [Old,\n  one] # c\nx: y\n", "New", "title: New # c\nx: y\n"},
		{"a mapping", "title:\n  a: b\n  c: |\n    d\nx: y\n", "New", "title: New\nx: y\n"},
		{"a mapping with an anchor", "title: &m\n  a: b\nx: y\n", "New", "title: New\nx: y\n"},
		{"a new key at the end", "# top\nx: y # c\n\n# end\n", "New", "# top\nx: y # c\ntitle: New\nEND\n\n# end\n"},
		{"a new key after a block", "x: |+\n  y\n\n", "New", "x: |+\n  y\n\ntitle: New\n"},
		{"a new key in an indented document", "  x: y\n", "New", "  x: y\n  title: New\n  END"},
		{"other keys of that name", "a:\n  title: x\ntitles: y\n", "New", "a:\n  title: x\ntitles: y\ntitle: New\n"},
		{"tabs and wide characters before", "\"漢\": '字'\ntitle:\tOld\n", "New", "\"漢\": '字'\ntitle: New\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := set("title", c.value)
			stamp := strings.TrimSuffix(newStamp, "\n")
			switch {
			case strings.Contains(c.after, "END\n\n#"):
				c.after = strings.Replace(c.after, "END", stamp, 1)
			case strings.HasSuffix(c.after, "  END"):
				c.after = strings.Replace(c.after, "END", newStamp, 1)
			default:
				c.after += newStamp
			}
			wantEdit(t, e, "---\n"+c.before+"---\nbody\n", "---\n"+c.after+"---\nbody\n")
		})
	}
}

func TestAnEditOfKeysThatShareALineIsRefused(t *testing.T) {
	for text, reason := range map[string]string{
		"{x: y, title: Old}\n":                   "on lines of their own",
		"{\"x\":\"y\",\"title\":\"Old\"}\n":      "on lines of their own",
		"? title\n: Old\n":                       "on lines of their own",
		"x: a\u2028y: b\u0085title: Old\nz: c\n": "line break that only YAML knows",
	} {
		t.Run(text, func(t *testing.T) { wantRefused(t, set("title", "New"), "---\n"+text+"---\nbody\n", reason, 0) })
	}
}

func TestAnUnstampedEditLeavesTheTimeOfTheLastChange(t *testing.T) {
	for _, times := range []string{"", "updatedAt: 2026-01-01\n"} {
		edit := Edit{Set: []Assignment{{Key: "title", Value: "b"}}, Unstamped: true}
		out, changed, err := edit.Apply(Parse([]byte("---\ntitle: a\n"+times+"---\n"), "", layout.Default()), editTime)
		if want := "---\ntitle: b\n" + times + "---\n"; string(out) != want || !changed || err != nil {
			t.Errorf("the edit leaves %q, not %q: changed %v, %v", out, want, changed, err)
		}
	}
}
