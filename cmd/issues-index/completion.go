package main

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"issues-index/store/session"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/words"
	"issues-index/tools/telemetry"
)

// What a shell completes comes from the index, as every answer does. An error
// completes nothing and says nothing: the line under the cursor is no place for
// messages.

// noFiles is what every completion here ends with: nothing that is asked for is
// a file, unless the shell is told so.
const noFiles = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder

// anyStatus lets every document through.
func anyStatus(index.Row) bool { return true }

// unfinished lets those through that can be closed.
func unfinished(r index.Row) bool { return r.Status != "closed" && r.Status != "cancelled" }

// completeDocument completes one document: its id with its title beside it, or
// its path where the id is not its alone, and wherever a path is begun.
func (p *program) completeDocument(wanted func(index.Row) bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, noFiles
		}
		return p.documents(cmd.Context(), begun, wanted), noFiles
	}
}

func (p *program) documents(ctx context.Context, begun string, wanted func(index.Row) bool) (list []cobra.Completion) {
	paths := strings.ContainsAny(begun, `/\`) || strings.HasPrefix(begun, ".")
	p.silently(ctx, func(ix *index.Index) error {
		page, err := ix.Find(ctx, index.Query{Sort: index.Sort{Key: index.SortUpdated, Desc: true}, Limit: everything})
		for _, row := range page.Rows {
			name := row.ID
			if paths || row.Shared {
				name = row.Path
			}
			if wanted(row) && hasPrefixFold(name, begun) && oneLine(name) == name {
				list = append(list, described(name, row.Title))
			}
		}
		return err
	})
	return list
}

// described is a completion with what it stands for, which the shell shows.
func described(name, meaning string) cobra.Completion {
	return cobra.CompletionWithDesc(name, strings.TrimSpace(oneLine(meaning)))
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// silently runs ask on the index, and leaves it at that when there is none.
func (p *program) silently(ctx context.Context, ask func(*index.Index) error) {
	_ = p.withIndex(ctx, index.Options{Mode: index.ModeVerify, Log: slog.New(slog.DiscardHandler)}, ask)
}

// values are those that documents have in a field, the most frequent first.
func (p *program) values(ctx context.Context, field string) (list []cobra.Completion) {
	p.silently(ctx, func(ix *index.Index) error {
		found, err := ix.Values(ctx, index.ValuesQuery{Field: field, Set: true, Limit: -1})
		for _, c := range found.Counts {
			if oneLine(c.Value) == c.Value {
				list = append(list, described(c.Value, words.Count(c.Count, "document")))
			}
		}
		return err
	})
	return list
}

// completeValues completes values of a field, one after the other where the flag
// takes several with commas between them.
func (p *program) completeValues(field string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return listed(begun, p.values(cmd.Context(), field)), noFiles
	}
}

// completeAmong completes fixed words in the same way.
func completeAmong(words ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return listed(begun, words), noFiles
	}
}

// listed are the choices for the last part of a list with commas, each with the
// parts before it, and without those that the list has already.
func listed(begun string, choices []cobra.Completion) (list []cobra.Completion) {
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

// completeAssignment completes the arguments of set: a document, then key=value.
func (p *program) completeAssignment(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return p.documents(cmd.Context(), begun, anyStatus), noFiles
	}
	key, value, assigned := strings.Cut(begun, "=")
	if !assigned {
		return keysLeft(args[1:], begun), noFiles | cobra.ShellCompDirectiveNoSpace
	}
	var choices []cobra.Completion
	switch key {
	case "type":
		choices = listed(value, store.Types)
	case "status":
		choices = listed(value, store.Statuses)
	case "priority":
		choices = listed(value, store.Priorities)
	case "labels":
		choices = listed(value, p.values(cmd.Context(), "label"))
	case "project", "assignee":
		choices = listed(value, p.values(cmd.Context(), key))
	case contextPrefix + "parentTaskId":
		choices = p.documents(cmd.Context(), value, anyStatus)
	}
	for i, choice := range choices {
		choices[i] = key + "=" + choice
	}
	return choices, noFiles
}

// keysLeft are the keys of set that begin so and are not assigned yet.
func keysLeft(assigned []string, begun string) (list []cobra.Completion) {
	for _, key := range append(slices.Clone(setKeys), contextPrefix+"parentTaskId") {
		taken := slices.ContainsFunc(assigned, func(a string) bool { return strings.HasPrefix(a, key+"=") })
		if !taken && strings.HasPrefix(key, begun) {
			list = append(list, key+"=")
		}
	}
	return list
}

// completeSession completes the id of a session, with what it works on.
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
