package index

import (
	"path/filepath"
	"testing"

	"issues-index/store/mirror"
)

// A mirror is empty when its hub starts for the first time. What is then read into its index
// need not be read again at the next start.
func TestTheIndexOfAFilledMirrorIsKept(t *testing.T) {
	t.Parallel()
	root, api := filepath.Join(t.TempDir(), "mirror"), filepath.Join(t.TempDir(), "api")
	if err := mirror.Make(root); err != nil {
		t.Fatal(err)
	}
	served := func(fill func()) string {
		c, err := Serve(t.Context(), openPlain(t, root), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var generation string
		for _, change := range []func(){func() {}, fill} {
			change()
			ix, release, err := c.Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ix.Find(t.Context(), Query{Limit: 1}); err != nil {
				t.Fatal(err)
			}
			generation = ix.engine.build.generation
			release()
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		return generation
	}
	filled := served(func() {
		writeAll(t, filepath.Join(api, ".wrangler", "issues", "ISS-000001.md"), []byte("---\nid: ISS-000001\n---\n"))
		mirrorLines(t, root, map[string]string{"api": api})
	})
	if again := served(func() {}); again != filled {
		t.Error("the next process built the index anew")
	}
}
