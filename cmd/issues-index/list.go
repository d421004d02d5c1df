package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"issues-index/index"
)

func newListCommand(p *program) *cobra.Command {
	var flags queryFlags
	var tree bool
	cmd := &cobra.Command{
		Use:     "list [@view]",
		Aliases: []string{"ls"},
		Short:   "List documents, newest update first",
		Long: `List shows the documents that match every filter. A filter with several values matches
any of them. --where takes criteria: fields compared with values, and, or, not, is:ready,
is:blocked, under:ID and words to search for, with sort at the end; @view takes those of a
view of .wrangler/views.yaml, or one of ready, blocked, stale, recent and mine.

On a terminal a table is cut to its width, elsewhere it is whole; --json
has every field, with path (relative to the workspace, and accepted as an id) and file
(absolute).`,
		Example: `  issues-index list --status open,in_progress --priority high,critical
  issues-index list --type idea --sort created --json
  issues-index list --where 'assignee = @me and updated < -7d sort priority desc'
  issues-index list @ready --tree`,
		Args: arguments(0, 1, "at most one view, as @ready"),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := flags.read(cmd)
			if err != nil {
				return err
			}
			view := ""
			if len(args) > 0 {
				var named bool
				if view, named = strings.CutPrefix(args[0], "@"); !named || view == "" {
					f := usage(cmd, fmt.Sprintf("expected a view such as @ready, got %q", args[0]))
					f.hint = "issues-index search looks for words"
					return f
				}
			}
			return p.query(cmd, q, view, func(page index.Page, columns []string) error {
				if tree && !p.json {
					return p.printTree(page)
				}
				return p.printPage(page, "", columns)
			})
		},
	}
	cmd.Flags().BoolVar(&tree, "tree", false, "show documents below their parents, where these are listed, too")
	flags.register(cmd, index.SortUpdated, index.SortCreated, index.SortPriority, index.SortStatus)
	return cmd
}

// A rowJSON is a document for scripts. Its fields have the names of the frontmatter.
type rowJSON struct {
	Path        string          `json:"path"` // relative to the workspace; accepted as an id
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
	Boxes       string          `json:"boxes,omitempty"` // checked and all, as 2/5
	WaitsFor    []string        `json:"waitsFor,omitempty"`
	Version     string          `json:"version,omitempty"`
	SharedID    bool            `json:"sharedId,omitempty"`
	Problem     string          `json:"problem,omitempty"`
	Snippet     string          `json:"snippet,omitempty"`
	Description *string         `json:"description,omitempty"`
	Problems    []problemJSON   `json:"problems,omitempty"` // only of show
}

func (p *program) newRowJSON(r index.Row) rowJSON {
	return rowJSON{
		Path: r.Path, File: p.file(r.Path), ID: r.ID, Type: r.Type, Title: r.Title,
		Status: r.Status, Priority: r.Priority, Labels: append([]string{}, r.Labels...),
		Assignee: r.Assignee, Project: r.Project,
		Created: r.Created, Updated: r.Updated, Closed: r.Closed,
		Context: r.Context, Boxes: r.Boxes.String(), WaitsFor: r.WaitsFor, Version: r.Version, SharedID: r.Shared, Problem: r.Problem, Snippet: r.Snippet,
	}
}

// printPage prints the rows of a list or of a search, with the columns of a view if it has
// some.
func (p *program) printPage(page index.Page, query string, columns []string) error {
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
	if err := p.printRows(page, query, columns); err != nil {
		return err
	}
	if page.Remaining > 0 {
		fmt.Fprintf(p.errOut, "%d of %d documents; --limit 0 shows all.\n", len(page.Rows), page.Total)
	}
	return nil
}

func (p *program) printRows(page index.Page, query string, columns []string) error {
	t := rowsTable(page.Rows)
	if len(columns) > 0 {
		t = viewTable(page.Rows, columns)
	}
	t.marks = queryMarks(query)
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

// rowsTable makes a table of documents. On a narrow screen labels go first, then boxes, and
// ids are cut last, since the next command needs them. Boxes, and what documents wait for,
// have a column where any document has some.
func rowsTable(rows []index.Row) *table {
	columns := []column{
		{title: "ID", least: 20},
		{title: "STATUS", colour: statusColour},
		{title: "PRIORITY", colour: priorityColour, optional: true},
		{title: "TITLE", least: 32},
		{title: "UPDATED", optional: true},
		{title: "BOXES", optional: true},
		{title: "LABELS", least: 12, optional: true},
	}
	waiting := slices.ContainsFunc(rows, func(r index.Row) bool { return len(r.WaitsFor) > 0 })
	if waiting {
		columns = append(columns, column{title: "WAITS FOR", least: 12, optional: true})
	}
	const boxes = 5
	boxed := slices.ContainsFunc(rows, func(r index.Row) bool { return r.Boxes.Total > 0 })
	if !boxed {
		columns = slices.Delete(columns, boxes, boxes+1)
	}
	t := &table{columns: columns}
	for _, r := range rows {
		cells := []string{r.ID, r.Status, r.Priority, r.Title, r.Updated.Format(time.DateOnly), r.Boxes.String(), strings.Join(r.Labels, ",")}
		if waiting {
			cells = append(cells, strings.Join(r.WaitsFor, ", "))
		}
		if !boxed {
			cells = slices.Delete(cells, boxes, boxes+1)
		}
		t.add(cells...)
	}
	return t
}
