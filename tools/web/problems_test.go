package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestProblemsAreListedByKind(t *testing.T) {
	const issues = ".wrangler/issues/"
	s := serve(t, files{
		issues + "ISS-000001-a.md": "---\nid: ISS-000001\ntitle: First\nstatus: Open\n---\n[a](nowhere.md)\n",
		issues + "ISS-000001-b.md": "---\nid: ISS-000001\ntitle: Second\nstatus: open\n---\n",
		issues + "ISS-000003-c.md": "---\nid: ISS-000003\ntitle: Child\nstatus: closed\nparent: ISS-000009\n---\n",
		issues + "broken.md":       "---\nid: [\n---\n",
		".wrangler/views.yaml":     "hot:\n  where: priority =\n",
	})
	page := s.page(t, "/problems")
	last := -1
	for _, want := range []string{ // in the order of check
		"Mistakes in the views", ".wrangler/views.yaml", "Frontmatter that is not YAML", `href="/d/broken">broken</a>`, "Unknown status", "issues-index check --fix unknown-status",
		`<a href="/d?path=.wrangler%2Fissues%2FISS-000001-a.md">First</a>`, "Status and folder disagree", "One id of several documents", "Second",
		"Unknown parent", `<a href="/d/ISS-000003">Child</a>`, "Links that lead nowhere", "it links to", "line 6",
	} {
		at := strings.Index(page[max(last, 0):], want)
		if at < 0 {
			t.Fatalf("there is no %q in its place:\n%s", want, readText(page))
		}
		last = max(last, 0) + at
	}
	one := s.page(t, "/problems?code=dangling-parent")
	if !strings.Contains(one, "Child") || strings.Contains(one, "Second") {
		t.Errorf("of one kind:\n%s", readText(one))
	}
	if said := readText(s.page(t, "/problems?code=nul-byte")); !strings.Contains(said, "No problems of this kind") {
		t.Error(said)
	}
	if w := s.get(t, "/problems?code=nosuch"); w.Code != http.StatusNotFound {
		t.Errorf("an unknown kind: %d", w.Code)
	}
	if said := readText(serve(t, files{}).page(t, "/problems")); !strings.Contains(said, "No problems") {
		t.Error(said)
	}
}

func TestEachKindOfProblemsIsBounded(t *testing.T) {
	f := files{}
	for n := 1; n <= problemRows+7; n++ {
		name, text := issue(n, "Wrong", "", "status: nonsense")
		f[name] = text
	}
	page := serve(t, f).page(t, "/problems")
	if rows := strings.Count(page, `<th scope="row">`); rows != problemRows || !strings.Contains(readText(page), "and 7 more: issues-index check unknown-status lists them.") {
		t.Errorf("%d rows", rows)
	}
}

// An id of several documents leads to each of them, from every page that takes an id.
func TestAnIDOfSeveralDocumentsLeadsToEachOfThem(t *testing.T) {
	f := files{}
	for n, title := range []string{"One", "Two"} {
		_, f[fmt.Sprintf(".wrangler/issues/%d.md", n)] = issue(1, title, "", "status: in_progress")
	}
	s := editable(t, f)
	for _, target := range []string{"/d/ISS-000001", "/d/ISS-000001/edit", "/d/ISS-000001/history", "/graph?under=ISS-000001", "/choose?field=status&doc=ISS-000001"} {
		w := s.get(t, target)
		page := w.Body.String()
		for n, title := range []string{"One", "Two"} {
			link := fmt.Sprintf(`<a href="/d?path=.wrangler%%2Fissues%%2F%d.md">`, n)
			if w.Code != http.StatusMultipleChoices || !strings.Contains(page, link) || !strings.Contains(readText(page), title) || !strings.Contains(readText(page), "In progress") {
				t.Errorf("%s, %d: no %s to %s in\n%s", target, w.Code, link, title, readText(page))
			}
		}
	}
}
