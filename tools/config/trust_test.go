package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/tools/config"
)

// limited are the values that a repository may, and may not, set the keys to that it
// may set to some. Paths are relative to the workspace.
var limited = map[string]struct{ fits, others []string }{
	"httpAddr":       {[]string{"8080", ":0", "127.0.0.1:1", "[::1]:9", "localhost:80", "127.8.8.8:80"}, []string{"0.0.0.0:80", "[::]:80", "192.168.1.2:80", "example.org:80", "localhost.example.org:80"}},
	"logLevel":       {[]string{"debug", "info", "warn"}, []string{"error", "ERROR"}},
	"db":             {[]string{".wrangler/cache/my.db", "./.wrangler/cache/a/b", ":memory:"}, outsidePaths},
	"telemetry.path": {[]string{".wrangler/cache/calls.db"}, outsidePaths},
	"pdpp.cacheRoot": {[]string{".wrangler/cache/pdpp"}, outsidePaths},
}

var outsidePaths = []string{
	"README.md", ".git/HEAD", ".wrangler/issues/ISS-000001.md", ".wrangler/cache", ".wrangler/cache/", ".wrangler/cache/..", ".wrangler/cache/../config/x",
	"../x.db", "/tmp/x.db", "linked/x.db", ".wrangler/cache/out/x.db", ".wrangler/cachet/x.db", ".", "",
}

// repositoryWith makes a workspace with links, and with a file in its place.
func repositoryWith(t *testing.T, file string) (root string) {
	t.Helper()
	root, _ = workspace(t, file)
	makeFolder(t, filepath.Join(root, ".wrangler/cache"))
	outside := t.TempDir()
	for _, link := range []string{"linked", ".wrangler/cache/out"} {
		if err := os.Symlink(outside, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// inFile writes a setting as a file has it.
func inFile(key, value string) string {
	if value == "" || strings.HasPrefix(value, "[") || strings.HasSuffix(value, ":") {
		value = "'" + value + "'"
	}
	blocks := strings.Split(key, ".")
	text := ""
	for depth, block := range blocks {
		text += strings.Repeat("  ", depth) + block + ":\n"
	}
	return strings.TrimSuffix(text, "\n") + " " + value + "\n"
}

func TestRepositoryFilesAreRestricted(t *testing.T) {
	for _, k := range programKeys() {
		t.Run(k.Name, func(t *testing.T) {
			var fits, others []string
			switch values, some := limited[k.Name]; {
			case some:
				fits, others = values.fits, values.others
			case k.Repository == config.Never:
				for _, s := range samples[k.Name].valid {
					others = append(others, s.text)
				}
			case k.Repository != "":
				t.Fatalf("may be set %s, and has no values here", k.Repository)
			}
			for _, value := range fits {
				mustLoad(t, config.Options{Root: repositoryWith(t, inFile(k.Name, value))})
				root := repositoryWith(t, "")
				write(t, filepath.Join(root, ".env"), k.Env[0]+"="+value+"\n")
				c := mustLoad(t, config.Options{Root: root, EnvFile: filepath.Join(root, ".env")})
				if got := setting(t, c, k.Name); !strings.HasSuffix(got, " in .env") || len(c.Warnings()) != 0 {
					t.Errorf("%s in .env: %s, %q", value, got, c.Warnings())
				}
			}
			for _, value := range others {
				_, err := config.Load(config.Options{Tools: theTools, Root: repositoryWith(t, inFile(k.Name, value))})
				if err == nil {
					t.Errorf("%q is taken from the workspace's file", value)
				} else if value != "" && (!strings.Contains(err.Error(), "a repository's own file may") || !strings.Contains(err.Error(), k.Env[0])) {
					t.Errorf("%q: %v", value, err)
				}
				if value == "" {
					continue // it is as if it were not there
				}
				root := repositoryWith(t, "")
				write(t, filepath.Join(root, ".env"), k.Env[0]+"="+value+"\n")
				c := mustLoad(t, config.Options{Root: root, EnvFile: filepath.Join(root, ".env")})
				if got, w := setting(t, c, k.Name), strings.Join(c.Warnings(), "\n"); !strings.HasSuffix(got, " from default") || !strings.HasPrefix(w, k.Env[0]+" in .env is ignored: ") {
					t.Errorf("%q in .env: %s, %q", value, got, w)
				}
				if k.Secret && strings.Contains(strings.Join(c.Warnings(), ""), value) {
					t.Error("a secret is shown")
				}
			}
		})
	}
}

// What the user has named, and the environment, is the user's word.
func TestUserMaySetEverything(t *testing.T) {
	for _, k := range programKeys() {
		for _, sample := range samples[k.Name].valid {
			file := filepath.Join(t.TempDir(), "mine.yaml")
			write(t, file, inFile(k.Name, sample.text))
			root := repositoryWith(t, "")
			mustLoad(t, config.Options{Root: root, File: file})
			mustLoad(t, config.Options{Root: root, EnvFile: envFile(t, k.Env[0]+"="+sample.text+"\n"), EnvFileNamed: true})
			mustLoad(t, config.Options{Root: root, Getenv: environment(k.Env[0], sample.text)})
		}
	}
}
