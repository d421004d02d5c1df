package main

import (
	"github.com/spf13/cobra"

	"issues-index/index"
)

func newReadyCommand(p *program) *cobra.Command {
	return newReadinessCommand(p, func(f *index.Filter) { f.Ready = true }, &cobra.Command{
		Use:   "ready",
		Short: "List the work that can be begun, most urgent first",
		Long: `Ready lists open documents that wait for nothing: all that they depend on is closed or
cancelled, they are not deferred, and they have no unfinished children. It takes the flags
of list.`,
		Example: `  issues-index ready
  issues-index ready --assignee ann --limit 5`,
	})
}

func newBlockedCommand(p *program) *cobra.Command {
	return newReadinessCommand(p, func(f *index.Filter) { f.Blocked = true }, &cobra.Command{
		Use:   "blocked",
		Short: "List the work that waits, and what it waits for",
		Long: `Blocked lists unfinished documents that wait for others, themselves or with a document
above them. An id that no document has is waited for, too, and shown as unknown. It takes
the flags of list.`,
		Example: `  issues-index blocked
  issues-index blocked --label release`,
	})
}

// blockedColumns are those of a table of what waits. On a narrow screen what it waits for
// stays longest.
var blockedColumns = []string{"id", "status", "priority", "title", "waits-for", "updated", "boxes", "labels", "claim"}

// newReadinessCommand completes a command that lists documents by what they wait for.
func newReadinessCommand(p *program, narrow func(*index.Filter), cmd *cobra.Command) *cobra.Command {
	var flags queryFlags
	cmd.Args = arguments(0, 0, "no arguments")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		q, err := flags.read(p, cmd)
		if err != nil {
			return err
		}
		narrow(&q.Filter)
		if q.Filter.Blocked {
			flags.usual = blockedColumns
		}
		return p.query(cmd, q, listView{out: flags.rowOutput})
	}
	flags.register(cmd, index.SortPriority, index.SortUpdated, index.SortCreated, index.SortStatus)
	return cmd
}
