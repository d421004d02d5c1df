package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/orderedjson"
	"issues-index/store/words"
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
be any form of an id. If no document has it yet, new writes it and warns.

The template of the type, such as .wrangler/templates/issue.md, gives the text and the
fields that no flag gives. On a terminal, new opens your editor for the text, as edit does,
unless --body or --body-file gives it. If the editor fails (:cq in vi), nothing is created.`,
		Example: `  issues-index new "Sort by relevance" --label search --priority high
  issues-index new "Write the release notes" --body ""
  git log -1 --format=%B | issues-index new "Look at this commit" --body-file -`,
		Args: arguments(1, 1, "one title (in quotes)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			n.Title = args[0]
			for _, choice := range []struct {
				flag    string
				value   *string
				allowed words.ValueSet
			}{
				{"type", &n.Type, words.Only(store.Types...)},
				{"status", &n.Status, p.workspaceLayout().StatusValues()}, {"priority", &n.Priority, p.workspaceLayout().PriorityValues()},
			} {
				if !cmd.Flags().Changed(choice.flag) {
					continue
				}
				value, err := oneOf(cmd, choice.flag, *choice.value, choice.allowed)
				if err != nil {
					return err
				}
				*choice.value = value
			}
			if err := exclusive(cmd, "body", "body-file"); err != nil {
				return err
			}
			if bodyFile != "" {
				text, err := readText(bodyFile)
				if err != nil {
					return err
				}
				n.Description = text
			}
			if err := p.fillIn(cmd, &n); err != nil {
				return err
			}
			if cmd.Flags().Changed("body") || cmd.Flags().Changed("body-file") || !terminal.Is(os.Stdin) || !terminal.Is(p.out) {
				return p.create(cmd.Context(), n, parent, allowDuplicate)
			}
			text, d, err := p.compose(cmd.Context(), n.Type+"-"+store.Slug(n.Title)+".md", []byte(n.Description))
			if err != nil {
				return err
			}
			n.Description = string(text)
			// Ctrl-C in the editor is no reason to lose what was saved.
			if err := p.create(context.WithoutCancel(cmd.Context()), n, parent, allowDuplicate); err != nil {
				return d.keep(err, "the same command and --body-file "+shellWord(d.file))
			}
			d.discard()
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&n.Type, "type", "t", store.TypeIssue, "`type` ("+strings.Join(store.Types, ", ")+")")
	flags.StringVarP(&n.Status, "status", "s", "", "`status` ("+strings.Join(layout.Default().StatusNames(), ", ")+")")
	flags.StringVarP(&n.Priority, "priority", "p", "", "`priority` ("+strings.Join(layout.Default().Priorities, ", ")+")")
	flags.Lookup("status").DefValue, flags.Lookup("priority").DefValue = layout.Default().DefaultStatus(), layout.Default().DefaultPriority() // shown only: nameOwnWords has those of the workspace
	flags.StringSliceVarP(&n.Labels, "label", "l", nil, "`labels`")
	flags.StringVar(&n.Assignee, "assignee", "", "`person` that it is assigned to")
	flags.StringVar(&n.Project, "project", "", "`project` it belongs to")
	flags.StringVar(&parent, "parent", "", "`id` of its parent task")
	flags.StringVar(&n.Description, "body", "", "its `text`, as Markdown")
	flags.StringVar(&bodyFile, "body-file", "", "`file` with its text; - is standard input")
	flags.BoolVar(&allowDuplicate, "allow-duplicate", false, "create it even if an unfinished document has the title")
	return cmd
}

// fillIn gives a new document what its type's template has and no flag has set.
func (p *program) fillIn(cmd *cobra.Command, n *store.NewDocument) error {
	return p.withWorkspace(func(ws *store.Workspace) error {
		template, err := ws.Template(n.Type)
		if err != nil {
			return err
		}
		flags := cmd.Flags()
		for _, field := range []struct {
			flag            string
			value, standard *string
		}{
			{"status", &n.Status, &template.Status}, {"priority", &n.Priority, &template.Priority},
			{"assignee", &n.Assignee, &template.Assignee}, {"project", &n.Project, &template.Project},
		} {
			if !flags.Changed(field.flag) && *field.standard != "" {
				*field.value = *field.standard
			}
		}
		if !flags.Changed("label") {
			n.Labels = template.Labels
		} else if n.Labels, err = store.NamesOf("labels", n.Labels, template.Labels); err != nil {
			return err
		}
		if !flags.Changed("body") && !flags.Changed("body-file") {
			n.Description = template.Description
		}
		n.Context, n.Extra = template.Context, template.Extra
		return nil
	})
}

func (p *program) create(ctx context.Context, n store.NewDocument, parent string, allowDuplicate bool) error {
	return p.withWriter(ctx, func(ctx context.Context, ix *index.Index, w *edit.Writer) (err error) {
		if n.Context, err = childOf(ctx, ix, parent, n.Context); err != nil {
			return err
		}
		done, err := w.Create(ctx, n, allowDuplicate)
		if err != nil {
			return err
		}
		return p.printCreated(done)
	})
}

// childOf returns a wranglerContext with the parent in it, unless there is none. The parent's
// id is spelled as in the parent's document. An unknown parent is kept, since it may be on
// another branch.
func childOf(ctx context.Context, ix *index.Index, parent string, fields json.RawMessage) (json.RawMessage, error) {
	if parent == "" {
		return fields, nil
	}
	if row, err := ix.Get(ctx, documentNamed(ix.Workspace(), parent)); err == nil {
		parent = row.ID
	}
	var object orderedjson.Object
	if fields != nil {
		var err error
		if object, err = orderedjson.Parse(fields); err != nil {
			return nil, fmt.Errorf("read the template's wranglerContext: %w", err)
		}
	}
	object.Put("parentTaskId", orderedjson.Text(parent))
	return object.MarshalJSON()
}

// printCreated prints the new id and path, separated by a space.
func (p *program) printCreated(done edit.Applied) error {
	p.warnWritten(done)
	if p.json {
		return p.printJSON(p.newCreatedJSON(done.After))
	}
	_, err := fmt.Fprintln(p.out, p.screen().Paint(terminal.Bold, done.After.ID), done.Path)
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
