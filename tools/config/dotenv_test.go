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

func TestEnvFile(t *testing.T) {
	t.Run("its variables count under the environment and above a configuration file", func(t *testing.T) {
		root, _ := workspace(t, "output: text\n")
		c := mustLoad(t, config.Options{
			Root: root, EnvFileNamed: true,
			EnvFile: envFile(t, "# a site\nexport MCP_SERVICE_NAME=\"from .env\"\nISSUES_INDEX_VERSION='from .env'\nOTHER=1\n"),
			Getenv:  environment("MCP_SERVICE_VERSION", "from the environment"),
		})
		for key, want := range map[string]string{
			"name":    "from .env from MCP_SERVICE_NAME in .env",
			"version": "from the environment from MCP_SERVICE_VERSION",
			"output":  "text from " + config.DefaultFile + ":1",
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
	t.Run("one that the user has named sets up a site, and the key is not shown", func(t *testing.T) {
		c := mustLoad(t, config.Options{EnvFile: envFile(t, "WAGTAIL_BASE_URL=https://cms.example.org\nWAGTAIL_API_KEY=hunter2\nWAGTAIL_AUTH_SCHEME=token\nMCP_ENABLE_STDIO=false\n"), EnvFileNamed: true})
		if w := c.Wagtail; w.BaseURL != "https://cms.example.org" || w.APIKey.Reveal() != "hunter2" || w.AuthScheme != "Token" || w.EnableStdio {
			t.Errorf("%+v", w)
		}
		if got := setting(t, c, "wagtail.apiKey"); got != "set from WAGTAIL_API_KEY in .env" {
			t.Error(got)
		}
	})
	t.Run("a value that is refused is a problem that names the file, and shows no secret", func(t *testing.T) {
		_, err := config.Load(config.Options{Tools: theTools, EnvFileNamed: true, EnvFile: envFile(t, "ISSUES_INDEX_OUTPUT=loud\nWAGTAIL_API_KEY='hunter2 hunter2'\n")})
		if err == nil || !strings.Contains(err.Error(), `invalid ISSUES_INDEX_OUTPUT in .env "loud": must be auto, both, text or structured`) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v", err)
		}
	})
	t.Run("one that the user has named must be there", func(t *testing.T) {
		_, err := config.Load(config.Options{Tools: theTools, EnvFileNamed: true, EnvFile: filepath.Join(t.TempDir(), "mine.env")})
		if err == nil || !strings.Contains(err.Error(), "mine.env cannot be read: there is no such file") {
			t.Errorf("%v", err)
		}
	})
	t.Run("one that nobody has named is not read through a link out of its folder", func(t *testing.T) {
		outside, file := envFile(t, "ISSUES_INDEX_OUTPUT=text\n"), filepath.Join(t.TempDir(), config.EnvFile)
		if err := os.Symlink(outside, file); err != nil {
			t.Fatal(err)
		}
		c := mustLoad(t, config.Options{EnvFile: file})
		if w := strings.Join(c.Warnings(), "\n"); c.Output == "text" || !strings.HasPrefix(w, ".env is not read: it leads out of its folder") {
			t.Errorf("output is %s, the warning %q", c.Output, w)
		}
		if c := mustLoad(t, config.Options{EnvFile: file, EnvFileNamed: true}); c.Output != "text" {
			t.Errorf("when it is named, output is %s", c.Output)
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

func FuzzEnvFile(f *testing.F) {
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

func TestForeignVariablesOfEnvFileAreKnown(t *testing.T) {
	c := mustLoad(t, config.Options{EnvFile: envFile(t, "SOME_TOKEN=hunter2\nEMPTY=\n")})
	if !c.InEnvFile("SOME_TOKEN") || c.InEnvFile("EMPTY") || c.InEnvFile("OTHER") {
		t.Error("the file has SOME_TOKEN alone")
	}
}
