package main

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index/edit"
	"issues-index/store/markdown"
)

// A writtenJSON describes a change for scripts.
type writtenJSON struct {
	ID        string       `json:"id"`
	Path      string       `json:"path"`
	File      string       `json:"file"`
	Changed   bool         `json:"changed"`
	Changes   []changeJSON `json:"changes"`
	UpdatedAt time.Time    `json:"updatedAt"`
	Version   string       `json:"version"`
}

type changeJSON struct {
	Field string `json:"field"`
	Old   string `json:"old"`
	New   string `json:"new"`
}

// printWritten prints each changed field on a line, and the new path of the file. parts are
// lines that say what has changed in the text.
func (p *program) printWritten(done edit.Applied, parts ...string) error {
	p.warnWritten(done)
	if p.json {
		return p.printJSON(p.newWrittenJSON(done))
	}
	return p.printChangedFields(done, parts...)
}

func (p *program) newWrittenJSON(done edit.Applied) writtenJSON {
	changes := make([]changeJSON, len(done.Changes))
	for i, c := range done.Changes {
		changes[i] = changeJSON(c)
	}
	return writtenJSON{done.After.ID, done.Path, p.file(done.Path), done.Changed, changes, done.After.Updated, done.After.Version}
}

// printChangedFields is printWritten for people, without the warnings.
func (p *program) printChangedFields(done edit.Applied, parts ...string) error {
	s := p.screen()
	if done.Changed {
		fmt.Fprintln(p.out, s.Paint(terminal.Bold, terminal.OneLine(done.After.ID))+" "+terminal.OneLine(done.After.Title))
	} else {
		fmt.Fprintf(p.out, "No changes to %s.\n", terminal.OneLine(done.After.ID))
	}
	for _, part := range parts {
		fmt.Fprintln(p.out, part)
	}
	for _, c := range done.Changes {
		if c.Field == "description" {
			if len(parts) == 0 {
				fmt.Fprintf(p.out, "%s changed\n", s.Paint(terminal.Dim, c.Field))
			}
			continue
		}
		fmt.Fprintf(p.out, "%s %s → %s\n", s.Paint(terminal.Dim, terminal.OneLine(c.Field)), valueText(c.Old), valueText(c.New))
	}
	if done.Path != done.OldPath {
		fmt.Fprintf(p.out, "%s %s\n", s.Paint(terminal.Dim, "moved to"), terminal.OneLine(done.Path))
	}
	return nil
}

// valueText returns a field's value for one line.
func valueText(value string) string {
	const most = 120
	if value = terminal.OneLine(value); value == "" {
		return "(none)"
	}
	return terminal.Cut(value, most)
}

// noteClosing says what a document leaves that was closed, and what it frees.
func (p *program) noteClosing(done edit.Applied) {
	for _, note := range done.ClosingNotes() {
		fmt.Fprintf(p.errOut, "note: %s: %s\n", terminal.OneLine(done.After.ID), terminal.Harmless(note))
	}
}

// warnWritten warns about an index that is behind, what closing leaves and frees, claims that were
// not renewed, links that are left, and a parent that does not exist.
func (p *program) warnWritten(done edit.Applied) {
	p.warnBehind(done.Behind)
	p.noteClosing(done)
	if done.Note != "" {
		fmt.Fprintf(p.errOut, "note: %s: %s\n", terminal.OneLine(done.After.ID), terminal.Harmless(done.Note))
	}
	p.noteClaim(done.Claim)
	if done.Unrenewed != nil {
		p.notes(slog.LevelWarn).Warn("the change is made, but your claims could not be renewed", "error", done.Unrenewed)
	}
	for _, kept := range done.Kept {
		says := keptError(done, kept)
		fmt.Fprintf(p.errOut, "note: %s\nhint: %s\n", terminal.Harmless(says.message), terminal.Harmless(says.hint))
	}
	if done.NoParent == nil {
		return
	}
	hint := "issues-index set ID parent= removes it"
	if near := done.NoParent.Suggestions; len(near) > 0 {
		hint = "did you mean " + strings.Join(near, ", ") + "?"
	}
	fmt.Fprintf(p.errOut, "warning: no document has the parent id %s\nhint: %s\n", terminal.OneLine(done.NoParent.ID), terminal.Harmless(hint))
}

// noteClaim says that somebody else is at work on a document that was changed.
func (p *program) noteClaim(c *edit.OthersClaim) {
	if c != nil {
		fmt.Fprintf(p.errOut, "note: %s\n", terminal.Harmless(c.Says(p.timeText)))
	}
}

// warnBehind warns that lists may not show a change yet.
func (p *program) warnBehind(behind error) {
	if behind != nil {
		p.notes(slog.LevelWarn).Warn("the change is made, but the index is not up to date; the next command updates it", "error", behind)
	}
}

// partLines says what became of each part that was to be changed, and how many boxes are
// ticked when boxes were.
func (p *program) partLines(done edit.Edited) (lines []string) {
	s, counted := p.screen(), false
	for _, part := range done.Parts {
		verb := "appended"
		switch part.Op {
		case markdown.Check:
			verb, counted = "ticked", true
		case markdown.Uncheck:
			verb, counted = "unticked", true
		}
		line := s.Paint(terminal.Dim, verb) + " " + terminal.OneLine(part.Says)
		if part.Same {
			line = terminal.OneLine(part.Says)
		}
		lines = append(lines, line)
	}
	if counted {
		lines = append(lines, s.Paint(terminal.Dim, "boxes")+" "+markdown.CountBoxes(done.After.Body).String())
	}
	return lines
}
