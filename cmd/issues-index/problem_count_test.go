//go:build !windows

package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/store"
	"issues-index/tools/dashboard"
)

// sampleWorkspaces are copies of real documents, and the folder of their issues if it
// is not the usual one.
var sampleWorkspaces = map[string]string{
	"sample":            "",
	"corpora/wrangler":  "",
	"corpora/backlogmd": "backlog",
	"corpora/eips":      "EIPS",
	"corpora/crlf":      "wdk-ddi-src",
}

// Every command, the health page and the metrics give one figure for the documents with
// problems: the documents that check lists.
func TestDocumentsWithProblemsAreCountedOnce(t *testing.T) {
	t.Parallel()
	for name, issues := range sampleWorkspaces {
		t.Run(filepath.Base(name), func(t *testing.T) {
			root := t.TempDir()
			if err := os.CopyFS(root, os.DirFS(filepath.Join(repositoryRoot, "testdata", filepath.FromSlash(name)))); err != nil {
				t.Fatal(err)
			}
			getenv := func(name string) string {
				return map[string]string{"WRANGLER_ISSUES_DIRECTORY": issues}[name]
			}
			ask := func(args ...string) string {
				t.Helper()
				got := runWith(t, getenv, root, args...)
				if got.code > exitFailed || got.errOut != "" {
					t.Fatalf("%v: exit code %d: %s", args, got.code, got.errOut)
				}
				return got.out
			}
			check := read[struct {
				Documents int
				Problems  []struct{ Path, Code string }
			}](t, ask("check", "--json"))
			listed := map[string]bool{}
			for _, p := range check.Problems {
				listed[p.Path] = true
			}
			want := len(listed)
			t.Logf("%d documents with %d problems", want, len(check.Problems))

			page := dashboardPages(t, root, getenv)
			for from, got := range map[string]int{
				"check":     check.Documents,
				"rebuild":   read[struct{ Problems int }](t, ask("rebuild", "--json")).Problems,
				"health":    read[dashboard.HealthReport](t, ask("health", "--json")).Index.Problems,
				"/healthz":  read[dashboard.HealthReport](t, page("/healthz")).Index.Problems,
				"/metrics":  sampleOf(t, page("/metrics"), "issues_index_problem_documents"),
				"/overview": read[struct{ Index dashboard.IndexState }](t, page("/api/overview")).Index.Problems,
			} {
				if got != want {
					t.Errorf("%s counts %d documents with problems, check lists %d", from, got, want)
				}
			}
		})
	}
}

// dashboardPages asks a dashboard of the workspace for its pages.
func dashboardPages(t *testing.T, root string, getenv func(string) string) func(path string) string {
	t.Helper()
	ws, err := store.Open(store.Options{Root: root, Getenv: getenv})
	if err != nil {
		t.Fatal(err)
	}
	ix, err := index.Open(t.Context(), ws, index.Options{Mode: index.ModeVerify})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(ix.Close(), ws.Close()); err != nil {
			t.Error(err)
		}
	})
	source := func(context.Context) (dashboard.Backend, func()) {
		return dashboard.Backend{Index: ix, Root: ws.Root}, func() {}
	}
	pages := http.NewServeMux()
	dashboard.New(t.Context(), source, dashboard.NewMetrics(), version).Register(pages)
	return func(path string) string {
		request := httptest.NewRequest(http.MethodGet, path, http.NoBody)
		request.Host = "localhost:8080"
		answer := httptest.NewRecorder()
		pages.ServeHTTP(answer, request)
		return answer.Body.String()
	}
}

// sampleOf is the value of a metric without labels.
func sampleOf(t *testing.T, page, name string) (value int) {
	t.Helper()
	_, rest, found := strings.Cut(page, "\n"+name+" ")
	if !found {
		t.Fatalf("no %s in\n%s", name, page)
	}
	line, _, _ := strings.Cut(rest, "\n")
	value, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	return value
}
