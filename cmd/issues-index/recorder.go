package main

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"

	"issues-index/index"
	"issues-index/index/db"
	"issues-index/store"
	"issues-index/store/cachedir"
	"issues-index/tools/config"
	"issues-index/tools/telemetry"
)

// telemetryPaths returns the possible paths of a workspace's telemetry file, in the order
// in which they are tried: the configured one, or those next to the index.
func telemetryPaths(c *config.Config, ws *store.Workspace) []string {
	if c.Telemetry.Path != "" {
		return []string{c.Telemetry.Path}
	}
	places := db.Paths(ws, c.DB)
	for i, place := range places {
		places[i] = telemetry.PathFor(place)
	}
	return places
}

// telemetryLog returns the record of a workspace's calls, nil when telemetry is off.
func telemetryLog(c *config.Config, ws *store.Workspace) *telemetry.Log {
	if !c.Telemetry.Enabled {
		return nil
	}
	return recordedCalls(c, ws)
}

// recordedCalls returns the record of a workspace's calls. Calls may have been recorded
// before telemetry was switched off.
func recordedCalls(c *config.Config, ws *store.Workspace) *telemetry.Log {
	return &telemetry.Log{Paths: telemetryPaths(c, ws)}
}

// recorder returns a recorder for the calls of a server. Its file is next to the index,
// which may be at one of several places.
func recorder(live *config.Live, current *index.Current, log *slog.Logger) *telemetry.Recorder {
	return telemetry.New(telemetry.Options{
		Place: func(ctx context.Context) (*cachedir.Dir, string, error) {
			ix, release, err := current.Acquire(ctx)
			if err != nil {
				return nil, "", err
			}
			defer release()
			return openTelemetryFolder(live.Config(), ix.Workspace())
		},
		Settings: func() telemetry.RecorderSettings {
			t := live.Last().Telemetry
			return telemetry.RecorderSettings{
				Enabled: t.Enabled, MaxAge: t.MaxAge, MaxSize: int(t.MaxSize), SampleRate: t.SampleRate,
			}
		},
		Log: log,
	})
}

// openTelemetryFolder opens the folder of a workspace's telemetry file, the first that can be
// written, and returns the file's name. It does not wait for the index, which takes long to
// build: the calls of a server that ends before are recorded, too.
func openTelemetryFolder(c *config.Config, ws *store.Workspace) (*cachedir.Dir, string, error) {
	var refused []error
	for _, path := range telemetryPaths(c, ws) {
		dir, err := openWritable(ws, path)
		if err == nil {
			return dir, filepath.Base(path), nil
		}
		refused = append(refused, err)
	}
	if refused == nil {
		return nil, "", errors.New("the index is kept in memory, and there is no telemetry.path")
	}
	return nil, "", errors.Join(refused...)
}

// openWritable opens the folder of a file of the workspace's, and proves that the lock beside the
// file can be written.
func openWritable(ws *store.Workspace, path string) (*cachedir.Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	dir, err := ws.OpenCache(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	if err = dir.Touch(filepath.Base(path) + ".lock"); err == nil && filepath.Base(dir.Path()) == "cache" {
		err = dir.IgnoreInGit()
	}
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return dir, nil
}
