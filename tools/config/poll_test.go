package config

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

func TestFollowingWithoutWatches(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	write := func(contents string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(contents), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("chunkSize: 300\n")
	changes := make(chan *Config, 1)
	var log strings.Builder
	live, err := Follow(LiveOptions{
		Options: Options{File: file},
		Log:     slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Changed: func(c *Config) { changes <- c },
		watcher: func() (*fsnotify.Watcher, error) { return nil, errors.New("too many") },
		poll:    time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	<-changes
	write("chunkSize: 400\n")
	for {
		select {
		case c := <-changes:
			if c.ChunkSize == 400 {
				live.Close()
				live.Close() // twice is once
				if !strings.Contains(log.String(), "cannot be watched and is looked at every second") {
					t.Errorf("logged %s", log.String())
				}
				return
			}
		case <-time.After(30 * time.Second):
			t.Fatal("the change is never seen")
		}
	}
}
