package repair

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"issues-index/store"
	"issues-index/store/frontmatter"
	"issues-index/store/layout"
)

const stamp = "updatedAt: '2026-03-04T05:06:07.000Z'\n"

// TestRules holds which problems are fixed and which are left, and that nothing else
// changes.
func TestRules(t *testing.T) {
	const issues = ".wrangler/issues/"
	for name, c := range map[string]struct {
		files map[string]string // below the issues
		want  map[string]string // those that change: "" for what goes
		why   string            // of the one problem that is left, if its kind has a rule
	}{
		"a closed document outside the archive moves there, its bytes as they are": {
			files: map[string]string{"a.md": "---\nstatus: closed # done\n---\nBody"},
			want:  map[string]string{"a.md": "", "archived/a.md": "---\nstatus: closed # done\n---\nBody"},
		},
		"so does a cancelled one in a folder of its own": {
			files: map[string]string{"area/a.md": "---\nstatus: cancelled\n---\n"},
			want:  map[string]string{"area/a.md": "", "archived/a.md": "---\nstatus: cancelled\n---\n"},
		},
		"an open document in the archive stays: the status or the folder may be wrong": {
			files: map[string]string{"archived/a.md": "---\nstatus: open\n---\n", "completed/b.md": "---\nstatus: in_progress\n---\n"},
		},
		"a file in the way stays, and so does what it stops": {
			files: map[string]string{"a.md": "---\nstatus: closed\n---\n", "archived/a.md": "---\nstatus: closed\ntitle: Other\n---\n"},
			why:   ".wrangler/issues/archived/a.md is in the way",
		},
		"a file in the way on systems that ignore letter case stays, too": {
			files: map[string]string{"a.md": "---\nid: one\nstatus: closed\n---\n", "archived/A.md": "---\nid: two\nstatus: closed\n---\n"},
			why:   ".wrangler/issues/archived/A.md is in the way",
		},
		"of two that would become one file neither moves": {
			files: map[string]string{"x/a.md": "---\nid: one\nstatus: closed\n---\n", "y/a.md": "---\nid: two\nstatus: closed\n---\n"},
			why:   "several documents would become .wrangler/issues/archived/a.md",
		},
		"another spelling of a status is written as it is known": {
			files: map[string]string{"a.md": "---\nstatus: In Progress\n---\nIn Progress\n"},
			want:  map[string]string{"a.md": "---\nstatus: in_progress\n" + stamp + "---\nIn Progress\n"},
		},
		"a respelled closed document is archived, and not closed today": {
			files: map[string]string{"a.md": "---\nstatus: 'CLOSED'\n---\n"},
			want:  map[string]string{"a.md": "", "archived/a.md": "---\nstatus: 'closed'\n" + stamp + "---\n"},
		},
		"priority and type are respelled, in one change": {
			files: map[string]string{"a.md": "---\r\npriority: \"High\"\r\ntype: Issue\r\nupdated: 2020-01-01\r\n---\r\n"},
			want:  map[string]string{"a.md": "---\r\npriority: \"high\"\r\ntype: issue\r\nupdated: 2026-03-04\r\n---\r\n"},
		},
		"a word that only means the same is left": {
			files: map[string]string{"a.md": "---\nstatus: Done\n---\n", "b.md": "---\npriority: urgent\n---\n"},
		},
		"a type that would move the document elsewhere is left": {
			files: map[string]string{"a.md": "---\ntype: Specification\n---\n"},
		},
		"an alias in the place of the value goes, what it means elsewhere stays": {
			files: map[string]string{"a.md": "---\nx: &s Open\nstatus: *s\ny: *s\n---\n"},
			want:  map[string]string{"a.md": "---\nx: &s Open\nstatus: open\ny: *s\n" + stamp + "---\n"},
		},
		"a frontmatter that cannot be read is never touched": {
			files: map[string]string{"a.md": "---\nassignee: @ann\nstatus: Open\n---\n", "b.md": "---\nstatus: closed\nstatus: closed\n---\n"},
		},
		"a file takes the name of its id": {
			files: map[string]string{"notes.md": "---\nid: ISS-000007\ntitle: A Note\n---\n"},
			want:  map[string]string{"notes.md": "", "ISS-000007-a-note.md": "---\nid: ISS-000007\ntitle: A Note\n---\n"},
		},
		"and moves to the archive under that name": {
			files: map[string]string{"notes.md": "---\nid: 000007\ntitle: A Note\nstatus: closed\n---\n"},
			want:  map[string]string{"notes.md": "", "archived/000007-a-note.md": "---\nid: 000007\ntitle: A Note\nstatus: closed\n---\n"},
		},
		"a name that is an id, too, is left": {
			files: map[string]string{"ISS-000008-a.md": "---\nid: ISS-000007\n---\n"},
			why:   "the file's name has an id of its own",
		},
		"an id that is no name's beginning is left": {
			files: map[string]string{"notes.md": "---\nid: ../../etc/1\n---\n"},
			why:   "the id is not of a kind that file names begin with",
		},
		"a name that another document's text has is left": {
			files: map[string]string{"notes.md": "---\nid: ISS-000007\n---\n", "b.md": "See [it](notes.md).\n"},
			why:   ".wrangler/issues/b.md mentions the file's name",
		},
		"a name that is another document's parent is left": {
			files: map[string]string{"my-notes.md": "---\nid: ISS-000007\n---\n", "b.md": "---\nwranglerContext: {parentTaskId: my-notes}\n---\n"},
			why:   ".wrangler/issues/b.md mentions the file's name",
		},
		"documents that share an id are left": {
			files: map[string]string{"x.md": "---\nid: ISS-000007\n---\n", "y.md": "---\nid: ISS-000007\n---\n"},
			why:   "other documents have the id, too",
		},
	} {
		t.Run(name, func(t *testing.T) {
			files, want := map[string]string{}, map[string]string{}
			for p, text := range c.files {
				files[issues+p], want[issues+p] = text, text
			}
			for p, text := range c.want {
				if want[issues+p] = text; text == "" {
					delete(want, issues+p)
				}
			}
			b := newWorkspace(t, "", files)
			r := b.check()
			if c.why != "" {
				left := slices.IndexFunc(r.Problems, func(p Finding) bool { return p.Why != "" })
				if left < 0 || r.Problems[left].Why != c.why {
					t.Errorf("want the reason %q: %+v", c.why, r.Problems)
				}
			}
			if len(c.want) == 0 && len(r.Changes) > 0 {
				t.Errorf("it chose %+v", r.Changes)
			}
			b.fix(r)
			sameFiles(t, b.files(), want)
			if again := b.check(); len(again.Changes) > 0 {
				t.Errorf("a second time it would change %+v", again.Changes)
			}
		})
	}
}

