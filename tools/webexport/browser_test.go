//go:build !windows

package webexport_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"issues-index/tools/browsertest"
)

// A browser that shows the pages from the disk follows every link of every page, styled and
// without a complaint.
func TestPagesWorkFromTheDisk(t *testing.T) {
	b := browsertest.Start(t)
	dir := exported(t, sample(t))
	queue, seen := []string{"file://" + filepath.ToSlash(dir) + "/index.html"}, map[string]bool{}
	for len(queue) > 0 {
		page := queue[0]
		queue = queue[1:]
		if seen[page] {
			continue
		}
		seen[page] = true
		b.Open(page)
		var shown struct {
			Heading string
			Styled  bool
			Links   []string
		}
		b.Eval(`({
			Heading: document.querySelector("h1")?.textContent ?? "",
			Styled: getComputedStyle(document.querySelector("header")).display == "flex",
			Links: [...document.querySelectorAll("a[href]")].map(a => a.href.baseVal ?? a.href).map(h => new URL(h, location)).filter(u => u.protocol == "file:").map(u => u.href.split("#")[0]),
		})`, &shown)
		if shown.Heading == "" || !shown.Styled || len(shown.Links) == 0 {
			t.Errorf("%s: %+v", page, shown)
		}
		queue = append(queue, shown.Links...)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*", "*.html"))
	check(t, err)
	if len(seen) < len(pages) {
		t.Errorf("%d pages were reached, of more than %d", len(seen), len(pages))
	}
	slices.Sort(b.Complaints)
	if complaints := slices.Compact(b.Complaints); len(complaints) > 0 {
		t.Error(fmt.Sprint(complaints))
	}
}
