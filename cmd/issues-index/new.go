package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/orderedjson"
)

func newNewCommand(p *program) *cobra.Command {
	var r newRequest
	var bodyFile, from string
	cmd := &cobra.Command{
		Use:     "new TITLE",
		Aliases: []string{"create", "add"},
		Short:   "Create a document under the next free id",
		Long: `New writes a file with the next free id and the title in its name, and prints the id and
the path. It refuses the title of an unfinished document of the same type. The parent may
be any form of an id. If no document has it yet, new writes it and warns.

With - for TITLE it creates a document for each line of standard input, and with --from for
each line of a file; marks of lists before the lines are left out. Each succeeds or fails
alone.

The template of the type, such as .wrangler/templates/issue.md, gives the text and the
fields that no flag gives. On a terminal, new opens your editor for the text, as edit does,
unless --body or --body-file gives it. If the editor fails (:cq in vi), nothing is created.`,
		Example: `  issues-index new "Sort by relevance" --label search --priority high
  issues-index new "Write the release notes" --body ""
  issues-index new --from ideas.txt --type idea
  git log -1 --format=%B | issues-index new "Look at this commit" --body-file -`,
		Args: func(cmd *cobra.Command, args []string) error {
			if from != "" {
				return arguments(0, 0, "no title beside --from")(cmd, args)
			}
			return arguments(1, 1, "one title (in quotes)")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, given := range []struct {
				field string
				value *string
			}{{"status", &r.Status}, {"priority", &r.Priority}} {
				if cmd.Flags().Changed(given.field) {
					value, err := p.choose("--"+given.field, *given.value, documents.Choices(p.workspaceLayout(), given.field))
					if err != nil {
						return err
					}
					*given.value = value
				}
			}
			err := exclusive(cmd, "body", "body-file")
			if err == nil && bodyFile != "" {
				r.Description, err = p.readText(bodyFile)
			}
			if err == nil {
				err = p.withWorkspace(
					func(ws *store.Workspace) error { return documents.FillIn(ws, &r.NewDocument, r.given(cmd)...) },
				)
			}
			if err != nil {
				return err
			}
			titles := args
			if several := slices.Equal(args, []string{"-"}) || from != ""; several {
				if titles, err = p.readTitles(from); err != nil {
					return err
				}
				return p.create(cmd.Context(), r, titles)
			}
			if slices.Contains(r.given(cmd), "description") || !p.asks() || !terminal.Is(p.out) {
				return p.create(cmd.Context(), r, titles)
			}
			text, d, err := p.compose(cmd.Context(), r.Type+"-"+store.Slug(titles[0])+".md", []byte(r.Description))
			if err != nil {
				return err
			}
			r.Description = string(text)
			// Ctrl-C in the editor is no reason to lose what was saved.
			if err := p.create(context.WithoutCancel(cmd.Context()), r, titles); err != nil {
				return d.keep(err, "the same command and --body-file "+shellWord(d.file))
			}
			d.discard()
			return nil
		},
	}
	flags, usual := cmd.Flags(), layout.Default()
	p.choice(flags, &r.Type, "type", "t", store.TypeIssue, "`type`", store.Types...)
	flags.StringVarP(&r.Status, "status", "s", "", choiceUsage("`status`", usual.StatusNames()))
	flags.StringVarP(&r.Priority, "priority", "p", "", choiceUsage("`priority`", usual.Priorities))
	// Shown only: nameOwnWords has those of the workspace.
	flags.Lookup("status").DefValue, flags.Lookup("priority").DefValue = usual.DefaultStatus(), usual.DefaultPriority()
	flags.StringSliceVarP(&r.Labels, "label", "l", nil, "`labels`")
	flags.StringVar(&r.Assignee, "assignee", "", "`person` that it is assigned to")
	flags.StringVar(&r.Project, "project", "", "`project` it belongs to")
	flags.StringVar(&r.Parent, "parent", "", "`id` of its parent task")
	flags.StringVar(&r.Description, "body", "", "its `text`, as Markdown")
	flags.StringVar(&bodyFile, "body-file", "", "`file` with its text; - is standard input")
	flags.StringVar(&from, "from", "", "`file` with a title in each line")
	flags.BoolVar(&r.allowDuplicate, "allow-duplicate", false, "create it even if an unfinished document has the title")
	return cmd
}

// A newRequest is what new is asked for, but for the titles.
type newRequest struct {
	store.NewDocument
	allowDuplicate bool
}

// given are the fields that flags have.
func (r newRequest) given(cmd *cobra.Command) (fields []string) {
	for flag, field := range map[string]string{
		"status": "status", "priority": "priority", "assignee": "assignee", "project": "project", "label": "labels",
		"body": "description", "body-file": "description",
	} {
		if cmd.Flags().Changed(flag) {
			fields = append(fields, field)
		}
	}
	return fields
}

// readTitles reads the lines of a file, or of standard input for "".
func (p *program) readTitles(file string) (titles []string, err error) {
	if file == "" {
		file = "-"
	}
	text, err := p.readText(file)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, mark := range []string{"- ", "* ", "[ ] "} {
			line = strings.TrimSpace(strings.TrimPrefix(line, mark))
		}
		if line != "" {
			titles = append(titles, line)
		}
	}
	if err == nil && len(titles) == 0 {
		p.tell("There are no titles; nothing was created.")
	}
	return titles, err
}

// create creates a document for each title, and prints the ids and paths, separated by a space.
func (p *program) create(ctx context.Context, r newRequest, titles []string) error {
	return p.withWriter(ctx, func(ctx context.Context, ix *index.Index, w *edit.Writer) error {
		if r.Parent = p.documentNamed(ix.Workspace(), r.Parent); r.Parent != "" {
			if _, err := ix.Get(ctx, r.Parent); err != nil { // it may be on another branch
				object, _ := orderedjson.Parse(r.Context) // a template has an object, if any
				object.Put("parentTaskId", orderedjson.Text(r.Parent))
				r.Parent = ""
				if r.Context, err = orderedjson.Marshal(object); err != nil {
					return err
				}
			}
		}
		results := make([]documentResult, len(titles))
		for i, title := range titles {
			r.Title = title
			done, err := w.Create(ctx, r.NewDocument, r.allowDuplicate)
			if results[i] = (documentResult{id: title, err: err}); err != nil {
				continue
			}
			p.noteWritten(done)
			results[i].answer = p.newCreatedJSON(done.After)
			results[i].lay = func(page *terminal.Page) {
				page.Line("%s %s", page.Bold(done.After.ID), done.Path)
			}
		}
		return p.printResults(results)
	})
}
