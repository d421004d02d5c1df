package repair

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"issues-index/store"
)

var (
	advisedLine = regexp.MustCompile(`change line (\d+) to (id: \S+?)(,|$)`)
	advisedName = regexp.MustCompile(`rename the file to (.+)$`)
)

// Who does what check says about duplicate ids has none left, and no name that
// disagrees with an id.
func TestTheAdviceOnDuplicateIDsHelps(t *testing.T) {
	b := newWorkspace(t, "", markdown(t, filepath.FromSlash("../../testdata/corpora/wrangler")))
	count := func(r *Report, code store.ProblemCode) (n int) {
		for _, p := range r.Problems {
			if p.Problem.Code == code {
				n++
			}
		}
		return n
	}
	before := b.check()
	kept, changed := 0, 0
	for _, p := range before.Problems {
		if p.Problem.Code != duplicateID {
			continue
		}
		line := advisedLine.FindStringSubmatch(p.Advice)
		if line == nil {
			if p.Advice != "the oldest: keep its id" {
				t.Errorf("%s: %q says nothing to do", p.Path, p.Advice)
			}
			kept++
			continue
		}
		changed++
		follow(t, filepath.Join(b.root, filepath.FromSlash(p.Path)), line[1], line[2], p.Advice)
	}
	if kept == 0 || changed < kept {
		t.Errorf("%d keep their ids and %d change theirs", kept, changed)
	}
	after := b.check()
	if n := count(after, duplicateID); n != 0 {
		t.Errorf("%d documents still share an id", n)
	}
	if was, is := count(before, store.ProblemIDFilename), count(after, store.ProblemIDFilename); is > was {
		t.Errorf("%d names disagree with an id, %d did before", is, was)
	}
}

// follow does to a file what the advice says.
func follow(t *testing.T, file, number, id, advice string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	lines[n-1] = id
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	if name := advisedName.FindStringSubmatch(advice); name != nil {
		if err := os.Rename(file, filepath.Join(filepath.Dir(file), name[1])); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDuplicateIDsOfNamesAreAdvisedToo(t *testing.T) {
	b := newWorkspace(t, "", map[string]string{
		".wrangler/issues/a/notes.md":      "---\ntitle: One\ncreatedAt: 2026-01-01\n---\n",
		".wrangler/issues/b/notes.md":      "---\ntitle: Two\ncreatedAt: 2026-01-02\n---\n",
		".wrangler/issues/ISS-000007-x.md": "---\nid: ISS-000007\n---\n",
	})
	advice := map[string]string{}
	for _, p := range b.check().Problems {
		advice[p.Path] = p.Advice
	}
	want := "add the line id: ISS-000008 to its frontmatter, and rename the file to ISS-000008-notes.md"
	if got := advice[".wrangler/issues/b/notes.md"]; got != want {
		t.Errorf("the advice is %q, want %q", got, want)
	}
}
