package index

import (
	"path"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCriteriaPutDocumentsInOrder(t *testing.T) {
	k := newKit(t)
	for name, frontmatter := range map[string]string{
		"a": "id: ISS-10\ntitle: ünit\nstatus: closed\npriority: low\nassignee: bob\nestimate: 10\ncreatedAt: 2026-01-03\nupdatedAt: 2026-01-05\nclosedAt: 2026-01-09",
		"b": "id: ISS-9\ntitle: Ünder\nstatus: open\npriority: critical\nestimate: 9\ncreatedAt: 2026-01-02",
		"c": "id: ISS-8\ntitle: zebra\nstatus: in_progress\nassignee: Ann\nestimate: many\ncreatedAt: 2026-01-02\nupdatedAt: 2026-01-04\nclosedAt: 2026-01-08",
		"d": "id: ISS-7\ntitle: Apple\npriority: high\ncreatedAt: 2026-01-01",
	} {
		k.put(".wrangler/issues/"+name+".md", "---\n"+frontmatter+"\n---\n")
	}
	ix := k.open(Options{Mode: ModeVerify})
	keys, err := ix.FieldKeys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m := &criteriaModel{now: time.Date(2026, 3, 8, 12, 0, 0, 0, time.UTC)}
	for text, want := range map[string]string{
		"":                             "a b c d", // the caller's own order
		"sort id":                      "d c b a", // by number
		"sort title desc":              "a b c d",
		"sort status":                  "b d c a",
		"sort priority desc":           "b d c a",
		"sort created, title desc":     "d b c a",
		"sort created desc, priority":  "a c b d",
		"sort assignee":                "c a b d", // who has none comes last
		"sort assignee desc":           "a c b d", // also then
		"sort closed":                  "c a b d",
		"sort closed desc":             "a c b d",
		"sort updated, id":             "c a d b", // the time of a file is no date
		"sort updated desc, id":        "a c d b",
		"sort estimate":                "b a c d", // numbers before texts
		"sort estimate desc":           "c a b d",
		"assignee = empty sort title":  "d b",
		"estimate >= 9 sort estimate ": "b a",
	} {
		var got []string
		for _, p := range meant(t, ix, text, m.env(keys)) {
			got = append(got, strings.TrimSuffix(path.Base(p), ".md"))
		}
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q gives %v, want %s", text, got, want)
		}
	}
}
