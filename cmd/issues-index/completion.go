package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/session"
	"issues-index/store/words"
	"issues-index/tools/config"
	"issues-index/tools/telemetry"
)

// Shell completions come from the index. An error completes nothing and prints nothing,
// since a message would disturb the line under the cursor.

// noFiles tells the shell to complete no file names.
const noFiles = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder

// anyStatus accepts every document.
func anyStatus(index.Row) bool { return true }

// unfinished accepts the documents that can be closed.
func (p *program) unfinished(r index.Row) bool { return !p.workspaceLayout().Finished(r.Status) }

// finished accepts the documents that can be reopened.
func (p *program) finished(r index.Row) bool { return !p.unfinished(r) }

// completeDocument completes one document: its id and title, or its path when other
// documents have the id or when the user has typed the beginning of a path.
func (p *program) completeDocument(wanted func(index.Row) bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, noFiles
		}
		return p.documents(cmd.Context(), begun, wanted), noFiles
	}
}

// completeDocuments completes any number of documents.
func (p *program) completeDocuments(wanted func(index.Row) bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return slices.DeleteFunc(p.documents(cmd.Context(), begun, wanted), func(c cobra.Completion) bool {
			name, _, _ := strings.Cut(c, "\t")
			return slices.Contains(args, name)
		}), noFiles
	}
}

func (p *program) documents(ctx context.Context, begun string, wanted func(index.Row) bool) (list []cobra.Completion) {
	p.askQuietly(ctx, func(ix *index.Index) error {
		found, _, err := ix.Complete(ctx, index.Completing{Begun: begun, Wanted: wanted})
		for _, one := range found {
			if terminal.OneLine(one.Name) == one.Name {
				list = append(list, described(one.Name, one.Row.Title))
			}
		}
		return err
	})
	return list
}

// described returns a completion with a description, which the shell shows.
func described(name, meaning string) cobra.Completion {
	return cobra.CompletionWithDesc(name, strings.TrimSpace(terminal.OneLine(meaning)))
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// askQuietly calls ask with the index and ignores all errors.
func (p *program) askQuietly(ctx context.Context, ask func(*index.Index) error) {
	_ = p.withIndex(ctx, index.Options{Mode: index.ModeVerify, Log: slog.New(slog.DiscardHandler)}, ask)
}

// values returns the values of a field, the most frequent first.
func (p *program) values(ctx context.Context, field string) (list []cobra.Completion) {
	p.askQuietly(ctx, func(ix *index.Index) error {
		found, _, err := ix.Stats(ctx, field, index.Filter{})
		for _, c := range found {
			if c.Value != "" && terminal.OneLine(c.Value) == c.Value {
				list = append(list, described(c.Value, words.Count(c.Count, "document")))
			}
		}
		return err
	})
	return list
}

// completeValues completes the values of a field, also after a comma.
func (p *program) completeValues(field string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return choicesAfterComma(begun, p.values(cmd.Context(), field)), noFiles
	}
}

// completeAmong completes fixed words, also after a comma.
func completeAmong(words ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return choicesAfterComma(begun, words), noFiles
	}
}

// choicesAfterComma returns the choices for the last part of a list with commas, each
// with the parts before it. It leaves out choices that the list has already.
func choicesAfterComma(begun string, choices []cobra.Completion) (list []cobra.Completion) {
	before, last := "", begun
	if i := strings.LastIndexByte(begun, ','); i >= 0 {
		before, last = begun[:i+1], begun[i+1:]
	}
	given := strings.Split(before, ",")
	for _, choice := range choices {
		name, _, _ := strings.Cut(choice, "\t")
		if hasPrefixFold(name, last) && !slices.Contains(given, name) {
			list = append(list, before+choice)
		}
	}
	return list
}

// valueOfKey says what the values of the keys of set are, as the usage of flags does.
var valueOfKey = map[string]string{
	"type": "type", "status": "status", "priority": "priority", "labels": "labels", "project": "project", "assignee": "person",
	contextPrefix + "parentTaskId": "id",
}

// completeAssignment completes the arguments of set: a document, then key=value.
func (p *program) completeAssignment(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return p.documents(cmd.Context(), begun, anyStatus), noFiles
	}
	key, value, assigned := strings.Cut(begun, "=")
	if !assigned {
		_, assignments := splitAssignments(args)
		return keysLeft(assignments, begun), noFiles | cobra.ShellCompDirectiveNoSpace
	}
	complete := p.completions()[valueOfKey[strings.TrimRight(key, "+-")]]
	if complete == nil {
		return nil, noFiles
	}
	choices, _ := complete(cmd, nil, value)
	for i, choice := range choices {
		choices[i] = strings.TrimSuffix(begun, value) + choice
	}
	return choices, noFiles
}

