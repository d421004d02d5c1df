package index

import (
	"strings"
	"testing"
)

// SQLite writes every index anew that has a column which an UPDATE sets, even to
// the value it has.
func TestAChangeSetsWhatDiffers(t *testing.T) {
	w := newTree(t, 3)
	ix, _ := w.open(Options{Mode: ModeVerify})
	defer w.close(ix)
	const path = ".wrangler/issues/DOC-0000.md"
	for _, c := range []struct {
		name, text  string
		set, remain []string
	}{
		{"all but the path, for another document", "---\nid: DOC-0000\ntitle: Same\nassignee: ann\ncreatedAt: 2026-01-02\nupdatedAt: 2026-01-03\n---\nBody\n",
			[]string{"title", "assignee", "hash", "mtime"}, []string{"path", "stem"}},
		{"the one that changed, and how the file looks", "---\nid: DOC-0000\ntitle: Same\nassignee: bob\ncreatedAt: 2026-01-02\nupdatedAt: 2026-01-03\n---\nBody\n",
			[]string{"assignee", "hash", "mtime", "rev"}, []string{"path", "title", "status", "created", "updated", "size", "labels", "closed", "context", "unwatched"}},
		{"one that was not there", "---\nid: DOC-0000\ntitle: Same\nassignee: bob\ncreatedAt: 2026-01-02\nupdatedAt: 2026-01-03\nwranglerContext: {a: 1}\n---\nBody\n",
			[]string{"context", "size"}, []string{"assignee", "parent", "closed"}},
		{"one that is there no more", "---\nid: DOC-0000\ntitle: Same\nassignee: bob\ncreatedAt: 2026-01-02\nupdatedAt: 2026-01-03\n---\nBody\n",
			[]string{"context", "size"}, []string{"assignee", "parent", "closed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.must(ix.Refresh(t.Context(), path))
			w.write(path, c.text)
			var update string
			ctx := Observed(t.Context(), func(statement string) {
				if strings.HasPrefix(statement, "UPDATE document SET") {
					update = statement
				}
			})
			w.must(ix.Refresh(ctx, path))
			for _, column := range c.set {
				if !strings.Contains(update, " "+column+" = ?") {
					t.Errorf("%s is not set by %s", column, update)
				}
			}
			for _, column := range c.remain {
				if strings.Contains(update, " "+column+" = ?") {
					t.Errorf("%s is set by %s", column, update)
				}
			}
			w.checkLooks(ix)
			sound(t, ix)
		})
	}
}
