package main

import (
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/markdown"
)

func newShowCommand(p *program) *cobra.Command {
	var noPager bool
	cmd := &cobra.Command{
		Use:     "show ID",
		Aliases: []string{"view", "cat"},
		Short:   "Show one document, by id or path",
		Long: `Show prints the fields and the text of one document. ID is an id, in any letter case and
with or without leading zeros (iss-42); a path or a file name; or a number that belongs to
only one document.

On a terminal the text is laid out for reading. A long text goes through a pager:
ISSUES_INDEX_PAGER, else PAGER, else less. Elsewhere show prints the Markdown of the file.`,
		Example: `  issues-index show ISS-000041
  issues-index show iss-41 --no-pager
  issues-index show .wrangler/ideas/figma.md --json`,
		Args:              arguments(1, 1, "one id or path"),
		ValidArgsFunction: p.completeDocument(anyStatus),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.withIndex(ctx, p.indexOptions(), func(ix *index.Index) error {
				row, err := ix.Get(ctx, documentNamed(ix.Workspace(), args[0]))
				if err != nil {
					return err
				}
				doc, _, err := ix.Workspace().Load(row.Path)
				if err != nil {
					return err
				}
				if p.json {
					return p.printDocumentJSON(row, doc)
				}
				held, covered, err := ix.Leases().OfDocument(ctx, doc)
				if err != nil {
					p.notes(slog.LevelWarn).Warn("who works on it cannot be told", "error", err)
				}
				claim := ""
				if covered {
					claim = claimText(held, ix.Workspace().Now())
				}
				text := p.documentText(row, doc, claim)
				if noPager {
					_, err = io.WriteString(p.out, text)
					return err
				}
				return p.page(ctx, text)
			})
		},
	}
	cmd.Flags().BoolVar(&noPager, "no-pager", false, "print everything at once")
	return cmd
}

func (p *program) printDocumentJSON(row index.Row, doc *store.Document) error {
	v := p.newRowJSON(row)
	v.Description, v.Boxes = &doc.Body, markdown.CountBoxes(doc.Body).String()
	v.Problem, v.Version = "", doc.Version
	for _, problem := range doc.Problems {
		v.Problems = append(v.Problems, newProblemJSON(problem))
	}
	return p.printJSON(v)
}

// documentText returns the fields and the text of a document, and who has claimed it. On a terminal the Markdown is
// laid out.
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
	f.add("status", row.Status, statusColour(row.Status))
	f.add("priority", row.Priority, priorityColour(row.Priority))
	f.add("labels", strings.Join(row.Labels, ", "), plain)
	f.add("boxes", markdown.CountBoxes(doc.Body).String(), plain)
	f.add("assignee", row.Assignee, plain)
	f.add("claim", claim, plain)
	f.add("project", row.Project, plain)
	f.add("created", formatTime(row.Created), plain)
	f.add("updated", formatTime(row.Updated), plain)
	f.add("closed", formatTime(row.Closed), plain)
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

// formatTime formats a time for people, "" for the zero time.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// problemText returns a problem's line and message.
func problemText(problem store.Problem) string {
	if problem.Line == 0 {
		return problem.Message
	}
	return "line " + strconv.Itoa(problem.Line) + ": " + problem.Message
}
