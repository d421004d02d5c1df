package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/index/edit"
)

func newDeleteCommand(p *program) *cobra.Command {
	var yes bool
	var ifVersion string
	cmd := &cobra.Command{
		Use:     "delete ID",
		Aliases: []string{"rm", "remove"},
		Short:   "Delete one document for good",
		Long: `Delete removes the file of one document. Only git can bring it back. On a terminal delete
asks first; elsewhere it needs --yes. New documents in this clone and its worktrees do not
reuse the id while .wrangler/cache is kept. A fresh clone may reuse it.`,
		Example: `  issues-index delete ISS-000041
  issues-index delete .wrangler/ideas/figma.md --yes`,
		Args:              arguments(1, 1, "one id or path"),
		ValidArgsFunction: p.completeDocument(anyStatus),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			if !yes {
				if !isTerminal(os.Stdin) {
					f := usage(cmd, "delete asks first, but there is no terminal to ask on")
					f.hint = "--yes deletes without asking"
					return f
				}
				row, err := p.lookUp(ctx, args[0])
				if err != nil {
					return err
				}
				if !p.confirm(ctx, os.Stdin, fmt.Sprintf("Delete %s, %s? [y/N] ", oneLine(row.Path), oneLine(row.Title))) {
					return &commandError{code: exitFailed, message: "not deleted", hint: "issues-index done closes a document and keeps it"}
				}
				args[0] = row.Path // exactly the document of the question
			}
			return p.withWriter(ctx, func(ctx context.Context, ix *index.Index, w *edit.Writer) error {
				gone, behind, err := w.Delete(ctx, edit.DocumentRef{ID: documentNamed(ix.Workspace(), args[0]), IfVersion: ifVersion})
				if err != nil {
					return err
				}
				p.warnBehind(behind)
				if p.json {
					return p.printJSON(struct {
						ID   string `json:"id"`
						Path string `json:"path"`
					}{gone.ID, gone.Path})
				}
				_, err = fmt.Fprintf(p.out, "Deleted %s.\n", oneLine(gone.Path))
				return err
			})
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	ifVersionFlag(cmd, &ifVersion)
	return cmd
}

func (p *program) lookUp(ctx context.Context, id string) (row index.Row, err error) {
	err = p.withIndex(ctx, p.indexOptions(), func(ix *index.Index) error {
		row, err = ix.Get(ctx, documentNamed(ix.Workspace(), id))
		return err
	})
	return row, err
}

// confirm asks a question and reports whether the answer is y or yes. An interrupt counts
// as no.
func (p *program) confirm(ctx context.Context, in io.Reader, question string) bool {
	fmt.Fprint(p.errOut, question)
	answers := make(chan string, 1)
	go func() {
		answer, err := bufio.NewReader(in).ReadString('\n')
		if err != nil {
			answer = ""
		}
		answers <- strings.ToLower(strings.TrimSpace(answer))
	}()
	select {
	case answer := <-answers:
		return answer == "y" || answer == "yes"
	case <-ctx.Done():
		fmt.Fprintln(p.errOut)
		return false
	}
}
