package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/config"
)

func newConfigCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the configuration, or check a configuration file",
		Long: `Configuration comes from your own file, a file for the workspace, a .env file, the
environment and flags; a later one of these wins. Your own file, for all workspaces, is
$` + config.UserFileVariable + `, else issues-index/config.yaml in the configuration folder of your
account, which is ~/.config on Linux. It alone may name workspaces. The second file is
--config, else $ISSUES_INDEX_CONFIG, else
` + config.DefaultFile + ` in the workspace. Both are YAML or JSON. The .env file is --env-file, else
$ISSUES_INDEX_ENV_FILE, else .env in the working directory. A file that comes with a
repository may set less than a file that you name: for example, no address of a connector.
A running server looks at both files before each call, and keeps its configuration when
one is invalid. Other commands ignore an unknown key of the workspace's own file
with a note.`,
		Example: `  issues-index config show
  issues-index config check .wrangler/config/issues-index.yaml`,
		Args: knownCommand,
		RunE: showHelp,
	}
	cmd.AddCommand(newConfigCheckCommand(p), newConfigShowCommand(p))
	return cmd
}

func newConfigCheckCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "check [FILE]",
		Short: "List every problem of a configuration file; exit 1 if there is any",
		Long: `Check reads FILE as a server would, and changes nothing. Without FILE it checks the
configuration in force, including environment and flags.`,
		Example: `  issues-index config check
  issues-index config check new.yaml --json`,
		Args: arguments(0, 1, "at most one file"),
		ValidArgsFunction: cobra.FixedCompletions([]cobra.Completion{"yaml", "yml", "json"},
			cobra.ShellCompDirectiveFilterFileExt),
		RunE: func(_ *cobra.Command, args []string) error {
			root, err := p.findWorkspace()
			if err != nil {
				return err
			}
			o := p.configOptions(root)
			check := func() error {
				for _, sentence := range config.Misspelt(p.environ, o.Tools) {
					fmt.Fprintf(p.errOut, "warning: %s\n", sentence)
				}
				c, err := config.Load(o)
				p.warn(c)
				return err
			}
			if len(args) == 1 {
				o.File = args[0]
				check = func() error { return config.Check(o) }
			}
			return p.printConfigProblems(check())
		},
	}
}

// warn prints the warnings of a configuration.
func (p *program) warn(c *config.Config) {
	if c == nil {
		return
	}
	for _, sentence := range c.Warnings() {
		fmt.Fprintf(p.errOut, "warning: %s\n", sentence)
	}
}

// printConfigProblems prints a line for each problem. It begins with file:line:, which
// editors can follow.
func (p *program) printConfigProblems(err error) error {
	var problems config.Problems
	if err != nil && !errors.As(err, &problems) {
		return err
	}
	err = p.print(struct {
		Problems config.Problems `json:"problems"`
	}{append(config.Problems{}, problems...)}, func(page *terminal.Page) {
		for _, problem := range problems {
			page.Line("%s", problem)
		}
		if len(problems) == 0 {
			page.Line("No problems.")
		} else {
			page.Line("\n%s", words.Count(len(problems), "problem"))
		}
	})
	if err == nil && len(problems) > 0 {
		return errProblems
	}
	return err
}

func newConfigShowCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Print every key with its value and source",
		Long: `Show prints the configuration that a server started here would have. It leaves out the
per-tool keys that are not set; --json has them all. A secret is shown as set or not
set. With output: auto a second table shows what each client gets.`,
		Example: `  issues-index config show
  ISSUES_INDEX_OUTPUT=text issues-index config show --json`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			root, err := p.findWorkspace()
			if err != nil {
				return err
			}
			c, err := config.Load(p.configOptions(root))
			if err != nil {
				return err
			}
			p.warn(c)
			return p.printConfig(c)
		},
	}
	p.settingFlags(cmd.Flags(), servedFlags...)
	return cmd
}

// A settingJSON is a key of the configuration for scripts.
type settingJSON struct {
	Key     string             `json:"key"`
	Value   any                `json:"value"`
	Source  config.ValueSource `json:"source"`
	Secret  bool               `json:"secret,omitempty"`
	Restart bool               `json:"needsRestart,omitempty"`
}

func (p *program) printConfig(c *config.Config) error {
	list, clients := []settingJSON{}, clientsOf(c)
	t := &terminal.Table{
		Columns: []terminal.Column{{Title: "KEY", Least: 12}, {Title: "VALUE", Least: 12}, {Title: "FROM"}},
	}
	for _, k := range c.Settled() {
		list = append(list, settingJSON{k.Name, k.JSON(), k.Source, k.Secret, k.Restart})
		if !strings.HasPrefix(k.Name, "tools.") || k.Source.Layer != config.LayerDefault {
			t.Add(k.Name, k.Text(), k.Source.String())
		}
	}
	return p.print(struct {
		UserFile string        `json:"userFile"`
		File     string        `json:"file"`
		Keys     []settingJSON `json:"keys"`
		Clients  []clientJSON  `json:"clients,omitempty"`
	}{c.UserFile(), c.File(), list, clients}, func(page *terminal.Page) {
		page.Table(t, nil)
		if clients == nil {
			return
		}
		t := &terminal.Table{Columns: []terminal.Column{
			{Title: "CLIENT (output auto)", Least: 12}, {Title: "OUTPUT"}, {Title: "BYTES", Right: true},
			{Title: "WITH MAXTOKENS", Right: true},
		}}
		for _, client := range clients {
			most := ""
			if client.Most > 0 {
				most = strconv.Itoa(client.Most)
			}
			t.Add(client.Client, client.Output, strconv.Itoa(client.Bytes), most)
		}
		page.Line("")
		page.Table(t, nil)
	})
}

// clientJSON is what one client gets with output: auto.
type clientJSON struct {
	Client string   `json:"client"`
	Names  []string `json:"names,omitempty"` // in clientInfo, folded
	Output string   `json:"output"`
	Bytes  int      `json:"hardByteLimit"`
	// Most is the longest answer that a call can ask for with maxTokens; 0 for
	// maxTokenBudget's.
	Most int `json:"maxBytes,omitempty"`
}

// clientsOf returns what each client gets, nil unless output is auto.
func clientsOf(c *config.Config) (list []clientJSON) {
	if c.Output != string(tools.OutputAuto) {
		return nil
	}
	for _, profile := range append(tools.ClientProfiles(), tools.UnknownClient()) {
		client := clientJSON{profile.Title, profile.Names, string(profile.Output), c.HardByteLimit, 0}
		if !c.Settings().ExplicitBytes {
			client.Most = profile.Bytes
			client.Bytes = min(c.HardByteLimit, cmp.Or(profile.Bytes, c.HardByteLimit))
		}
		list = append(list, client)
	}
	return list
}
