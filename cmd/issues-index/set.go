package main

import (
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

// setKeys are what set can change; contextPrefix begins the keys of
// wranglerContext.
var setKeys = []string{"title", "type", "status", "priority", "labels", "assignee", "project", "description"}

const contextPrefix = "context."

func newSetCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "set ID key=value...",
		Short: "Change fields of one document, and nothing else in its file",
		Long: `Set changes these fields: ` + strings.Join(setKeys, ", ") + `, and
context.KEY for any key of wranglerContext, whose value is JSON or else text.

labels are separated by commas and replace the present ones. An empty value clears
labels, assignee, project and context.KEY. A closed or cancelled document moves to
archived/, a reopened one back.`,
		Example: `  issues-index set ISS-000041 status=in_progress assignee=ann
  issues-index set iss-41 labels=search,index context.parentTaskId=SPEC-000007
  issues-index set ISS-000041 status=open assignee=`,
		Args:              arguments(2, -1, "one id or path, and at least one key=value"),
		ValidArgsFunction: p.completeAssignment,
		RunE: func(cmd *cobra.Command, args []string) error {
			fields, err := readAssignments(cmd, args[1:])
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			return p.withWriter(ctx, func(ix *index.Index, w *edit.Writer) error {
				done, err := w.Update(ctx, documentNamed(ix.Workspace(), args[0]), func(*store.Document) (store.Fields, error) { return fields, nil })
				if err != nil {
					return err
				}
				return p.printWritten(done)
			})
		},
	}
}

func readAssignments(cmd *cobra.Command, assignments []string) (store.Fields, error) {
	f := store.Fields{Context: map[string]json.RawMessage{}}
	set := make(map[string]bool, len(assignments))
	for _, assignment := range assignments {
		key, value, ok := strings.Cut(assignment, "=")
		if !ok {
			return f, usage(cmd, fmt.Sprintf("expected key=value, got %q", assignment))
		}
		if set[key] {
			return f, usage(cmd, key+" is set twice")
		}
		set[key] = true
		if err := assign(cmd, &f, key, value); err != nil {
			return f, err
		}
	}
	return f, nil
}

// assign sets one field. An empty value clears what may be empty, and is
// refused for the rest.
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

// contextValue is a value as JSON: as it stands when it is some, else as text;
// nil, which removes the key, when it is empty.
func contextValue(value string) json.RawMessage {
	if strings.TrimSpace(value) == "" {
		return nil
	}
	if json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	text, err := json.Marshal(value)
	if err != nil { // a string always has a JSON form
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
