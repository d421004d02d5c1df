package main

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/index/team/nats"
	"issues-index/index/team/publish"
	"issues-index/index/team/share"
	"issues-index/index/workspaces"
	"issues-index/store"
	"issues-index/store/cachedir"
	gitrepo "issues-index/store/git"
	"issues-index/store/mirror"
	"issues-index/tools"
	"issues-index/tools/config"
)

// A teamLink is the connection of the program to its team. It is made when it is first needed,
// and also while the cluster is away.
type teamLink struct {
	settings config.TeamSettings
	calls    atomic.Pointer[calledServer] // what answers calls to the workspaces, nil for nothing
	connect  func() (*nats.TeamConnection, error)

	mu         sync.Mutex
	made       *nats.TeamConnection
	publishers map[*index.Current]*publish.Publisher // that run
}

// A calledServer runs the calls of other machines on the workspaces of a server.
type calledServer struct {
	server *tools.Server
	bind   func(context.Context, workspaces.Ask) (tools.WorkspaceBinding, error)
}

// teamOf returns the connection to the team of a configuration, nil for none.
func teamOf(c *config.Config, log *slog.Logger) *teamLink {
	if !c.Team.On() {
		return nil
	}
	l := &teamLink{settings: c.Team}
	l.connect = sync.OnceValues(func() (*nats.TeamConnection, error) {
		host, err := os.Hostname()
		if err != nil { // the name is for people who look at the cluster's connections
			host = "issues-index"
		}
		made, err := nats.Connect(context.Background(), nats.Options{
			URLs: c.Team.URLs, Name: host, Timeout: c.Team.Timeout, Log: log,
			Credentials: c.Team.Credentials, CAFile: c.Team.CAFile, CertFile: c.Team.CertFile, KeyFile: c.Team.KeyFile,
		})
		if err != nil {
			return nil, failed(err.Error(), "issues-index config show has the settings of the team and where they come from")
		}
		l.mu.Lock()
		l.made = made
		l.mu.Unlock()
		return made, nil
	})
	return l
}

// Connection returns the connection.
func (l *teamLink) Connection(context.Context) (share.Team, error) {
	made, err := l.connect()
	if err != nil {
		return nil, err
	}
	return made, nil
}

// Close ends the connection, if there is one.
func (l *teamLink) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.made == nil {
		return nil
	}
	return l.made.Close()
}

// teamOptions say how the claims and numbers of a workspace are agreed with the team, by the
// name that the team has for it; zero where nothing is.
func (l *teamLink) teamOptions(name string) claims.TeamOptions {
	if l == nil || name == "" || l.settings.Claims == config.ClaimsOff {
		return claims.TeamOptions{}
	}
	return claims.TeamOptions{Team: l.Connection, Workspace: name, Timeout: l.settings.Timeout}
}

// publisher returns what keeps a workspace published, nil where it is not shared.
func (l *teamLink) publisher(
	ctx context.Context, current *index.Current, name string, answer func(context.Context, []byte) []byte,
	log *slog.Logger,
) (*publish.Publisher, error) {
	if l == nil || name == "" || l.settings.Publish == config.PublishOff {
		return nil, nil
	}
	connection, err := l.Connection(ctx)
	if err != nil {
		return nil, err
	}
	line := l.settings.Line
	if line == config.LineAuto {
		line = ""
	}
	return publish.New(publish.Options{
		Team: connection, Index: current, Workspace: name, Branch: line, MainOnly: l.settings.Publish == config.PublishMain,
		Version: version, Answer: answer, Log: log,
	}), nil
}

// share keeps a workspace published until ctx ends. Nothing is done where it is not shared.
func (l *teamLink) share(ctx context.Context, current *index.Current, name string, log *slog.Logger) {
	var publisher *publish.Publisher
	publisher, err := l.publisher(ctx, current, name, func(ctx context.Context, request []byte) []byte {
		called := l.calls.Load()
		return called.server.AnswerForwarded(ctx, tools.ForwardedTo{
			Bind: func(ctx context.Context) (tools.WorkspaceBinding, error) {
				return called.bind(ctx, workspaces.Ask{Workspace: current.Root()})
			},
			Publish: publisher.Flush,
		}, request)
	}, log)
	if err != nil {
		log.Error("nothing is shared with the team", "error", err)
		return
	}
	if publisher != nil {
		defer l.note(current, publisher)()
		publisher.Run(ctx)
	}
}

// note keeps a publisher for status, until done is called.
func (l *teamLink) note(current *index.Current, publisher *publish.Publisher) (done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.publishers == nil {
		l.publishers = make(map[*index.Current]*publish.Publisher)
	}
	l.publishers[current] = publisher
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.publishers, current)
	}
}

// status is how a workspace is published, by this server or another process; nil while this
// server is not to publish it.
func (l *teamLink) status(ctx context.Context, current *index.Current, ix *index.Index) *publish.PublisherStatus {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	publisher := l.publishers[current]
	l.mu.Unlock()
	if publisher == nil {
		return nil
	}
	status, err := publisher.FolderStatus(ctx, ix)
	if err != nil { // nobody waits for it any more
		return nil
	}
	return &status
}

// sharedAs returns the name by which the team knows the workspace at a root, "" when it is not
// shared. The workspace that a program is started in has the one that the user gives for it; any
// other one, and its worktrees, that of the user's own names of workspaces.
func sharedAs(c *config.Config, root string, isStart bool) string {
	switch {
	case !c.Team.On(): // and no worktrees are looked for
		return ""
	case isStart && c.Team.Workspace != "":
		return c.Team.Workspace
	}
	for _, name := range slices.Sorted(maps.Keys(c.Workspaces)) {
		if !mirror.IsName(name) {
			continue
		}
		real, err := cachedir.RealPath(c.Workspaces[name])
		// The named one has to list a worktree: any folder can say that it is one.
		if err == nil && (real == root || slices.Contains(gitrepo.OtherWorktrees(real), root)) {
			return name
		}
	}
	return ""
}

// publishedAs returns the name by which the team gets the documents of a workspace that is shared
// under a name, "" where they are not published.
func publishedAs(c *config.Config, ws *store.Workspace, name string) string {
	if ws.Mirror() || c.Team.Publish == config.PublishOff { // who has the files publishes them
		return ""
	}
	return name
}
