package history

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"issues-index/store/git"
)

const (
	open1     = ".wrangler/issues/ISS-000001-write-it.md"
	archived1 = ".wrangler/issues/archived/ISS-000001-write-it.md"
)

// paper is a document with an id, a status and a text.
func paper(id, status, text string) string {
	return "---\nid: " + id + "\ntitle: Write it\nstatus: " + status + "\n---\n\n" + text
}

func one(name, text string) map[string]string { return map[string]string{name: text} }

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestHistoryOfADocument(t *testing.T) {
	r := newRepository(t)
	c := r.commit(one(open1, paper("ISS-000001", "open", "# Write it\n\n## Goals\n\n- [ ] one\n- [ ] two\n")))
	c = r.commit(one(open1, paper("ISS-000001", "in_progress", "# Write it\n\n## Goals\n\n- [x] one\n- [ ] two\n")), c)
	c = r.commit(one(open1, strings.ReplaceAll(r.commits[c].files[open1], "\n", "\r\n")), c)
	c = r.commit(map[string]string{
		".wrangler/issues/ISS-000001-write-all.md": paper("ISS-000001", "in_progress", "# Write it\n\nbecause\n\n## Goals\n\n- [x] one\n- [x] two\n- three\n"),
		"README.md": "unrelated\n",
	}, c)
	r.commit(one(".wrangler/issues/archived/ISS-000001-write-all.md", strings.Replace(
		paper("ISS-000001", "closed", "# Write it\n\nbecause\n\n## Goals\n\n- [x] one\n- [x] two\n- three\n"), "status:", "labels: [a, b]\nestimate: 3\nstatus:", 1)), c)
	r.make()
	at := ".wrangler/issues/archived/ISS-000001-write-all.md"
	expect(t, lines(r.history(at, HistoryQuery{})),
		"commit 4; archived; path: .wrangler/issues/ISS-000001-write-all.md -> "+at+"; status: in_progress -> closed; labels:  -> a, b; estimate:  -> 3",
		`commit 3; renamed; path: `+open1+` -> .wrangler/issues/ISS-000001-write-all.md; checked "two"; text "Write it" +2 -0; text "Goals" +1 -0`,
		"commit 2; lineEnds: LF -> CRLF",
		`commit 1; status: open -> in_progress; checked "one"`,
		"commit 0; created; path:  -> "+open1,
	)

	t.Run("one field", func(t *testing.T) {
		expect(t, lines(r.history(at, HistoryQuery{Field: "Status"})),
			"commit 4; archived; status: in_progress -> closed", "commit 1; status: open -> in_progress", "commit 0; created; status:  -> open")
		expect(t, lines(r.history(at, HistoryQuery{Field: "checklist"})), `commit 3; renamed; checked "two"`, `commit 1; checked "one"`)
	})
	t.Run("since a time, and after an entry", func(t *testing.T) {
		all := r.history(at, HistoryQuery{})
		expect(t, lines(r.history(at, HistoryQuery{Since: all[1].Time})), lines(all)[:2]...)
		expect(t, lines(r.history(at, HistoryQuery{After: all[1].Key()})), lines(all)[2:]...)
	})
	t.Run("an entry that is not there", func(t *testing.T) {
		doc, _, err := r.ws.Load(at)
		if err != nil {
			t.Fatal(err)
		}
		h, err := Read(t.Context(), r.ws, Of(r.ws, doc))
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		for _, err := range h.Entries(HistoryQuery{After: "gone"}) {
			if !errors.Is(err, ErrUnknownKey) {
				t.Error(err)
			}
		}
	})
	t.Run("a name that it had before, and not when it was committed", func(t *testing.T) {
		r.remove(at)
		r.write(open1, r.commits[0].files[open1])
		entries := lines(r.history(open1, HistoryQuery{}))
		if len(entries) != 6 || !strings.HasPrefix(entries[0], "uncommitted; returned; path: "+at+" -> "+open1) {
			t.Errorf("%s", strings.Join(entries, "\n"))
		}
		r.git("checkout", "--quiet", "--", at)
		r.remove(open1)
	})
	t.Run("what is not committed comes first", func(t *testing.T) {
		r.remove(at)
		r.write(open1, paper("ISS-000001", "open", "# Write it\n"))
		expect(t, lines(r.history(open1, HistoryQuery{}))[:1], "uncommitted; returned; path: "+at+" -> "+open1+
			`; status: closed -> open; labels: a, b -> ; estimate: 3 -> ; text "Write it" +0 -3; text "Goals" +0 -5`)
		r.remove(open1)
		expect(t, lines(r.entries(Named(r.ws, "1"), HistoryQuery{}))[:1], "uncommitted; deleted; path: "+at+" -> ")
		r.write(at, strings.ReplaceAll(r.git("show", "HEAD:"+at), "\n", "\r\n"))
		if first := r.history(at, HistoryQuery{})[0]; first.Commit == "" {
			t.Errorf("line ends that git changes are shown: %s", lineOf(first))
		}
	})
}

