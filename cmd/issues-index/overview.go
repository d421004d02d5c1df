package main

import (
	"context"
	"path/filepath"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store/words"
)

// overviewRows is how many documents a part of the overview shows.
const overviewRows = 5

// welcome says in a workspace without documents what can be done first.
const welcome = `issues-index keeps issues, specifications and ideas as Markdown files of your repository,
and serves them to people and coding agents.

  issues-index new 'A title'          creates the first issue
  issues-index init --client claude   connects an agent's client; init --help has the others
  issues-index web                    shows everything in a browser

issues-index --help shows all commands.
`

// overview prints what is in progress, what could be next, and what needs attention.
func (p *program) overview(ctx context.Context) error {
	return p.withIndex(ctx, func(ix *index.Index) error {
		o, err := documents.ReadOverview(ctx, ix, p.holder(), overviewRows)
		if err != nil {
			return err
		}
		return p.print(nil, func(page *terminal.Page) {
			if o.Documents == 0 {
				page.Text(welcome)
				return
			}
			name := page.Bold(filepath.Base(p.root))
			page.Line("%s  %s", name, words.Count(o.Documents, "document"))
			for _, part := range o.Parts {
				if part.Total > 0 && part.Key != "blocked" {
					page.Line("\n%s (%d)", page.Bold(part.Title), part.Total)
					out := rowOutput{columns: []string{"id", "priority", "title", "assignee", "updated"}}
					page.Table(p.rowsTable(part.Rows, out), nil)
				}
			}
			page.Line("")
			if o.Problems > 0 {
				page.Line("%s with problems: issues-index check", words.Count(o.Problems, "document"))
			}
			page.Line("%s", page.Dim("issues-index list shows more, issues-index --help all commands"))
		})
	})
}
