package main

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/index/views"
	"issues-index/store"
	"issues-index/store/markdown"
	"issues-index/store/session"
	"issues-index/store/words"
	"issues-index/tools/config"
	"issues-index/tools/telemetry"
)

// Shell completions come from the index. An error completes nothing and prints nothing,
// since a message would disturb the line under the cursor.

// noFiles tells the shell to complete no file names.
const noFiles = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder

// among has a function complete without files.
func among(list func(cmd *cobra.Command, args []string, begun string) []cobra.Completion) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return list(cmd, args, begun), noFiles
	}
}

// listed completes some words, also after a comma.
func listed(list func(*cobra.Command) []cobra.Completion) cobra.CompletionFunc {
	return among(func(cmd *cobra.Command, _ []string, begun string) []cobra.Completion {
		return choicesAfterComma(begun, list(cmd))
	})
}

// completeAmong completes fixed words, also after a comma.
func completeAmong(words ...string) cobra.CompletionFunc {
	return listed(func(*cobra.Command) []cobra.Completion { return words })
}

// anyStatus accepts every document.
func anyStatus(index.Row) bool { return true }

// unfinished accepts the documents that can be closed.
func (p *program) unfinished(r index.Row) bool { return !p.workspaceLayout().Finished(r.Status) }

// finished accepts the documents that can be reopened.
func (p *program) finished(r index.Row) bool { return !p.unfinished(r) }

// completeDocument completes one document: its id and title, or its path when other
// documents have the id or when the user has typed the beginning of a path.
func (p *program) completeDocument(wanted func(index.Row) bool) cobra.CompletionFunc {
	return among(func(cmd *cobra.Command, args []string, begun string) []cobra.Completion {
		if len(args) > 0 {
			return nil
		}
		return p.documents(cmd.Context(), begun, wanted)
	})
}

// completeDocuments completes any number of documents.
func (p *program) completeDocuments(wanted func(index.Row) bool) cobra.CompletionFunc {
	return among(func(cmd *cobra.Command, args []string, begun string) []cobra.Completion {
		return slices.DeleteFunc(p.documents(cmd.Context(), begun, wanted), func(c cobra.Completion) bool {
			name, _, _ := strings.Cut(c, "\t")
			return slices.Contains(args, name)
		})
	})
}

