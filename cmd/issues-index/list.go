package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/words"
)

func newListCommand(p *program) *cobra.Command {
	var l listRequest
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
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && (!strings.HasPrefix(args[0], "@") || args[0] == "@") {
				return usage(
					cmd, fmt.Sprintf("expected a view such as @ready, got %q", args[0]), "issues-index search looks for words",
				)
			}
			return arguments(0, 1, "at most one view, as @ready")(cmd, args)
		},
		ValidArgsFunction: p.completeView,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := exclusive(cmd, "tree", "csv", "columns", "format", "json", "jq"); err != nil {
				return err
			}
			l.view = strings.TrimPrefix(strings.Join(args, ""), "@")
			l.toDo = p.forPerson && l.view == "" && l.filter.Where.Text == ""
			return p.query(cmd, l)
		},
	}
	cmd.Flags().BoolVar(&l.tree, "tree", false,
		"show documents below their parents, where these are listed, too; --limit counts the trees")
	cmd.Flags().BoolVarP(&l.all, "all", "a", false, "on a terminal, finished documents, too")
	p.listFlags(cmd, &l, index.SortUpdated, index.SortCreated, index.SortPriority, index.SortStatus)
	return cmd
}

func newReadyCommand(p *program) *cobra.Command {
	return p.newReadinessCommand(listRequest{filter: index.Filter{Ready: true}}, &cobra.Command{
		Use:   "ready",
		Short: "List the work that can be begun, most urgent first",
		Long: `Ready lists open documents that wait for nothing: all that they depend on is closed or
cancelled, they are not deferred, and they have no unfinished children. It takes the flags
of list.`,
		Example: `  issues-index ready
  issues-index ready --assignee ann --limit 5`,
	})
}

func newBlockedCommand(p *program) *cobra.Command {
	return p.newReadinessCommand(listRequest{
		filter: index.Filter{Blocked: true}, out: rowOutput{usual: blockedColumns},
	}, &cobra.Command{
		Use:   "blocked",
		Short: "List the work that waits, and what it waits for",
		Long: `Blocked lists unfinished documents that wait for others, themselves or with a document
above them. An id that no document has is waited for, too, and shown as unknown. It takes
the flags of list.`,
		Example: `  issues-index blocked
  issues-index blocked --label release`,
	})
}

// newReadinessCommand completes a command that lists documents by what they wait for.
func (p *program) newReadinessCommand(l listRequest, cmd *cobra.Command) *cobra.Command {
	cmd.Args = noArguments
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return p.query(cmd, l) }
	p.listFlags(cmd, &l, index.SortPriority, index.SortUpdated, index.SortCreated, index.SortStatus)
	return cmd
}

func newSearchCommand(p *program) *cobra.Command {
	var l listRequest
	cmd := &cobra.Command{
		Use:     "search QUERY",
		Aliases: []string{"find"},
		Short:   "Search titles, labels and text, best match first",
		Long: `Search finds the documents that contain every word of the query, in any order and also
inside longer words. "A phrase" in quotes keeps its order, OR separates alternatives,
-word excludes documents, and title:word and label:word search only one field. Anything
else is literal. Put a query that starts with - after --. Where nothing is found, it names
misspelt words.`,
		Example: `  issues-index search git hooks
  issues-index search '"session types" OR title:checkpoint -figma'`,
		Args: arguments(1, -1, "a query"),
		RunE: func(cmd *cobra.Command, args []string) error {
			l.text = strings.Join(args, " ")
			return p.query(cmd, l)
		},
	}
	p.listFlags(cmd, &l, index.SortRelevance, index.SortUpdated, index.SortCreated, index.SortPriority, index.SortStatus)
	p.choices(cmd.Flags(), &l.fields, "field", "", "search only these `fields`", "title", "description", "labels")
	return cmd
}

// A listRequest is what a command that lists documents is asked for.
type listRequest struct {
	filter  index.Filter
	text    string // to search for, "" for a list
	fields  []string
	view    string // its name, "" for none
	sort    string
	reverse bool
	limit   int
	tree    bool
	toDo    bool // a person is shown what is left to do
	all     bool // finished documents, too
	out     rowOutput
}

