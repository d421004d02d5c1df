package main

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// A setupJSON is what init writes, or would write, for scripts.
type setupJSON struct {
	Workspace string            `json:"workspace"`
	Applied   bool              `json:"applied"` // false when it was only shown
	Folders   []string          `json:"folders"`
	Files     []setupFileJSON   `json:"files"`
	Git       map[string]string `json:"git"` // settings of the clone
	Notes     []string          `json:"notes"`
	Next      []string          `json:"next"`
}

type setupFileJSON struct {
	Path string `json:"path"` // relative to the workspace, or absolute
	New  bool   `json:"new"`
	Diff string `json:"diff"`
}

// printSetup says at the end what was done. A plan that was not applied is shown.
func (p *program) printSetup(plan *setupPlan, applied bool) error {
	if p.json {
		out := setupJSON{
			Workspace: plan.root, Applied: applied, Folders: append([]string{}, plan.folders...), Files: []setupFileJSON{},
			Git: map[string]string{}, Notes: append([]string{}, plan.notes...), Next: append([]string{}, plan.next...),
		}
		for _, f := range plan.files {
			out.Files = append(out.Files, setupFileJSON{f.path, !f.exists, f.diff()})
		}
		for _, s := range plan.settings {
			out.Git[s.Key] = s.Value
		}
		return p.printJSON(out)
	}
	if !applied {
		if _, err := fmt.Fprint(p.out, p.setupText(plan)); err != nil || !plan.empty() {
			return err
		}
		_, err := fmt.Fprintln(p.out, "Nothing to do: nothing is missing.")
		return err
	}
	var out strings.Builder
	out.WriteString("Written.\n")
	for _, next := range plan.next {
		out.WriteString("next: " + next + ".\n")
	}
	out.WriteString("next: issues-index new 'A title' creates a document, and issues-index list shows what there is.\n")
	_, err := fmt.Fprint(p.out, harmless(out.String()))
	return err
}

// setupText shows a plan: folders, a diff of each file, settings, and what to know.
func (p *program) setupText(plan *setupPlan) string {
	var out strings.Builder
	s := p.screen()
	fmt.Fprintf(&out, "%s %s\n", s.paint(bold, "Workspace"), oneLine(plan.root))
	for _, note := range plan.notes {
		fmt.Fprintf(&out, "note: %s.\n", oneLine(note))
	}
	if len(plan.folders) > 0 {
		fmt.Fprintf(&out, "\n%s\n", s.paint(bold, "Folders to make"))
		for _, dir := range plan.folders {
			fmt.Fprintf(&out, "  %s/\n", oneLine(dir))
		}
	}
	for _, f := range plan.files {
		title := "File to change"
		if !f.exists {
			title = "File to make"
		}
		fmt.Fprintf(&out, "\n%s\n", s.paint(bold, title))
		for line := range strings.SplitSeq(strings.TrimSuffix(harmless(f.diff()), "\n"), "\n") {
			colour := plain
			switch {
			case strings.HasPrefix(line, "+"):
				colour = green
			case strings.HasPrefix(line, "-"):
				colour = red
			}
			out.WriteString(s.paint(colour, strings.TrimSuffix(line, "\r")) + "\n")
		}
	}
	if len(plan.settings) > 0 {
		fmt.Fprintf(&out, "\n%s\n", s.paint(bold, "Settings of this clone, in its git config"))
		for _, one := range plan.settings {
			fmt.Fprintf(&out, "  %s = %s\n", one.Key, one.Value)
		}
	}
	if !plan.empty() {
		out.WriteString("\n")
	}
	return out.String()
}

// diff is the change of the file as a unified diff.
func (f setupFile) diff() string {
	before := f.path
	if !f.exists {
		before = "/dev/null"
	}
	return udiff.Unified(before, f.path, string(f.before), string(f.after))
}
