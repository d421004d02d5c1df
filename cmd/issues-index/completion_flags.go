package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"issues-index/store"
	"issues-index/tools/config"
)

// completeFlag has the values of a flag completed.
func completeFlag(cmd *cobra.Command, name string, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(name, complete); err != nil {
		panic(fmt.Sprintf("complete --%s of %s: %v", name, cmd.CommandPath(), err))
	}
}

// completeFlags tells how the values of flags are completed, by their names; a
// flag that is not here takes free text, or says itself how.
func (p *program) completeFlags(root *cobra.Command) {
	choices := map[string]cobra.CompletionFunc{
		"status":    completeAmong(store.Statuses...),
		"priority":  completeAmong(store.Priorities...),
		"type":      completeAmong(store.Types...),
		"label":     p.completeValues("label"),
		"project":   p.completeValues("project"),
		"assignee":  p.completeValues("assignee"),
		"parent":    p.completeParent,
		"output":    completeAmong(config.Outputs()...),
		"toolsets":  completeAmong("issues", "session", "wagtail", "pdpp"),
		"log-level": completeAmong("debug", "info", "warn", "error"),
		"tool": func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return completeAmong(toolNames()...)(cmd, args, begun) // not collected at every start
		},
		"outcome":   completeAmong("plain", "paginated", "summarized", "chunked", "error"),
		"workspace": cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
		"config":    cobra.FixedCompletions([]cobra.Completion{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt),
		"db":        nil, // files
		"env-file":  nil,
		"body-file": nil,
	}
	each(root, func(cmd *cobra.Command) {
		if cmd.ValidArgsFunction == nil && !cmd.HasSubCommands() {
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			complete, known := choices[f.Name]
			if known && complete == nil || f.NoOptDefVal != "" {
				return
			}
			if _, has := cmd.GetFlagCompletionFunc(f.Name); has {
				return
			}
			if complete == nil {
				complete = cobra.NoFileCompletions
			}
			completeFlag(cmd, f.Name, complete)
		})
	})
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