// listFlags declares the flags of a listRequest. The first sort key is the default.
func (p *program) listFlags(cmd *cobra.Command, l *listRequest, keys ...index.SortKey) {
	p.filterFlags(cmd, &l.filter)
	p.outputFlags(cmd, &l.out)
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = string(key)
	}
	p.choice(cmd.Flags(), &l.sort, "sort", "", names[0], "sort `key`, highest or newest first", names...)
	cmd.Flags().BoolVar(&l.reverse, "reverse", false, "reverse the sort order")
	addLimit(cmd, &l.limit, "documents")
}

// Orders of lists on a terminal, and the reverse. Documents without a date come last in each.
var (
	byUrgency   = map[bool]string{false: "sort priority desc, updated desc", true: "sort priority, updated"}
	newestFirst = map[bool]string{false: "sort updated desc, id desc", true: "sort updated, id"}
)

// query lists the documents that are asked for.
func (p *program) query(cmd *cobra.Command, l listRequest) error {
	ctx := cmd.Context()
	err := l.out.check(cmd)
	if err != nil {
		return err
	}
	q := index.Query{
		Filter: l.filter, Search: l.text != "", Text: l.text, Fields: l.fields, Snippets: l.text != "",
		Sort:   index.Sort{Key: index.SortKey(l.sort), Desc: (l.sort != string(index.SortStatus)) != l.reverse},
		Claims: !l.tree, Waits: !l.tree,
	}
	if l.limit, err = p.rowLimit(cmd, l.limit); err != nil {
		return err
	}
	if q.Limit = l.limit; l.tree { // a page would cut what is below its last documents
		q.Limit = noLimit
	}
	return p.withIndex(ctx, func(ix *index.Index) error {
		columns, err := p.narrow(ctx, ix, &q.Filter, l.view)
		if err != nil {
			return err
		}
		if l.out.columns == nil {
			l.out.columns = columns
		}
		var hidden []index.Count
		if f := q.Filter; l.toDo {
			asked := l.all || l.tree || len(f.Statuses) > 0 || !f.ClosedAfter.IsZero() || !f.ClosedBefore.IsZero()
			order := newestFirst
			if !asked {
				order = byUrgency
				if hidden, err = unfinishedOnly(ctx, ix, &q.Filter); err != nil {
					return err
				}
			}
			if !cmd.Flags().Changed("sort") {
				q.Filter.Where.Text = order[l.reverse]
			}
		}
		page, err := ix.Find(ctx, q)
		switch {
		case err != nil:
			return err
		case page.Total == 0 && !p.json:
			if l.out.csv { // a reader of CSV counts on the header
				err = p.printScripted(nil, l.out)
			}
			if err == nil {
				err = p.printNoDocuments(ctx, ix, q, hidden)
			}
			return err
		case l.tree:
			return p.printTree(ctx, ix, page.Rows, l.limit)
		}
		return p.printPage(cmd, page, q.Text, hidden, l.out)
	})
}

// unfinishedOnly narrows a filter to the documents that are left to do, and returns what
// it leaves out. Statuses of other trackers stay, since nobody knows what they mean.
func unfinishedOnly(ctx context.Context, ix *index.Index, f *index.Filter) (hidden []index.Count, err error) {
	counts, _, err := ix.Stats(ctx, "status", *f)
	for _, c := range counts {
		if finishedStatus(ix.Workspace().Layout, c.Value) {
			hidden = append(hidden, c)
		} else {
			f.Statuses = append(f.Statuses, c.Value)
		}
	}
	if f.Statuses == nil { // nothing is left to do
		f.Statuses = []string{ix.Workspace().Layout.DefaultStatus()}
	}
	return hidden, err
}

// finishedStatus reports whether a status says that nothing is left to do: also one of
// another tracker, such as Done.
func finishedStatus(l *layout.Layout, status string) bool {
	return l.Finished(status) || l.CategoryOf(status) == layout.Unknown && l.Finished(l.StatusValues().Understood(status))
}

