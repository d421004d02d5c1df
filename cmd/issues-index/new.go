package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/store"
)

func newNewCommand(p *program) *cobra.Command {
	var (
		n              store.NewDocument
		parent         string
		bodyFile       string
		allowDuplicate bool
	)
	cmd := &cobra.Command{
		Use:     "new TITLE",
		Aliases: []string{"create", "add"},
		Short:   "Create a document under the next free id",
		Long: `New writes a file with the next free id and the title in its name, and prints the id and
the path. It refuses the title of an unfinished document of the same type. The parent may
be any form of an id. If no document has it yet, new writes it and warns.`,
		Example: `  issues-index new "Sort by relevance" --label search --priority high
  git log -1 --format=%B | issues-index new "Look at this commit" --body-file -`,
		Args: arguments(1, 1, "one title (in quotes)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			n.Title = args[0]
			for _, choice := range []struct {
				flag    string
				value   *string
				allowed []string
			}{{"type", &n.Type, store.Types}, {"status", &n.Status, store.Statuses}, {"priority", &n.Priority, store.Priorities}} {
				value, err := oneOf(cmd, choice.flag, *choice.value, choice.allowed)
				if err != nil {
					return err
				}
				*choice.value = value
			}
			if cmd.Flags().Changed("body") && cmd.Flags().Changed("body-file") {
				return usage(cmd, "--body and --body-file exclude each other")
			}
			if bodyFile != "" {
				text, err := readText(bodyFile)
				if err != nil {
					return err
				}
				n.Description = text
			}
			ctx := cmd.Context()
			return p.withWriter(ctx, func(ix *index.Index, w *edit.Writer) (err error) {
				if n.Context, err = childOf(ctx, ix, parent); err != nil {
					return err
				}
				done, err := w.Create(ctx, n, allowDuplicate)
				if err != nil {
					return err
				}
				return p.printCreated(done)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&n.Type, "type", store.TypeIssue, "`type` ("+strings.Join(store.Types, ", ")+")")
	flags.StringVar(&n.Status, "status", "open", "`status` ("+strings.Join(store.Statuses, ", ")+")")
	flags.StringVar(&n.Priority, "priority", "medium", "`priority` ("+strings.Join(store.Priorities, ", ")+")")
	flags.StringSliceVar(&n.Labels, "label", nil, "`labels`")
	flags.StringVar(&n.Assignee, "assignee", "", "`person` that it is assigned to")
	flags.StringVar(&n.Project, "project", "", "`project` it belongs to")
	flags.StringVar(&parent, "parent", "", "`id` of its parent task")
	flags.StringVar(&n.Description, "body", "", "its `text`, as Markdown")
	flags.StringVar(&bodyFile, "body-file", "", "`file` with its text; - is standard input")
	flags.BoolVar(&allowDuplicate, "allow-duplicate", false, "create it even if an unfinished document has the title")
	return cmd
}

// childOf returns the wranglerContext of a child. The parent's id is spelled as in the
// parent's document. An unknown parent is kept, since it may be on another branch.
func childOf(ctx context.Context, ix *index.Index, parent string) (json.RawMessage, error) {
	if parent == "" {
		return nil, nil
	}
	if row, err := ix.Get(ctx, documentNamed(ix.Workspace(), parent)); err == nil {
		parent = row.ID
	}
	text, err := json.Marshal(map[string]string{"parentTaskId": parent})
	if err != nil {
		return nil, fmt.Errorf("write the parent: %w", err)
	}
	return text, nil
}

// printCreated prints the new id and path, separated by a space.
func (p *program) printCreated(done edit.Applied) error {
	p.warnWritten(done)
	if p.json {
		return p.printJSON(p.newCreatedJSON(done.After))
	}
	_, err := fmt.Fprintln(p.out, p.screen().paint(bold, done.After.ID), done.Path)
	return err
}

// newCreatedJSON describes a new document as list does.
func (p *program) newCreatedJSON(d *store.Document) rowJSON {
	return rowJSON{
		Path: d.Path, File: p.file(d.Path), ID: d.ID, Type: d.Type, Title: d.Title,
		Status: d.Status, Priority: d.Priority, Labels: append([]string{}, d.Labels...),
		Assignee: d.Assignee, Project: d.Project,
		Created: d.Created, Updated: d.Updated, Closed: d.Closed, Context: d.Context, Version: d.Version,
	}
}
