package main

import (
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/store/words"
)

func newRebuildCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "rebuild",
		Short: "Delete the index and build it again from the files",
		Long: `Rebuild reads every document again. You should rarely need it, since the index repairs
itself. Running servers switch to the new index.`,
		Example: `  issues-index rebuild
  issues-index rebuild --db /tmp/issues-index.db --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			tuneGCForBuild()
			options := p.indexOptions()
			options.Deferred = true // do not open, or even build, an index that is dropped
			options.Progress = p.progress(indexing, 0)
			return p.withIndexAs(ctx, options, func(ix *index.Index) error {
				summary, err := ix.Rebuild(ctx)
				if err != nil {
					return err
				}
				health, err := ix.Health(ctx)
				if err != nil {
					return err
				}
				return p.printSummary(summary, health.Path)
			})
		},
	}
}

func (p *program) printSummary(s index.Summary, path string) error {
	return p.print(struct {
		Documents int     `json:"documents"`
		Bytes     int64   `json:"bytes"`
		Problems  int     `json:"problems"`
		Seconds   float64 `json:"seconds"`
		Index     string  `json:"index"`
	}{s.Documents, s.Bytes, s.Problems, s.Seconds, path}, func(page *terminal.Page) {
		page.Line(
			"Indexed %s documents (%s) in %.2f s: %s", humanize.Comma(int64(s.Documents)), sizeText(s.Bytes), s.Seconds, path,
		)
		if s.Problems > 0 {
			page.Line("%s with problems: issues-index check lists them.", words.Count(s.Problems, "document"))
		}
	})
}

// sizeText is a number of bytes for people.
func sizeText[N int | int64 | float64](bytes N) string { return humanize.Bytes(uint64(max(bytes, 0))) }