// hiddenText says what a list leaves out.
func hiddenText(hidden []index.Count) string {
	parts := make([]string, len(hidden))
	for i, h := range hidden {
		parts[i] = fmt.Sprintf("%d %s", h.Count, terminal.OneLine(h.Value))
	}
	return strings.Join(parts, ", ") + " not shown; -a shows all"
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
	Claim       *index.RowClaim `json:"claim,omitempty"`
	Version     string          `json:"version,omitempty"`
	SharedID    bool            `json:"sharedId,omitempty"`
	Problem     string          `json:"problem,omitempty"`
	Snippet     string          `json:"snippet,omitempty"`
	Description *string         `json:"description,omitempty"`
	Problems    []problemJSON   `json:"problems,omitempty"` // only of show

	undated bool // updated is the time of the file
}

func (p *program) newRowJSON(r index.Row) rowJSON {
	return rowJSON{
		Path: r.Path, File: p.file(r.Path), ID: r.ID, Workspace: r.In(), Type: r.Type, Title: r.Title,
		Status: r.Status, Priority: r.Priority, Labels: append([]string{}, r.Labels...),
		Assignee: r.Assignee, Project: r.Project, Parent: r.Parent,
		Created: r.Created, Updated: r.Updated, Closed: r.Closed, undated: r.Undated,
		Context: r.Context, Boxes: r.Boxes.String(), WaitsFor: r.WaitsFor, Claim: r.Claim, Version: r.Version,
		SharedID: r.Shared, Problem: r.Problem, Snippet: r.Snippet,
	}
}

// newCreatedJSON describes a new document as list does.
func (p *program) newCreatedJSON(d *store.Document) rowJSON {
	return rowJSON{
		Path: d.Path, File: p.file(d.Path), ID: d.ID, Type: d.Type, Title: d.Title,
		Status: d.Status, Priority: d.Priority, Labels: append([]string{}, d.Labels...),
		Assignee: d.Assignee, Project: d.Project,
		Created: d.Created, Updated: d.Updated, Closed: d.Closed, Context: d.Context, Version: d.Version,
	}
}

func (p *program) newRowsJSON(rows []index.Row) []rowJSON {
	all := make([]rowJSON, len(rows))
	for i, row := range rows {
		all[i] = p.newRowJSON(row)
	}
	return all
}

// printPage prints the rows of a list or of a search, and what it leaves out.
func (p *program) printPage(
	cmd *cobra.Command, page index.Page, query string, hidden []index.Count, out rowOutput,
) error {
	if page.Unleased != nil {
		p.note("who works on these documents cannot be told (%v)", page.Unleased)
	}
	if p.json {
		return p.printJSON(struct {
			Documents []rowJSON `json:"documents"`
			Total     int       `json:"totalCount"`
		}{p.newRowsJSON(page.Rows), page.Total})
	}
	var parts []string
	if page.Remaining > 0 {
		parts = append(
			parts, fmt.Sprintf("%d of %s; --limit 0 shows all", len(page.Rows), words.Count(page.Total, "document")),
		)
	}
	if len(hidden) > 0 {
		parts = append(parts, hiddenText(hidden))
	}
	if out.format != nil || out.csv {
		if err := p.printScripted(page.Rows, out); err != nil {
			return err
		}
	} else {
		shown := &terminal.Page{Screen: p.screen()}
		t := p.rowsTable(page.Rows, out)
		t.Marks = queryMarks(query)
		shown.Table(t, func(row int) string { return page.Rows[row].Snippet })
		if err := p.printLong(cmd.Context(), shown.String(), shown.Height > 0); err != nil {
			return err
		}
		if slices.ContainsFunc(page.Rows, func(r index.Row) bool { return r.Shared }) {
			shared := "several documents share an id"
			if p.forPerson {
				shared = "an id with " + sharedMark + " is that of several documents"
			}
			parts = append(parts, shared+"; show ID lists their paths")
		}
	}
	if len(parts) > 0 {
		p.tell("%s", strings.Join(parts, "; "))
	}
	if hint := wrongQualifier(query); hint != "" {
		p.tell("hint: %s", hint)
	}
	return nil
}
