//go:build !windows

package web

import (
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"issues-index/tools/browsertest"
	"issues-index/tools/transport"
)

// TestWritesInABrowser does by mouse and by keyboard what the pages can write, as far as a
// script does it.
func TestWritesInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	s := editable(t, sample())
	var late lateAnswer
	server, err := transport.Listen(t.Context(), transport.ListenOptions{Address: ":0"}, late.handler(s.Handler), slog.New(slog.DiscardHandler))
	check(t, err)
	server.OnClose(s.pages.End)
	t.Cleanup(func() { server.Close() })
	says := func(name, text string) {
		t.Helper()
		if found := s.files(t)[name]; !strings.Contains(found, text) {
			t.Errorf("%s does not have %q:\n%s", name, text, found)
		}
	}
	issueFile := func(n string) string { return ".wrangler/issues/ISS-00000" + n + "-x.md" }
	inColumn := func(doc, status string) string {
		return `document.querySelector('[data-status="` + status + `"] .card[data-doc="` + doc + `"]') && document.querySelector("#news p")?.textContent == "` + doc + " is " + status + ` now."`
	}
	b.Look(1200, 900, "light")

	t.Run("boxes are ticked", func(t *testing.T) {
		const written = ` && document.querySelector("#news p")` // the next one may be ticked
		b.Open(server.URL() + "d/ISS-000001")
		b.Click(`button.box[value="2"]`)
		b.Until(`document.querySelector('button.box[value="2"][name=uncheck]')` + written)
		says(firstIssue, "- [x] second")
		b.Eval(`document.querySelector('button.box[value="1"]').focus(), 0`, nil)
		b.Press(" ", 0)
		b.Until(`document.querySelector('button.box[value="1"][name=check]') && document.activeElement.value == "1"` + written)
		says(firstIssue, "- [ ] first")
		b.Press(" ", 0)
		b.Until(`document.querySelector('button.box[value="1"][name=uncheck]')`)
		says(firstIssue, "- [x] first")
	})

	t.Run("cards are moved", func(t *testing.T) {
		b.Open(server.URL() + "board")
		b.Click(`[data-status=open] .fold > summary`) // it waits
		b.Drag(`[data-status=open] .card[data-doc="ISS-000004"]`, `[data-status=in_progress] h2`, 300)
		b.Until(inColumn("ISS-000004", "in_progress"))
		says(issueFile("4"), "status: in_progress")
		b.Click(`#news form button`)
		b.Until(`document.querySelector('[data-status=open] .card[data-doc="ISS-000004"]') && document.querySelector("#news p")?.textContent == "The change was taken back."`)
		says(issueFile("4"), "status: open")
		b.Drag(`[data-status=open] .card[data-doc="ISS-000004"]`, `[data-status=in_progress] h2`, 300)
		b.Until(inColumn("ISS-000004", "in_progress"))
		b.Eval(`document.querySelector('.card[data-doc="ISS-000004"] a').focus(), 0`, nil)
		b.Press("ArrowLeft", browsertest.Shift)
		b.Until(inColumn("ISS-000004", "open"))
		says(issueFile("4"), "status: open")
		b.Until(`document.activeElement.getAttribute("href") == "/d/ISS-000004"`)
		// What the page shows of the change may come between two keys.
		focused := func(element string) {
			b.Until(`document.activeElement.matches('.card[data-doc="ISS-000004"] ` + element + `')`)
		}
		b.Press("Tab", 0)
		focused("summary")
		b.Press("Enter", 0)
		focused("details[open] summary")
		b.Press("Tab", 0)
		focused("button[value=in_progress]")
		b.Press("Enter", 0)
		b.Until(inColumn("ISS-000004", "in_progress"))
		says(issueFile("4"), "status: in_progress")
	})

	t.Run("an answer from before a move does not take it back", func(t *testing.T) {
		b.Open(server.URL() + "board")
		made, release := late.hold("/board")
		s.write(t, 5, "Changed elsewhere", "", "status: open")
		<-made
		b.Eval(`document.querySelector('.card[data-doc="ISS-000004"] a').focus(), 0`, nil)
		b.Press("ArrowLeft", browsertest.Shift)
		b.Until(inColumn("ISS-000004", "open"))
		close(release)
		b.Until(`document.querySelector("main").innerText.includes("Changed elsewhere") && ` + inColumn("ISS-000004", "open"))
		b.Eval(`document.querySelector('.card[data-doc="ISS-000004"] a').focus(), 0`, nil)
		b.Press("ArrowRight", browsertest.Shift)
		b.Until(inColumn("ISS-000004", "in_progress"))
	})

	t.Run("an answer leaves the focus where a person has moved it", func(t *testing.T) {
		b.Open(server.URL() + "d/ISS-000001")
		made, release := late.hold("/d/ISS-000001")
		b.Click(`button.box[value="2"]`)
		<-made
		b.Eval(`document.querySelector('button.box[value="1"]').focus(), 0`, nil)
		close(release)
		b.Until(`document.querySelector("#news p")`)
		var focused string
		b.Eval(`document.activeElement.value`, &focused)
		if focused != "1" {
			t.Errorf("the focus is on %q", focused)
		}
	})

	t.Run("a card that is dragged stays while the documents change", func(t *testing.T) {
		b.Open(server.URL() + "board")
		card := `[data-status=in_progress] .card[data-doc="ISS-000004"]`
		b.Eval(`document.querySelector('`+card+`').dispatchEvent(new DragEvent("dragstart", {bubbles: true, dataTransfer: new DataTransfer()})), 0`, nil)
		s.write(t, 5, "While it is dragged", "", "status: open")
		b.Until(`live.page.behind`)
		var asks bool
		b.Eval(`live.page.timer != 0 || live.page.asking != null`, &asks)
		if asks {
			t.Error("the board is asked for again, which would end the drag")
		}
		b.Eval(`live.page.dragged.dispatchEvent(new DragEvent("dragend", {bubbles: true})), 0`, nil)
		b.Until(`document.querySelector("main").innerText.includes("While it is dragged")`)
	})

	t.Run("a card that is being moved stays, and so does the focus", func(t *testing.T) {
		b.Open(server.URL() + "board")
		menu := `document.querySelector('.card[data-doc="ISS-000004"] details')`
		b.Eval(menu+`.open = true, 0`, nil)
		s.write(t, 5, "While it is open", "", "status: open")
		b.Until(`document.getElementById("news").textContent.includes("has changed") && ` + menu + `.open`)
		b.Eval(menu+`.querySelector("summary").focus(), `+menu+`.open = false, 0`, nil)
		b.Until(`document.querySelector("main").innerText.includes("While it is open")`)
		b.Until(`document.activeElement == ` + menu + `.querySelector("summary")`)
	})

	t.Run("a move that is refused is taken back", func(t *testing.T) {
		b.Open(server.URL() + "board")
		s.pages.secret = newSecret()
		b.Eval(`document.querySelector('.card[data-doc="ISS-000004"] a').focus(), 0`, nil)
		b.Press("ArrowLeft", browsertest.Shift)
		b.Until(`document.getElementById("news").textContent.includes("not of this server") && document.querySelector('[data-status=in_progress] .card[data-doc="ISS-000004"]')`)
		says(issueFile("4"), "status: in_progress")
	})

	t.Run("the pages are for everybody", func(t *testing.T) {
		axe := ""
		if file := os.Getenv("ISSUES_INDEX_AXE"); file != "" {
			script, err := os.ReadFile(file)
			check(t, err)
			axe = string(script)
		}
		for _, page := range []string{"d/ISS-000002", "d/ISS-000002/edit", "new", "board", "d/ISS-000002/history"} {
			for _, width := range []int{320, 2560} {
				for _, scheme := range []string{"light", "dark"} {
					b.Look(width, 900, scheme)
					b.Open(server.URL() + page)
					var wide int
					var nameless, faint, violations []string
					b.Eval(`document.documentElement.scrollWidth`, &wide)
					b.Eval(namelessControls, &nameless)
					b.Eval(faintTexts, &faint)
					if axe != "" {
						b.Eval(axe+";0", nil)
						b.Eval(`axe.run().then(r => r.violations.map(v => v.id + ": " + v.nodes.map(n => n.html).join(" ").slice(0, 300)))`, &violations)
					}
					if wide > width || len(nameless)+len(faint)+len(violations) > 0 {
						t.Errorf("/%s, %d, %s: %d wide, nameless %v, faint %v, %v", page, width, scheme, wide, nameless, faint, violations)
					}
					browsertest.Keep(t, "web-edit-"+strings.ReplaceAll(page, "/", "-")+"-"+scheme+".png", b.Screenshot())
				}
			}
		}
	})
	for _, complaint := range b.Complaints {
		if !strings.Contains(complaint, "403") { // the move that was refused
			t.Errorf("a page complains: %s", complaint)
		}
	}
}

