package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"

	"issues-index/index"
	"issues-index/index/workspaces"
	"issues-index/store"
	"issues-index/store/cachedir"
	"issues-index/store/layout"
	"issues-index/store/mirror"
	"issues-index/tools"
	"issues-index/tools/config"
)

// A workspacePool has the workspaces of a server, each with its configuration.
type workspacePool = workspaces.Pool[*config.Live]

// isPinned reports whether the user has named the one workspace to serve.
func (p *program) isPinned() bool {
	return cmp.Or(p.workspace, p.getenv(store.RootVariable)) != ""
}

// workspacePool returns the workspaces of a server that was started in one.
func (p *program) workspacePool(
	start *index.Current, live *config.Live, link *teamLink, log *slog.Logger,
) *workspacePool {
	draw := rand.Float64()
	return workspaces.New(workspaces.Options[*config.Live]{
		Start: start, Own: live, Pinned: p.isPinned(), Log: log,
		Named: func() map[string]string { return live.Config().Workspaces },
		Open: func(ctx context.Context, root string) (*index.Current, *config.Live, error) {
			return p.openOther(ctx, start.Root(), root, draw, link, log.With("workspace", root))
		},
		Opened: func(ctx context.Context, other *index.Current, its *config.Live) {
			openIndex(ctx, other, log)
			link.share(ctx, other, sharedAs(its.Config(), other.Root(), false), log)
		},
	})
}

// openOther opens a workspace beside the start one, with its own configuration.
func (p *program) openOther(
	ctx context.Context, start, root string, draw float64, link *teamLink, log *slog.Logger,
) (*index.Current, *config.Live, error) {
	ws, err := store.Open(store.Options{
		Root:   root,
		Getenv: elsewhere(p.getenv, start, root),
		Getwd:  func() (string, error) { return root, nil },
	})
	if err != nil {
		return nil, nil, refusedConfiguration(root, err)
	}
	options := p.configOptions(root)
	options.SkipUnknown, options.Draw = true, draw
	if !options.EnvFileNamed { // it is the start workspace's
		options.EnvFile = ""
	}
	live, err := config.Open(config.LiveOptions{Options: options, Log: log})
	if err != nil {
		return nil, nil, errors.Join(refusedConfiguration(root, err), ws.Close())
	}
	c := live.Config()
	for _, problem := range c.Unknown() {
		log.Warn(problem.String() + "; the key is ignored")
	}
	served := servedIndex(c, log)
	served.Small, served.Team = true, link.teamOptions(sharedAs(c, ws.Root, false))
	if !c.SetsByWorkspace("db") { // the file of the start workspace's index
		served.Path = ""
	}
	current, err := index.Serve(ctx, ws, served)
	if err != nil {
		return nil, nil, errors.Join(err, ws.Close())
	}
	return current, live, nil
}

// elsewhere is the environment for a workspace that is not the start one. A variable that
// names a folder in the start workspace names the same folder here.
func elsewhere(getenv func(string) string, start, root string) func(string) string {
	return func(name string) string {
		value := getenv(name)
		switch {
		case name == store.RootVariable:
			return ""
		case value == "" || name != store.BasePathVariable && !(store.IsFolderVariable(name) && filepath.IsAbs(value)):
			return value
		}
		path, err := filepath.Abs(value)
		if err == nil {
			path, err = cachedir.RealPath(path)
		}
		rel, relErr := filepath.Rel(start, path)
		if err != nil || relErr != nil || !filepath.IsLocal(rel) {
			return ""
		}
		here := filepath.Join(root, rel)
		if _, err := os.Stat(here); name == store.BasePathVariable && err != nil {
			return "" // a base has to be there
		}
		return here
	}
}

// refusedConfiguration is the error of a workspace whose configuration cannot be used, for
// the client that has named it.
func refusedConfiguration(root string, err error) error {
	var problems config.Problems
	var unlaid *layout.InvalidError
	if !errors.As(err, &problems) && !errors.As(err, &unlaid) {
		return err
	}
	return tools.Errorf(
		tools.CodeConfiguration, "The workspace %s has an invalid configuration: %s.", tools.Quote(root),
		tools.Line(err.Error()),
	).
		On("workspace").Try("Ask the user to fix the file, and call again.")
}

// bind returns what a call works with.
func bind(pool *workspacePool) func(context.Context, workspaces.Ask) (tools.WorkspaceBinding, error) {
	return func(ctx context.Context, ask workspaces.Ask) (tools.WorkspaceBinding, error) {
		within := withinHub(ctx, pool, &ask)
		served, release, err := pool.Acquire(ctx, ask)
		if err != nil {
			return tools.WorkspaceBinding{}, err
		}
		c := served.Kept.Config()
		b := tools.WorkspaceBinding{
			Index: served.Index, Settings: c.Settings(), Lease: c.Claims.Lease, Within: within, Release: release,
		}
		if !served.IsStart {
			b.Elsewhere = served.Index.Workspace().Root
		}
		return b, nil
	}
}

// withinHub returns the workspace of a hub that a call names, and has it ask for the hub; "" for
// any other call. In a hub it is its workspaces that have names.
func withinHub(ctx context.Context, pool *workspacePool, ask *workspaces.Ask) (within string) {
	line, ok := mirror.ParseBranch(ask.Workspace)
	if !ok || !pool.Start().Served().Workspace().Mirror() {
		return ""
	}
	hub := *ask
	hub.Workspace = ""
	served, release, err := pool.Acquire(ctx, hub)
	if err != nil { // which the call is told, if it is about that
		return ""
	}
	defer release()
	for _, l := range served.Index.Workspace().Branches() {
		if l.Branch == line {
			*ask = hub
			return line.String()
		}
	}
	return ""
}
