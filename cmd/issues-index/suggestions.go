package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"issues-index/store/words"
	"issues-index/tools"
)

// otherCommands maps command names of other programs to what to use in this one.
var otherCommands = map[string]string{
	"comment":  "issues-index append ID TEXT adds to the text; issues-index done ID --note TEXT closes with a note",
	"next":     "issues-index ready shows what can be begun, and issues-index claim takes the first of it",
	"browser":  "issues-index web shows the documents in a browser",
	"setup":    "issues-index init sets up a workspace, and issues-index init --client NAME an agent's client",
	"start":    "issues-index claim ID takes it and marks it in progress",
	"assign":   "issues-index set ID assignee=NAME",
	"label":    "issues-index set ID labels+=ONE,TWO adds labels; issues-index stats --by label counts them",
	"reindex":  "issues-index rebuild",
	"doctor":   "issues-index check names what is wrong with documents, and issues-index health how the index is",
	"watch":    "issues-index web follows the documents in a browser",
	"tree":     "issues-index list --tree shows documents below their parents",
	"children": "issues-index list --parent ID lists them, and issues-index list --under ID what is below these, too",
	"rename": "issues-index set ID title='A title'; issues-index set --where label:old labels+=new labels-=old " +
		"renames a label",
	"priority": "issues-index set ID priority=high",
	"defer":    "the key deferUntil of a document defers it: issues-index edit ID, and write deferUntil: 2027-01-01",
	"open": "issues-index show ID shows a document, issues-index web all in a browser, and issues-index reopen " +
		"ID opens a closed one",
}

// sameCommands maps synonyms to the names in otherCommands.
var sameCommands = map[string]string{
	"annotate": "comment", "board": "browser", "ui": "browser", "tui": "browser", "dashboard": "browser",
	"install": "setup", "tag": "label", "mcp": "setup",
}

// knownCommand refuses an unknown command, and suggests one.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	f := usage(cmd, fmt.Sprintf("unknown command %q", args[0]))
	name := args[0]
	if same := sameCommands[name]; same != "" {
		name = same
	}
	cmd.SuggestionsMinimumDistance = 2 // wrong letters; the default of cobra is none
	if way := otherCommands[name]; way != "" && cmd == cmd.Root() {
		f.hint = way
	} else if command := tools.CommandOf(args[0]); command != "" && cmd == cmd.Root() {
		f.hint = "did you mean " + command + "?"
	} else if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		f.hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return f
}

// valueKinds describes the values of flag types.
var valueKinds = map[string]string{
	"int":      "a whole number",
	"bool":     "true or false",
	"duration": "a duration such as 90s or 10m",
}

// otherFlags maps flag names of other programs to flags of this one. The first that the
// command has is suggested.
var otherFlags = map[string][]string{
	"message": {"note"}, "comment": {"note"}, "m": {"note", "body"},
	"state": {"status"}, "tag": {"label"}, "tags": {"label"}, "add-label": {"label"}, "add-tag": {"label"},
	"kind": {"type"}, "owner": {"assignee"}, "all": {"limit"},
	"description": {"body"}, "desc": {"body"}, "d": {"body"},
	"after": {"created-after"}, "since": {"created-after"}, "before": {"created-before"},
	"f": {"yes"}, "force": {"yes"}, "C": {"workspace"}, "dir": {"workspace"}, "root": {"workspace"},
}

// wrongFlag explains an unknown flag or value, and suggests a flag.
func wrongFlag(cmd *cobra.Command, err error) error {
	var choice *words.ChoiceError
	var given *commandError
	var invalid *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &choice):
		return choice
	case errors.As(err, &invalid) && errors.As(err, &given):
		return misused(given.message+" for --"+invalid.GetFlag().Name, given.hint)
	case errors.As(err, &invalid):
		message := fmt.Sprintf("invalid value %q for --%s", invalid.GetValue(), invalid.GetFlag().Name)
		if wanted, ok := valueKinds[invalid.GetFlag().Value.Type()]; ok {
			message += ": must be " + wanted
		}
		return usage(cmd, message)
	case !errors.As(err, &unknown):
		return usage(cmd, err.Error())
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	word := cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName())
	if flag := slices.IndexFunc(
		otherFlags[word], func(name string) bool { return slices.Contains(names, name) },
	); flag >= 0 {
		return usage(cmd, err.Error(), "did you mean --"+otherFlags[word][flag]+"?")
	}
	if command, _, wrong := cmd.Root().Find([]string{word}); wrong == nil && command != cmd.Root() {
		return usage(cmd, err.Error(), "did you mean "+command.CommandPath()+"?")
	}
	if near := words.Nearest(word, names); near != "" {
		return usage(cmd, err.Error(), "did you mean --"+near+"?")
	}
	if unknown.GetSpecifiedShortnames() != "" && slices.Contains([]string{"search", "new", "append"}, cmd.Name()) {
		return usage(cmd, err.Error(),
			"put a value that starts with - after --, as in "+cmd.CommandPath()+" -- -"+strings.TrimSpace(word))
	}
	return usage(cmd, err.Error())
}

// singleDash corrects the hint of a usage error where a long flag was written with one
// dash, which is a short flag with a value: -status is -s tatus.
func singleDash(cmd *cobra.Command, args []string, err error) error {
	var f *commandError
	if !errors.As(err, &f) || f.code != exitUsage {
		return err
	}
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if arg == "--" {
			break
		}
		if len(name) > 1 && len(name) < len(arg) && cmd.Flags().Lookup(name) != nil {
			f.hint = "did you mean --" + name + "?"
			break
		}
	}
	return err
}
