package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/undo"
	"issues-index/store/words"
	"issues-index/tools"
)

func newSetCommand(p *program) *cobra.Command {
	var ifVersion, criteria string
	var labels []string
	var yes bool
	cmd := &cobra.Command{
		Use:   "set ID... key=value...",
		Short: "Change fields of documents, and nothing else in their files",
		Long: `Set changes these fields: ` + strings.Join(documents.FieldKeys, ", ") + `, and
context.KEY for any key of wranglerContext. The value of a context.KEY is read as JSON, or
else as text; context.KEY:= takes JSON alone.

Labels are separated by commas and replace the present ones; labels+= adds some, labels-=
takes some away, and so do labels=+x,-y and --label x --label -y. dependsOn= takes ids of
documents to wait for, with += and -=, + and - in the same way.
An empty value clears labels, assignee, project, parent, dependsOn and context.KEY.
description@FILE takes the text from a file, description@- from standard input. A document
that is closed or cancelled moves to archived/; a reopened one moves back.

With - for ID, set reads one id or path a line from standard input. Each document succeeds
or fails alone; the exit code is 1 if any failed.

With --where in place of the ids, set changes all documents that meet the criteria. It shows
them and asks first.`,
		Example: `  issues-index set ISS-000041 status=in_progress assignee=ann
  issues-index set ISS-000041 description@notes.md
  issues-index set iss-41 labels=search,index parent=SPEC-000007 dependsOn+=40
  issues-index set 41 42 43 priority=low labels=+later,-urgent
  issues-index list -l parser --format '{{.ID}}' | issues-index set - assignee=ann
  issues-index set --where 'label:old updated < -1y' status=cancelled`,
		Args: func(cmd *cobra.Command, args []string) error {
			args = slices.Concat(args, labels)
			if criteria != "" {
				return arguments(1, -1, "at least one key=value beside --where")(cmd, args)
			}
			return arguments(2, -1, "ids or paths, and at least one key=value")(cmd, args)
		},
		ValidArgsFunction: p.completeAssignment,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, label := range labels {
				if less, ok := strings.CutPrefix(label, "-"); ok {
					args = append(args, "labels-="+less)
				} else {
					args = append(args, "labels+="+label)
				}
			}
			var ids []string
			texts := args
			if criteria == "" {
				ids, texts = splitAssignments(args)
			}
			fields, err := p.readAssignments(cmd, texts, p.readText)
			if err == nil {
				err = exclusive(cmd, "where", "if-version")
			}
			if err != nil {
				return err
			}
			//nolint:unparam // Other changes fail.
			change := func(*store.Document) (store.Fields, error) { return fields, nil }
			if criteria != "" {
				return p.setWhere(cmd, criteria, yes, change)
			}
			return p.updateAll(cmd, ids, ifVersion, func(*edit.Writer) edit.Change { return change })
		},
	}
	ifVersionFlag(cmd, &ifVersion)
	cmd.Flags().StringSliceVarP(&labels, "label", "l", nil, "`labels` to add; those with - before them are taken away")
	cmd.Flags().StringVar(&criteria, "where", "", "change all documents that meet these `criteria`, as list takes them")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "with --where, do not ask")
	return cmd
}

// ifVersionFlag adds the flag --if-version.
func ifVersionFlag(cmd *cobra.Command, version *string) {
	cmd.Flags().StringVar(
		version, "if-version", "", "change the document only if it has this `version`, as show prints it",
	)
}

// descriptionFile begins an assignment whose value is in a file.
const descriptionFile = "description@"

// splitAssignments splits the arguments of set: ids come first, one at least.
func splitAssignments(args []string) (ids, texts []string) {
	n := 1
	for n < len(args) && !strings.Contains(args[n], "=") && !strings.HasPrefix(args[n], descriptionFile) {
		n++
	}
	if n == len(args) && n > 1 { // the last should have been an assignment
		n--
	}
	return args[:n], args[n:]
}

