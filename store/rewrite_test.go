package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rewrite replaces the text of the document at aPath.
func rewrite(w *Workspace, text string) (Written, error) {
	return w.Rewrite(context.Background(), aPath, func(*Document, []byte) ([]byte, error) { return []byte(text), nil })
}

func TestRewrite(t *testing.T) {
	const before = "---\n# about a\nid: A-1\ntitle: Old\nstatus: open\npriority: urgent\nupdatedAt: 2026-01-01\n---\n\n# Body\n"
	stamped := strings.NewReplacer("updatedAt: 2026-01-01", "updatedAt: 2026-03-01")
	crlf := strings.NewReplacer("\n", "\r\n")
	const archived = ".wrangler/issues/archived/a.md"
	for name, c := range map[string]struct{ before, text, after, path string }{
		"every byte is the person's, but the time": {
			before, strings.Replace(before, "# Body", "#  Other \n\n\n", 1), stamped.Replace(strings.Replace(before, "# Body", "#  Other \n\n\n", 1)), aPath,
		},
		"a time that the person has set stays": {
			before, strings.Replace(before, "2026-01-01", "2026-02-02", 1), strings.Replace(before, "2026-01-01", "2026-02-02", 1), aPath,
		},
		"line ends are the person's": {crlf.Replace(before), crlf.Replace(before) + "More.\r\n", stamped.Replace(crlf.Replace(before)) + "More.\r\n", aPath},
		"a closed document is dated and archived": {
			before, strings.Replace(before, "open", "closed", 1),
			strings.Replace(stamped.Replace(strings.Replace(before, "open", "closed", 1)), "\n---\n\n", "\nclosedAt: '2026-03-01T12:00:00.000Z'\n---\n\n", 1), archived,
		},
		"a date of closing that the person has set stays": {
			before, strings.Replace(before, "open", "closed\nclosedAt: 2026-02-02", 1), stamped.Replace(strings.Replace(before, "open", "closed\nclosedAt: 2026-02-02", 1)), archived,
		},
		"a reopened document has no date of closing": {
			strings.Replace(before, "open", "closed\nclosedAt: 2026-02-02", 1), strings.Replace(before, "open", "in_progress\nclosedAt: 2026-02-02", 1),
			stamped.Replace(strings.Replace(before, "open", "in_progress", 1)), aPath,
		},
		"another type is another folder":                   {before, strings.Replace(before, "title", "type: idea\ntitle", 1), stamped.Replace(strings.Replace(before, "title", "type: idea\ntitle", 1)), ".wrangler/ideas/a.md"},
		"a text without frontmatter gets none":             {"Text.\n", "Other.\n", "Other.\n", aPath},
		"a text gets the frontmatter that is given":        {"Text.\n", "---\nstatus: open\n---\nText.\n", "---\nstatus: open\nupdatedAt: '2026-03-01T12:00:00.000Z'\n---\nText.\n", aPath},
		"broken frontmatter is mended, own status and all": {"---\na: [\n---\nText.\n", "---\nstatus: mine\nupdatedAt: 2026-01-01\n---\nText.\n", "---\nstatus: mine\nupdatedAt: 2026-01-01\n---\nText.\n", aPath},
	} {
		t.Run(name, func(t *testing.T) {
			w := clocked(t, map[string]string{aPath: c.before})
			done, err := rewrite(w, c.text)
			if err != nil || done.Path != c.path || !done.Changed || done.OldPath != aPath {
				t.Fatal(done.Path, done.Changed, err)
			}
			if got := readFile(t, w, c.path); got != c.after {
				t.Errorf("got\n%s\nwant\n%s", got, c.after)
			}
		})
	}

	t.Run("the same bytes touch nothing, wherever the file is", func(t *testing.T) {
		closed := strings.Replace(before, "open", "closed", 1)
		w := clocked(t, map[string]string{aPath: closed})
		was, _ := os.Stat(filepath.Join(w.Root, aPath))
		done, err := rewrite(w, closed)
		if err != nil || done.Changed || done.Path != aPath {
			t.Fatal(done, err)
		}
		if is, err := os.Stat(filepath.Join(w.Root, aPath)); err != nil || !os.SameFile(was, is) || !was.ModTime().Equal(is.ModTime()) {
			t.Error("the file was touched", err)
		}
	})
	t.Run("the change names the fields that differ, the id among them", func(t *testing.T) {
		w := clocked(t, map[string]string{aPath: before})
		done, err := rewrite(w, strings.NewReplacer("A-1", "A-2", "Old", "New").Replace(before))
		if err != nil || len(done.Changes) != 2 || done.Changes[0] != (FieldChange{"id", "A-1", "A-2"}) || done.Changes[1] != (FieldChange{"title", "Old", "New"}) {
			t.Error(done.Changes, err)
		}
	})
	t.Run("what is no document is refused, and nothing changed", func(t *testing.T) {
		var uneditable *UneditableError
		var value *ValueError
		for name, c := range map[string]struct {
			text string
			as   any
		}{
			"broken YAML":      {strings.Replace(before, "Old", "[", 1), &uneditable},
			"an open fence":    {strings.Replace(before, "\n---\n", "\n", 1), &uneditable},
			"no frontmatter":   {"# Body\n", &uneditable},
			"markers":          {strings.Replace(before, "title: Old", "<<<<<<< a\ntitle: Old\n=======\ntitle: New\n>>>>>>> b", 1), &uneditable},
			"invalid UTF-8":    {before + "\xff", &uneditable},
			"a NUL byte":       {before + "\x00", &uneditable},
			"too much":         {before + strings.Repeat("x", MaxFileSize), &value},
			"unknown status":   {strings.Replace(before, "open", "done", 1), &value},
			"unknown priority": {strings.Replace(before, "urgent", "highest", 1), &value},
			"unknown type":     {strings.Replace(before, "title", "type: bug\ntitle", 1), &value},
		} {
			w := clocked(t, map[string]string{aPath: before})
			if _, err := rewrite(w, c.text); !errors.As(err, c.as) {
				t.Errorf("%s: %v", name, err)
			}
			if got := readFile(t, w, aPath); got != before {
				t.Errorf("%s: %s", name, got)
			}
		}
	})
	t.Run("it is decided again on what another program saved meanwhile", func(t *testing.T) {
		root := t.TempDir()
		writeFiles(t, root, map[string]string{aPath: before})
		saved := false
		w, _ := openFaulty(t, root, func(_ int, op string) (bool, error) {
			if op == "sync" && !saved {
				saved = true
				writeFiles(t, root, map[string]string{aPath: before + "Saved meanwhile.\n"})
			}
			return false, nil
		})
		_, err := w.Rewrite(t.Context(), aPath, func(_ *Document, text []byte) ([]byte, error) {
			return append(text, "Mine.\n"...), nil
		})
		if got := readFile(t, w, aPath); err != nil || got != stamped.Replace(before)+"Saved meanwhile.\nMine.\n" {
			t.Error(got, err)
		}
	})
}
