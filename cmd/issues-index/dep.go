package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/index/edit"
	"issues-index/store"
)

func newDepCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dep",
		Short: "Say which documents wait for which",
		Long: `Dep writes what a document waits for into its file, under the key that it has for that,
else under dependsOn. deps shows it.`,
		Example: `  issues-index dep add ISS-000041 ISS-000012
  issues-index dep rm 41 12`,
		Args: knownCommand,
		RunE: showHelp,
	}
	cmd.AddCommand(
		newDependencyCommand(p, "%s waits for %s\n", func(id string) store.Fields {
			return store.Fields{AddDependsOn: []string{id}}
		}, &cobra.Command{
			Use:     "add A B",
			Short:   "Let document A wait for document B",
			Long:    "Add lets A wait for B. It refuses what would make a document wait for itself, and says by which way.",
			Example: "  issues-index dep add ISS-000041 ISS-000012",
		}),
		newDependencyCommand(p, "%s no longer waits for %s\n", func(id string) store.Fields {
			return store.Fields{RemoveDependsOn: []string{id}}
		}, &cobra.Command{
			Use:     "rm A B",
			Aliases: []string{"remove"},
			Short:   "Let document A not wait for document B",
			Long: "Rm lets A wait for B no longer. B need not exist. If B's own file says that it blocks A, rm\nfails " +
				"and names the key, which is to be edited there.",
			Example: "  issues-index dep rm ISS-000041 ISS-000012",
		}),
	)
	return cmd
}

// newDependencyCommand completes a command that changes what one document waits for.
func newDependencyCommand(
	p *program, says string, fields func(id string) store.Fields, cmd *cobra.Command,
) *cobra.Command {
	cmd.Args = arguments(2, 2, "two ids or paths")
	cmd.ValidArgsFunction = p.completeDocument(anyStatus)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		return p.withWriter(ctx, func(ctx context.Context, ix *index.Index, w *edit.Writer) error {
			from, to := p.documentNamed(ix.Workspace(), args[0]), p.documentNamed(ix.Workspace(), args[1])
			done, err := w.Update(
				ctx, edit.DocumentRef{ID: from}, func(*store.Document) (store.Fields, error) { return fields(to), nil },
			)
			if err != nil {
				return err
			}
			if len(done.Kept) > 0 {
				kept := done.Kept[0]
				wrong := failed(
					documents.StillWaits(done, kept),
					"issues-index edit "+shellWord(terminal.OneLine(kept.Blocker.ID))+" opens the file",
				)
				if done.Kept = nil; done.Changed {
					return errors.Join(p.printWritten(done), wrong)
				}
				return wrong
			}
			if !done.Changed || p.json {
				return p.printWritten(done)
			}
			if row, err := ix.Get(ctx, to); err == nil {
				to = row.ID
			}
			p.noteWritten(done)
			_, err = fmt.Fprintf(p.out, says, terminal.OneLine(done.After.ID), terminal.OneLine(to))
			return err
		})
	}
	return cmd
}
