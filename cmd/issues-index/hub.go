package main

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"issues-index/index/team/share"
	"issues-index/tools/config"
)

func newHubCommand(p *program) *cobra.Command {
	var noStdio bool
	cmd := &cobra.Command{
		Use:   "hub",
		Short: "Serve the documents of all workspaces of a team",
		Long: `Hub serves what the team's machines have published as serve does a workspace: to MCP clients
over stdio or HTTP, and as pages. Its documents are copies in a folder of its own, which can be
deleted at any time; their ids say of which workspace they are, as api:ISS-000041. A call that
writes goes to the machine that has the files, if that is connected.

A new hub fetches all documents first. It has less to fetch if it begins with a copy of the
folder of another hub, which has to be stopped while it is copied.`,
		Example: `  issues-index hub
  issues-index hub --http :8080 --no-stdio
  issues-index hub --workspaces api,web --lines all`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			signal.Reset(syscall.SIGPIPE) // as serve does
			return p.hub(cmd.Context(), noStdio)
		},
	}
	p.settingFlags(cmd.Flags(), "hub.dir", "hub.workspaces", "hub.lines", "output", "toolsets", "httpAddr", "httpBaseUrl", "auth.tokens", "logLevel")
	cmd.Flags().StringVar(p.settings["httpAddr"], "http", "", "the same as --http-addr")
	cmd.Flags().BoolVar(&noStdio, "no-stdio", false, "serve over HTTP alone")
	return cmd
}

// hub serves the mirror of a team, which is the one workspace of this server.
func (p *program) hub(ctx context.Context, noStdio bool) error {
	c, err := config.Load(p.configOptions(""))
	if err != nil {
		return err
	}
	if !c.Team.On() {
		return &commandError{exitUsage, "a hub needs a team: team.url is not set", "set ISSUES_INDEX_TEAM_URL or team.url in your own configuration to the nodes of its cluster"}
	}
	dir, err := hubDir(c)
	if err != nil {
		return err
	}
	p.workspace = dir
	h, err := newHubService(ctx, c, dir, p.logger(c.LogLevel))
	if err != nil {
		return err
	}
	defer h.close()
	return p.serve(ctx, serveOptions{noStdio: noStdio, hub: h})
}

// hubDir is the folder of the hub.
func hubDir(c *config.Config) (string, error) {
	if c.Hub.Dir != "" {
		return filepath.Abs(c.Hub.Dir)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", &commandError{exitUsage, "a hub needs a folder: " + err.Error(), "name one with --dir"}
	}
	return filepath.Join(cache, "issues-index", "hub"), nil
}

// hubLines are the lines that the hub holds.
func hubLines(c *config.Config) share.BranchSelection {
	of := share.BranchSelection{Workspaces: c.Hub.Workspaces, Branches: c.Hub.Lines}
	if slices.Contains(of.Branches, config.AllLines) {
		of.Branches = nil
	}
	return of
}
