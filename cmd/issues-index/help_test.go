package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// tree is a program whose output goes nowhere, and its commands with what completes their flags.
func tree() (*program, *cobra.Command) {
	p := &program{in: os.Stdin, getwd: os.Getwd, out: io.Discard, errOut: io.Discard, getenv: func(string) string { return "" }}
	root := newRootCommand(p)
	p.completeFlags(root)
	return p, root
}

// commands are those that can be run, by their paths without the program's name.
func commands(t *testing.T) map[string]*cobra.Command {
	t.Helper()
	_, root := tree()
	list := make(map[string]*cobra.Command)
	each(root, func(cmd *cobra.Command) {
		if path := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), root.Name()), " "); path != "" {
			list[path] = cmd
		}
	})
	if len(list) < 20 {
		t.Fatalf("only %d commands", len(list))
	}
	return list
}

// bareCommands are the commands that need no argument: tests of every command run them with none
// unless they have a run.
func bareCommands(t *testing.T) (paths []string) {
	t.Helper()
	for path, cmd := range commands(t) {
		if cmd.Runnable() && (cmd.Args == nil || cmd.Args(cmd, nil) == nil) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// runs reports whether these words run the command with this path.
func runs(args []string, path string) bool {
	return strings.HasPrefix(strings.Join(args, " ")+" ", path+" ")
}

// Each command says what it does and shows how, and what it shows is right.
func TestHelp(t *testing.T) {
	for path, cmd := range commands(t) {
		t.Run(path, func(t *testing.T) {
			if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
				t.Errorf("the short help is %q", cmd.Short)
			}
			if cmd.Long == "" || !strings.HasSuffix(cmd.Long, ".") {
				t.Errorf("the long help is %q", cmd.Long)
			}
			if cmd.Example == "" {
				t.Error("there is no example")
			}
			for line := range strings.SplitSeq(cmd.Example, "\n") {
				runs, err := readLine(line)
				if err != nil || len(runs) == 0 {
					t.Errorf("the example %q runs nothing: %v", line, err)
				}
				for _, words := range runs {
					if err := parses(words); err != nil {
						t.Errorf("the example %q: %v", line, err)
					}
				}
			}
			cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
				if f.Usage == "" {
					t.Errorf("--%s says nothing", f.Name)
				}
			})
		})
	}

	t.Run("a wrong example is seen", func(t *testing.T) {
		for _, line := range []string{
			"issues-index lst", "issues-index list --staus open", "issues-index show", "issues-index set ISS-1 colour=red",
			"issues-index list | issues-index", "issues-index sessions shwo", "issues-index list --type bug",
		} {
			runs, err := readLine(line)
			for _, words := range runs {
				if err == nil {
					err = parses(words)
				}
			}
			if err == nil {
				t.Errorf("%q passes", line)
			}
		}
	})
}

// The help fits a terminal of 80 columns; what is in one line by nature, a command
// in an example, may be longer.
func TestHelpFits(t *testing.T) {
	for path := range commands(t) {
		var out bytes.Buffer
		p := &program{in: os.Stdin, getwd: os.Getwd, out: &out, errOut: io.Discard, getenv: func(string) string { return "" }}
		root := newRootCommand(p)
		root.SetArgs(append(strings.Fields(path), "--help"))
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		for line := range strings.Lines(out.String()) {
			if strings.HasPrefix(line, "  issues-index") {
				continue
			}
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
				t.Errorf("%s --help: %d columns: %s", path, n, line)
			}
		}
	}
}

// parses reports what is wrong with the words after the program's name, as the
// program would before it does anything.
func parses(words []string) error {
	p, root := tree()
	each(root, func(cmd *cobra.Command) {
		if cmd.RunE == nil {
			return
		}
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if cmd == root {
				return usage(cmd, "no command")
			}
			if cmd.Name() == "set" {
				_, texts := splitAssignments(args)
				_, err := p.readAssignments(cmd, texts, func(string) (string, error) { return "text", nil })
				return err
			}
			return fixedChoices(cmd)
		}
	})
	root.SetArgs(words)
	return root.Execute()
}

// fixedChoices refuses a flag's value that completion would not offer, where what
// it offers is all there is.
func fixedChoices(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains([]string{"type", "status", "priority", "sort", "by", "output", "toolsets", "log-level"}, f.Name) {
			return
		}
		complete, _ := cmd.GetFlagCompletionFunc(f.Name)
		choices, _ := complete(cmd, nil, "")
		for value := range strings.SplitSeq(strings.Trim(f.Value.String(), "[]"), ",") {
			if !slices.Contains(choices, value) && err == nil {
				err = usage(cmd, "--"+f.Name+" "+value)
			}
		}
	})
	return err
}

// assignment is a variable that a line of a shell sets for one command.
var assignment = regexp.MustCompile(`^[A-Z_]+=`)

// readLine returns the arguments of each issues-index that a line of a shell runs.
func readLine(line string) (runs [][]string, err error) {
	words, err := shellWords(line)
	if err != nil {
		return nil, err
	}
	start := true
	for i, word := range words {
		if start && word == "issues-index" {
			end := i + 1
			for end < len(words) && !slices.Contains([]string{"|", ">", "<", ")", "&&", ";", "#"}, words[end]) {
				end++
			}
			runs = append(runs, words[i+1:end])
		}
		start = slices.Contains([]string{"|", "(", "&&", ";", "--"}, word) || start && assignment.MatchString(word)
	}
	return runs, nil
}

// shellWords takes a line apart as a shell does: quotes group, and the signs that
// end a command stand alone.
func shellWords(line string) (words []string, err error) {
	var word strings.Builder
	begun := false
	end := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	quote := rune(0)
	for i, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote != 0:
			word.WriteRune(r)
		case r == ' ':
			end()
		case r == '#' && !begun:
			return words, nil
		case strings.ContainsRune("|<>();", r) || r == '&' && strings.HasPrefix(line[i:], "&&"):
			end()
			word.WriteRune(r)
			begun = true
			end()
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 {
		return nil, io.ErrUnexpectedEOF
	}
	end()
	return words, nil
}

// Each command has a scenario: one that its users can read.
func TestEveryCommandHasAScenario(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios", err)
	}
	_, root := tree()
	seen := make(map[string]bool)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		script, _, _ := strings.Cut(string(data), "\n-- ")
		for line := range strings.Lines(script) {
			for _, part := range strings.Split(line, "issues-index ")[1:] {
				words := strings.Fields(part)
				if cmd, _, err := root.Find(words); err == nil {
					seen[strings.TrimPrefix(cmd.CommandPath(), root.Name()+" ")] = true
				}
			}
		}
	}
	for path := range commands(t) {
		if !seen[path] {
			t.Errorf("no scenario runs issues-index %s", path)
		}
	}
}
