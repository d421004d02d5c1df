package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/store/words"
)

func newStatsCommand(p *program) *cobra.Command {
	var filter index.Filter
	var by string
	var asCSV bool
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count documents by a field",
		Long: `Stats counts the documents that match every filter, by one of their fields, most frequent
value first. A document counts once for each of its labels. In a hub it counts by workspace
and line, too.`,
		Example: `  issues-index stats --by label --status open
  issues-index stats --by assignee --type issue --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := exclusive(cmd, "csv", "json", "jq"); err != nil {
				return err
			}
			ctx := cmd.Context()
			return p.withIndex(ctx, func(ix *index.Index) error {
				if slices.Contains(index.LineGroupBys, by) && !ix.Workspace().Mirror() {
					return &words.ChoiceError{What: "--by", Text: by, Valid: index.GroupBys}
				}
				if _, err := p.narrow(ctx, ix, &filter, ""); err != nil {
					return err
				}
				counts, total, err := ix.Stats(ctx, by, filter)
				if err != nil {
					return err
				}
				if asCSV {
					return p.printCountsCSV(by, counts)
				}
				return p.printCounts(by, counts, total)
			})
		},
	}
	p.filterFlags(cmd, &filter)
	p.choice(
		cmd.Flags(), &by, "by", "", "status", "`field` to count by",
		append(slices.Clone(index.GroupBys), index.LineGroupBys...)...,
	)
	cmd.Flags().BoolVar(&asCSV, "csv", false, "print CSV")
	return cmd
}

// printCountsCSV prints counts for a spreadsheet. The count of documents without a value has
// an empty one.
func (p *program) printCountsCSV(by string, counts []index.Count) error {
	lines := [][]string{{by, "documents"}}
	for _, c := range counts {
		lines = append(lines, []string{c.Value, strconv.Itoa(c.Count)})
	}
	return p.printCSV(lines)
}

func (p *program) printCounts(by string, counts []index.Count, total int) error {
	t := &terminal.Table{Columns: []terminal.Column{
		{
			Title: strings.ToUpper(by), Least: 12,
			Colour: func(value string) string { return statusColour(p.workspaceLayout(), value) },
		},
		{Title: "DOCUMENTS", Right: true},
	}}
	for _, c := range counts {
		t.Add(cmp.Or(c.Value, index.None), strconv.Itoa(c.Count))
	}
	return p.print(struct {
		By     string        `json:"groupBy"`
		Counts []index.Count `json:"counts"`
		Total  int           `json:"total"`
	}{by, append([]index.Count{}, counts...), total}, func(page *terminal.Page) {
		page.Table(t, nil)
		page.Line("\n%s", words.Count(total, "document"))
	})
}