// keysLeft returns the keys of set that begin so and are not assigned yet.
func keysLeft(assigned []string, begun string) (list []cobra.Completion) {
	for _, key := range append(slices.Clone(setKeys), contextPrefix+"parentTaskId") {
		taken := slices.ContainsFunc(assigned, func(a string) bool { return strings.HasPrefix(a, key+"=") })
		if !taken && strings.HasPrefix(key, begun) {
			list = append(list, key+"=")
		}
	}
	return list
}

// completeSession completes the id of a session, with its status and specification.
func (p *program) completeSession(cmd *cobra.Command, args []string, begun string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, noFiles
	}
	_ = p.withWorkspace(func(ws *store.Workspace) error {
		sessions, err := session.In(ws).All(cmd.Context())
		for _, s := range sessions {
			if strings.HasPrefix(s.ID, begun) {
				list = append(list, described(s.ID, strings.TrimSpace(s.Status+" "+s.SpecFile)))
			}
		}
		return err
	})
	return list, noFiles
}

// completeVariants completes the two variants of telemetry compare.
func (p *program) completeVariants(cmd *cobra.Command, args []string, _ string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
	if len(args) < 2 {
		_ = p.askTelemetry(func(log *telemetry.Log) (err error) {
			list, err = log.Variants(cmd.Context(), telemetry.CallFilter{})
			return err
		}, func(*commandError) error { return nil })
	}
	return slices.DeleteFunc(list, func(v string) bool { return slices.Contains(args, v) }), noFiles
}

// completeOwn completes words of the workspace.
func (p *program) completeOwn(words func(*layout.Layout) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return completeAmong(words(p.workspaceLayout())...)(cmd, args, begun)
	}
}

// completeFlag registers the completion of a flag.
func completeFlag(cmd *cobra.Command, name string, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(name, complete); err != nil {
		panic(fmt.Sprintf("complete --%s of %s: %v", name, cmd.CommandPath(), err))
	}
}

// completions has what completes a value, by what the value is called: by the word in backquotes in
// the usage of a flag, else by the name of the flag. Nil completes files.
func (p *program) completions() map[string]cobra.CompletionFunc {
	statuses, priorities := p.completeOwn((*layout.Layout).StatusNames), p.completeOwn(func(l *layout.Layout) []string { return l.Priorities })
	types, parent := completeAmong(store.Types...), p.completeParent
	return map[string]cobra.CompletionFunc{
		"status": statuses, "statuses": statuses, "priority": priorities, "priorities": priorities, "type": types, "types": types,
		"labels": p.completeValues("label"), "project": p.completeValues("project"), "person": p.completeValues("assignee"),
		"id": parent, "boxes": completeAmong(index.BoxFilters...), "directory": p.completeWorkspace,
		"tool": func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return completeAmong(toolNames()...)(cmd, args, begun) // not collected at every start
		},
		"outcome": completeAmong("plain", "paginated", "summarized", "chunked", "error"),
		"output":  completeAmong(config.Outputs()...), "toolsets": completeAmong(config.Toolsets()...),
		"log-level": completeAmong("debug", "info", "warn", "error"),
		"file":      nil, "folder": nil, "path": nil, "db": nil, "tokens": nil, "dir": nil,
	}
}

// completeFlags registers what completes each flag. A flag whose value nothing completes takes free
// text, or has registered its completion itself.
func (p *program) completeFlags(root *cobra.Command) {
	completions := p.completions()
	each(root, func(cmd *cobra.Command) {
		if cmd.ValidArgsFunction == nil && !cmd.HasSubCommands() {
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			word, _ := pflag.UnquoteUsage(f)
			complete, known := completions[word]
			if !known {
				complete, known = completions[f.Name]
			}
			if _, has := cmd.GetFlagCompletionFunc(f.Name); has || known && complete == nil || f.NoOptDefVal != "" {
				return
			}
			if !known {
				complete = cobra.NoFileCompletions
			}
			completeFlag(cmd, f.Name, complete)
		})
	})
}

// completeWorkspace completes the names of the user's own configuration, else folders.
func (p *program) completeWorkspace(_ *cobra.Command, _ []string, begun string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
	named, err := p.userWorkspaces()
	if err != nil {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if hasPrefixFold(name, begun) {
			list = append(list, described(name, named[name]))
		}
	}
	if len(list) == 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return list, noFiles
}

func (p *program) completeParent(cmd *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return p.documents(cmd.Context(), begun, anyStatus), noFiles
}

// each visits a command and all below it.
func each(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, sub := range cmd.Commands() {
		each(sub, visit)
	}
}
