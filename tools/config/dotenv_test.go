package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"issues-index/tools/config"
)

// envFile makes a file of variables in a folder of its own.
func envFile(t testing.TB, contents string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), config.EnvFile)
	write(t, file, contents)
	return file
}

func TestFileOfVariables(t *testing.T) {
	t.Run("its variables count under the environment and above a configuration file", func(t *testing.T) {
		root, _ := workspace(t, "name: from the file\nversion: from the file\noutput: text\n")
		c := mustLoad(t, config.Options{
			Root:    root,
			EnvFile: envFile(t, "# a site\nexport MCP_SERVICE_NAME=\"from .env\"\nISSUES_INDEX_VERSION='from .env'\nOTHER=1\n"),
			Getenv:  environment("MCP_SERVICE_VERSION", "from the environment"),
		})
		for key, want := range map[string]string{
			"name":    "from .env from MCP_SERVICE_NAME in .env",
			"version": "from the environment from MCP_SERVICE_VERSION",
			"output":  "text from " + config.DefaultFile + ":3",
		} {
			if got := setting(t, c, key); got != want {
				t.Errorf("%s is %s, want %s", key, got, want)
			}
		}
		if len(c.Warnings()) != 0 {
			t.Errorf("warnings %q", c.Warnings())
		}
	})
	t.Run("flags count above it", func(t *testing.T) {
		c := mustLoad(t, config.Options{EnvFile: envFile(t, "ISSUES_INDEX_OUTPUT=text\n"), Flags: map[string]string{"output": "structured"}})
		if got := setting(t, c, "output"); got != "structured from --output" {
			t.Error(got)
		}
	})
	t.Run("a site is set up by it alone, and its key is not shown", func(t *testing.T) {
		c := mustLoad(t, config.Options{EnvFile: envFile(t, "WAGTAIL_BASE_URL=https://cms.example.org\nWAGTAIL_API_KEY=hunter2\nWAGTAIL_AUTH_SCHEME=token\nMCP_ENABLE_STDIO=false\n")})
		if w := c.Wagtail; w.BaseURL != "https://cms.example.org" || w.APIKey.Reveal() != "hunter2" || w.AuthScheme != "Token" || w.EnableStdio {
			t.Errorf("%+v", w)
		}
		if got := setting(t, c, "wagtail.apiKey"); got != "set from WAGTAIL_API_KEY in .env" {
			t.Error(got)
		}
	})
	t.Run("a value that is refused is a problem that names the file, and shows no secret", func(t *testing.T) {
		_, err := config.Load(config.Options{Tools: theTools, EnvFile: envFile(t, "ISSUES_INDEX_OUTPUT=loud\nWAGTAIL_API_KEY='hunter2 hunter2'\n")})
		if err == nil || !strings.Contains(err.Error(), `invalid ISSUES_INDEX_OUTPUT in .env "loud": must be both, text or structured`) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v", err)
		}
	})
	t.Run("its paths stay in its folder, since it may come with a stranger's project", func(t *testing.T) {
		_, err := config.Load(config.Options{Tools: theTools, EnvFile: envFile(t, "ISSUES_INDEX_DB=../index.db\n")})
		if err == nil || !strings.Contains(err.Error(), "it leads out of the workspace") {
			t.Errorf("%v", err)
		}
	})
	t.Run("a missing one is nothing to speak of", func(t *testing.T) {
		c := mustLoad(t, config.Options{EnvFile: filepath.Join(t.TempDir(), config.EnvFile)})
		if len(c.Warnings()) != 0 {
			t.Errorf("warnings %q", c.Warnings())
		}
	})

	folder := filepath.Join(t.TempDir(), config.EnvFile)
	makeFolder(t, folder)
	for name, file := range map[string]string{
		"a malformed one":      envFile(t, "hunter2 is no variable\nWAGTAIL_BASE_URL=https://cms.example.org\n"),
		"an unclosed quote":    envFile(t, "WAGTAIL_API_KEY=\"hunter2\n"),
		"one that is a folder": folder,
		"one that is huge":     envFile(t, strings.Repeat("A=1\n", 1_000_000)),
	} {
		t.Run(name+" is a warning and no more", func(t *testing.T) {
			c := mustLoad(t, config.Options{EnvFile: file})
			if w := strings.Join(c.Warnings(), "\n"); !strings.HasPrefix(w, ".env is not read: ") || strings.Contains(w, "hunter2") {
				t.Errorf("the warning is %q", w)
			}
			if c.Wagtail.BaseURL != "" {
				t.Errorf("the site is %q", c.Wagtail.BaseURL)
			}
		})
	}
}