// A lateAnswer holds the next answer to a page until it is released.
type lateAnswer struct {
	mu      sync.Mutex
	path    string
	made    chan struct{}
	release chan struct{}
}

// hold has the next answer to a path made and kept; it closes made then, and sends it when
// release is closed.
func (l *lateAnswer) hold(path string) (made, release chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.path, l.made, l.release = path, make(chan struct{}), make(chan struct{})
	return l.made, l.release
}

func (l *lateAnswer) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		held := r.Method == http.MethodGet && r.URL.Path == l.path
		if held {
			l.path = ""
		}
		l.mu.Unlock()
		if !held {
			next.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		close(l.made)
		select {
		case <-l.release:
		case <-r.Context().Done():
		}
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
}

// TestFormsInTwoBrowsers has two people edit one document at a time: the second one sees both
// versions, and nothing that either has typed is lost.
func TestFormsInTwoBrowsers(t *testing.T) {
	t.Parallel()
	ann, bob := browsertest.Start(t), browsertest.Start(t)
	s := editable(t, sample())
	server, err := transport.Listen(t.Context(), transport.ListenOptions{Address: ":0"}, s.Handler, slog.New(slog.DiscardHandler))
	check(t, err)
	server.OnClose(s.pages.End)
	t.Cleanup(func() { server.Close() })
	replace := func(b *browsertest.Browser, field, text string) {
		t.Helper()
		b.Eval(`(f => { f.focus(); f.select(); })(document.querySelector('[name="`+field+`"]')), 0`, nil)
		b.Type(text)
	}
	heading := func(b *browsertest.Browser) (text string) {
		t.Helper()
		b.Eval(`document.querySelector("h1").textContent.trim()`, &text)
		return text
	}
	for _, b := range []*browsertest.Browser{ann, bob} {
		b.Look(1200, 900, "light")
		b.Open(server.URL() + "d/ISS-000001/edit")
	}
	replace(ann, "title", "Write the lexer")
	ann.Leave(func() { ann.Press("Enter", 0) })
	if got := heading(ann); got != "Write the lexer" {
		t.Errorf("after Enter the page is %q", got)
	}

	replace(bob, "text", "Bob's text.")
	bob.Leave(func() { bob.Click("form.edit button.main") })
	var conflict struct{ Heading, Text, Title string }
	bob.Eval(`({Heading: document.querySelector("h2")?.textContent ?? "", Text: document.querySelector("[name=text]").value, Title: document.querySelector("[name=title]").value})`, &conflict)
	if !strings.Contains(conflict.Heading, "was changed while you edited it") || conflict.Text != "Bob's text." || conflict.Title != "Write the lexer" {
		t.Errorf("the second one sees %+v", conflict)
	}
	if found := s.files(t)[firstIssue]; !strings.Contains(found, "Write the lexer") || strings.Contains(found, "Bob's text.") {
		t.Errorf("before the conflict is settled the file is\n%s", found)
	}
	bob.Leave(func() { bob.Click("form.edit button.main") })
	if got := heading(bob); got != "Write the lexer" {
		t.Errorf("after the conflict the page is %q", got)
	}
	if found := s.files(t)[firstIssue]; !strings.Contains(found, "Write the lexer") || !strings.Contains(found, "Bob's text.") {
		t.Errorf("after both the file is\n%s", found)
	}

	ann.Open(server.URL() + "new")
	replace(ann, "title", "Made in a browser")
	ann.Leave(func() { ann.Click("form.edit button.main") })
	if got := heading(ann); got != "Made in a browser" {
		t.Errorf("a new document leads to %q", got)
	}
	for _, b := range []*browsertest.Browser{ann, bob} {
		for _, complaint := range b.Complaints {
			if !strings.Contains(complaint, "409") {
				t.Errorf("a page complains: %s", complaint)
			}
		}
	}
}
