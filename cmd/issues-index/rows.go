package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"issues-index/index"
	"issues-index/store"
)

// A rowJSON is a document for scripts: every field under the name that the
// frontmatter has for it.
type rowJSON struct {
	Path        string          `json:"path"`
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

func newRowJSON(r index.Row) rowJSON {
	return rowJSON{
		Path: r.Path, ID: r.ID, Type: r.Type, Title: r.Title,
		Status: r.Status, Priority: r.Priority, Labels: append([]string{}, r.Labels...),
		Assignee: r.Assignee, Project: r.Project,
		Created: r.Created, Updated: r.Updated, Closed: r.Closed,
		Context: r.Context, SharedID: r.Shared, Problem: r.Problem, Snippet: r.Snippet,
	}
}

// printPage prints the rows of a list or a search.
func (p *program) printPage(ws *store.Workspace, page index.Page) error {
	if p.json {
		rows := make([]rowJSON, len(page.Rows))
		for i, row := range page.Rows {
			rows[i] = newRowJSON(row)
		}
		return p.printJSON(struct {
			Documents []rowJSON `json:"documents"`
			Total     int       `json:"totalCount"`
		}{rows, page.Total})
	}
	if page.Total == 0 {
		p.sayNothingFound(ws)
		return nil
	}
	if err := p.printRows(page); err != nil {
		return err
	}
	if page.Remaining > 0 {
		fmt.Fprintf(p.errOut, "%d of %d documents; --limit 0 shows all.\n", len(page.Rows), page.Total)
	}
	return nil
}

func (p *program) printRows(page index.Page) error {
	t := table{columns: []column{
		{title: "ID", least: 10},
		{title: "STATUS", colour: statusColour},
		{title: "PRIORITY", colour: priorityColour, optional: true},
		{title: "TITLE", least: 24},
		{title: "LABELS", least: 12, optional: true},
		{title: "UPDATED", optional: true},
	}}
	var shared []string
	for _, r := range page.Rows {
		t.add(r.ID, r.Status, r.Priority, r.Title, strings.Join(r.Labels, ","), r.Updated.Format(time.DateOnly))
		if r.Shared {
			shared = append(shared, fmt.Sprintf("  %s  %s", oneLine(r.ID), oneLine(r.Path)))
		}
	}
	err := t.write(p.out, p.screen(), func(row int) string { return page.Rows[row].Snippet })
	if len(shared) > 0 {
		fmt.Fprintf(p.out, "\nIds of several documents, to be named by path:\n%s\n", strings.Join(shared, "\n"))
	}
	return err
}

// sayNothingFound tells an empty workspace from a query that fits nothing.
func (p *program) sayNothingFound(ws *store.Workspace) {
	fmt.Fprintln(p.errOut, "No documents match.")
	dirs := make([]string, len(ws.Collections))
	for i, c := range ws.Collections {
		dirs[i] = c.Dir
	}
	fmt.Fprintf(p.errOut, "hint: looked below %s in %s; issues-index stats counts what there is\n", ws.Root, strings.Join(dirs, ", "))
}