func TestADocumentThatCannotBeReadHidesNoChange(t *testing.T) {
	r := newRepository(t)
	c := r.commit(one(open1, paper("ISS-000001", "open", "text\n")))
	c = r.commit(one(open1, "---\nid: [\n---\ntext\n"), c)
	c = r.commit(one(open1, "---\nid: {\n---\nother\n"), c)
	r.commit(one(open1, paper("ISS-000001", "closed", "text\nmore\n")), c)
	r.make()
	got := lines(r.history(open1, HistoryQuery{}))
	broken := "the frontmatter is not valid YAML"
	for i, want := range [][]string{
		{"commit 3; frontmatter: " + broken, `-> ; status: open -> closed; text "" +1 -0`},
		{"commit 2; f"},
		{"commit 1; frontmatter:  -> " + broken},
		{"commit 0; created"},
	} {
		for _, part := range want {
			if len(got) != 4 || !strings.Contains(got[i], part) {
				t.Errorf("entry %d lacks %q:\n%s", i, part, strings.Join(got, "\n"))
			}
		}
	}
}

func TestADeletedDocument(t *testing.T) {
	r := newRepository(t)
	other := one(".wrangler/issues/ISS-000002-other.md", paper("ISS-000002", "open", "other\n"))
	with := maps.Clone(other)
	with[open1] = paper("ISS-000001", "open", "text\n")
	c := r.commit(with)
	c = r.commit(other, c)
	c = r.commit(with, c)
	r.commit(other, c)
	r.make()
	want := []string{
		"commit 3; deleted; path: " + open1 + " -> ", "commit 2; restored; path:  -> " + open1,
		"commit 1; deleted; path: " + open1 + " -> ", "commit 0; created; path:  -> " + open1,
	}
	for _, name := range []string{"ISS-000001", "iss-1", "1", "#1", open1, "ISS-000001-write-it.md"} {
		expect(t, lines(r.entries(Named(r.ws, name), HistoryQuery{})), want...)
	}

	t.Run("another one in its place begins anew", func(t *testing.T) {
		with[open1] = paper("ISS-000007", "open", "text\n")
		r.commit(with, 3)
		r.make()
		expect(t, lines(r.history(open1, HistoryQuery{})), "commit 4; created; path:  -> "+open1)
	})
	t.Run("one that never was", func(t *testing.T) {
		h, err := Read(t.Context(), r.ws, Named(r.ws, "ISS-000099"))
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		if !h.Untracked || h.Path() != "" {
			t.Errorf("%+v", h)
		}
	})
}

