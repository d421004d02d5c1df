package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
)

func newListCommand(p *program) *cobra.Command {
	var (
		flags     queryFlags
		all, tree bool
	)
	cmd := &cobra.Command{
		Use:     "list [@view]",
		Aliases: []string{"ls"},
		Short:   "List documents: on a terminal what is left to do, else all",
		Long: `List shows the documents that match every filter. A filter with several values matches
any of them. --where takes criteria: fields compared with values, and, or, not, is:ready,
is:blocked, under:ID and words to search for, with sort at the end; @view takes those of a
view of .wrangler/views.yaml, or one of ready, blocked, stale, recent and mine.

On a terminal it shows what is left to do, by priority and then by the last update, in a
table cut to the width; --all shows finished documents, too, newest update first.
Documents without a date come last. Criteria and views decide themselves what is shown.
Elsewhere it shows all documents in a whole table, newest update first; --json has every
field, with path (relative to the workspace, and accepted as an id) and file (absolute).`,
		Example: `  issues-index list -p high,critical
  issues-index list --all --closed-after 7d
  issues-index list --where 'assignee = @me and updated < -7d sort priority desc'
  issues-index list @ready --tree
  issues-index list --type idea --sort created --json`,
		Args: arguments(0, 1, "at most one view, as @ready"),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := flags.read(p, cmd)
			if err == nil {
				err = exclusive(cmd, "tree", "csv", "columns", "format", "json", "jq")
			}
			if err != nil {
				return err
			}
			name := ""
			if len(args) > 0 {
				var named bool
				if name, named = strings.CutPrefix(args[0], "@"); !named || name == "" {
					f := usage(cmd, fmt.Sprintf("expected a view such as @ready, got %q", args[0]))
					f.hint = "issues-index search looks for words"
					return f
				}
			}
			return p.query(cmd, q, p.leftToDo(cmd, q, listView{name: name, tree: tree, out: flags.rowOutput}, all))
		},
	}
	cmd.Flags().BoolVar(&tree, "tree", false, "show documents below their parents, where these are listed, too; --limit counts the trees")
	cmd.Flags().BoolVarP(&all, "all", "a", false, "on a terminal, finished documents, too")
	flags.register(cmd, index.SortUpdated, index.SortCreated, index.SortPriority, index.SortStatus)
	return cmd
}

// A rowJSON is a document for scripts. Its fields have the names of the frontmatter.
type rowJSON struct {
	Path        string          `json:"path"` // relative to the workspace; accepted as an id
	File        string          `json:"file"` // the same, absolute
	ID          string          `json:"id"`
	Workspace   string          `json:"workspace,omitempty"` // in a hub
	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Status      string          `json:"status,omitempty"`
	Priority    string          `json:"priority,omitempty"`
	Labels      []string        `json:"labels"`
	Assignee    string          `json:"assignee,omitempty"`
	Project     string          `json:"project,omitempty"`
	Parent      string          `json:"parent,omitempty"`
	Created     time.Time       `json:"createdAt"`
	Updated     time.Time       `json:"updatedAt"`
	Closed      time.Time       `json:"closedAt,omitzero"`
	Context     json.RawMessage `json:"wranglerContext,omitempty"`
	Boxes       string          `json:"boxes,omitempty"` // checked and all, as 2/5
	WaitsFor    []string        `json:"waitsFor,omitempty"`
	Claim       *claimJSON      `json:"claim,omitempty"`
	Version     string          `json:"version,omitempty"`
	SharedID    bool            `json:"sharedId,omitempty"`
	Problem     string          `json:"problem,omitempty"`
	Snippet     string          `json:"snippet,omitempty"`
	Description *string         `json:"description,omitempty"`
	Problems    []problemJSON   `json:"problems,omitempty"` // only of show
}

func (p *program) newRowJSON(r index.Row) rowJSON {
	row := rowJSON{
		Path: r.Path, File: p.file(r.Path), ID: r.ID, Workspace: r.In(), Type: r.Type, Title: r.Title,
		Status: r.Status, Priority: r.Priority, Labels: append([]string{}, r.Labels...),
		Assignee: r.Assignee, Project: r.Project, Parent: r.Parent,
		Created: r.Created, Updated: r.Updated, Closed: r.Closed,
		Context: r.Context, Boxes: r.Boxes.String(), WaitsFor: r.WaitsFor, Version: r.Version, SharedID: r.Shared, Problem: r.Problem, Snippet: r.Snippet,
	}
	if c := r.Claim; c != nil {
		row.Claim = &claimJSON{c.Holder, c.Until.UTC(), c.Stale}
	}
	return row
}

// printPage prints the rows of a list or of a search, and what it leaves out.
func (p *program) printPage(page index.Page, query string, hidden []index.Count, view listView) error {
	if page.Unleased != nil {
		p.notes(slog.LevelWarn).Warn("who works on these documents cannot be told", "error", page.Unleased)
	}
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
	var err error
	if view.out.format != nil || view.out.csv {
		err = p.printScripted(page.Rows, view.out)
	} else {
		err = p.printRows(page, query, view.out)
	}
	if err != nil {
		return err
	}
	if footer := footer(page, hidden); footer != "" {
		fmt.Fprintln(p.errOut, footer)
	}
	return nil
}

func (p *program) printRows(page index.Page, query string, out rowOutput) error {
	t := p.rowsTable(page.Rows, out)
	t.Marks = queryMarks(query)
	if err := t.Write(p.out, p.screen(), func(row int) string { return page.Rows[row].Snippet }); err != nil {
		return err
	}
	var shared []string
	for _, r := range page.Rows {
		if r.Shared {
			shared = append(shared, fmt.Sprintf("  %s  %s", terminal.OneLine(r.ID), terminal.OneLine(r.Path)))
		}
	}
	if len(shared) > 0 {
		fmt.Fprintf(p.errOut, "\nAmbiguous ids; use the path:\n%s\n", strings.Join(shared, "\n"))
	}
	return nil
}
