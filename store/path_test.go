package store

import (
	"path/filepath"
	"testing"
)

func TestAnAbsolutePathInsideTheRootIsTakenAsTheRelativeOne(t *testing.T) {
	w := newWorkspace(t, map[string]string{".wrangler/issues/a.md": "A", "sub/b.md": "B"})
	outside := t.TempDir()
	alias := filepath.Join(outside, "alias")
	symlink(t, w.Root, alias)
	symlink(t, outside, filepath.Join(w.Root, "out"))
	for _, c := range []struct{ says, given, want string }{
		{"a document", w.Root + "/.wrangler/issues/a.md", ".wrangler/issues/a.md"},
		{"one that is not there", w.Root + "/.wrangler/issues/new.md", ".wrangler/issues/new.md"},
		{"one through a link to the root", alias + "/sub/b.md", "sub/b.md"},
		{"the root", w.Root, "."},
		{"slashes too many", w.Root + "//sub/./b.md", "sub/b.md"},
		{"a link that leads out, for its reader to refuse", w.Root + "/out/x.md", "out/x.md"},
		{"a way upwards", w.Root + "/sub/../a.md", w.Root + "/sub/../a.md"},
		{"a folder whose name begins as the root's", w.Root + "-2/a.md", w.Root + "-2/a.md"},
		{"the folder above", filepath.Dir(w.Root), filepath.Dir(w.Root)},
		{"a path elsewhere", "/etc/passwd", "/etc/passwd"},
		{"a relative path", "sub/b.md", "sub/b.md"},
		{"an id", "ISS-000001", "ISS-000001"},
		{"a NUL byte", w.Root + "/a\x00", w.Root + "/a\x00"},
	} {
		t.Run(c.says, func(t *testing.T) {
			if got := w.Relative(c.given); filepath.ToSlash(got) != filepath.ToSlash(c.want) {
				t.Errorf("%q is %q, want %q", c.given, got, c.want)
			}
		})
	}
}
