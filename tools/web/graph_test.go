package web

import (
	"fmt"
	"strings"
	"testing"

	"issues-index/index"
)

// waiting is a workspace of three chains: 1 ← 2 ← 3, 4 ← 5 and 6 ⇄ 7. 8 is done, and 1 waited for it.
func waiting() files {
	f := files{}
	for n, waitsFor := range map[int]int{1: 8, 2: 1, 3: 2, 4: 0, 5: 4, 6: 7, 7: 6, 8: 0} {
		status, depends := "status: open", ""
		if n == 8 {
			status = "status: closed"
		}
		if waitsFor > 0 {
			depends = fmt.Sprintf("dependsOn: [ISS-%06d]", waitsFor)
		}
		name, text := issue(n, fmt.Sprintf("A title of number %d that is too long for one line", n), "", status, depends)
		f[name] = text
	}
	return f
}

func TestTheGraphNamesTheLongestChain(t *testing.T) {
	s := serve(t, waiting())
	text := s.page(t, "/graph")
	chain, _, _ := strings.Cut(after(text, "The longest chain: "), "</p>")
	for _, want := range []string{">ISS-000001</a> → <", ">ISS-000002</a> → <", ">ISS-000003</a>, 3 documents"} {
		if !strings.Contains(chain, want) {
			t.Errorf("no %q in %s", want, chain)
		}
	}
	lines, nodes := strings.Count(text, `class="line chain"`), strings.Count(text, ` chain" x="`)
	if lines != 2 || nodes != 3 {
		t.Errorf("%d lines and %d nodes of the chain are drawn", lines, nodes)
	}
	if strings.Contains(s.page(t, "/graph?at=ISS-000004"), "longest chain") {
		t.Error("two documents are a chain that is named")
	}
}

// after is what stands behind a mark in a text.
func after(text, mark string) string {
	_, rest, _ := strings.Cut(text, mark)
	return rest
}

func TestTheGraphOfOneDocument(t *testing.T) {
	s := serve(t, waiting())
	if text := s.page(t, "/graph"); !strings.Contains(text, `<a href="/graph?at=ISS-000002&amp;zoom=100">`) {
		t.Error("a node of the graph does not lead to the graph about it")
	}
	text := s.page(t, "/graph?at=ISS-000002&zoom=150")
	for _, want := range []string{
		`<a class="chip on" href="/graph?zoom=150">`, `<a href="/d/ISS-000002"><svg`,
		`<a href="/graph?at=ISS-000003&amp;zoom=150"><svg`,
		"ISS-000008", "4 documents.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	if marks := strings.Count(text, "<rect class=\"node s-blocked"); marks != 2 { // 1 has what it waited for
		t.Errorf("%d nodes are drawn as waiting", marks)
	}
	for _, other := range []string{"ISS-000004", "ISS-000005", "ISS-000006"} {
		if strings.Contains(text, other) {
			t.Errorf("%s is there", other)
		}
	}
	if w := s.get(t, "/graph?at=ISS-000077"); w.Code != 404 {
		t.Errorf("a document that is not there: %d", w.Code)
	}
	text = s.page(t, "/graph?at=ISS-000006")
	if !strings.Contains(text, "close a circle") || strings.Count(text, `class="line circle"`) != 1 {
		t.Error("the circle is not drawn")
	}
}

func TestAnEmptyGraphSaysWhatMakesOne(t *testing.T) {
	for target, want := range map[string]string{
		"/graph":               "Nothing waits for anything here",
		"/graph?at=ISS-000001": "ISS-000001 waits for nothing, and nothing waits for it",
	} {
		name, text := issue(1, "Alone", "", "status: open")
		page := serve(t, files{name: text}).page(t, target)
		if !strings.Contains(page, want) || !strings.Contains(page, "dependsOn") || strings.Contains(page, `class="graph`) {
			t.Errorf("%s: %s", target, page)
		}
	}
}

func TestTheGraphInSeveralSizes(t *testing.T) {
	s := serve(t, waiting())
	for target, wants := range map[string][]string{
		"/graph": {
			`href="/graph?zoom=75" aria-label="Smaller"`, `href="/graph?zoom=125" aria-label="Larger"`, `href="/graph?zoom=fit"`,
		},
		"/graph?zoom=200&at=ISS-000005": {`href="/graph?at=ISS-000005&amp;zoom=150"`, "200 %"},
		"/graph?zoom=9000":              {"100 %"},
		"/graph?zoom=fit":               {`class="graph fit"`, `href="/graph?zoom=50" aria-label="Larger"`},
	} {
		text := s.page(t, target)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %s", target, want)
			}
		}
	}
}

func TestATitleHasTwoLinesInTheGraph(t *testing.T) {
	for title, want := range map[string][2]string{
		"":                                       {},
		"Short":                                  {"Short", ""},
		"Write the parser of all the criteria":   {"Write the parser of all the", "criteria"},
		strings.Repeat("x", 40):                  {strings.Repeat("x", nodeText), strings.Repeat("x", 40-nodeText)},
		strings.Repeat("one two three four ", 9): {"one two three four one two", "three four one two three fo…"},
	} {
		if got := (drawnNode{graphNode: graphNode{Row: index.Row{Title: title}}}).Lines(); got != want {
			t.Errorf("%q: %q", title, got)
		}
	}
}