func TestLinesAreThoseThatChange(t *testing.T) {
	b := newWorkspace(t, "", map[string]string{".wrangler/issues/a.md": "---\nstatus: Open\ntitle: x\nupdatedAt: 2020-01-01\n---\n"})
	r := b.check()
	removed, added := r.Changes[0].Lines()
	if !slices.Equal(removed, []string{"status: Open", "updatedAt: 2020-01-01"}) || !slices.Equal(added, []string{"status: open", "updatedAt: 2026-03-04"}) {
		t.Errorf("%q, %q", removed, added)
	}
	if !slices.Equal(r.Changes[0].Codes, []store.ProblemCode{frontmatter.ProblemUnknownStatus}) {
		t.Errorf("%v", r.Changes[0].Codes)
	}
}

func TestFixLeavesADocumentThatChangedSinceCheck(t *testing.T) {
	const moving, edited = ".wrangler/issues/a.md", ".wrangler/issues/b.md"
	b := newWorkspace(t, "", map[string]string{moving: "---\nstatus: closed\n---\n", edited: "---\nstatus: Open\n---\n"})
	r := b.check()
	b.append(edited, "More.\n")
	errs, behind := Fix(context.Background(), b.ix, r.Changes)
	var conflict *store.ConflictError
	if behind != nil || errs[0] != nil || !errors.As(errs[1], &conflict) {
		t.Errorf("%v, %v", errs, behind)
	}
	if text := b.files()[edited]; text != "---\nstatus: Open\n---\nMore.\n" {
		t.Errorf("%q", text)
	}
}

// TestEveryKindIsKnown reads the codes out of the sources.
func TestEveryKindIsKnown(t *testing.T) {
	code := regexp.MustCompile(`ProblemCode += "([a-z0-9-]+)"|Problem[A-Za-z0-9]+ += "([a-z0-9-]+)"|^       '(duplicate-id|dangling-parent)'`)
	found := 0
	for _, file := range []string{"../../store/frontmatter/problem.go", "../problems.go", "kinds.go"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range code.FindAllStringSubmatch(string(data), -1) {
			found++
			if name := store.ProblemCode(m[1] + m[2]); KindOf(name, layout.Default()).Advice == "" {
				t.Errorf("nothing is said about %s", name)
			}
		}
	}
	if found < 18 {
		t.Errorf("found only %d codes", found)
	}
	if KindOf("another", layout.Default()).Advice != "" || KindOf("another", layout.Default()).Code != "another" {
		t.Error("an unknown code is known")
	}
}

func TestUnreadablePathsAreProblems(t *testing.T) {
	b := newWorkspace(t, "", map[string]string{".wrangler/issues/a.md": "---\nid: a\n---\n"})
	if err := os.Symlink("../../../elsewhere.md", filepath.Join(b.root, ".wrangler/issues/b.md")); err != nil {
		t.Skip("symbolic links cannot be made here:", err)
	}
	r := b.check()
	if len(r.Problems) != 1 || r.Problems[0].Path != ".wrangler/issues/b.md" || r.Problems[0].Problem.Code != problemPath || strings.Contains(r.Problems[0].Problem.Message, b.root) {
		t.Errorf("%+v", r.Problems)
	}
	if r.Documents != 0 {
		t.Errorf("%d documents", r.Documents)
	}
}

func (w *workspace) append(p, text string) {
	w.Helper()
	f, err := os.OpenFile(filepath.Join(w.root, filepath.FromSlash(p)), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		w.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		w.Fatal(err)
	}
	if err := f.Close(); err != nil {
		w.Fatal(err)
	}
}
