//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"issues-index/tools/config"
)

// What is set for the start workspace does not reach into another one, which has its own.
func TestEachWorkspaceHasItsOwnSettings(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*hangs)
	defer cancel()
	base := realTempDir(t)
	at := func(path string) string { return filepath.Join(base, filepath.FromSlash(path)) }
	files := map[string]string{
		"user.yaml":                            "workspaces: {b: " + at("b") + "}\n",
		"a/.env":                               "ISSUES_INDEX_CACHE_TTL=50s\n",
		"a/.wrangler/config/issues-index.yaml": "defaultPageSize: 2\nclaims: {lease: 2h}\n",
		"b/.wrangler/config/issues-index.yaml": "defaultPageSize: 3\nclaims: {lease: 3h}\nunknownKey: 1\n" +
			"statuses: [{name: Todo, category: open}, {name: Doing, category: active}, {name: Shipped, category: done}]\n",
	}
	for n := range 6 {
		for _, dir := range []string{"a/docs", "b/docs"} {
			files[fmt.Sprintf("%s/ISS-%06d-x.md", dir, n+1)] = fmt.Sprintf("---\nid: ISS-%06d\ntitle: Number %d\n---\n", n+1, n)
		}
	}
	plantFiles(t, base, files)
	for name, value := range map[string]string{
		config.UserFileVariable: at("user.yaml"), "XDG_CACHE_HOME": at("xdg"), "ISSUES_INDEX_DB": at("index.db"),
		"WRANGLER_ISSUES_DIRECTORY": at("a/docs"),
	} {
		t.Setenv(name, value)
	}
	s := converseIn(ctx, t, at("a"))
	ask := func(tool, workspace, want string, arguments map[string]any) {
		t.Helper()
		if workspace != "" {
			arguments["workspace"] = workspace
		}
		if text, isError := s.answer(t, tool, arguments); isError == !strings.HasPrefix(want, "Error") || !strings.Contains(text, strings.TrimPrefix(want, "Error")) {
			t.Errorf("%s in %q answers %s, want %s", tool, workspace, text, want)
		}
	}
	ask("issues_list", "", "Showing 2 of 6", map[string]any{})
	ask("issues_list", "b", "Showing 3 of 6", map[string]any{})
	ask("issues_list", "b", "Todo", map[string]any{})
	ask("issues_mark_complete", "b", "Shipped", map[string]any{"id": "ISS-000001"})
	ask("issues_mark_complete", "", "closed", map[string]any{"id": "ISS-000001"})
	ask("issues_update", "", "ErrorVALIDATION_ERROR", map[string]any{"id": "ISS-000002", "status": "Shipped"})
	s.ask(t, "tools/list", "{}")
	for workspace, status := range map[string]string{"": "status: in_progress", "b": "status: Doing"} {
		ask("issues_claim", workspace, "ISS-000003", map[string]any{"operation": "claim", "id": "ISS-000003"})
		text, err := os.ReadFile(at(map[string]string{"": "a", "b": "b"}[workspace] + "/docs/ISS-000003-x.md"))
		if err != nil || !strings.Contains(string(text), status) {
			t.Errorf("%q %v, want %s", text, err, status)
		}
	}
	for _, path := range []string{"index.db", "b/.wrangler/cache/issues-index.db"} {
		if _, err := os.Stat(at(path)); err != nil {
			t.Error(err)
		}
	}

	t.Run("a cursor goes on in the workspace that it came from", func(t *testing.T) {
		text, _ := s.answer(t, "issues_list", map[string]any{"workspace": "b", "limit": 4})
		cursor := regexp.MustCompile(`cursor '(\w+)'`).FindStringSubmatch(text)
		if cursor == nil {
			t.Fatal(text)
		}
		ask("issues_list", "b", "Showing 2 of 6", map[string]any{"cursor": cursor[1]})
		ask("issues_list", "", "Errormade in another workspace", map[string]any{"cursor": cursor[1]})
		ask("issues_update", "b", "no field to change was given", map[string]any{"id": "ISS-000002"})
	})
	t.Run("and follows its file", func(t *testing.T) {
		plantFiles(t, base, map[string]string{"b/.wrangler/config/issues-index.yaml": "defaultPageSize: 4\n"})
		ask("issues_list", "b", "Showing 4 of 6", map[string]any{})
		ask("issues_list", "", "Showing 2 of 6", map[string]any{})
	})
	s.end(t)
	if !strings.Contains(s.logged.String(), "unknownKey") {
		t.Errorf("the unknown key is not logged: %s", &s.logged)
	}

	t.Run("one with an invalid configuration is refused with the reason", func(t *testing.T) {
		for text, want := range map[string]string{
			"defaultPageSize: many\n": "issues-index.yaml:1: invalid defaultPageSize",
			"statuses: none\n":        "invalid statuses",
		} {
			plantFiles(t, base, map[string]string{"b/.wrangler/config/issues-index.yaml": text})
			s = converseIn(ctx, t, at("a"))
			ask("issues_list", "b", "ErrorCONFIGURATION_ERROR", map[string]any{})
			ask("issues_list", "b", "Error"+want, map[string]any{})
			ask("issues_list", "", "Showing 2", map[string]any{})
			plantFiles(t, base, map[string]string{"b/.wrangler/config/issues-index.yaml": "defaultPageSize: 1\n"})
			ask("issues_list", "b", "Showing 1 of", map[string]any{})
			s.end(t)
		}
	})
}