func FuzzFileOfVariables(f *testing.F) {
	for _, seed := range []string{"A=1", "export WAGTAIL_API_KEY='x'", "A=\"", "A=${A}", "=", "A:b\nA", "\x00", "ISSUES_INDEX_OUTPUT=$(rm)\\"} {
		f.Add(seed)
	}
	file := filepath.Join(f.TempDir(), config.EnvFile)
	f.Fuzz(func(t *testing.T, contents string) {
		if err := os.WriteFile(file, []byte(contents), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(config.Options{Tools: theTools, EnvFile: file})
		if err == nil && c == nil {
			t.Fatal("neither a configuration nor an error")
		}
		if err != nil && !utf8.ValidString(err.Error()) {
			t.Errorf("the error is no text: %q", err)
		}
	})
}

// A key goes only to an address from a place as trusted as its own.
func TestAKeyStaysWithItsAddress(t *testing.T) {
	const file, keyed = "wagtail:\n  baseUrl: https://a.example\n", "wagtail:\n  baseUrl: https://a.example\n  apiKey: hunter2\n"
	named := filepath.Join(t.TempDir(), "named.yaml")
	write(t, named, file)
	for name, c := range map[string]struct {
		file, dotenv string
		environment  []string
		named        string
		leaves       string // the address's place, "" when the key stays
	}{
		"both in the workspace's file":              {file: keyed},
		"both in .env":                              {dotenv: "WAGTAIL_BASE_URL=https://a.example\nWAGTAIL_API_KEY=hunter2\n"},
		"both in the environment":                   {environment: []string{"WAGTAIL_BASE_URL", "https://a.example", "WAGTAIL_API_KEY", "hunter2"}},
		"the key alone":                             {environment: []string{"WAGTAIL_API_KEY", "hunter2"}},
		"the address alone":                         {dotenv: "WAGTAIL_BASE_URL=https://a.example\n"},
		"an address of the environment over a key":  {file: keyed, environment: []string{"WAGTAIL_BASE_URL", "https://b.example"}},
		"a file that the user names":                {named: named, environment: []string{"WAGTAIL_API_KEY", "hunter2"}},
		"the workspace's address, .env's key":       {file: file, dotenv: "WAGTAIL_API_KEY=hunter2\n", leaves: config.DefaultFile + ":2"},
		"the workspace's address, the user's key":   {file: file, environment: []string{"WAGTAIL_API_KEY", "hunter2"}, leaves: config.DefaultFile + ":2"},
		"the workspace's key, the user's beside it": {file: keyed, environment: []string{"WAGTAIL_API_KEY", "hunter3"}, leaves: config.DefaultFile + ":2"},
		".env's address, the user's key":            {dotenv: "WAGTAIL_BASE_URL=https://a.example\n", environment: []string{"WAGTAIL_API_KEY", "hunter2"}, leaves: "WAGTAIL_BASE_URL in .env"},
	} {
		t.Run(name, func(t *testing.T) {
			root, _ := workspace(t, c.file)
			_, address, leaves := mustLoad(t, config.Options{
				Root: root, File: c.named, EnvFile: envFile(t, c.dotenv), Getenv: environment(c.environment...),
			}).WagtailKeyLeaves()
			if leaves != (c.leaves != "") || leaves && address.String() != c.leaves {
				t.Errorf("leaves for %s: %v", address, leaves)
			}
		})
	}
}

// The address of a resource server is the user's word or that of others.
func TestWhoSaysWhereTheResourceServerIs(t *testing.T) {
	const file, variable = "pdpp:\n  providerUrl: http://rs.example\n", "PDPP_PROVIDER_URL=http://rs.example\n"
	named := filepath.Join(t.TempDir(), "named.yaml")
	write(t, named, file)
	for name, c := range map[string]struct {
		file, dotenv, named string
		environment         []string
		want                string
	}{
		"nobody":                      {},
		"the workspace's file":        {file: file, want: config.DefaultFile + ":2"},
		".env":                        {dotenv: variable, want: "PDPP_PROVIDER_URL in .env"},
		"the environment":             {environment: []string{"PDPP_PROVIDER_URL", "http://rs.example"}},
		"the environment before .env": {dotenv: variable, environment: []string{"PDPP_PROVIDER_URL", "https://rs.example"}},
		"a file that the user names":  {named: named},
	} {
		t.Run(name, func(t *testing.T) {
			root, _ := workspace(t, c.file)
			got := mustLoad(t, config.Options{Root: root, File: c.named, EnvFile: envFile(t, c.dotenv), Getenv: environment(c.environment...)}).Hearsay()
			if got != c.want {
				t.Errorf("it stands in %q, want %q", got, c.want)
			}
		})
	}
}

func TestVariablesOfOthersInAFileOfVariables(t *testing.T) {
	c := mustLoad(t, config.Options{EnvFile: envFile(t, "SOME_TOKEN=hunter2\nEMPTY=\n")})
	if !c.InEnvFile("SOME_TOKEN") || c.InEnvFile("EMPTY") || c.InEnvFile("OTHER") {
		t.Error("the file has SOME_TOKEN alone")
	}
}
