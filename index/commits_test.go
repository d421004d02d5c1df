package index_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/storetest"
)

const (
	firstDocument  = ".wrangler/issues/ISS-000001-first.md"
	secondDocument = ".wrangler/issues/ISS-000002-second.md"
	datedDocument  = ".wrangler/issues/ISS-000003-dated.md"
)

// A committedTree is a workspace in git whose documents carry no time of their last change.
type committedTree struct {
	*testing.T
	root string
}

func newCommittedTree(t *testing.T) *committedTree {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here:", err)
	}
	w := &committedTree{t, t.TempDir()}
	storetest.WriteFiles(t, w.root, map[string]string{
		layout.File:    "stampUpdates: false\n",
		firstDocument:  "---\nid: ISS-000001\n---\nFirst.\n",
		secondDocument: "---\r\nid: ISS-000002\r\n---\r\nSecond.\r\n",
		datedDocument:  "---\nid: ISS-000003\nupdatedAt: '2020-01-01T00:00:00Z'\n---\nThird.\n",
	})
	w.git(1, "init", "--quiet", "--initial-branch=main")
	w.git(1, "config", "core.autocrlf", "input")
	return w
}

// minute is a time of a commit.
func minute(n int) time.Time { return time.Unix(1_600_000_000+60*int64(n), 0).UTC() }

