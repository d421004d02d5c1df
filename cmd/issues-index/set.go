package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/undo"
	"issues-index/store/words"
	"issues-index/tools"
)

// setKeys are the keys that set can change; contextPrefix begins the keys of
// wranglerContext.
var setKeys = []string{"title", "type", "status", "priority", "labels", "assignee", "project", "parent", "dependsOn", "description"}

const contextPrefix = "context."

func newSetCommand(p *program) *cobra.Command {
	var ifVersion, criteria string
	var labels []string
	var yes bool
	cmd := &cobra.Command{
		Use:   "set ID... key=value...",
		Short: "Change fields of documents, and nothing else in their files",
		Long: `Set changes these fields: ` + strings.Join(setKeys, ", ") + `, and
context.KEY for any key of wranglerContext. The value of a context.KEY is read as JSON, or
else as text.

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
			set, err := p.readAssignments(cmd, texts)
			if err != nil {
				return err
			}
			if set.file != "" {
				if set.fields.Description, err = readDescription(cmd, set.file); err != nil {
					return err
				}
			}
			if err := exclusive(cmd, "where", "if-version"); err != nil {
				return err
			}
			if criteria != "" {
				return p.setWhere(cmd, criteria, yes, set.change)
			}
			return p.updateAll(cmd, ids, ifVersion, func(*edit.Writer) edit.Change { return set.change })
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
	cmd.Flags().StringVar(version, "if-version", "", "change the document only if it has this `version`, as show prints it")
}

// descriptionFile begins an assignment whose value is in a file.
const descriptionFile = "description@"

// assignments are what set is to change.
type assignments struct {
	fields store.Fields
	file   string // has the description; "" for none
}

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

// readAssignments reads the arguments of set after the ids.
func (p *program) readAssignments(cmd *cobra.Command, texts []string) (a assignments, err error) {
	a.fields.Context = map[string]json.RawMessage{}
	set := make(map[string]bool, len(texts))
	for _, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		name, inFile := strings.CutPrefix(text, descriptionFile)
		if inFile {
			key, a.file, ok = "description", name, name != ""
		}
		if !ok {
			return a, usage(cmd, fmt.Sprintf("expected key=value, got %q", text))
		}
		list := strings.TrimRight(key, "+-")
		relative := key == list+"+" || key == list+"-" // any number of them, but without the list itself
		if relative && set[list] || !relative && set[key] || set[key+"+"] || set[key+"-"] {
			return a, usage(cmd, list+" is set twice")
		}
		set[key] = true
		switch {
		case inFile:
		case key == "labels+":
			a.fields.AddLabels = append(a.fields.AddLabels, words.List(value)...)
		case key == "labels-":
			a.fields.RemoveLabels = append(a.fields.RemoveLabels, words.List(value)...)
		case key == "dependsOn+":
			a.fields.AddDependsOn = append(a.fields.AddDependsOn, words.List(value)...)
		case key == "dependsOn-":
			a.fields.RemoveDependsOn = append(a.fields.RemoveDependsOn, words.List(value)...)
		default:
			err = p.assign(cmd, &a.fields, key, value)
		}
		if err != nil {
			return a, err
		}
	}
	return a, nil
}

// change returns the fields to set in a document.
func (a assignments) change(*store.Document) (store.Fields, error) { return a.fields, nil }

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
func (p *program) assign(cmd *cobra.Command, f *store.Fields, key, value string) (err error) {
	if name, ok := strings.CutPrefix(key, contextPrefix); ok && name != "" {
		f.Context[name] = contextValue(value)
		return nil
	}
	if f.SetOptional(key, value) {
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
		value, err = oneOf(cmd, key, value, words.Only(store.Types...))
	case "status":
		f.Status = &value
		value, err = oneOf(cmd, key, value, p.workspaceLayout().StatusValues())
	case "priority":
		f.Priority = &value
		value, err = oneOf(cmd, key, value, p.workspaceLayout().PriorityValues())
	default:
		wrong := usage(cmd, fmt.Sprintf("unknown key %q", key))
		wrong.hint = "keys are " + strings.Join(setKeys, ", ") + " and " + contextPrefix + "KEY; " +
			"labels+= adds labels, labels-= takes some away"
		lists := []string{"labels+", "labels-", "dependsOn+", "dependsOn-"}
		if near := words.Nearest(key, append(lists, setKeys...)); near != "" {
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

// withWriter calls change with the index and a writer, and a context in which a change
// renews what the person has claimed. It says what others have ended of that, and keeps what
// was changed for undo.
func (p *program) withWriter(ctx context.Context, change func(context.Context, *index.Index, *edit.Writer) error) error {
	p.changes = &undo.Undoable{Command: p.kind}
	return p.withIndex(ctx, p.indexOptions(), func(ix *index.Index) error {
		defer p.keepForUndo()
		lost, err := ix.Leases().Lost(ctx, p.holder(), true)
		if err == nil { // else claims fail by themselves
			for _, one := range lost {
				fmt.Fprintf(p.errOut, "note: %s\n", terminal.Harmless(tools.LeaseEnd(one)))
			}
			defer func() { _ = ix.Leases().Told(ctx, lost) }() // else it is told once more
		}
		return change(edit.As(ctx, p.holder()), ix, edit.New(ix, edit.LockWait))
	})
}