// documents completes the name of a document, also its number alone.
func (p *program) documents(ctx context.Context, begun string, wanted func(index.Row) bool) (list []cobra.Completion) {
	asked := index.Completing{Begun: begun, Wanted: wanted}
	numberOf := func(r index.Row) string {
		return strings.TrimLeft(r.ID[len(strings.TrimRight(r.ID, "0123456789")):], "0")
	}
	_, err := strconv.Atoi(begun)
	if number := err == nil; number {
		asked.Begun, asked.Wanted = "", func(r index.Row) bool { return strings.HasPrefix(numberOf(r), begun) && wanted(r) }
	}
	p.askQuietly(ctx, func(ix *index.Index) error {
		found, _, failed := ix.Complete(ctx, asked)
		for _, one := range found {
			if err == nil { // a number was begun
				one.Name = numberOf(one.Row)
			}
			if terminal.OneLine(one.Name) == one.Name {
				list = append(list, described(one.Name, one.Row.Title))
			}
		}
		return failed
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
	_ = p.withIndexAs(ctx, index.Options{Mode: index.ModeVerify, Log: slog.New(slog.DiscardHandler)}, ask)
}

// completeValues completes the values of a field, the most frequent first.
func (p *program) completeValues(field string) cobra.CompletionFunc {
	return listed(func(cmd *cobra.Command) (list []cobra.Completion) {
		p.askQuietly(cmd.Context(), func(ix *index.Index) error {
			found, _, err := ix.Stats(cmd.Context(), field, index.Filter{})
			for _, c := range found {
				if c.Value != "" && terminal.OneLine(c.Value) == c.Value {
					list = append(list, described(c.Value, words.Count(c.Count, "document")))
				}
			}
			return err
		})
		return list
	})
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

// completeAssignment completes the arguments of set: a document, then key=value.
func (p *program) completeAssignment(cmd *cobra.Command, args []string, begun string) (
	list []cobra.Completion, _ cobra.ShellCompDirective,
) {
	if len(args) == 0 {
		return p.documents(cmd.Context(), begun, anyStatus), noFiles
	}
	const parent = documents.ContextPrefix + "parentTaskId"
	key, value, assigned := strings.Cut(begun, "=")
	if !assigned {
		_, texts := splitAssignments(args)
		for _, key := range append(slices.Clone(documents.FieldKeys), parent) {
			taken := slices.ContainsFunc(texts, func(text string) bool { return strings.HasPrefix(text, key+"=") })
			if !taken && strings.HasPrefix(key, begun) {
				list = append(list, key+"=")
			}
		}
		return list, noFiles | cobra.ShellCompDirectiveNoSpace
	}
	called := strings.TrimRight(key, "+-") // as the usage of flags calls its values
	if other := map[string]string{"assignee": "person", parent: "id"}[called]; other != "" {
		called = other
	}
	complete := p.completions()[called]
	if complete == nil || called == "title" {
		return nil, noFiles
	}
	choices, _ := complete(cmd, nil, value)
	for i, choice := range choices {
		choices[i] = strings.TrimSuffix(begun, value) + choice
	}
	return choices, noFiles
}

// completeBoxes completes a document, and the numbers of its boxes that are ticked or not.
func (p *program) completeBoxes(ticked bool) cobra.CompletionFunc {
	return among(func(cmd *cobra.Command, args []string, begun string) (list []cobra.Completion) {
		if len(args) == 0 {
			return p.documents(cmd.Context(), begun, anyStatus)
		}
		p.askQuietly(cmd.Context(), func(ix *index.Index) error {
			_, doc, err := ix.Load(cmd.Context(), p.documentNamed(ix.Workspace(), args[0]))
			if err != nil {
				return err
			}
			for _, box := range markdown.Boxes(doc.Body) {
				n := strconv.Itoa(box.N)
				if box.Checked == ticked && strings.HasPrefix(n, begun) && !slices.Contains(args[1:], n) {
					list = append(list, described(n, box.Text))
				}
			}
			return nil
		})
		return list
	})
}

// completeView completes the name of a view behind its @.
func (p *program) completeView(_ *cobra.Command, args []string, begun string) (
	list []cobra.Completion, _ cobra.ShellCompDirective,
) {
	if len(args) == 0 {
		_ = p.withWorkspace(func(ws *store.Workspace) error {
			set, err := views.Load(ws)
			for _, name := range set.Names() {
				if strings.HasPrefix("@"+name, begun) {
					list = append(list, "@"+name)
				}
			}
			return err
		})
	}
	return list, noFiles
}

// criteriaWords begin terms of criteria.
var criteriaWords = []string{
	"is:ready", "is:blocked", "is:stale", "is:closable", "is:open", "is:active", "is:done", "is:cancelled",
	"label:", "under:", "status", "priority", "type", "assignee", "project", "created", "updated", "closed", "boxes",
	"and", "or", "not", "sort",
}

// completeCriteria completes the last word of criteria.
func completeCriteria(_ *cobra.Command, _ []string, begun string) (
	list []cobra.Completion, _ cobra.ShellCompDirective,
) {
	before, last := "", begun
	if i := strings.LastIndexByte(begun, ' '); i >= 0 {
		before, last = begun[:i+1], begun[i+1:]
	}
	for _, word := range criteriaWords {
		if last != "" && strings.HasPrefix(word, last) {
			list = append(list, before+word)
		}
	}
	return list, noFiles | cobra.ShellCompDirectiveNoSpace
}

// completeSession completes the id of a session, with its status and specification.
func (p *program) completeSession(cmd *cobra.Command, args []string, begun string) (
	list []cobra.Completion, _ cobra.ShellCompDirective,
) {
	if len(args) > 0 {
		return nil, noFiles
	}
	_ = p.withWorkspace(func(ws *store.Workspace) error {
		sessions, err := session.In(ws).All(cmd.Context())
		for _, s := range sessions {
			if strings.HasPrefix(s.ID, begun) {
				list = append(list, described(s.ID, s.Status+" "+s.SpecFile))
			}
		}
		return err
	})
	return list, noFiles
}

// completeVariants completes the two variants of telemetry compare.
func (p *program) completeVariants(cmd *cobra.Command, args []string, _ string) (
	list []cobra.Completion, _ cobra.ShellCompDirective,
) {
	if len(args) < 2 {
		_ = p.askTelemetry(func(log *telemetry.Log) (err error) {
			list, err = log.Variants(cmd.Context(), telemetry.CallFilter{})
			return err
		}, func(*commandError) error { return nil })
	}
	return slices.DeleteFunc(list, func(v string) bool { return slices.Contains(args, v) }), noFiles
}

// completeWorkspace completes the names of the user's own configuration, else folders.
func (p *program) completeWorkspace(_ *cobra.Command, _ []string, begun string) (
	list []cobra.Completion, _ cobra.ShellCompDirective,
) {
	named, _ := p.userWorkspaces()
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

// completions has what completes a value, by what the value is called: by the word in backquotes in
// the usage of a flag, else by the name of the flag. Nil completes files.
func (p *program) completions() map[string]cobra.CompletionFunc {
	statuses := listed(func(*cobra.Command) []cobra.Completion { return p.workspaceLayout().StatusNames() })
	priorities := listed(func(*cobra.Command) []cobra.Completion { return p.workspaceLayout().Priorities })
	return map[string]cobra.CompletionFunc{
		"status": statuses, "statuses": statuses, "priority": priorities, "priorities": priorities,
		"type":   completeAmong(store.Types...),
		"labels": p.completeValues("label"), "project": p.completeValues("project"), "person": p.completeValues("assignee"),
		"criteria": completeCriteria, "directory": p.completeWorkspace,
		"id": among(func(cmd *cobra.Command, _ []string, begun string) []cobra.Completion {
			return p.documents(cmd.Context(), begun, anyStatus)
		}),
		"tool":    listed(func(*cobra.Command) []cobra.Completion { return toolNames() }), // not collected at every start
		"outcome": completeAmong("plain", "paginated", "summarized", "chunked", "error"),
		"output":  completeAmong(config.Outputs()...), "toolsets": completeAmong(config.Toolsets()...),
		"log-level": completeAmong("debug", "info", "warn", "error"),
		"file":      nil, "folder": nil, "path": nil, "db": nil, "tokens": nil, "dir": nil,
	}
}

// completeFlags registers what completes each flag: the words of its declaration, else what its value
// is called. A flag whose value nothing completes takes free text, or has registered its completion
// itself.
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
			if choice, ok := f.Value.(*choiceFlag); ok {
				complete, known = completeAmong(choice.among...), true
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

// each visits a command and all below it.
func each(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, sub := range cmd.Commands() {
		each(sub, visit)
	}
}

// setups are the commands that switch on completion in each shell.
var setups = map[string]string{
	"bash": `  issues-index completion bash > ~/.local/share/bash-completion/completions/issues-index
  source <(issues-index completion bash)`,
	"zsh":        `  issues-index completion zsh > "${fpath[1]}/_issues-index"`,
	"fish":       `  issues-index completion fish > ~/.config/fish/completions/issues-index.fish`,
	"powershell": `  issues-index completion powershell | Out-String | Invoke-Expression`,
}

// bashWords stand in for what the script calls of the package bash-completion, where that is missing.
const bashWords = `if ! declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
    _get_comp_words_by_ref() {
        cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" cword=$COMP_CWORD
        words=("${COMP_WORDS[@]}")
    }
    __ltrim_colon_completions() { :; }
fi
`

// explainCompletion gives cobra's completion command texts and examples.
func explainCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	completion.Short = "Print a shell completion script"
	completion.Long = `Completion prints a script for a shell. Shell completion covers commands, flags, ids with
titles, and values of fields such as labels.`
	completion.Args = knownCommand
	completion.RunE = showHelp
	var lines []string
	for _, shell := range completion.Commands() {
		shell.Short = "Print the script for " + shell.Name()
		shell.Long = "Install the script as below and start a new shell."
		if print := shell.RunE; shell.Name() == "bash" {
			shell.Long += " Without the package bash-completion,\nvalues with : or = are not completed."
			shell.RunE = func(cmd *cobra.Command, args []string) error {
				if _, err := io.WriteString(cmd.OutOrStdout(), bashWords); err != nil {
					return err
				}
				return print(cmd, args)
			}
		}
		shell.Example = setups[shell.Name()]
		shell.Args = noArguments
		first, _, _ := strings.Cut(shell.Example, "\n")
		lines = append(lines, first)
	}
	completion.Example = strings.Join(lines, "\n")
}
