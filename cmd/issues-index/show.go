package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/store"
)

func newShowCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show one document, by id or path",
		Long: `Show prints the fields and the text of one document. ID is the id as written,
the path or file name, the id in other case or without its zeros (iss-42), or a
bare number that fits one document.`,
		Args: arguments(1, 1, "one id or path"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.withIndex(ctx, p.indexOptions(), func(ix *index.Index) error {
				row, err := ix.Get(ctx, args[0])
				if err != nil {
					return err
				}
				doc, _, err := ix.Workspace().Load(row.Path)
				if err != nil {
					return err
				}
				return p.printDocument(row, doc)
			})
		},
	}
}

// printDocument prints the row's fields and the text that the file has now.
func (p *program) printDocument(row index.Row, doc *store.Document) error {
	if p.json {
		v := newRowJSON(row)
		v.Description = &doc.Body
		v.Problem = ""
		for _, problem := range doc.Problems {
			v.Problems = append(v.Problems, newProblemJSON(problem))
		}
		return p.printJSON(v)
	}
	s := p.screen()
	title := row.Title
	if s.width > 0 {
		title = cut(oneLine(title), s.width)
	}
	fmt.Fprintln(p.out, s.paint(bold, oneLine(title)))
	field := func(name, value, colour string) {
		if value != "" {
			fmt.Fprintf(p.out, "%s %s\n", s.paint(dim, fmt.Sprintf("%-9s", name)), s.paint(colour, oneLine(value)))
		}
	}
	field("id", row.ID, plain)
	field("path", row.Path, plain)
	field("type", row.Type, plain)
	field("status", row.Status, statusColour(row.Status))
	field("priority", row.Priority, priorityColour(row.Priority))
	field("labels", strings.Join(row.Labels, ", "), plain)
	field("assignee", row.Assignee, plain)
	field("project", row.Project, plain)
	field("created", moment(row.Created), plain)
	field("updated", moment(row.Updated), plain)
	field("closed", moment(row.Closed), plain)
	field("context", string(row.Context), plain)
	for _, problem := range doc.Problems {
		field("problem", located(problem), red)
	}
	body := doc.Body
	if isTerminal(p.out) {
		body = harmless(body)
	}
	_, err := fmt.Fprint(p.out, "\n", body)
	return err
}

// moment writes a time for people, "" for the zero time.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// located is a problem's message and the line to look at.
func located(problem store.Problem) string {
	if problem.Line == 0 {
		return problem.Message
	}
	return "line " + strconv.Itoa(problem.Line) + ": " + problem.Message
}
