package main

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/cachedir"
	"issues-index/tools/config"
	"issues-index/tools/telemetry"
)

// telemetryPlaces are the files that a workspace's calls may be recorded in, the
// first choice first: where the configuration says, else beside the index.
func telemetryPlaces(c *config.Config, ws *store.Workspace) []string {
	if c.Telemetry.Path != "" {
		return []string{c.Telemetry.Path}
	}
	places := index.Places(ws, c.DB)
	for i, place := range places {
		places[i] = telemetry.PathFor(place)
	}
	return places
}

// telemetryLog reads what the servers of a workspace record of their calls; nil
// when they do not.
func telemetryLog(c *config.Config, ws *store.Workspace) *telemetry.Log {
	if !c.Telemetry.Enabled {
		return nil
	}
	return recordedCalls(c, ws)
}

// recordedCalls is telemetryLog of what was recorded, perhaps before it was
// switched off.
func recordedCalls(c *config.Config, ws *store.Workspace) *telemetry.Log {
	places := telemetryPlaces(c, ws)
	if len(places) == 0 {
		return &telemetry.Log{}
	}
	return &telemetry.Log{Path: places[0], Instead: places[1:]}
}

// recorder records the calls of a server. Its file is where the index turns out
// to be.
func recorder(live *config.Live, current *index.Current, log *slog.Logger) *telemetry.Recorder {
	return telemetry.New(telemetry.Options{
		Place: func(ctx context.Context) (*cachedir.Dir, string, error) {
			ix, release, err := current.Acquire(ctx)
			if err != nil {
				return nil, "", err
			}
			defer release()
			path, err := telemetryPlace(ctx, live.Config(), ix)
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

func telemetryPlace(ctx context.Context, c *config.Config, ix *index.Index) (string, error) {
	if path := c.Telemetry.Path; path != "" {
		return filepath.Abs(path)
	}
	health, err := ix.Health(ctx)
	if err != nil {
		return "", err
	}
	for _, place := range telemetryPlaces(c, ix.Workspace()) {
		if filepath.Dir(place) == filepath.Dir(health.Path) {
			return place, nil
		}
	}
	return "", errors.New("the index is kept in memory, and there is no telemetry.path")
}
