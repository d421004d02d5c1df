package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/tools/config"
)

// FuzzFile holds that a file, whatever is in it, is either refused with problems
// of one line each, or gives limits that a server can work with.
func FuzzFile(f *testing.F) {
	for _, seed := range []string{
		low, limitsOf(3), "telemetry: off\nexperiment: {mode: split, share: .5}\n", "tools:\n  rows: {chunking: no}\n",
		"output: [text\n", "? {a: b}\n: *c\n", "<<: &a [*a]\n", "--- !!map\n...\n---\n", "wagtail: {apiKey: hunter2}", "\xff\x00", "[[[[{{{{",
		`{"toolsets": ["issues", "pdpp"], "cacheTTL": "1d"}`,
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, contents []byte, asJSON bool) {
		file := filepath.Join(dir, "c.yaml")
		if asJSON {
			file = filepath.Join(dir, "c.json")
		}
		if err := os.WriteFile(file, contents, 0o644); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(config.Options{File: file, Tools: theTools})
		if err != nil {
			problems, ok := err.(config.Problems) //nolint:errorlint // the very type
			if !ok || len(problems) == 0 {
				t.Fatalf("refused without problems: %v", err)
			}
			for _, p := range problems {
				if p.Message == "" || strings.ContainsAny(p.Message, "\n\r") || p.Line < 0 {
					t.Errorf("problem %+v", p)
				}
			}
			return
		}
		s := c.Settings()
		if s.PageSize < 1 || s.PageSize > s.MaxPageSize || s.ChunkTokens < 1 || s.ChunkTokens > s.Threshold || s.Threshold > s.MaxTokens || s.Bytes < 2000 {
			t.Errorf("limits %+v", s)
		}
		if len(c.Toolsets) == 0 || c.Telemetry.MaxAge <= 0 || c.CacheTTL <= 0 {
			t.Errorf("configuration %+v", c)
		}
		for _, setting := range c.Settled() {
			if setting.Name == "wagtail.apiKey" && setting.Text() != "set" && setting.Text() != "not set" {
				t.Errorf("the secret is shown as %q", setting.Text())
			}
		}
	})
}
