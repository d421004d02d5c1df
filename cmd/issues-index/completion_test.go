package main

import (
	"maps"
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"issues-index/store/layout"
	"issues-index/store/words"
)

// Which flags take text of one's own, and which take files, is written down here:
// the tab key has something to say about every other.
func TestFlagsThatAreNotCompleted(t *testing.T) {
	free, files := make(map[string]bool), make(map[string]bool)
	p, root := tree()
	p.workspace = repositoryRoot + "/testdata/nowhere"
	for _, cmd := range allCommands(root) {
		cmd.SetContext(t.Context())
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			complete, completed := cmd.GetFlagCompletionFunc(f.Name)
			switch {
			case f.NoOptDefVal != "":
			case !completed:
				files[f.Name] = true
			default:
				if choices, directive := complete(cmd, nil, ""); len(choices) == 0 && directive == cobra.ShellCompDirectiveNoFileComp {
					free[f.Name] = true
				}
			}
		})
	}
	if got, want := slices.Sorted(maps.Keys(free)), []string{
		"addr", "as", "base-url", "body", "claimed-by", "client", "closed-after", "closed-before", "created-after", "created-before", "expires", "field", "format", "http", "http-addr", "if-fingerprint", "if-version", "jq", "lease", "limit", "lines", "nodes", "note", "of", "reason", "replicas", "section", "since", "team-workspace", "timeout", "until", "updated-after", "updated-before", "workspaces",
	}; !slices.Equal(got, want) {
		t.Errorf("free text are %q, want %q", got, want)
	}
	if got, want := slices.Sorted(maps.Keys(files)), []string{"body-file", "ca", "cert", "config", "data", "db", "dir", "env-file", "from", "keep", "key", "tokens"}; !slices.Equal(got, want) {
		t.Errorf("files are %q, want %q", got, want)
	}
}

// What other programs call something is suggested only where this one has no such command.
func TestSuggestionsAreForNoCommandOfOurs(t *testing.T) {
	_, root := tree()
	for _, names := range []map[string]string{otherCommands, sameCommands} {
		for name := range names {
			if cmd, _, err := root.Find([]string{name}); err == nil && cmd != root {
				t.Errorf("%s is a command", name)
			}
		}
	}
	for name, same := range sameCommands {
		if otherCommands[same] == "" {
			t.Errorf("%s is the same as %s, which nobody knows", name, same)
		}
	}
}

func allCommands(root *cobra.Command) (list []*cobra.Command) {
	each(root, func(cmd *cobra.Command) { list = append(list, cmd) })
	return list
}

func TestListed(t *testing.T) {
	statuses := layout.Default().StatusNames()
	for _, c := range []struct {
		begun string
		want  []string
	}{
		{"", statuses},
		{"c", []string{"closed", "cancelled"}},
		{"C", []string{"closed", "cancelled"}},
		{"open,", []string{"open,in_progress", "open,closed", "open,cancelled"}},
		{"open,closed,ca", []string{"open,closed,cancelled"}},
		{"own,o", []string{"own,open"}},
		{"x", nil},
	} {
		if got := choicesAfterComma(c.begun, statuses); !slices.Equal(got, c.want) {
			t.Errorf("after %q: %q, want %q", c.begun, got, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		word string
		want string
	}{
		{"opne", "open"}, {"OPEN", "open"}, {"close", "closed"}, {"canceled", "cancelled"}, {"inprogress", "in_progress"},
		{"done", ""}, {"x", ""}, {"", ""}, {"entirely different", ""},
	} {
		if got := words.Nearest(c.word, layout.Default().StatusNames()); got != c.want {
			t.Errorf("near %q is %q, want %q", c.word, got, c.want)
		}
	}
}