// readAssignments reads the arguments of set after the ids. read reads a file.
func (p *program) readAssignments(
	cmd *cobra.Command, texts []string, read func(file string) (string, error),
) (f store.Fields, err error) {
	added := make(map[string]bool, len(texts)) // by the field: whether it was only added to and taken from
	for _, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		if file, inFile := strings.CutPrefix(text, descriptionFile); inFile && file != "" {
			key, ok = "description", true
			if value, err = read(file); err != nil {
				return f, err
			}
		}
		key, isJSON := strings.CutSuffix(key, ":")
		field := strings.TrimRight(key, "+-")
		before, again := added[field]
		added[field] = key != field
		switch {
		case !ok:
			return f, usage(cmd, fmt.Sprintf("expected key=value, got %q", text))
		case again && !(before && added[field]): // a list is added to any number of times
			return f, usage(cmd, field+" is set twice")
		case isJSON && !json.Valid([]byte(value)):
			return f, usage(cmd, fmt.Sprintf("the value of %s:= is no JSON", key), "a text needs quotes: "+key+`:='"text"'`)
		}
		note, err := documents.SetField(&f, p.workspaceLayout(), key, value)
		if err != nil {
			return f, err
		}
		if note != "" {
			p.note("%s", note)
		}
	}
	return f, nil
}

// setWhere makes a change in all documents that meet criteria. It shows them and asks first, unless
// yes is given, and changes exactly those that it has shown.
func (p *program) setWhere(cmd *cobra.Command, criteria string, yes bool, change edit.Change) error {
	const mostShown = 20
	if !yes && !p.asks() {
		return usage(cmd, "set --where asks first, but there is no terminal to ask on",
			"--yes changes the documents without asking; issues-index list --where shows them")
	}
	return p.withWriter(cmd.Context(), func(ctx context.Context, ix *index.Index, w *edit.Writer) error {
		f := index.Filter{Where: index.AskedCriteria{Text: criteria, Me: p.holder()}}
		page, err := ix.Find(ctx, index.Query{Filter: f, Limit: noLimit})
		if err != nil {
			return err
		}
		if len(page.Rows) == 0 && !p.json {
			p.tell("No documents match; nothing was changed.")
			return nil
		}
		names, refs := make([]string, len(page.Rows)), make([]edit.DocumentRef, len(page.Rows))
		for i, r := range page.Rows {
			if i < mostShown && !yes {
				p.tell("%s  %s", r.ID, r.Title)
			}
			// By its path and version, so that it is the document that was shown.
			names[i], refs[i] = r.ID, edit.DocumentRef{ID: r.Path, IfVersion: r.Version}
		}
		if left := len(refs) - mostShown; left > 0 && !yes {
			p.tell("and %d more", left)
		}
		if !yes && !p.confirm(ctx, fmt.Sprintf("Change %s? [y/N] ", words.Count(len(refs), "document"))) {
			return failed("nothing was changed", "issues-index list --where shows the documents")
		}
		results, err := p.updateRefs(ctx, w, names, refs, change)
		if err != nil {
			return err
		}
		return p.printChanged(results)
	})
}

// A changedJSON is what became of the documents that met criteria, for scripts.
type changedJSON struct {
	Changed   int           `json:"changed"`
	Failed    int           `json:"failed"`
	Documents []writtenJSON `json:"documents"`
}

// printChanged prints what became of the documents that met criteria, however many did.
func (p *program) printChanged(results []documentResult) error {
	out := changedJSON{Documents: []writtenJSON{}}
	for _, r := range results {
		one, written := r.answer.(writtenJSON)
		switch {
		case !written:
			out.Failed++
			one = writtenJSON{ID: r.id, Changes: []store.FieldChange{}, Error: asCommandError(r.err).message}
		case one.Changed:
			out.Changed++
		}
		out.Documents = append(out.Documents, one)
	}
	var err error
	if p.json {
		err = p.printJSON(out)
	} else {
		err = p.printResults(results)
		p.tell("%s changed, %d as they were, %d failed.", words.Count(out.Changed, "document"),
			len(results)-out.Changed-out.Failed, out.Failed)
	}
	if err == nil && out.Failed > 0 {
		err = errSomeFailed
	}
	return err
}

// withWriter calls change with the index and a writer, and a context in which a change
// renews what the person has claimed. It says what others have ended of that, and keeps what
// was changed for undo.
func (p *program) withWriter(
	ctx context.Context, change func(context.Context, *index.Index, *edit.Writer) error,
) error {
	return p.withIndex(ctx, func(ix *index.Index) error {
		ctx, recording := undo.Record(edit.As(ctx, p.holder()), p.holder(), p.kind)
		defer func() {
			if err := recording.End(); err != nil {
				p.note("the change cannot be taken back with undo (%v)", err)
			}
		}()
		lost, err := ix.Leases().Lost(ctx, p.holder(), true)
		if err == nil { // else claims fail by themselves
			for _, one := range lost {
				p.note("%s", tools.LeaseEnd(one))
			}
			defer func() { _ = ix.Leases().Told(ctx, lost) }() // else it is told once more
		}
		return change(ctx, ix, edit.New(ix, edit.LockWait))
	})
}