func TestMergesSayWhatTheyTookOver(t *testing.T) {
	r := newRepository(t)
	text := "# Write it\n\nfirst\n\n## Goals\n\nsecond\n"
	base := r.commit(one(open1, paper("ISS-000001", "open", text)))
	main := r.commit(one(open1, paper("ISS-000001", "open", strings.Replace(text, "first", "first of main", 1))), base)
	side := r.commit(one(open1, paper("ISS-000001", "in_progress", strings.Replace(text, "second", "second of side", 1))), base)
	merged := strings.NewReplacer("first", "first of main", "second", "second of side").Replace(text)
	merge := r.commit(one(open1, strings.Replace(paper("ISS-000001", "in_progress", merged), "title: Write it", "title: Write all", 1)), main, side)
	side = r.commit(one(open1, strings.Replace(paper("ISS-000001", "closed", merged), "title: Write it", "title: Write all", 1)), merge)
	r.commit(r.commits[merge].files, merge, side) // which drops what the side did
	r.make()
	expect(t, lines(r.history(open1, HistoryQuery{})),
		"commit 4; status: in_progress -> closed",
		`commit 3; title: Write it -> Write all; status: open -> in_progress (merged); text "Goals" +1 -1 (merged)`,
		`commit 2; status: open -> in_progress; text "Goals" +1 -1`,
		`commit 1; text "Write it" +1 -1`,
		"commit 0; created; path:  -> "+open1,
	)
}

func TestNamesWithoutAnID(t *testing.T) {
	r := newRepository(t)
	text := "# Fix the login\n\n" + strings.Repeat("It fails for some of the people.\n", 9)
	c := r.commit(one("notes/login.md", text))
	c = r.commit(one(".wrangler/issues/login.md", text), c)
	c = r.commit(one(".wrangler/issues/fix-login.md", text), c)
	r.commit(one(".wrangler/issues/archived/fix-login.md", "---\nstatus: closed\n---\n"), c)
	r.make()
	got := lines(r.history(".wrangler/issues/archived/fix-login.md", HistoryQuery{}))
	for i, want := range []string{"commit 3; archived", "commit 2; renamed", "commit 1; moved", "commit 0; created; path:  -> notes/login.md"} {
		if len(got) != 4 || !strings.HasPrefix(got[i], want) {
			t.Errorf("want %s in\n%s", want, strings.Join(got, "\n"))
		}
	}
}

