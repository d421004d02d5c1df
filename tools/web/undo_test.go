package web

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/undo"
)

// undoForm is the form of a page that takes back what was written.
func undoForm(t testing.TB, page string) url.Values {
	t.Helper()
	_, form, ok := strings.Cut(page, `action="/undo">`)
	if !ok {
		t.Fatalf("the page offers no undo:\n%s", page)
	}
	form, _, _ = strings.Cut(form, "</form>")
	return formOf(t, `<form class="edit"`+form)
}

// written follows a form that was sent to the page that it leads to.
func (s *testSite) written(t testing.TB, w *httptest.ResponseRecorder) string {
	t.Helper()
	if w.Code != http.StatusSeeOther {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	return s.page(t, w.Header().Get("Location"))
}

// saved are the fields of a form that changes one document.
func (s *testSite) saved(t testing.TB, id string, changes ...string) url.Values {
	t.Helper()
	form := formOf(t, s.page(t, "/d/"+id+"/edit"))
	for i := 0; i+1 < len(changes); i += 2 {
		form.Set(changes[i], changes[i+1])
	}
	return form
}

func TestEveryWriteOfAPageCanBeTakenBack(t *testing.T) {
	for name, c := range map[string]struct {
		target string
		form   func(*testSite) url.Values
		says   string
		back   string
	}{
		"fields": {"/save", func(s *testSite) url.Values { return s.saved(t, "ISS-000001", "priority", "low", "labels", "x") }, "ISS-000001 is changed.", "/d/ISS-000001"},
		"a text": {"/save", func(s *testSite) url.Values { return s.saved(t, "ISS-000003", "text", "Other") }, "ISS-000003 is changed.", "/d/ISS-000003"},
		"a move": {"/save", func(s *testSite) url.Values { return s.saved(t, "ISS-000002", "status", "closed") }, "ISS-000002 is closed now.", "/d/ISS-000002"},
		"a moved card": {"/save", func(s *testSite) url.Values {
			return s.saved(t, "ISS-000002", "status", "closed", "back", "/board?board=mine")
		}, "ISS-000002 is closed now.", "/board?board=mine"},
		"a box":          {"/tick", func(s *testSite) url.Values { f := s.saved(t, "ISS-000001"); f.Set("check", "2"); return f }, "ISS-000001 is changed.", "/d/ISS-000001"},
		"a new document": {"/new", func(s *testSite) url.Values { f := formOf(t, s.page(t, "/new")); f.Set("title", "New"); return f }, "ISS-000006 is new.", "/list"},
	} {
		t.Run(name, func(t *testing.T) {
			s := editable(t, sample())
			before := s.files(t)
			page := s.written(t, s.post(t, c.target, c.form(s)))
			if !strings.Contains(page, "<p>"+c.says+"</p>") {
				t.Errorf("the page does not say %q", c.says)
			}
			w := s.post(t, "/undo", undoForm(t, page))
			if page := s.written(t, w); leadsTo(w) != c.back || strings.Contains(page, `action="/undo"`) {
				t.Errorf("it leads to %s", w.Header().Get("Location"))
			}
			s.unchanged(t, before, "taken back")
			if w := s.post(t, "/undo", undoForm(t, page)); w.Code != http.StatusConflict {
				t.Errorf("once more: %d", w.Code)
			}
		})
	}
}

func TestUndoOfTheCommandLineKnowsWritesOfPages(t *testing.T) {
	s := editable(t, sample())
	s.written(t, s.post(t, "/save", s.saved(t, "ISS-000001", "status", "closed")))
	ix, _, err := s.pages.Acquire(t.Context())
	check(t, err)
	last, err := undo.TakeBack(t.Context(), ix.Workspace(), func(e *undo.Entry) bool { return e.By == "ann" }, true)
	check(t, err)
	if len(last.Changes) != 1 || last.Changes[0].OldPath != firstIssue || !strings.Contains(last.Command, "page") {
		t.Errorf("the last change is %+v", last)
	}
}

// Undo has the lock of the documents.
func TestAChangeOnAPageWaitsForAnotherUndo(t *testing.T) {
	s := editable(t, sample())
	form := s.saved(t, "ISS-000003", "priority", "low")
	ix, _, err := s.pages.Acquire(t.Context())
	check(t, err)
	held := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		err := ix.Workspace().Mutate(t.Context(), func(*store.Mutation) error {
			close(held)
			time.Sleep(300 * time.Millisecond)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-held
	undoForm(t, s.written(t, s.post(t, "/save", form)))
	ended.Wait()
}

func TestUndoTakesBackNothingElse(t *testing.T) {
	s := editable(t, sample())
	first := undoForm(t, s.written(t, s.post(t, "/save", s.saved(t, "ISS-000001", "priority", "low"))))
	second := undoForm(t, s.written(t, s.post(t, "/save", s.saved(t, "ISS-000003", "priority", "low"))))
	refused := func(why string, form url.Values, status int, words string, headers ...string) {
		t.Helper()
		before := s.files(t)
		w := s.post(t, "/undo", form, headers...)
		if w.Code != status || !strings.Contains(w.Body.String(), words) {
			t.Errorf("%s: %d\n%s", why, w.Code, w.Body)
		}
		s.unchanged(t, before, why)
	}
	unknown := url.Values{"entry": {"x"}, "token": second["token"]}
	refused("an unknown change", unknown, http.StatusConflict, "no change to take back")
	foreign := url.Values{"entry": second["entry"], "token": {"x"}}
	refused("a form of another server", foreign, http.StatusForbidden, "Nothing was written")
	refused("a form of another site", second, http.StatusForbidden, "", "Origin", "http://evil.example")

	third := filepath.Join(s.root, ".wrangler/issues/ISS-000003-x.md")
	text, err := os.ReadFile(third)
	check(t, err)
	check(t, os.WriteFile(third, append(text, "More.\n"...), 0o644))
	refused("a document that was changed since", second, http.StatusConflict, "has changed since: text:")
	s.written(t, s.post(t, "/undo", first))
}

func TestUndoOfAPageSaysWhoHasChangedTheDocumentSince(t *testing.T) {
	s := editable(t, sample())
	form := undoForm(t, s.written(t, s.post(t, "/save", s.saved(t, "ISS-000001", "priority", "low"))))
	ix, _, err := s.pages.Acquire(t.Context())
	check(t, err)
	ctx, recording := undo.Record(t.Context(), "agent/1", "issues_update")
	_, err = edit.New(ix, edit.LockWait).Update(ctx, edit.DocumentRef{ID: "ISS-000001"}, func(*store.Document) (store.Fields, error) {
		return store.Fields{Status: new("closed"), Project: new("P")}, nil
	})
	check(t, err)
	check(t, recording.End())
	before := s.files(t)
	w := s.post(t, "/undo", form)
	for _, want := range []string{"path: .wrangler/issues/ → .wrangler/issues/archived/", "status: open → closed", "project: (none) → P", "(by issues_update of agent/1 at "} {
		if w.Code != http.StatusConflict || !strings.Contains(html.UnescapeString(w.Body.String()), want) {
			t.Errorf("%d without %q\n%s", w.Code, want, w.Body)
		}
	}
	s.unchanged(t, before, "refused")
	form.Set("entry", recording.ID)
	if w := s.post(t, "/undo", form); w.Code != http.StatusConflict {
		t.Error("a page has taken back what an agent has done")
	}
}

func TestClosingOnAPageSaysWhatItLeavesAndFrees(t *testing.T) {
	f := sample()
	name, text := issue(7, "A child", "", "status: open", "parentTaskId: ISS-000001")
	f[name] = text
	name, text = issue(8, "Waits", "", "status: open", "dependsOn: [ISS-000001]")
	f[name] = text
	s := editable(t, f)
	page := s.written(t, s.post(t, "/save", s.saved(t, "ISS-000001", "status", "closed", "back", "/board")))
	for _, want := range []string{"ISS-000001 is closed now.", "1 box is still open", "1 child is still open: ISS-000007", "Ready now: ISS-000008"} {
		if !strings.Contains(page, "<p>"+want) {
			t.Errorf("the board does not say %q", want)
		}
	}
}

func TestAnAddressMakesNoPageSayAnything(t *testing.T) {
	s := editable(t, sample())
	for _, said := range []string{"x", "", "ISS-000001+is+closed"} {
		if page := s.page(t, "/d/ISS-000001?said="+said); !strings.Contains(page, `id="news"></div>`) {
			t.Errorf("%q is said:\n%s", said, page)
		}
	}
	var all notices
	first := all.add(&notice{})
	for range maxNotices {
		all.add(&notice{})
	}
	if all.get(first) != nil || len(all.named) != maxNotices {
		t.Errorf("%d notices are kept", len(all.named))
	}
}
