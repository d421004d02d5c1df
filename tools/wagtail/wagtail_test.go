package wagtail

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"issues-index/tools"
	"issues-index/tools/toolstest"
	"issues-index/tools/wagtail/wagtailtest"
)

// newClient serves the tools over a site for tests, as the options say it is set
// up. No retry waits.
func newClient(t *testing.T, o Options) (*toolstest.Client, *wagtailtest.Server) {
	t.Helper()
	server := wagtailtest.NewServer(t)
	if o.BaseURL == "" {
		o.BaseURL = server.URL
	}
	return clientOf(t, o, tools.OutputBoth), server
}

func clientOf(t *testing.T, o Options, output tools.Output) *toolstest.Client {
	t.Helper()
	if o.Sleep == nil {
		o.Sleep = func(context.Context, time.Duration) error { return nil }
	}
	site, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return toolstest.NewClient(t, tools.Config{Output: output, Toolsets: []tools.Toolset{Toolset(site)}})
}

// newLab serves the tools over the generated site.
func newLab(t *testing.T) (*toolstest.Client, *wagtailtest.Lab) {
	t.Helper()
	lab := wagtailtest.NewLab(t)
	return clientOf(t, Options{BaseURL: lab.URL}, tools.OutputBoth), lab
}

type with = map[string]any

func TestDefinitions(t *testing.T) {
	set := Toolset(nil)
	toolstest.Golden(t, "testdata/definitions", set)
	toolstest.CheckDefinitions(t, set)
	toolstest.NoDuplicateSentences(t, set)
	for _, tool := range set.Tools {
		if !tool.ReadOnly || !tool.Idempotent || !tool.OpenWorld || tool.Destructive || !strings.Contains(tool.Description, "Read-only") {
			t.Errorf("%s: read-only %t, idempotent %t, open world %t, destructive %t: %s",
				tool.Name, tool.ReadOnly, tool.Idempotent, tool.OpenWorld, tool.Destructive, tool.Description)
		}
	}
}

func TestFootprint(t *testing.T) {
	for output, budget := range map[tools.Output]int{tools.OutputText: 8_500, tools.OutputBoth: 12_000} {
		size := toolstest.Footprint(t, output, Toolset(nil))
		t.Logf("output %s: %d bytes of %d", output, size, budget)
		if size > budget {
			t.Errorf("output %s: the definitions have %d bytes, over %d", output, size, budget)
		}
	}
}

// v3 is the address of a site that answers every list as the API v3 does.
func v3(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(answers(http.StatusOK, "application/json", `{"items": [], "count": 0}`))
	t.Cleanup(server.Close)
	return server.URL
}
