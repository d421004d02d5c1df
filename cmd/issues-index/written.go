package main

import (
	"strings"
	"time"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index/documents"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/markdown"
)

// A writtenJSON describes a change for scripts.
type writtenJSON struct {
	ID        string              `json:"id"`
	Path      string              `json:"path"`
	File      string              `json:"file"`
	Changed   bool                `json:"changed"`
	Changes   []store.FieldChange `json:"changes"`
	UpdatedAt time.Time           `json:"updatedAt,omitzero"`
	Version   string              `json:"version"`
	Error     string              `json:"error,omitempty"` // why nothing was written; the rest is empty then
}

func (p *program) newWrittenJSON(done edit.Applied) writtenJSON {
	changes := append([]store.FieldChange{}, done.Changes...)
	return writtenJSON{
		done.After.ID, done.Path, p.file(done.Path), done.Changed, changes, done.After.Updated, done.After.Version, "",
	}
}

// printWritten prints a change, and beside it what is to be known of it. parts are lines that say
// what has changed in the text.
func (p *program) printWritten(done edit.Applied, parts ...terminal.Styled) error {
	p.noteWritten(done)
	return p.print(p.newWrittenJSON(done), func(page *terminal.Page) { layWritten(page, done, parts...) })
}

// layWritten lays out each changed field on a line, and the new path of the file.
func layWritten(page *terminal.Page, done edit.Applied, parts ...terminal.Styled) {
	if done.Changed {
		layTitle(page, done.After.ID, done.After.Title)
	} else {
		page.Line("No changes to %s.", done.After.ID)
	}
	for _, part := range parts {
		page.Line("%s", part)
	}
	const most = 120 // characters of a value
	for _, c := range done.Changes {
		name := page.Dim(c.Field)
		switch {
		case c.Field != "description":
			page.Line("%s %s → %s", name, documents.ValueText(c.Old, most), documents.ValueText(c.New, most))
		case len(parts) == 0:
			page.Line("%s changed", name)
		}
	}
	if done.Path != done.OldPath {
		page.Line("%s %s", page.Dim("moved to"), done.Path)
	}
}

// layTitle lays out the id and the title of a document.
func layTitle(page *terminal.Page, id, title string) {
	page.Line("%s %s", page.Bold(id), title)
}

// noteWritten says what is to be known of a change besides what it did.
func (p *program) noteWritten(done edit.Applied) {
	for _, note := range documents.WrittenNotes(done, p.timeText) {
		if !strings.Contains(note, done.After.ID) {
			note = done.After.ID + ": " + note
		}
		p.note("%s", note)
	}
}

// noteBehind says that lists may not show a change yet.
func (p *program) noteBehind(behind error) {
	if behind != nil {
		p.note("%s (%v)", documents.Behind, behind)
	}
}

// partLines says what became of each part that was to be changed, and how many boxes are
// ticked when boxes were.
func (p *program) partLines(done edit.Edited) (lines []terminal.Styled) {
	page, counted := terminal.Page{Screen: p.screen()}, false
	for _, part := range done.Parts {
		verb := "appended"
		switch part.Op {
		case markdown.Check:
			verb, counted = "ticked", true
		case markdown.Uncheck:
			verb, counted = "unticked", true
		}
		line := page.In(terminal.Plain, part.Says)
		if !part.Same {
			line = page.Dim(verb) + " " + line
		}
		lines = append(lines, line)
	}
	if counted {
		lines = append(lines, page.Dim("boxes")+" "+terminal.Styled(markdown.CountBoxes(done.After.Body).String()))
	}
	return lines
}
