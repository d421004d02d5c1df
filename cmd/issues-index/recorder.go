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
			path, err := telemetryPath(ctx, live.Config(), ix)
			if err != nil {
				return nil, "", err
			}
			dir, err := ix.Workspace().OpenCache(filepath.Dir(path))
			return dir, filepath.Base(path), err
		},
		Settings: func() telemetry.RecorderSettings {
			t := live.Config().Telemetry
			return telemetry.RecorderSettings{Enabled: t.Enabled, MaxAge: t.MaxAge, MaxSize: int64(t.MaxSize), SampleRate: t.SampleRate}
		},
		Log: log,
	})
}

func telemetryPath(ctx context.Context, c *config.Config, ix *index.Index) (string, error) {
	if path := c.Telemetry.Path; path != "" {
		return filepath.Abs(path)
	}
	health, err := ix.Health(ctx)
	if err != nil {
		return "", err
	}
	for _, place := range telemetryPaths(c, ix.Workspace()) {
		if filepath.Dir(place) == filepath.Dir(health.Path) {
			return place, nil
		}
	}
	return "", errors.New("the index is kept in memory, and there is no telemetry.path")
}
