package store

import (
	"fmt"
	"slices"
	"testing"
)

func TestReferencesOfADocument(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		".wrangler/issues/ISS-000001-a.md": "---\nid: ISS-000001\n---\nISS-2 [[b]]\n[c](ISS-000003-c.md) [out](../../README.md) [up](../../../../x.md)\n",
	})
	file, _, err := w.Load(".wrangler/issues/ISS-000001-a.md")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range w.References(file) {
		got = append(got, fmt.Sprintf("%d %s %q", r.Line, r.Kind, file.Body[r.Start:r.End]))
	}
	if want := []string{`4 mention "ISS-2"`, `4 wiki "b"`, `5 link "ISS-000003-c.md"`}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLinkedPath(t *testing.T) {
	w := newWorkspace(t, nil)
	for target, want := range map[string]string{
		"b.md":                           ".wrangler/issues/b.md",
		"./archived/b.md":                ".wrangler/issues/archived/b.md",
		"../ideas/c.md":                  ".wrangler/ideas/c.md",
		`..\ideas\c.md`:                  ".wrangler/ideas/c.md",
		"/.wrangler/specifications/d.md": ".wrangler/specifications/d.md",
		"../../docs/e.md":                "",
		"../../../../../b.md":            "",
		"README.md":                      "",
	} {
		if got := w.LinkedPath(".wrangler/issues/a.md", target); got != want {
			t.Errorf("%s leads to %q, want %q", target, got, want)
		}
	}
}