func TestAFormerIDIsFollowed(t *testing.T) {
	r := newRepository(t)
	c := r.commit(one(open1, paper("ISS-000001", "open", "a text that is long enough\n")))
	now := ".wrangler/issues/ISS-000009-write-it.md"
	r.commit(one(now, strings.Replace(paper("ISS-000009", "open", "b\n"), "status", "formerIds: [ISS-000001]\nstatus", 1)), c)
	r.make()
	got := lines(r.history(now, HistoryQuery{}))
	if len(got) != 2 || !strings.HasPrefix(got[0], "commit 1; renamed; path: "+open1) || !strings.Contains(got[0], "id: ISS-000001 -> ISS-000009") {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

func TestTwoDocumentsOfOneIDHaveTheirOwnHistories(t *testing.T) {
	r := newRepository(t)
	a, b := ".wrangler/issues/ISS-000001-a.md", ".wrangler/issues/ISS-000001-b.md"
	c := r.commit(map[string]string{a: paper("ISS-000001", "open", "a\n"), b: paper("ISS-000001", "open", "b\n")})
	c = r.commit(map[string]string{a: paper("ISS-000001", "open", "a\n"), b: paper("ISS-000001", "in_progress", "b\n")}, c)
	r.commit(map[string]string{
		".wrangler/issues/archived/ISS-000001-a.md": paper("ISS-000001", "closed", "a\n"), ".wrangler/issues/archived/ISS-000001-b.md": paper("ISS-000001", "cancelled", "b\n"),
	}, c)
	r.make()
	for at, want := range map[string]int{".wrangler/issues/archived/ISS-000001-a.md": 2, ".wrangler/issues/archived/ISS-000001-b.md": 3} {
		if got := lines(r.history(at, HistoryQuery{})); len(got) != want {
			t.Errorf("%s:\n%s", at, strings.Join(got, "\n"))
		}
	}
}

func TestHistoriesThatAreNotWhole(t *testing.T) {
	r := newRepository(t)
	c := r.commit(one(open1, paper("ISS-000001", "open", "a\n")))
	r.commit(one(open1, paper("ISS-000001", "closed", "a\n")), c)
	hashes := r.make()
	whole := func(t *testing.T, r *testRepository) *History {
		t.Helper()
		doc, _, err := r.ws.Load(open1)
		if err != nil {
			t.Fatal(err)
		}
		h, err := Read(t.Context(), r.ws, Of(r.ws, doc))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(h.Close)
		return h
	}
	t.Run("a shallow clone begins with what was there", func(t *testing.T) {
		clone := newRepository(t)
		clone.git("fetch", "--quiet", "--depth=1", "file://"+r.dir, "main")
		clone.git("reset", "--quiet", "--hard", "FETCH_HEAD")
		if h := whole(t, clone); !h.Shallow {
			t.Error("it is not said to be shallow")
		}
		expect(t, lines(clone.history(open1, HistoryQuery{})), "commit 1; begins; path:  -> "+open1)
	})
	t.Run("more than are read at once", func(t *testing.T) {
		doc, _, err := r.ws.Load(open1)
		if err != nil {
			t.Fatal(err)
		}
		for most, want := range map[int]string{1: hashes[1], 2: ""} {
			h, err := read(t.Context(), r.ws, Of(r.ws, doc), most)
			if err != nil {
				t.Fatal(err)
			}
			h.Close()
			if h.CutAt != want {
				t.Errorf("at most %d changes: cut at %q, want %q", most, h.CutAt, want)
			}
		}
	})
	t.Run("a detached head", func(t *testing.T) {
		r.git("checkout", "--quiet", "--detach", hashes[0])
		if h := whole(t, r); h.Detached != hashes[0] {
			t.Errorf("%q", h.Detached)
		}
		expect(t, lines(r.history(open1, HistoryQuery{})), "commit 0; created; path:  -> "+open1)
	})
	t.Run("a document that no commit has", func(t *testing.T) {
		r.write(".wrangler/issues/ISS-000002-new.md", paper("ISS-000002", "open", "b\n"))
		expect(t, lines(r.history(".wrangler/issues/ISS-000002-new.md", HistoryQuery{})), "uncommitted; created; path:  -> .wrangler/issues/ISS-000002-new.md")
	})

	refused := func(t *testing.T, r *testRepository, why string) {
		t.Helper()
		_, err := Read(t.Context(), r.ws, Named(r.ws, "ISS-000001"))
		if refused := (*git.UnreadableError)(nil); !errors.As(err, &refused) || !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want %s", err, why)
		}
	}
	t.Run("no commit", func(t *testing.T) { refused(t, newRepository(t), "no commit yet") })
	t.Run("no repository", func(t *testing.T) {
		r := newRepository(t)
		if err := os.RemoveAll(filepath.Join(r.dir, ".git")); err != nil {
			t.Fatal(err)
		}
		t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(r.dir))
		refused(t, r, "in no git repository")
	})
	t.Run("another's repository", func(t *testing.T) {
		r := newRepository(t)
		other := newRepository(t)
		other.commit(one(open1, paper("ISS-000001", "open", "a\n")))
		other.make()
		if err := os.RemoveAll(filepath.Join(r.dir, ".git")); err != nil {
			t.Fatal(err)
		}
		r.write(".git", "gitdir: "+filepath.Join(other.dir, ".git")+"\n")
		refused(t, r, "does not lead back")
	})
	t.Run("one that git does not trust", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("a script is no program there")
		}
		distrusting := t.TempDir()
		program, err := exec.LookPath("git")
		if err != nil {
			t.Fatal(err)
		}
		script := fmt.Sprintf("#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec '%s' \"$@\"\n", program)
		if err := os.WriteFile(filepath.Join(distrusting, "git"), []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", distrusting+string(os.PathListSeparator)+os.Getenv("PATH"))
		refused(t, r, "git does not trust the repository")
	})
	t.Run("no git", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		refused(t, r, "not installed")
	})
}
