package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/team/publish"
	"issues-index/index/team/share"
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
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.publish(cmd.Context(), once) },
	}
	cmd.Flags().BoolVar(&once, "once", false, "publish what has changed and end")
	p.settingFlags(cmd.Flags(), "team.workspace")
	return cmd
}

// onceTime is how long publish --once tries while the cluster is away.
const onceTime = 30 * time.Second

func (p *program) publish(ctx context.Context, once bool) error {
	return p.withPublisher(ctx, func(publisher *publish.Publisher) error {
		if !once {
			publisher.Run(ctx)
			return nil
		}
		return p.publishNow(ctx, publisher.Once)
	})
}

// publishNow runs a way to publish that ends, and prints what it has done.
func (p *program) publishNow(ctx context.Context, publish func(context.Context) (publish.PublishSummary, error)) error {
	bounded, cancel := context.WithTimeout(ctx, onceTime)
	defer cancel()
	done, err := publish(bounded)
	if err != nil {
		return explainPublish(err)
	}
	return p.printPublished(done)
}

// withPublisher calls use with what publishes the workspace.
func (p *program) withPublisher(ctx context.Context, use func(*publish.Publisher) error) error {
	return p.withWorkspace(func(ws *store.Workspace) (err error) {
		log := p.notes(slog.LevelInfo)
		c, err := p.readConfig(ws.Root, log)
		if err != nil {
			return err
		}
		link := teamOf(c, log)
		defer func() { err = errors.Join(err, link.Close()) }()
		name := sharedAs(c, ws.Root, true)
		switch {
		case link == nil:
			return errNoTeam
		case name == "":
			return failed(
				"the team knows this workspace by no name",
				"give it with --team-workspace, or name the workspace under workspaces in your own configuration",
			)
		case c.Team.Publish == config.PublishOff:
			return failed(
				"this workspace is not to be published", "team.publish is off: issues-index config show says where that is set",
			)
		}
		current, err := index.Serve(ctx, ws, servedIndex(c, log))
		if err != nil {
			return err
		}
		defer closeIndex(current, log)
		publisher, err := link.publisher(ctx, current, name, nil, log)
		if err != nil {
			return err
		}
		return use(publisher)
	})
}

// explainPublish says what to do about what publish --once could not do.
func explainPublish(err error) error {
	var busy *publish.BusyError
	var held *publish.HeldBranchError
	switch {
	case errors.As(err, &busy):
		return failed(err.Error(), "it publishes each change by itself: nothing is left to do")
	case errors.As(err, &held):
		return failed(err.Error(), "that machine publishes what is merged; team.line gives this checkout a line of its own")
	case errors.Is(err, share.ErrAway):
		return failed(
			err.Error(),
			"nothing is lost: the next publish sends what is missing; issues-index config show names the nodes in team.url",
		)
	case errors.Is(err, share.ErrForbidden):
		return failed(
			err.Error(), "issues-index cluster add makes credentials for a workspace; team.credentials names their file",
		)
	}
	return err
}

func (p *program) printPublished(done publish.PublishSummary) error {
	err := p.print(done, func(page *terminal.Page) {
		page.Line("Published %s, and removed %d, as the line %s of %s.",
			words.Count(done.Published, "document"), done.Removed, done.Branch, done.Workspace)
	})
	for _, problem := range done.Problems {
		if !p.json {
			p.tell("not published: %s: %s", problem.Path, problem.Reason)
		}
	}
	return err
}
