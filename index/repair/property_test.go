package repair

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/store/layout"
)

// A made document is one whose status has another spelling, and what Fix has to
// make of it, both put together from the same parts.
type made struct{ path, text, fixedPath, fixed string }

// document makes a document in which nothing but the value of the status, and
// the time of the change, may become another.
func document(t *rapid.T, n int) made {
	draw := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
	status := rapid.SampledFrom(layout.Default().StatusNames()).Draw(t, "status")
	written := misspelled(t, status)
	quote := draw("quote", "", "'", `"`)
	noise := []string{
		"id: N" + fmt.Sprint(n), "title: \"A $1 title: of it\"", "# status: Open", "labels: [Open,  'In Progress']", "empty:",
		"wranglerContext:\n    agentId: 'x'   # kept\n    status: Closed", "text: |\n  status: Open\n\n  more", "other: {status: OPEN}", "", "closedAt: 2020-01-01",
	}
	var before, after []string
	for _, line := range rapid.Permutation(noise).Draw(t, "lines") {
		if draw("side", "before", "after", "nowhere") == "before" {
			before = append(before, line)
		} else {
			after = append(after, line)
		}
	}
	comment := draw("comment", "", " # Open", "   #")
	was := fmt.Sprintf("status: %s%s%s%s", quote, written, quote, comment)
	is := fmt.Sprintf("status: %s%s%s%s", quote, status, quote, comment)
	stampWas, stampIs := "updated: 2020-01-01", "updated: 2026-03-04"
	build := func(statusLine, stampLine string) string {
		lines := append(append([]string{"---", stampLine}, before...), statusLine)
		return strings.Join(append(append(lines, after...), "---"), "\n")
	}
	body := draw("body", "", "\n", "\n\nstatus: Open\n---\nIn Progress", "\n# Heading\n\n```\n---\n```\n")
	start := draw("start", "", "\ufeff")
	finish := func(head string) string {
		text := start + head + body
		if body == "" {
			text += "\n"
		}
		return text
	}
	m := made{path: fmt.Sprintf(".wrangler/issues/N%d.md", n), text: finish(build(was, stampWas)), fixed: finish(build(is, stampIs))}
	if draw("line ends", "\n", "\r\n") == "\r\n" {
		m.text, m.fixed = strings.ReplaceAll(m.text, "\n", "\r\n"), strings.ReplaceAll(m.fixed, "\n", "\r\n")
	}
	m.fixedPath = m.path
	if status == "closed" || status == "cancelled" {
		m.fixedPath = path.Join(".wrangler/issues/archived", path.Base(m.path))
	}
	return m
}

// misspelled is a status in a spelling that is not the known one.
func misspelled(t *rapid.T, status string) string {
	spellings := []string{strings.ToUpper(status), strings.ToUpper(status[:1]) + status[1:]}
	if strings.Contains(status, "_") {
		spellings = append(spellings, strings.ReplaceAll(status, "_", " "), strings.ReplaceAll(status, "_", "-"), "InProgress", "In  Progress")
	}
	return rapid.SampledFrom(spellings).Draw(t, "spelling")
}

// TestFixIsLossless holds that Fix changes the named bytes and no others, whatever stands
// around them.
func TestFixIsLossless(t *testing.T) {
	const documents = 50
	generator := rapid.Custom(func(t *rapid.T) []made {
		list := make([]made, documents)
		for n := range list {
			list[n] = document(t, n)
		}
		return list
	})
	for seed := range 3 {
		list := generator.Example(seed)
		files, want := map[string]string{}, map[string]string{}
		for _, m := range list {
			files[m.path], want[m.fixedPath] = m.text, m.fixed
		}
		b := newWorkspace(t, "", files)
		r := b.check()
		b.fix(r)
		sameFiles(t, b.files(), want)
		if again := b.check(); len(again.Changes) > 0 {
			t.Errorf("a second time it would change %+v", again.Changes)
		}
	}
}
