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

// statFields are the fields that stats can count by.
var statFields = []string{"status", "priority", "type", "project", "assignee", "label"}

func newStatsCommand(p *program) *cobra.Command {
	var (
		flags filterFlags
		by    string
		asCSV bool
	)
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count documents by a field",
		Long: `Stats counts the documents that match every filter, by one of their fields, most frequent
value first. A document counts once for each of its labels.`,
		Example: `  issues-index stats --by label --status open
  issues-index stats --by assignee --type issue --json`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, err := flags.read(cmd)
			if err != nil {
				return err
			}
			if err := exclusive(cmd, "csv", "json", "jq"); err != nil {
				return err
			}
			ctx := cmd.Context()
			return p.withIndex(ctx, p.indexOptions(), func(ix *index.Index) error {
				fields := statFields
				if ix.Workspace().Mirror() {
					fields = slices.Concat(statFields, index.LineGroupBys)
				}
				if by, err = oneOf(cmd, "field", by, words.Only(fields...)); err != nil {
					return err
				}
				if err := p.normalizeFilter(cmd, ix, &filter); err != nil {
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
	flags.register(cmd)
	cmd.Flags().StringVar(&by, "by", "status", "`field` to count by ("+strings.Join(statFields, ", ")+")")
	cmd.Flags().BoolVar(&asCSV, "csv", false, "print CSV")
	completeFlag(cmd, "by", completeAmong(statFields...))
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
	type countJSON struct {
		Value string `json:"value"`
		Count int    `json:"count"`
	}
	list := make([]countJSON, len(counts))
	t := &terminal.Table{Columns: []terminal.Column{
		{
			Title: strings.ToUpper(by), Least: 12,
			Colour: func(value string) string { return statusColour(p.workspaceLayout(), value) },
		},
		{Title: "DOCUMENTS", Right: true},
	}}
	for i, c := range counts {
		list[i] = countJSON(c)
		t.Add(cmp.Or(c.Value, index.None), strconv.Itoa(c.Count))
	}
	return p.print(struct {
		By     string      `json:"groupBy"`
		Counts []countJSON `json:"counts"`
		Total  int         `json:"total"`
	}{by, list, total}, func(page *terminal.Page) {
		page.Table(t, nil)
		page.Line("\n%s", words.Count(total, "document"))
	})
}
