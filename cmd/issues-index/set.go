package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/words"
)

// setKeys are the keys that set can change; contextPrefix begins the keys of
// wranglerContext.
var setKeys = []string{"title", "type", "status", "priority", "labels", "assignee", "project", "description"}

const contextPrefix = "context."

func newSetCommand(p *program) *cobra.Command {
	var ifVersion, criteria string
	var yes bool
	cmd := &cobra.Command{
		Use:   "set ID key=value...",
		Short: "Change fields of one document, and nothing else in its file",
		Long: `Set changes these fields: ` + strings.Join(setKeys, ", ") + `, and
context.KEY for any key of wranglerContext. The value of a context.KEY is read as JSON, or
else as text.

Labels are separated by commas and replace the present ones. An empty value clears
labels, assignee, project and context.KEY. description@FILE takes the text from a file,
description@- from standard input. A document that is closed or cancelled moves to
archived/; a reopened one moves back.

With --where in place of the id, set changes all documents that meet the criteria. It shows
them and asks first.`,
		Example: `  issues-index set ISS-000041 status=in_progress assignee=ann
  issues-index set ISS-000041 description@notes.md
  issues-index set iss-41 labels=search,index context.parentTaskId=SPEC-000007
  issues-index set ISS-000041 status=open assignee=
  issues-index set --where 'label:old updated < -1y' status=cancelled`,
		Args: func(cmd *cobra.Command, args []string) error {
			if criteria != "" {
				return arguments(1, -1, "at least one key=value beside --where")(cmd, args)
			}
			return arguments(2, -1, "one id or path, and at least one key=value")(cmd, args)
		},
		ValidArgsFunction: p.completeAssignment,
		RunE: func(cmd *cobra.Command, args []string) error {
			assignments := args[1:]
			if criteria != "" {
				assignments = args
			}
			fields, file, err := readAssignments(cmd, assignments)
			if err != nil {
				return err
			}
			if file != "" {
				if fields.Description, err = readDescription(cmd, file); err != nil {
					return err
				}
			}
			if criteria != "" {
				return p.setWhere(cmd, criteria, yes, fields)
			}
			ctx := cmd.Context()
			return p.withWriter(ctx, func(ctx context.Context, ix *index.Index, w *edit.Writer) error {
				done, err := w.Update(ctx, edit.DocumentRef{ID: documentNamed(ix.Workspace(), args[0]), IfVersion: ifVersion}, func(*store.Document) (store.Fields, error) { return fields, nil })
				if err != nil {
					return err
				}
				return p.printWritten(done)
			})
		},
	}
	ifVersionFlag(cmd, &ifVersion)
	cmd.Flags().StringVar(&criteria, "where", "", "change all documents that meet these `criteria`, as list takes them")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "with --where, do not ask")
	cmd.MarkFlagsMutuallyExclusive("where", "if-version")
	return cmd
}

// ifVersionFlag adds the flag --if-version.
func ifVersionFlag(cmd *cobra.Command, version *string) {
	cmd.Flags().StringVar(version, "if-version", "", "change the document only if it has this `version`, as show prints it")
}

// descriptionFile begins an assignment whose value is in a file.
const descriptionFile = "description@"

// readAssignments returns the fields to set, and the file that has the description, "" for
// none.
func readAssignments(cmd *cobra.Command, assignments []string) (f store.Fields, file string, err error) {
	f.Context = map[string]json.RawMessage{}
	set := make(map[string]bool, len(assignments))
	for _, assignment := range assignments {
		key, value, ok := strings.Cut(assignment, "=")
		name, inFile := strings.CutPrefix(assignment, descriptionFile)
		if inFile {
			key, file, ok = "description", name, name != ""
		}
		if !ok {
			return f, "", usage(cmd, fmt.Sprintf("expected key=value, got %q", assignment))
		}
		if set[key] {
			return f, "", usage(cmd, key+" is set twice")
		}
		set[key] = true
		if inFile {
			continue
		}
		if err := assign(cmd, &f, key, value); err != nil {
			return f, "", err
		}
	}
	return f, file, nil
}

// readDescription reads the description from a file, or from standard input for -.
func readDescription(cmd *cobra.Command, file string) (*string, error) {
	text, err := readText(file)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(text) == "" {
		return nil, usage(cmd, "description cannot be empty")
	}
	return &text, nil
}

// assign sets one field. An empty value clears an optional field, and is an error for any
// other.
func assign(cmd *cobra.Command, f *store.Fields, key, value string) (err error) {
	if name, ok := strings.CutPrefix(key, contextPrefix); ok && name != "" {
		f.Context[name] = contextValue(value)
		return nil
	}
	switch key {
	case "assignee":
		f.Assignee = &value
		return nil
	case "project":
		f.Project = &value
		return nil
	case "labels":
		labels := splitLabels(value)
		f.Labels = &labels
		return nil
	}
	if slices.Contains(setKeys, key) && strings.TrimSpace(value) == "" {
		return usage(cmd, key+" cannot be empty")
	}
	switch key {
	case "title":
		f.Title = &value
	case "description":
		f.Description = &value
	case "type":
		f.Type = &value
		value, err = oneOf(cmd, key, value, store.Types)
	case "status":
		f.Status = &value
		value, err = oneOf(cmd, key, value, store.Statuses)
	case "priority":
		f.Priority = &value
		value, err = oneOf(cmd, key, value, store.Priorities)
	default:
		wrong := usage(cmd, fmt.Sprintf("unknown key %q", key))
		wrong.hint = "keys are " + strings.Join(setKeys, ", ") + " and " + contextPrefix + "KEY"
		if near := words.Nearest(key, setKeys); near != "" {
			wrong.hint = "did you mean " + near + "? " + wrong.hint
		}
		return wrong
	}
	return err
}

// contextValue returns a value as JSON, quoting it when it is not JSON. An empty value
// gives nil, which removes the key.
func contextValue(value string) json.RawMessage {
	if strings.TrimSpace(value) == "" {
		return nil
	}
	if json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	text, err := json.Marshal(value)
	if err != nil { // cannot happen with a string
		return nil
	}
	return text
}

func splitLabels(value string) []string {
	labels := []string{}
	for label := range strings.SplitSeq(value, ",") {
		if label = strings.TrimSpace(label); label != "" && !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	return labels
}

// withWriter calls change with the index and a writer, and a context in which a change
// renews what the person has claimed.
func (p *program) withWriter(ctx context.Context, change func(context.Context, *index.Index, *edit.Writer) error) error {
	return p.withIndex(ctx, p.indexOptions(), func(ix *index.Index) error {
		return change(edit.As(ctx, p.holder()), ix, edit.New(ix, edit.LockWait))
	})
}
