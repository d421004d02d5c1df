package edit

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/store"
)

func TestComplete(t *testing.T) {
	const archived = ".wrangler/issues/archived/ISS-000001-name.md"

	t.Run("the document is closed, dated and moved, with the note at its end", func(t *testing.T) {
		w := fresh(t, "ISS-000001")
		done, err := w.Complete(t.Context(), DocumentRef{ID: "ISS-000001"}, " All of it.\r\nTested. ")
		if err != nil || done.Path != archived {
			t.Fatal(done.Path, err)
		}
		want := regexp.MustCompile(`(?s)^---\nid: ISS-000001\ntitle: The title of ISS-000001\nstatus: closed\n.*` +
			`---\nText\.\n\n\*\*Completion Notes \((.*)\):\*\*\n\nAll of it\.\nTested\.\n$`)
		found := want.FindStringSubmatch(w.read(t, archived))
		if found == nil {
			t.Fatal(w.read(t, archived))
		}
		if _, err := time.Parse(time.RFC3339, found[1]); err != nil {
			t.Error(err)
		}
		if done.After.Closed.IsZero() {
			t.Error("no closedAt")
		}
	})
	t.Run("in a text of Backlog.md the note is its final summary", func(t *testing.T) {
		w := fresh(t, "ISS-000001")
		text := "<!-- SECTION:DESCRIPTION:BEGIN -->\nText.\n<!-- SECTION:DESCRIPTION:END -->\n"
		set := func(*store.Document) (store.Fields, error) { return store.Fields{Description: &text}, nil }
		if _, err := w.Update(t.Context(), DocumentRef{ID: "ISS-000001"}, set); err != nil {
			t.Fatal(err)
		}
		for _, changed := range []bool{true, false} {
			done, err := w.Complete(t.Context(), DocumentRef{ID: "ISS-000001"}, "Tested.")
			want := text + "\n## Final Summary\n\n<!-- SECTION:FINAL_SUMMARY:BEGIN -->\nTested.\n<!-- SECTION:FINAL_SUMMARY:END -->\n"
			if err != nil || done.Changed != changed || done.After.Body != want {
				t.Fatalf("changed %t, %v: %q", done.Changed, err, done.After.Body)
			}
		}
	})
	t.Run("the same again changes nothing, another note is added", func(t *testing.T) {
		w := fresh(t, "ISS-000001")
		for _, step := range []struct {
			note    string
			changed bool
			notes   int
		}{{"One.", true, 1}, {"One.", false, 1}, {"", false, 1}, {"One", true, 2}, {"Two.\n\nLong.", true, 3}, {"Two.\n\nLong.", false, 3}, {"One.", false, 3}} {
			before, _ := os.Stat(w.file(archived))
			done, err := w.Complete(t.Context(), DocumentRef{ID: "ISS-000001"}, step.note)
			if err != nil || done.Changed != step.changed {
				t.Fatalf("%q: changed %t, %v", step.note, done.Changed, err)
			}
			if got := strings.Count(w.read(t, archived), "Completion Notes"); got != step.notes {
				t.Errorf("%q: %d notes", step.note, got)
			}
			if after, err := os.Stat(w.file(archived)); err != nil || !step.changed && !os.SameFile(before, after) {
				t.Errorf("%q: the file was touched, %v", step.note, err)
			}
		}
	})
	t.Run("a reopened document that is finished again gets its note again", func(t *testing.T) {
		w := fresh(t, "ISS-000001")
		for range 2 {
			put(t, w.root, issuePath("ISS-000001"), "ISS-000001", "open")
			_ = os.Remove(w.file(archived))
			if done, err := w.Complete(t.Context(), DocumentRef{ID: "ISS-000001"}, "One."); err != nil || !done.Changed {
				t.Fatal(err)
			}
		}
	})
	t.Run("a document with CRLF keeps it, and knows its note again", func(t *testing.T) {
		w := fresh(t, "ISS-000001")
		text := strings.ReplaceAll(w.read(t, issuePath("ISS-000001")), "\n", "\r\n")
		if err := os.WriteFile(w.file(issuePath("ISS-000001")), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			done, err := w.Complete(t.Context(), DocumentRef{ID: "ISS-000001"}, "One.\nTwo.")
			if err != nil || done.Changed != (i == 0) {
				t.Fatalf("call %d: changed %t, %v", i, done.Changed, err)
			}
		}
		if after := w.read(t, archived); strings.Count(after, "\n") != strings.Count(after, "\r\n") {
			t.Errorf("%q", after)
		}
	})
}

func TestTheNoteAndTheCloseHaveTheSameTime(t *testing.T) {
	root := t.TempDir()
	put(t, root, issuePath("ISS-000001"), "ISS-000001", "open")
	moment := time.Date(2026, 2, 15, 10, 0, 0, 0, time.UTC)
	clock := func() time.Time {
		moment = moment.Add(time.Second)
		return moment
	}
	w := serveBy(t, clock, root, index.Options{Mode: index.ModeVerify})
	done, err := w.Complete(t.Context(), DocumentRef{ID: "ISS-000001"}, "Done.")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(done.After.Body, noteBegin)
	written, _, _ := strings.Cut(after, noteEnd)
	noted, err := time.Parse(time.RFC3339, written)
	if err != nil || !noted.Equal(done.After.Closed) || noted.Year() != 2026 {
		t.Errorf("noted %v, closed %v, %v", written, done.After.Closed, err)
	}
}

func TestWhatIsClosedAlreadyIsStillArchived(t *testing.T) {
	const path, archived = ".wrangler/issues/ISS-000001-name.md", ".wrangler/issues/archived/ISS-000001-name.md"
	w := fresh(t)
	put(t, w.root, path, "ISS-000001", "closed")
	text := w.read(t, path)
	done, err := w.Complete(t.Context(), DocumentRef{ID: "ISS-000001"}, "")
	if err != nil || done.Path != archived || !done.Changed || w.read(t, archived) != text {
		t.Fatalf("%+v, %v", done, err)
	}
	if row, err := w.ix.Get(t.Context(), "ISS-000001"); err != nil || row.Path != archived {
		t.Errorf("the index has it at %s, %v", row.Path, err)
	}
	if done, err := w.Complete(t.Context(), DocumentRef{ID: "ISS-000001"}, ""); err != nil || done.Changed {
		t.Errorf("done again: %+v, %v", done, err)
	}
}
