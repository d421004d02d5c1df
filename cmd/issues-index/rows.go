package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"issues-index/index"
)

// A rowJSON is a document for scripts: every field under the name that the
// frontmatter has for it.
type rowJSON struct {
	Path        string          `json:"path"` // relative to the workspace's root, and taken for an id
	File        string          `json:"file"` // the same, absolute
	ID          string          `json:"id"`
	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Status      string          `json:"status,omitempty"`
	Priority    string          `json:"priority,omitempty"`
	Labels      []string        `json:"labels"`
	Assignee    string          `json:"assignee,omitempty"`
	Project     string          `json:"project,omitempty"`
	Created     time.Time       `json:"createdAt"`
	Updated     time.Time       `json:"updatedAt"`
	Closed      time.Time       `json:"closedAt,omitzero"`
	Context     json.RawMessage `json:"wranglerContext,omitempty"`
	SharedID    bool            `json:"sharedId,omitempty"`
	Problem     string          `json:"problem,omitempty"`
	Snippet     string          `json:"snippet,omitempty"`
	Description *string         `json:"description,omitempty"`
	Problems    []problemJSON   `json:"problems,omitempty"` // all of them; of show only
}

func (p *program) newRowJSON(r index.Row) rowJSON {
	return rowJSON{
		Path: r.Path, File: p.file(r.Path), ID: r.ID, Type: r.Type, Title: r.Title,
		Status: r.Status, Priority: r.Priority, Labels: append([]string{}, r.Labels...),
		Assignee: r.Assignee, Project: r.Project,
		Created: r.Created, Updated: r.Updated, Closed: r.Closed,
		Context: r.Context, SharedID: r.Shared, Problem: r.Problem, Snippet: r.Snippet,
	}
}

// printPage prints the rows of a list, or of a search by its query.
func (p *program) printPage(page index.Page, query string) error {
	if p.json {
		rows := make([]rowJSON, len(page.Rows))
		for i, row := range page.Rows {
			rows[i] = p.newRowJSON(row)
		}
		return p.printJSON(struct {
			Documents []rowJSON `json:"documents"`
			Total     int       `json:"totalCount"`
		}{rows, page.Total})
	}
	if err := p.printRows(page, query); err != nil {
		return err
	}
	if page.Remaining > 0 {
		fmt.Fprintf(p.errOut, "%d of %d documents; --limit 0 shows all.\n", len(page.Rows), page.Total)
	}
	return nil
}

func (p *program) printRows(page index.Page, query string) error {
	t := rowsTable(page.Rows)
	t.marks = searched(query)
	err := t.write(p.out, p.screen(), func(row int) string { return page.Rows[row].Snippet })
	var shared []string
	for _, r := range page.Rows {
		if r.Shared {
			shared = append(shared, fmt.Sprintf("  %s  %s", oneLine(r.ID), oneLine(r.Path)))
		}
	}
	if len(shared) > 0 {
		fmt.Fprintf(p.errOut, "\nAmbiguous ids; use the path:\n%s\n", strings.Join(shared, "\n"))
	}
	return err
}

// rowsTable has a line for each document. Where there is no room, labels go first,
// and an id is the last to be cut: it is what the next command needs.
func rowsTable(rows []index.Row) *table {
	t := &table{columns: []column{
		{title: "ID", least: 20},
		{title: "STATUS", colour: statusColour},
		{title: "PRIORITY", colour: priorityColour, optional: true},
		{title: "TITLE", least: 32},
		{title: "UPDATED", optional: true},
		{title: "LABELS", least: 12, optional: true},
	}}
	for _, r := range rows {
		t.add(r.ID, r.Status, r.Priority, r.Title, r.Updated.Format(time.DateOnly), strings.Join(r.Labels, ","))
	}
	return t
}
