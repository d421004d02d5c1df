package main

import (
	"strings"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/store/words"
)

// searchFields are the parts of a document that a search can be limited to.
var searchFields = []string{"title", "description", "labels"}

func newSearchCommand(p *program) *cobra.Command {
	var (
		flags  queryFlags
		fields []string
	)
	cmd := &cobra.Command{
		Use:     "search QUERY",
		Aliases: []string{"find"},
		Short:   "Search titles, labels and text, best match first",
		Long: `Search finds the documents that contain every word of the query, in any order and also
inside longer words. "A phrase" in quotes keeps its order, OR separates alternatives,
-word excludes documents, and title:word and label:word search only one field. Anything
else is literal. Put a query that starts with - after --.`,
		Example: `  issues-index search git hooks
  issues-index search '"session types" OR title:checkpoint -figma'`,
		Args: arguments(1, -1, "a query"),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := flags.read(p, cmd)
			if err != nil {
				return err
			}
			for i, field := range fields {
				if fields[i], err = oneOf(cmd, "field", field, words.Only(searchFields...)); err != nil {
					return err
				}
			}
			q.Search, q.Text, q.Fields, q.Snippets = true, strings.Join(args, " "), fields, true
			return p.query(cmd, q, listView{out: flags.rowOutput})
		},
	}
	flags.register(cmd, index.SortRelevance, index.SortUpdated, index.SortCreated, index.SortPriority, index.SortStatus)
	cmd.Flags().StringSliceVar(&fields, "field", nil, "search only these `fields` ("+strings.Join(searchFields, ", ")+")")
	completeFlag(cmd, "field", completeAmong(searchFields...))
	return cmd
}
