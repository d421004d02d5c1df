package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/index/team/hub"
	"issues-index/index/team/publish"
	"issues-index/index/team/share"
	"issues-index/index/workspaces"
	"issues-index/store/mirror"
	"issues-index/tools"
	"issues-index/tools/auth"
	"issues-index/tools/config"
	"issues-index/tools/dashboard"
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
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			signal.Reset(syscall.SIGPIPE) // as serve does
			return p.hub(cmd.Context(), noStdio)
		},
	}
	p.settingFlags(
		cmd.Flags(), "hub.dir", "hub.workspaces", "hub.lines", "output", "toolsets", "httpAddr", "httpBaseUrl", "auth.tokens",
		"logLevel",
	)
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
		return misused(
			"a hub needs a team: team.url is not set",
			"set ISSUES_INDEX_TEAM_URL or team.url in your own configuration to the nodes of its cluster",
		)
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
		return "", misused("a hub needs a folder: "+err.Error(), "name one with --dir")
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

// A hubService is what a hub has beside any other server: it keeps its documents, and sends
// calls that write to the machines with the files.
type hubService struct {
	*hub.Hub
	team  share.Team
	wait  time.Duration
	log   *slog.Logger
	keeps sync.WaitGroup
	end   context.CancelFunc
	parts *hubParts // nil until calls are offered
}

// newHubService returns the hub in a folder, which is a workspace from then on.
func newHubService(ctx context.Context, c *config.Config, dir string, log *slog.Logger) (*hubService, error) {
	connection, err := teamOf(c, log).Connection(ctx)
	if err != nil {
		return nil, err
	}
	h, err := hub.New(hub.Options{Team: connection, Dir: dir, Of: hubLines(c), Log: log})
	if err != nil {
		_ = connection.Close() // nothing was asked
		return nil, failed(err.Error(), "name another folder with --dir")
	}
	return &hubService{Hub: h, team: connection, wait: c.Hub.FreshWait, log: log, end: func() {}}, nil
}

// keep begins to keep the documents, whose index is current.
func (s *hubService) keep(ctx context.Context, current *index.Current) {
	ctx, s.end = context.WithCancel(ctx)
	s.UseIndex(current)
	s.keeps.Go(func() {
		if err := s.Run(ctx); err != nil && ctx.Err() == nil {
			s.log.Error("the hub no longer follows; its folder cannot be used", "error", err)
		}
	})
}

// stop ends the keeping.
func (s *hubService) stop() {
	if s.parts != nil {
		s.parts.Close()
	}
	s.end()
	s.keeps.Wait()
}

func (s *hubService) close() {
	if err := errors.Join(s.Close(), s.team.Close()); err != nil {
		s.log.Debug("close the hub", "error", err)
	}
}

// offer has the server's calls know of the hub. Sessions are files of one workspace, and not
// published. Whose token is for some workspaces only works with those, each by itself.
func (s *hubService) offer(offered *tools.Config, current *index.Current, live *config.Live, pool *workspacePool) {
	s.parts = newHubParts(current, live, s.log)
	offered.Toolsets = slices.DeleteFunc(offered.Toolsets, func(set tools.Toolset) bool { return set.Name == "session" })
	bind, names := offered.Workspaces, offered.WorkspaceNames
	offered.Workspaces = func(ctx context.Context, ask workspaces.Ask) (tools.WorkspaceBinding, error) {
		if pool.Permits(ask.Only) {
			b, err := bind(ctx, ask)
			b.Owners, b.Note = s.owners(func() []mirror.Branch { return linesOf(current.Served()) }), s.note()
			return b, err
		}
		b, line, err := s.parts.bind(ctx, ask)
		b.Owners = s.owners(func() []mirror.Branch {
			return slices.DeleteFunc(
				linesOf(current.Served()), func(l mirror.Branch) bool { return l.Workspace != line.Workspace },
			)
		})
		if s.note() != "" { // which may tell of the work in other workspaces
			b.Note = "the hub is not up to date at the moment"
		}
		return b, err
	}
	offered.WorkspaceNames = func(ctx context.Context) []string {
		if only := auth.PrincipalOf(ctx).Only(); !pool.Permits(only) {
			return s.parts.names(only)
		}
		return names(ctx)
	}
}

// owners are the machines with the files of some lines.
func (s *hubService) owners(lines func() []mirror.Branch) *tools.Owners {
	return &tools.Owners{
		Call: s.team.Call, Wait: s.Wait, Patience: s.wait, Branches: lines,
		Heard: s.Heard,
	}
}

// linesOf are the lines that a hub has.
func linesOf(ix *index.Index) (lines []mirror.Branch) {
	for _, l := range ix.Workspace().Branches() {
		lines = append(lines, l.Branch)
	}
	return lines
}

// note says what an answer may lack, "" for nothing.
func (s *hubService) note() string {
	at := s.Status()
	since := "nothing has been fetched yet"
	if !at.AsOf.IsZero() {
		since = "this is what was published until " + at.AsOf.UTC().Format(time.RFC3339)
	}
	switch {
	case !at.Connection.Connected:
		return "the team's cluster is away; " + since
	case at.AsOf.IsZero():
		return "the hub is being filled, and documents are missing"
	case at.Following && at.Failure != nil:
		return "the hub cannot follow the team at the moment; " + since
	case at.Behind > 0:
		return fmt.Sprintf("the hub is behind by %d changes or fewer", at.Behind)
	}
	return ""
}

// health is how far the hub has come, nil for no hub.
func (s *hubService) health() *dashboard.HubHealth {
	if s == nil {
		return nil
	}
	at := s.Status()
	state := &dashboard.HubHealth{
		Following: at.Following, Connected: at.Connection.Connected, Position: at.Position, Behind: at.Behind, AsOf: at.AsOf,
	}
	if at.Failure != nil {
		state.Problem = at.Failure.Error()
	}
	for _, line := range at.Branches {
		state.Unused += len(line.Unused) + line.More
		for _, v := range line.Unused {
			state.UnusedMessages = append(state.UnusedMessages, publish.UnusedMessage{
				Branch: line.Branch.String(), Path: v.Path, Position: v.Position, Reason: v.Reason,
			})
		}
	}
	return state
}
