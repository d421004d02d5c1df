package session

import (
	"fmt"
	"strings"
	"testing"
)

func TestAStartNamesTheDocumentsThatTheWorktreeLacks(t *testing.T) {
	w := gitRepository(t)
	if s := start(t, w); s.Note != "" {
		t.Errorf("with all committed: %q", s.Note)
	}
	files := map[string]string{}
	for n := 1; n <= 7; n++ {
		files[fmt.Sprintf(".wrangler/issues/ISS-%06d.md", n)] = fmt.Sprintf("---\nid: ISS-%06d\n---\n", n)
	}
	writeFiles(t, w.Root, files)
	want := "the worktree lacks 7 documents that the commit does not have: ISS-000001, ISS-000002, ISS-000003, ISS-000004, ISS-000005 and 2 more; " +
		"commit them and merge, or read them in " + w.Root
	if s := start(t, w); !strings.Contains(s.Note, want) {
		t.Errorf("%q, want %q", s.Note, want)
	}
	gitIn(t, w.Root, "add", ".wrangler/issues")
	commitIn(t, w.Root)
	if s := start(t, w); strings.Contains(s.Note, "lacks") {
		t.Errorf("after the commit: %q", s.Note)
	}
}
