package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/store"
	"issues-index/store/words"
	"issues-index/tools/clientfile"
)

// allClients in --client stands for every client.
const allClients = "all"

// An initRequest says what init should set up besides the workspace.
type initRequest struct {
	clients []clientfile.MCPClient
	git     bool // the merge driver
	noMap   bool // leave the folders of other trackers alone
}

func newInitCommand(p *program) *cobra.Command {
	var request initRequest
	var clients []string
	var yes, dryRun bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Set up a workspace, MCP clients and git's merge driver",
		Long: `Init makes what a workspace still lacks: its folders and a first file of views. It recognises
the folders of Backlog.md and docs/issues and adds the configuration with which the workspace
serves them. It shows everything first and then asks. What is there is kept: a second run
changes nothing.

With --client it adds the server to the files of MCP clients, in the project or, for Codex,
in your own. The entry has no path, so that it serves every worktree. With --git it has git
merge documents key by key, in this clone.

The workspace is the nearest folder with .wrangler/, else the top of the git repository or
worktree, else the current folder.`,
		Example: `  issues-index init
  issues-index init --client claude --client vscode --git
  issues-index init --client all --dry-run`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if err := exclusive(cmd, "yes", "dry-run"); err != nil {
				return err
			}
			if request.clients, err = clientsNamed(cmd, clients); err != nil {
				return err
			}
			return p.withWorkspace(func(ws *store.Workspace) error {
				plan, err := p.planSetup(cmd.Context(), ws, request)
				if err != nil {
					return err
				}
				return p.setUp(cmd, plan, yes, dryRun)
			})
		},
	}
	flags := cmd.Flags()
	named := strings.Join(clientNames(), ", ")
	flags.StringSliceVar(&clients, "client", nil, "MCP `client` to add the server to: "+named+"; several, or all")
	completeFlag(cmd, "client", completeAmong(append(clientNames(), allClients)...)) // telemetry has another --client
	flags.BoolVar(&request.git, "git", false, "install the merge driver in this clone, and its .gitattributes")
	flags.BoolVar(&request.noMap, "no-map", false, "leave the folders of other trackers out")
	flags.BoolVarP(&yes, "yes", "y", false, "do not ask")
	flags.BoolVar(&dryRun, "dry-run", false, "only show what would be written")
	return cmd
}

func clientNames() (names []string) {
	for _, c := range clientfile.MCPClients {
		names = append(names, c.Name)
	}
	return names
}

// clientsNamed returns the clients of --client, each once.
func clientsNamed(cmd *cobra.Command, named []string) (clients []clientfile.MCPClient, err error) {
	for _, name := range named {
		if name != allClients && !slices.Contains(clientNames(), name) {
			f := usage(cmd, fmt.Sprintf("no client is called %q; there are %s", name, strings.Join(clientNames(), ", ")))
			if near := words.Nearest(name, clientNames()); near != "" {
				f.hint = "did you mean " + near + "?"
			}
			return nil, f
		}
	}
	for _, c := range clientfile.MCPClients {
		if slices.Contains(named, c.Name) || slices.Contains(named, allClients) {
			clients = append(clients, c)
		}
	}
	return clients, nil
}

// setUp shows a plan, asks, and carries it out. Without a terminal to ask on it only shows it.
func (p *program) setUp(cmd *cobra.Command, plan *setupPlan, yes, dryRun bool) error {
	write := !plan.empty() && !dryRun
	shown := p.out
	if p.json {
		shown = p.errOut
	}
	if !p.json || write && !yes {
		if _, err := fmt.Fprint(shown, plan.text(p.screen())); err != nil {
			return err
		}
	}
	if write {
		if !yes && !p.asks() {
			return usage(
				cmd, "init asks before it writes, but there is no terminal to ask on", "--yes writes what is shown above",
			)
		}
		if !yes && !p.confirm(cmd.Context(), "Write this? [y/N] ") {
			return failed("nothing was written", "issues-index init --help says how to leave parts out")
		}
		if err := plan.apply(cmd.Context()); err != nil {
			return err
		}
	}
	if p.json {
		return p.printJSON(plan)
	}
	_, err := fmt.Fprint(p.out, terminal.Harmless(plan.outcome()))
	return err
}
