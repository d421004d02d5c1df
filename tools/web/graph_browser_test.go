//go:build !windows

package web

import (
	"log/slog"
	"testing"

	"issues-index/tools/browsertest"
	"issues-index/tools/transport"
)

// A person finds the way through a large graph: to one document and what it is linked with, from
// there to the document or back, and nearer or farther, by mouse and by keyboard.
func TestTheGraphInABrowser(t *testing.T) {
	b := browsertest.Start(t)
	server, err := transport.Listen(t.Context(), transport.ListenOptions{Address: ":0"}, serve(t, waiting()).Handler,
		slog.New(slog.DiscardHandler))
	check(t, err)
	t.Cleanup(func() { server.Close() })
	const wide = `document.querySelector(".graph").getBoundingClientRect().width`
	b.Look(1280, 800, "light")
	b.Open(server.URL() + "graph")
	b.Leave(func() { b.Click(`.graph a[href*="ISS-000002"]`) })
	b.Until(`document.querySelectorAll(".graph a").length == 4 && !document.body.innerText.includes("ISS-000005")`)

	var before, after float64
	b.Eval(wide, &before)
	b.Leave(func() { b.Eval(`document.querySelector("[aria-label=Larger]").focus(), 0`, nil); b.Press("Enter", 0) })
	b.Until(`location.search.includes("ISS-000002")`)
	b.Eval(wide, &after)
	if after < before*1.2 || after > before*1.3 {
		t.Errorf("the graph was %v wide, and is %v", before, after)
	}
	b.Look(375, 800, "light")
	b.Leave(func() { b.Click(`a[href*="zoom=fit"]`) })
	if b.Eval(wide, &after); after > 375 {
		t.Errorf("the graph is %v wide in a window of 375", after)
	}

	b.Leave(func() { b.Click(`.chip.on`) })
	b.Until(`location.search == "?zoom=fit" && document.body.innerText.includes("ISS-000005")`)
	b.Leave(func() { b.Click(`.graph a[href*="ISS-000003"]`) })
	b.Leave(func() {
		b.Eval(`document.querySelector(".graph .focus").closest("a").focus(), 0`, nil)
		b.Press("Enter", 0)
	})
	b.Until(`location.pathname == "/d/ISS-000003"`)
	if len(b.Complaints) > 0 {
		t.Errorf("the pages complain: %s", b.Complaints)
	}
}