// git runs git in a minute.
func (w *committedTree) git(n int, args ...string) {
	w.Helper()
	c := exec.CommandContext(w.Context(), "git", append([]string{"-c", "maintenance.auto=false", "-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...)
	c.Dir = w.root
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", fmt.Sprintf("GIT_COMMITTER_DATE=%d +0000", minute(n).Unix()))
	if out, err := c.CombinedOutput(); err != nil {
		w.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (w *committedTree) commit(n int) {
	w.Helper()
	w.git(n, "add", "--all")
	w.git(n, "commit", "--quiet", "-m", fmt.Sprint(n))
}

// times are those of the documents: of their last commits, or "file" for one that has changed
// since then.
func (w *committedTree) times(s *served) map[string]string {
	w.Helper()
	page, err := s.Find(w.Context(), index.Query{Limit: 10})
	if err != nil {
		w.Fatal(err)
	}
	times := map[string]string{}
	for _, row := range page.Rows {
		times[row.Path] = row.Updated.Format(time.TimeOnly)
		info, err := os.Stat(filepath.Join(w.root, row.Path))
		if err != nil {
			w.Fatal(err)
		}
		if row.Undated {
			times[row.Path] = "file"
			if !row.Updated.Equal(info.ModTime().UTC().Truncate(time.Millisecond)) {
				w.Errorf("%s is undated and from %v, its file from %v", row.Path, row.Updated, info.ModTime())
			}
		}
		data, stat, err := s.Workspace().Read(row.Path)
		if err != nil {
			w.Fatal(err)
		}
		collection, _ := s.Workspace().CollectionOf(row.Path)
		doc := s.Workspace().Parse(store.File{Path: row.Path, Collection: &collection, Stat: stat}, data, nil)
		if !doc.Updated.Equal(row.Updated) || doc.Undated != row.Undated {
			w.Errorf("%s is from %v, its row from %v", row.Path, doc.Updated, row.Updated)
		}
	}
	return times
}

func TestDocumentsWithoutATimeShowThatOfTheirLastCommit(t *testing.T) {
	for _, mode := range storetest.FewOf([]index.Mode{index.ModeWatch, index.ModeVerify}, 1) {
		t.Run(mode.String(), func(t *testing.T) {
			w := newCommittedTree(t)
			s := serveRoot(t, w.root, mode)
			const dated = "00:00:00"
			at := func(n int) string { return minute(n).Format(time.TimeOnly) }
			expect := func(what, first, second string) {
				t.Helper()
				want := map[string]string{firstDocument: first, secondDocument: second, datedDocument: dated}
				if got := w.times(s); !maps.Equal(got, want) {
					t.Errorf("%s: %v, want %v", what, got, want)
				}
				if !storetest.Long() && rand.IntN(3) > 0 {
					return
				}
				// A process that begins now says the same, and so does an index that is built now.
				if got := w.times(serveRoot(t, w.root, mode)); !maps.Equal(got, want) {
					t.Errorf("%s, to another process: %v, want %v", what, got, want)
				}
				if _, err := s.Rebuild(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got := w.times(s); !maps.Equal(got, want) {
					t.Errorf("%s, after a rebuild: %v, want %v", what, got, want)
				}
			}
			expect("without a commit", "file", "file")
			w.commit(1)
			expect("committed", at(1), at(1))
			storetest.WriteFiles(t, w.root, map[string]string{firstDocument: "---\nid: ISS-000001\n---\nChanged.\n"})
			expect("changed", "file", at(1))
			w.commit(2)
			expect("committed again", at(2), at(1))
			w.git(3, "checkout", "--quiet", "-b", "side", "HEAD~1")
			expect("another branch", at(1), at(1))
			storetest.WriteFiles(t, w.root, map[string]string{secondDocument: "---\nid: ISS-000002\n---\nChanged.\n"})
			w.commit(4)
			expect("a commit there", at(1), at(4))
			w.git(5, "merge", "--quiet", "main")
			expect("a merge", at(2), at(4))
			w.git(6, "reset", "--quiet", "--hard", "main")
			expect("back", at(2), at(1))
			w.git(7, "gc", "--quiet")
			expect("packed", at(2), at(1))
			if err := os.Rename(filepath.Join(w.root, ".git"), filepath.Join(t.TempDir(), "away")); err != nil {
				t.Fatal(err)
			}
			expect("without git", "file", "file")
		})
	}
}

// Times that an earlier process has left say nothing of folders that were no collections then.
func TestCommitsAreReadAgainForOtherFolders(t *testing.T) {
	w := newCommittedTree(t)
	const notes = "notes/ISS-000004-note.md"
	storetest.WriteFiles(t, w.root, map[string]string{notes: "---\nid: ISS-000004\n---\nNote.\n", ".gitignore": ".wrangler/config\n"})
	w.commit(1)
	at := minute(1).Format(time.TimeOnly)
	if got := w.times(serveRoot(t, w.root, index.ModeVerify)); got[firstDocument] != at || got[notes] != "" {
		t.Fatalf("%v", got)
	}
	storetest.WriteFiles(t, w.root, map[string]string{layout.File: "stampUpdates: false\nfolders: {issue: [.wrangler/issues, notes]}\n"})
	if got := w.times(serveRoot(t, w.root, index.ModeVerify)); got[firstDocument] != at || got[notes] != at {
		t.Errorf("%v, want %s for each", got, at)
	}
}

// Several processes write one index. One that has not read since a commit was made writes
// nevertheless what that commit says of a document, since the others will not look again.
func TestALateWriterKnowsTheCommitThatIsCheckedOut(t *testing.T) {
	w := newCommittedTree(t)
	w.commit(1)
	late, other := serveRoot(t, w.root, index.ModeVerify), serveRoot(t, w.root, index.ModeVerify)
	w.times(late)
	storetest.WriteFiles(t, w.root, map[string]string{secondDocument: "---\nid: ISS-000002\n---\nChanged.\n"})
	w.commit(2)
	at := minute(2).Format(time.TimeOnly)
	if got := w.times(other)[secondDocument]; got != at {
		t.Fatalf("%s, want %s", got, at)
	}
	touched := minute(3)
	if err := os.Chtimes(filepath.Join(w.root, secondDocument), touched, touched); err != nil {
		t.Fatal(err)
	}
	if err := late.Refresh(t.Context(), secondDocument); err != nil {
		t.Fatal(err)
	}
	if got := w.times(other)[secondDocument]; got != at {
		t.Errorf("after the late writer: %s, want %s", got, at)
	}
}
