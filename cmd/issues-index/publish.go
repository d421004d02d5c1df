package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/index/publish"
	"issues-index/index/share"
	"issues-index/index/share/nats"
	"issues-index/store"
	"issues-index/store/words"
	"issues-index/tools/config"
)

func newPublishCommand(p *program) *cobra.Command {
	var once bool
	cmd := &cobra.Command{
		Use:   "publish",
		Short: "Publish the workspace's documents to the team",
		Long: `Publish sends the documents to the team's cluster as they change, until Ctrl-C: those of the
default branch for everybody to see, and those of another branch as a line of their own. A
server does the same while it runs, so that publish is for machines without one.

With --once it publishes what has changed and ends, as after a merge in CI. Nothing is sent
twice, and what cannot be sent now is found again the next time.`,
		Example: `  issues-index publish
  issues-index publish --once
  issues-index publish --once --json`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return p.publish(cmd.Context(), once) },
	}
	cmd.Flags().BoolVar(&once, "once", false, "publish what has changed and end")
	p.settingFlags(cmd.Flags(), "team.workspace")
	return cmd
}

// onceTime is how long publish --once tries while the cluster is away.
const onceTime = 30 * time.Second

func (p *program) publish(ctx context.Context, once bool) error {
	return p.withWorkspace(func(ws *store.Workspace) (err error) {
		log := p.notes(slog.LevelInfo)
		c, err := p.readConfig(ws.Root, log)
		if err != nil {
			return err
		}
		name, err := sharedName(c, ws.Root)
		if err != nil {
			return err
		}
		if c.Team.Publish == config.PublishOff {
			return &commandError{exitFailed, "this workspace is not to be published", "team.publish is off: issues-index config show says where that is set"}
		}
		team, err := connectTeam(ctx, c.Team, log)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, team.Close()) }()
		current, err := index.Serve(ctx, ws, servedIndex(c, log))
		if err != nil {
			return err
		}
		defer closeIndex(current, log)
		publisher := publish.New(publishOptions(c.Team, name, team, current, log))
		if !once {
			publisher.Run(ctx)
			return nil
		}
		bounded, cancel := context.WithTimeout(ctx, onceTime)
		defer cancel()
		done, err := publisher.Once(bounded)
		if err != nil {
			return explainPublish(err)
		}
		return p.printPublished(done)
	})
}

// sharedName is the name by which the team knows a workspace.
func sharedName(c *config.Config, root string) (string, error) {
	if !c.Team.On() {
		return "", &commandError{exitFailed, "there is no team to publish to", "set team.url in your own configuration, or ISSUES_INDEX_TEAM_URL, to the nodes of the team's cluster"}
	}
	if c.Team.Workspace != "" {
		return c.Team.Workspace, nil
	}
	here, err := os.Stat(root)
	if err != nil {
		return "", fmt.Errorf("look at the workspace: %w", err)
	}
	for name, path := range c.Workspaces {
		if there, err := os.Stat(path); err == nil && os.SameFile(here, there) {
			return name, nil
		}
	}
	return "", &commandError{exitFailed, "the team knows this workspace by no name", "give it with --team-workspace, or name the workspace under workspaces in your own configuration"}
}

// connectTeam connects to the team's cluster. It returns also while that is away.
func connectTeam(ctx context.Context, t config.TeamSettings, log *slog.Logger) (share.Team, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "issues-index"
	}
	return nats.Connect(ctx, nats.Options{
		URLs: t.URLs, Credentials: t.Credentials, CAFile: t.CAFile, CertFile: t.CertFile, KeyFile: t.KeyFile,
		Name: host, Timeout: t.Timeout, Log: log,
	})
}

// publishOptions say what of a workspace is published.
func publishOptions(t config.TeamSettings, name string, team share.Team, current *index.Current, log *slog.Logger) publish.Options {
	o := publish.Options{Team: team, Index: current, Workspace: name, MainOnly: t.Publish == config.PublishMain, Version: version, Log: log}
	if t.Line != config.LineAuto {
		o.Line = t.Line
	}
	return o
}

// explainPublish says what to do about what publish --once could not do.
func explainPublish(err error) error {
	var busy *publish.BusyError
	var held *publish.HeldLineError
	switch {
	case errors.As(err, &busy):
		return &commandError{exitFailed, err.Error(), "it publishes each change by itself: nothing is left to do"}
	case errors.As(err, &held):
		return &commandError{exitFailed, err.Error(), "that machine publishes what is merged; team.line gives this checkout a line of its own"}
	case errors.Is(err, share.ErrAway):
		return &commandError{exitFailed, err.Error(), "nothing is lost: the next publish sends what is missing; issues-index config show names the nodes in team.url"}
	case errors.Is(err, share.ErrForbidden):
		return &commandError{exitFailed, err.Error(), "issues-index cluster add makes credentials for a workspace; team.credentials names their file"}
	}
	return err
}

func (p *program) printPublished(done publish.PublishSummary) error {
	if p.json {
		return p.printJSON(done)
	}
	_, err := fmt.Fprintf(p.out, "Published %s, and removed %d, as the line %s of %s.\n", words.Count(done.Published, "document"), done.Removed, done.Line, done.Workspace)
	for _, problem := range done.Problems {
		fmt.Fprintf(p.errOut, "not published: %s: %s\n", problem.Path, problem.Reason)
	}
	return err
}
