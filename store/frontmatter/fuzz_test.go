package frontmatter

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"issues-index/store/storetest"
)

// adversarial are frontmatters in which a careless edit destroys something.
var adversarial = []string{
	"",
	"\n\n# only\n\n",
	"id: x\n\n# a\n\n\n",
	"title: 'a''b' # c\nstatus: open#c\nlabels: [a,'b',\"c\"] # d\n",
	"title: \"a\\\"b # c\" # d\nlabels: a, b # c\nstatus:   open   \n",
	"title: a\n  b\n\n  c # d\nstatus:\n  open\nlabels:\n  [a,\n   b]\n",
	"title: >-\n  a\n   b\n\n  # c\n\n# d\nlabels:\n- >\n  a\n-   |+\n  b\n\n- c\nid: x\n",
	"title: |2\n    a\n  b\nstatus: |\nlabels: >+\n\n\nid: x\n",
	"id: &i 007\ntitle: *i\nlabels: &l [a, *i]\nx: *l\nwranglerContext: &w\n  a: *i\n",
	"a: &s open\nstatus: *s\nb: &s closed\npriority: *s\nc: *s\n",
	"id: !!str 7\ntitle: !x\nlabels: !!seq\n- !!str a\n- !y b\nwranglerContext: !!map\n  a: !!int '1'\n",
	"? id\n: x\n? title\n: y\n? labels\n: - a\n  - b\nstatus: open\n",
	"? [complex, key]\n: x\nstatus: open\n? {a: b}\n: - y\n",
	"'id': x\n\"title\" : y\nstatus\t: open\nlabels : [a]\n",
	"{id: x, title: 'y', labels: [a, b], wranglerContext: {a: b}}\n",
	"{\"id\":\"x\",\"labels\":[\"a\"],\"wranglerContext\":{\"a\":{\"b\":[1,2]}},\"status\":\"open\"}\n",
	"{\n  id: x, # a\n  labels: [ # b\n    a, # c\n    b # d\n  ],\n  # e\n  status: open\n}\n",
	"{id, title: , status: open, ? x : y}\n",
	"  id: x\n  labels:\n    - a\n  wranglerContext:\n        a: b\n",
	"labels:\n  # a\n  - a # b\n\n  # c\n  - b\n\n  -\n  # d\n  - - c\n    - d\n# e\nid: x\n",
	"labels:\n-\n  a\n-   b\n- [c,\n   d]\n- e: f\n  g: h\nid: x\n",
	"wranglerContext:\n  # a\n  b: c # d\n\n  e:\n    # f\n    g: |\n      h\n      # i\n    # j\n  # k\n# l\nid: x\n",
	"wranglerContext: { a: b, c: { d: e } , f: [g, {h: i}] } # j\nid: x\n",
	"wranglerContext: {\n  a: b # c\n  , d: e,\n}\n",
	"wranglerContext:\nid: x\n", "wranglerContext: ~\n", "wranglerContext: {}\n", "wranglerContext: [a]\n", "wranglerContext: a\n",
	"x: &m {a: b}\nwranglerContext:\n  <<: *m\n  c: d\n", "x: &m {a: b}\n<<: *m\nstatus: open\n", "x: &m {a: b}\nwranglerContext: *m\n",
	"updated: 2025-01-01\nupdated_date: '2025-01-01 10:00'\nclosedAt: 2025-01-02\nstatus: closed\n",
	"updatedAt: [x]\nclosedAt: {a: b}\nstatus: closed\n", "updatedAt: &t 2025-01-01\nclosedAt: *t\nstatus: cancelled\n",
	"a: b\u2028status: open\u2029title: c\u0085d: e\nlabels: [x]\n", "a: \"b\u2028  c\"\rstatus: open\rlabels: [x]\n",
	"漢字: '🎉' # é\nstatus: open # 漢\n\"\\u00e9\": x\n", "\ufeffid: x\nstatus: open\n",
	"a: -x\nb: a?\nc: a:b\n\"d\": ':'\ne: --- x\nf: |\n  ---\n  ...\nstatus: open\n",
	"status: ''\ntitle: \"\"\nlabels: ''\nassignee: []\nproject: ~\n", "1: a\ntrue: b\n~: c\nstatus: open\n",
	"# status: closed\nx: '# status: closed'\nstatus: open # status: closed\n", "x: [a, {b: 'c]'}, \"d}\"] # ]\nstatus: open\n",
	"assignee:\n  - '@a'\n  - b\nlabels: {a: b}\nproject: [x]\n",
	"  id: x\n  labels:\n    - a\n( wranglerContext:\n        a: b\n", "&a\n id: x\nlabels: [b]\n", "{id: x}\nlabels: [b]\n",
	"a: |-\n\n\n  b\n\n\nc: >\n  d\n\n\n\n",
}

// withFences are the files that a frontmatter is tried in.
func withFences(frontmatter string) []string {
	file := "---\n" + frontmatter + "---\n\n# Body\n\n---\nstatus: x\n---\n"
	return []string{
		file, BOM + file, strings.ReplaceAll(file, "\n", "\r\n"), "---\n" + frontmatter + "---",
		"---\r\n" + frontmatter + "... \nno end",
	}
}

// TestEditAdversarial tries every edit with documents that are made to be
// damaged. Whatever is not refused has changed one field.
func TestEditAdversarial(t *testing.T) {
	for _, frontmatter := range adversarial {
		for i, text := range withFences(frontmatter) {
			refused, edits := 0, editsOf(text)
			for _, e := range edits {
				if checkEdit(t, "document", text, e) {
					refused++
				}
			}
			if i == 0 && refused > len(edits)/2 {
				t.Logf("%d of %d edits are refused in %q", refused, len(edits), frontmatter)
			}
		}
	}
}

// FuzzEdit changes one key of any text to any value, in every way there is.
func FuzzEdit(f *testing.F) {
	for i, frontmatter := range adversarial {
		for _, text := range withFences(frontmatter) {
			f.Add(text, fieldKeys[i%len(fieldKeys)], "a: b #c")
		}
	}
	f.Add("no end", "title", "text\n\n\n")
	f.Add("no end", "title", " \ntext")
	seeds := 0
	_ = filepath.WalkDir(storetest.Corpora(), func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".md") {
			return err
		}
		data, err := os.ReadFile(p)
		if seeds++; err == nil && seeds%20 == 0 && len(data) < 8<<10 {
			f.Add(string(data), "status", "closed")
		}
		return err
	})
	if seeds == 0 {
		f.Log("no corpora: the seeds are the documents of this file only")
	}
	f.Fuzz(func(t *testing.T, text, key, value string) {
		edits := []Edit{
			set(key, value), set(key, nil), set(key, []string{value, "x"}), set("labels", strings.Split(value, ",")),
			set("status", "closed"), setContext(key, value), setContext(key, nil), {Body: &value},
		}
		if json.Valid([]byte(value)) {
			edits = append(edits, set(key, raw(value)), setContext(key, raw(value)))
		}
		for _, e := range edits {
			if (key == "" || !utf8.ValidString(key)) && (e.sets(key) || len(e.Context) > 0) {
				continue
			}
			checkEdit(t, "document", text, e)
		}
	})
}
