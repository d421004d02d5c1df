package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/store"
)

func newCheckCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Name every problem in the workspace; exit 1 when there is one",
		Long: `Check names each document with unreadable frontmatter, an id that others have
too or that disagrees with its file name, an unknown status, priority or type, a
status that disagrees with its folder, or a parent that does not exist. It
changes nothing.`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return p.withIndex(ctx, p.indexOptions(), func(ix *index.Index) error {
				problems, err := ix.Problems(ctx)
				if err != nil {
					return err
				}
				if err := p.printProblems(problems); err != nil {
					return err
				}
				if len(problems) > 0 {
					return errProblems
				}
				return nil
			})
		},
	}
}

// A problemJSON is a problem for scripts.
type problemJSON struct {
	Path    string `json:"path,omitempty"`
	ID      string `json:"id,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"`
}

func newProblemJSON(p store.Problem) problemJSON {
	return problemJSON{Code: string(p.Code), Message: p.Message, Line: p.Line}
}

// printProblems prints one line a problem, in the form path:line: that
// editors know how to follow.
func (p *program) printProblems(problems []index.DocumentProblem) error {
	list := make([]problemJSON, len(problems))
	for i, d := range problems {
		list[i] = newProblemJSON(d.Problem)
		list[i].Path, list[i].ID = d.Path, d.ID
	}
	documents := documentsWith(problems)
	if p.json {
		return p.printJSON(struct {
			Problems  []problemJSON `json:"problems"`
			Documents int           `json:"documents"`
		}{list, documents})
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(p.out, "No problems.")
		return err
	}
	s := p.screen()
	for _, d := range list {
		place := oneLine(d.Path)
		if d.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, d.Line)
		}
		if _, err := fmt.Fprintf(p.out, "%s: %s: %s\n", place, s.paint(yellow, d.Code), oneLine(d.Message)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(p.out, "\n%d problems in %d documents\n", len(list), documents)
	return err
}

// documentsWith counts the documents that have problems.
func documentsWith(problems []index.DocumentProblem) int {
	paths := map[string]bool{}
	for _, d := range problems {
		paths[d.Path] = true
	}
	return len(paths)
}
