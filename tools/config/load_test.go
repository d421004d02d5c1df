package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"issues-index/tools/answer"
	"issues-index/tools/config"
)

// workspace makes a workspace root with this default file.
func workspace(t *testing.T, contents string) (root, file string) {
	t.Helper()
	root = t.TempDir()
	file = filepath.Join(root, filepath.FromSlash(config.DefaultFile))
	makeFolder(t, filepath.Dir(file))
	write(t, file, contents)
	return root, file
}

func makeFolder(t testing.TB, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, file, contents string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(contents), 0o644); err != nil {
		t.Fatal(err)
	}
}

func mustLoad(t *testing.T, o config.Options) *config.Config {
	t.Helper()
	o.Tools = theTools
	c, err := config.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// setting returns what a key is set to, and where.
func setting(t *testing.T, c *config.Config, key string) string {
	t.Helper()
	for _, s := range c.Settled() {
		if s.Name == key {
			return s.Text() + " from " + s.Source.String()
		}
	}
	t.Fatalf("no key %s", key)
	return ""
}

func TestDefaultsAreThoseOfTheGuard(t *testing.T) {
	c := mustLoad(t, config.Options{Root: t.TempDir()})
	if !reflect.DeepEqual(c.Settings(), answer.Defaults()) {
		t.Errorf("settings %+v, want %+v", c.Settings(), answer.Defaults())
	}
	if c.File() != "" || c.Output != "auto" || !c.Cache || !c.Telemetry.Enabled || c.Telemetry.SampleRate != 0.01 {
		t.Errorf("got %+v", c)
	}
}

// Each step adds a layer, which wins over those before it.
func TestPrecedence(t *testing.T) {
	root, _ := workspace(t, "output: structured\n")
	named := filepath.Join(t.TempDir(), "named.json")
	write(t, named, "{\n \"output\": \"text\"\n}")
	other := filepath.Join(t.TempDir(), "other.yaml")
	write(t, other, "output: structured\n")
	o := config.Options{}
	check := func(what, want string) {
		t.Helper()
		if got := setting(t, mustLoad(t, o), "output"); got != want {
			t.Errorf("%s: got %s, want %s", what, got, want)
		}
	}
	check("nothing", "auto from default")
	o.Root = root
	check("the workspace's file", "structured from "+config.DefaultFile+":1")
	variables := []string{config.FileVariable, named}
	o.Getenv = func(name string) string { return environment(variables...)(name) }
	check("a file named by the environment, in place of it", "text from "+named+":2")
	o.File = other
	check("a file named by a flag, in place of that", "structured from "+other+":1")
	variables = append(variables, "ISSUES_INDEX_OUTPUT", "both")
	check("the environment over the file", "both from ISSUES_INDEX_OUTPUT")
	o.Flags = map[string]string{"output": "text"}
	check("a flag over all", "text from --output")
}

func TestEnvironmentNames(t *testing.T) {
	for _, test := range []struct{ name, variables, key, want string }{
		{"the reference's names work", "WRANGLER_MCP_NAME=a WRANGLER_MCP_VERSION=2", "name", "a from WRANGLER_MCP_NAME"},
		{"our own name comes first", "WRANGLER_MCP_NAME=a ISSUES_INDEX_NAME=b", "name", "b from ISSUES_INDEX_NAME"},
		{"so does the cache's", "WRANGLER_MCP_CACHE=false", "cache", "false from WRANGLER_MCP_CACHE"},
		{"an empty variable is none", "ISSUES_INDEX_OUTPUT=", "output", "auto from default"},
		{"a flag of a tool", "ISSUES_INDEX_TOOLS_ROWS_PAGINATION=off", "tools.rows.pagination", "false from ISSUES_INDEX_TOOLS_ROWS_PAGINATION"},
		{"a connector's", "WAGTAIL_BASE_URL=http://x PDPP_PROVIDER_URL=http://y", "pdpp.providerUrl", "http://y from PDPP_PROVIDER_URL"},
		{"a connector's name for the server", "MCP_SERVICE_NAME=w", "name", "w from MCP_SERVICE_NAME"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var pairs []string
			for variable := range strings.FieldsSeq(test.variables) {
				name, value, _ := strings.Cut(variable, "=")
				pairs = append(pairs, name, value)
			}
			c, err := loadEnv(pairs...)
			if err != nil {
				t.Fatal(err)
			}
			if got := setting(t, c, test.key); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestMisspeltVariables(t *testing.T) {
	got := config.Misspelt([]string{
		"PATH=/bin", "ISSUES_INDEX_OUTPUT=text", "ISSUES_INDEX_CONFIG=x", "ISSUES_INDEX_TOOLS_ROWS_CHUNKING=no",
		"ISSUES_INDEX_MAX_PAGESIZE=3", "ISSUES_INDEX_TOOLS_ROW_CHUNKING=no", "ISSUES_INDEX_SCREENSHOTS=1", "ISSUES_INDEX_CHUNKSIZE=",
	}, theTools)
	want := []string{
		`unknown variable "ISSUES_INDEX_MAX_PAGESIZE": did you mean ISSUES_INDEX_MAX_PAGE_SIZE?`,
		`unknown variable "ISSUES_INDEX_TOOLS_ROW_CHUNKING": did you mean ISSUES_INDEX_TOOLS_ROWS_CHUNKING?`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLimitsBetweenKeys(t *testing.T) {
	t.Run("what nobody set gives way", func(t *testing.T) {
		c, err := loadFile(t, "c.yaml", "maxPageSize: 10\ntokenBudgetThreshold: 1000\n")
		if err != nil {
			t.Fatal(err)
		}
		if s := c.Settings(); s.PageSize != 10 || s.ChunkTokens != 1000 {
			t.Errorf("page %d, chunk %d", s.PageSize, s.ChunkTokens)
		}
		if got := setting(t, c, "chunkSize"); got != "1000 from default" {
			t.Errorf("shown as %s", got)
		}
	})
	for name, test := range map[string]struct{ file, want string }{
		"a page over the largest":        {"maxPageSize: 10\ndefaultPageSize: 20\n", ":2: invalid defaultPageSize 20: must be at most maxPageSize, which is 10 ("},
		"a chunk over an answer":         {"chunkSize: 5000\n", ":1: invalid chunkSize 5000: must be at most tokenBudgetThreshold, which is 4000 (default)"},
		"an answer over the most of all": {"tokenBudgetThreshold: 30000\n", ":1: invalid tokenBudgetThreshold 30000: must be at most maxTokenBudget, which is 25000 (default)"},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			if _, err := loadFile(t, "c.yaml", test.file); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("layers are compared with each other", func(t *testing.T) {
		_, err := loadEnv("ISSUES_INDEX_MAX_PAGE_SIZE", "5", "ISSUES_INDEX_DEFAULT_PAGE_SIZE", "6")
		if want := "invalid ISSUES_INDEX_DEFAULT_PAGE_SIZE 6: must be at most maxPageSize, which is 5 (ISSUES_INDEX_MAX_PAGE_SIZE)"; err == nil || err.Error() != want {
			t.Errorf("got %v", err)
		}
	})
}

func TestExperiment(t *testing.T) {
	for _, test := range []struct {
		file        string
		draw        float64
		off, shadow bool
	}{
		{"experiment: off", 0, false, false},
		{"experiment: shadow", 0, false, true},
		{"experiment: {mode: split, share: 0.3}", 0.29, true, false},
		{"experiment: {mode: split, share: 0.3}", 0.3, false, false},
		{"experiment: {mode: split, share: 0}", 0, false, false},
		{"experiment: {mode: split, share: 1}", 0.999, true, false},
		{"experiment: {mode: off, share: 1}", 0, false, false},
	} {
		t.Run(fmt.Sprint(test.file, " drawn ", test.draw), func(t *testing.T) {
			root, _ := workspace(t, test.file)
			s := mustLoad(t, config.Options{Root: root, Draw: test.draw}).Settings()
			if s.Off != test.off || s.Shadow != test.shadow {
				t.Errorf("off %v, shadow %v", s.Off, s.Shadow)
			}
		})
	}
}

func TestToolFlags(t *testing.T) {
	c, err := loadFile(t, "c.yaml", "tools:\n  rows:\n    pagination: false\n  text: {chunking: true}\n")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]answer.Flags{"rows": {Summarization: true, Chunking: true}}
	if got := c.Settings().Tools; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestToolsets(t *testing.T) {
	c, err := loadFile(t, "c.yaml", "toolsets:\n  - issues\n  - wagtail\n  - pdpp\npdpp:\n  providerUrl: https://rs.example.org\n")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"issues": true, "session": false, "wagtail": false, "pdpp": true} {
		if c.HasToolset(name) != want {
			t.Errorf("%s: %v, want %v", name, !want, want)
		}
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	c, err := loadEnv("WAGTAIL_API_KEY", "hunter2")
	if err != nil {
		t.Fatal(err)
	}
	if got := setting(t, c, "wagtail.apiKey"); got != "set from WAGTAIL_API_KEY" {
		t.Errorf("shown as %s", got)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(format, c.Wagtail); strings.Contains(text, "hunter2") {
			t.Errorf("%s prints %s", format, text)
		}
	}
}
