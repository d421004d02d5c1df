package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"

	"issues-index/index"
	"issues-index/index/workspaces"
	"issues-index/store"
	"issues-index/store/mirror"
	"issues-index/tools"
	"issues-index/tools/config"
)

// The hubParts are the workspaces of a hub, each by itself, for those whose tokens are for some
// workspaces only. Each has an index of its own, in which there is nothing but the documents of
// its lines: whatever is asked, and in which way, nothing else can be found, counted, suggested
// or told of. Each is opened when it is first asked for, and closed when it is idle.
type hubParts struct {
	*workspacePool
	hub *index.Current
}

func newHubParts(hub *index.Current, live *config.Live, log *slog.Logger) *hubParts {
	p := &hubParts{hub: hub}
	p.workspacePool = workspaces.New(workspaces.Options[*config.Live]{
		Start: hub, Own: live, Named: p.folders, Log: log,
		Open: func(ctx context.Context, folder string) (*index.Current, *config.Live, error) {
			line, _ := mirror.ParseBranch(filepath.Base(folder)) // as folders has it
			ws, err := store.Open(
				store.Options{Root: filepath.Dir(folder), OnlyWorkspace: line.Workspace, Getenv: func(string) string { return "" }},
			)
			if err != nil {
				return nil, nil, err
			}
			served := servedIndex(live.Config(), log)
			served.Small = true
			served.Path = filepath.Join(ws.Root, filepath.FromSlash(store.CacheDir), "issues-index-"+line.Workspace+".db")
			current, err := index.Serve(ctx, ws, served)
			if err != nil {
				return nil, nil, errors.Join(err, ws.Close())
			}
			return current, live, nil
		},
	})
	return p
}

// folders are those of the workspaces that the hub has, by name: of a line of each.
func (p *hubParts) folders() map[string]string {
	all := map[string]string{}
	for _, l := range linesOf(p.hub.Served()) {
		if all[l.Workspace] == "" || l.Name == mirror.Main {
			all[l.Workspace] = filepath.Join(p.hub.Root(), l.String())
		}
	}
	return all
}

// names are the workspaces of the hub that a token is for, by their names or by their folders in
// the hub.
func (p *hubParts) names(only []string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(p.folders())), func(name string) bool {
		return !slices.Contains(only, name) && !slices.Contains(only, filepath.Join(p.hub.Root(), name))
	})
}

// bind returns what a call works with whose token is for some workspaces only, and the line that
// it is about. It says nothing of workspaces that the token is not for, not even whether there
// are such.
func (p *hubParts) bind(ctx context.Context, ask workspaces.Ask) (
	b tools.WorkspaceBinding, line mirror.Branch, err error,
) {
	_, release, err := p.hub.Acquire(ctx) // which finds new lines
	if err != nil {
		return b, line, err
	}
	release()
	names := p.names(ask.Only)
	asked := cmp.Or(ask.Name, ask.Workspace)
	if asked == "" && len(names) == 1 {
		asked = names[0]
	}
	line, ok := mirror.ParseBranch(asked)
	if !ok || !slices.Contains(names, line.Workspace) || !slices.Contains(linesOf(p.hub.Served()), line) {
		refused := &workspaces.RefusedError{Given: asked, Reason: "is not a workspace of this token", Limited: true}
		for _, name := range names {
			refused.Allowed = append(refused.Allowed, workspaces.AllowedRoot{Name: name})
		}
		return b, mirror.Branch{}, refused
	}
	served, release, err := p.Acquire(ctx, workspaces.Ask{Name: line.Workspace, Only: []string{line.Workspace}})
	if err != nil {
		return b, mirror.Branch{}, err
	}
	c := served.Kept.Config()
	return tools.WorkspaceBinding{
		Index: served.Index, Settings: c.Settings(), Lease: c.Claims.Lease, Within: line.String(), Release: release,
	}, line, nil
}
