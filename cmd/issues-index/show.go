package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/markdown"
)

func newShowCommand(p *program) *cobra.Command {
	var noPager bool
	cmd := &cobra.Command{
		Use:     "show ID...",
		Aliases: []string{"view", "cat"},
		Short:   "Show documents, by id or path",
		Long: `Show prints the fields and the text of documents. ID is an id, in any letter case and with
or without leading zeros (iss-42); a path or a file name; a number that belongs to only one
document; or - for one of these a line on standard input.

On a terminal the text is laid out for reading. A long text goes through a pager:
ISSUES_INDEX_PAGER, else PAGER, else less. Elsewhere show prints the Markdown of the file.`,
		Example: `  issues-index show ISS-000041
  issues-index show iss-41 --no-pager
  issues-index show .wrangler/ideas/figma.md --json`,
		Args:              manyDocuments(),
		ValidArgsFunction: p.completeDocuments(anyStatus),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := documentIDs(cmd, args)
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			return p.withIndex(ctx, p.indexOptions(), func(ix *index.Index) error {
				var text strings.Builder
				results := make([]documentResult, len(ids))
				for i, id := range ids {
					row, doc, err := load(ctx, ix, id)
					results[i] = documentResult{id: id, err: err, print: func() error { return nil }}
					if err != nil {
						continue
					}
					results[i].answer = p.newDocumentJSON(row, doc)
					if text.Len() > 0 {
						text.WriteString("\n")
					}
					text.WriteString(p.documentText(row, doc, p.claimOf(ctx, ix, doc)))
				}
				err := p.printResults(results)
				if p.json || text.Len() == 0 {
					return err
				}
				if noPager {
					_, failed := io.WriteString(p.out, text.String())
					return cmp.Or(failed, err)
				}
				return cmp.Or(p.page(ctx, text.String()), err)
			})
		},
	}
	cmd.Flags().BoolVar(&noPager, "no-pager", false, "print everything at once")
	return cmd
}

// load returns what the index and the file have of a document.
func load(ctx context.Context, ix *index.Index, id string) (index.Row, *store.Document, error) {
	row, err := ix.Get(ctx, documentNamed(ix.Workspace(), id))
	if err != nil {
		return row, nil, err
	}
	doc, _, err := ix.Workspace().Load(row.Path)
	return row, doc, err
}

func (p *program) newDocumentJSON(row index.Row, doc *store.Document) rowJSON {
	v := p.newRowJSON(row)
	v.Description, v.Boxes = &doc.Body, markdown.CountBoxes(doc.Body).String()
	v.Problem, v.Version = "", doc.Version
	for _, problem := range doc.Problems {
		v.Problems = append(v.Problems, newProblemJSON(problem))
	}
	return v
}

// claimOf says who has claimed a document, "" when nobody has.
func (p *program) claimOf(ctx context.Context, ix *index.Index, doc *store.Document) string {
	held, covered, err := ix.Leases().OfDocument(ctx, doc)
	if err != nil {
		p.notes(slog.LevelWarn).Warn("who works on it cannot be told", "error", err)
	}
	if !covered {
		return ""
	}
	return p.claimText(index.ClaimOf(held, ix.Workspace().Now()))
}

// documentText returns the fields and the text of a document, and who has claimed it. On a
// terminal the Markdown is laid out.
func (p *program) documentText(row index.Row, doc *store.Document, claim string) string {
	var out strings.Builder
	s := p.screen()
	title := row.Title
	if s.width > 0 {
		title = cut(oneLine(title), s.width)
	}
	fmt.Fprintln(&out, s.paint(bold, oneLine(title)))
	f := fieldPrinter{&out, s, 9}
	f.add("id", row.ID, plain)
	f.add("path", row.Path, plain)
	f.add("type", row.Type, plain)
	f.add("status", row.Status, statusColour(p.workspaceLayout(), row.Status))
	f.add("priority", row.Priority, priorityColour(p.workspaceLayout(), row.Priority))
	f.add("labels", strings.Join(row.Labels, ", "), plain)
	f.add("boxes", markdown.CountBoxes(doc.Body).String(), plain)
	f.add("assignee", row.Assignee, plain)
	f.add("claim", claim, plain)
	f.add("project", row.Project, plain)
	f.add("created", p.timeText(row.Created), plain)
	f.add("updated", p.timeText(row.Updated), plain)
	f.add("closed", p.timeText(row.Closed), plain)
	f.add("context", string(row.Context), plain)
	f.add("version", doc.Version, plain)
	for _, problem := range doc.Problems {
		f.add("problem", problemText(problem), red)
	}
	out.WriteString("\n")
	if isTerminal(p.out) {
		out.WriteString(renderMarkdown(doc.Body, s))
	} else {
		out.WriteString(doc.Body)
	}
	return out.String()
}

// problemText returns a problem's line and message.
func problemText(problem store.Problem) string {
	if problem.Line == 0 {
		return problem.Message
	}
	return "line " + strconv.Itoa(problem.Line) + ": " + problem.Message
}
