package transport_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"issues-index/tools/transport"
)

// TestConversations plays testdata/*.txtar.
func TestConversations(t *testing.T) { play(t, "testdata/*.txtar", newHandler) }

// play plays the conversations of some files: the lines of client are sent at once, the last
// one without a line end, and those of server must come back, in any order. UPDATE_GOLDEN=1
// writes what came.
func play(t *testing.T, pattern string, handler func(*testing.T, func(context.Context, string) error) transport.Handler) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(archive.Files) != 2 || archive.Files[0].Name != "client" || archive.Files[1].Name != "server" {
				t.Fatalf("%s is not made of client and server", file)
			}
			client, server := archive.Files[0].Data, &archive.Files[1].Data
			got := serve(t, string(bytes.TrimSuffix(client, []byte("\n"))), transport.StdioOptions{Handler: handler(t, nobodyWaits)})
			if os.Getenv("UPDATE_GOLDEN") == "1" {
				slices.SortStableFunc(got, func(a, b string) int { return strings.Compare(sortKey(a), sortKey(b)) })
				*server = []byte(strings.Join(got, "\n") + "\n")
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want := strings.Split(strings.TrimSuffix(string(*server), "\n"), "\n")
			for _, line := range want {
				if i := slices.Index(got, line); i >= 0 {
					got = slices.Delete(got, i, i+1)
				} else {
					t.Errorf("missing    %s", line)
				}
			}
			for _, line := range got {
				t.Errorf("unexpected %s", line)
			}
		})
	}
}

// sortKey puts responses in the order of their ids as far as these have one
// length.
func sortKey(line string) string {
	_, id, _ := strings.Cut(line, `"id":`)
	return id
}
