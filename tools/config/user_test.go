package config_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/tools/config"
)

// userFile writes the user's own configuration file.
func userFile(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "config.yaml")
	write(t, path, text)
	return path
}

func TestUserFile(t *testing.T) {
	t.Run("it may be missing, unless the user names it", func(t *testing.T) {
		missing := filepath.Join(t.TempDir(), "config.yaml")
		if c := mustLoad(t, config.Options{UserFile: missing}); c.UserFile() != "" {
			t.Errorf("%s was read", c.UserFile())
		}
		_, err := config.Load(config.Options{UserFile: missing, UserFileNamed: true, Tools: theTools})
		if err == nil || err.Error() != missing+": there is no such file" {
			t.Error(err)
		}
	})

	t.Run("it lies below the workspace's file and above the defaults", func(t *testing.T) {
		root, _ := workspace(t, "maxPageSize: 40\n")
		user := userFile(t, "maxPageSize: 30\nchunkSize: 300\n")
		c := mustLoad(t, config.Options{Root: root, UserFile: user})
		for key, want := range map[string]string{
			"maxPageSize":    "40 from " + config.DefaultFile + ":1",
			"chunkSize":      "300 from " + user + ":2",
			"maxTokenBudget": "25000 from default",
		} {
			if got := setting(t, c, key); got != want {
				t.Errorf("%s is %s, want %s", key, got, want)
			}
		}
		if c.UserFile() != user || c.File() != config.DefaultFile {
			t.Errorf("files %q and %q", c.UserFile(), c.File())
		}
	})

	t.Run("a file that the user names for the workspace lies above it, too", func(t *testing.T) {
		named := filepath.Join(t.TempDir(), "named.yaml")
		write(t, named, "chunkSize: 500\n")
		c := mustLoad(t, config.Options{File: named, UserFile: userFile(t, "chunkSize: 300\nmaxPageSize: 30\n")})
		if c.ChunkSize != 500 || c.MaxPageSize != 30 {
			t.Errorf("chunkSize %d, maxPageSize %d", c.ChunkSize, c.MaxPageSize)
		}
	})

	t.Run("the user may set there what a repository may not", func(t *testing.T) {
		c := mustLoad(t, config.Options{UserFile: userFile(t, "claims:\n  holder: anna@laptop\nlogLevel: error\n")})
		if c.Claims.Holder != "anna@laptop" {
			t.Errorf("holder %q", c.Claims.Holder)
		}
	})

	t.Run("all problems of both files are reported with file and line", func(t *testing.T) {
		root, _ := workspace(t, "\nmaxPagesize: 4\n")
		user := userFile(t, "chunkSize: many\n\nfolders: {issue: tasks}\nnaem: 1\n")
		_, err := config.Load(config.Options{Root: root, UserFile: user, Tools: theTools, SkipUnknown: true})
		want := []string{
			user + `:1: invalid chunkSize "many": must be a whole number from 100 to 1000000`,
			user + ":3: folders describes the workspace, so it counts only in its own file: move it to " + config.DefaultFile,
			user + `:4: unknown key "naem": did you mean name?`,
		}
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != len(want) {
			t.Fatalf("%q", lines)
		}
		for i := range want {
			if !strings.HasPrefix(lines[i], want[i]) {
				t.Errorf("line %d is %q, want %q", i, lines[i], want[i])
			}
		}
	})

	t.Run("its paths are relative to the workspace", func(t *testing.T) {
		root, _ := workspace(t, "")
		c := mustLoad(t, config.Options{Root: root, UserFile: userFile(t, "db: .wrangler/cache/mine.db\n")})
		if want := filepath.Join(root, ".wrangler/cache/mine.db"); c.DB != want || c.SetsByWorkspace("db") {
			t.Errorf("db is %s, want %s, not by the workspace", c.DB, want)
		}
	})
}

func TestWorkspaces(t *testing.T) {
	t.Setenv("HOME", "/home/anna")
	t.Run("names lead to absolute paths", func(t *testing.T) {
		c := mustLoad(t, config.Options{UserFile: userFile(t, "workspaces:\n  web: ~/src/web/\n  notes: /srv/../srv/notes\n  Zoë 2: '~'\n")})
		want := map[string]string{"web": "/home/anna/src/web", "notes": "/srv/notes", "Zoë 2": "/home/anna"}
		if !maps.Equal(c.Workspaces, want) {
			t.Errorf("%v", c.Workspaces)
		}
	})

	t.Run("an empty block names none", func(t *testing.T) {
		c := mustLoad(t, config.Options{UserFile: userFile(t, "workspaces:\n  # web: ~/src/web\n")})
		if len(c.Workspaces) != 0 {
			t.Errorf("%v", c.Workspaces)
		}
	})

	for text, want := range map[string]string{
		"workspaces: [a]":                  ":1: workspaces must be a block of names",
		"workspaces: /srv":                 ":1: workspaces must be a block of names",
		"workspaces:\n  a: here":           `:2: invalid workspaces.a "here": must be an absolute path, or begin with ~/`,
		"workspaces:\n  a: ~anna/x":        `:2: invalid workspaces.a "~anna/x": must be an absolute path`,
		"workspaces:\n  a:":                ":2: invalid workspaces.a ",
		"workspaces:\n  a: {b: /c}":        ":2: invalid workspaces.a ",
		"workspaces:\n  a: /b\n  a: /c":    `:3: "workspaces.a" is set twice, first in line 2`,
		"workspaces:\n  a/b: /c":           `:2: invalid name "a/b" of a workspace: must be a name: `,
		"workspaces:\n  ..: /c":            `:2: invalid name ".." of a workspace`,
		"workspaces:\n  ~x: /c":            `:2: invalid name "~x" of a workspace`,
		"workspaces:\n  -x: /c":            `:2: invalid name "-x" of a workspace`,
		"workspaces:\n  'file:a': /c":      `:2: invalid name "file:a" of a workspace`,
		"workspaces:\n  '': /c":            ":2: invalid name ",
		"workspaces:\n  \"a\\nb\": /c":     ":2: invalid name ",
		"workspaces:\n  a: \"/b\\0\"":      ":2: invalid workspaces.a ",
		"workspaces:\n  a: &x /b\n  b: *x": ":",
	} {
		t.Run(text, func(t *testing.T) {
			user := userFile(t, text+"\n")
			_, err := config.Load(config.Options{UserFile: user, Tools: theTools})
			if err == nil || !strings.HasPrefix(err.Error(), user+want) {
				t.Errorf("%v, want %s", err, user+want)
			}
			if _, err := config.UserWorkspaces(config.Options{UserFile: user}); err == nil {
				t.Error("a command takes it")
			}
		})
	}
}

// A repository never widens what a server opens.
func TestWorkspacesElsewhere(t *testing.T) {
	const text = "output: text\nworkspaces:\n  web: /srv/web\n"
	root, file := workspace(t, text)
	user := userFile(t, "")
	_, err := config.Load(config.Options{Root: root, UserFile: user, Tools: theTools, SkipUnknown: true})
	if want := config.DefaultFile + ":3: workspaces: a repository's own file may not set it; use your own configuration file (" + user + ")"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = config.Load(config.Options{File: file, UserFile: user, Tools: theTools})
	if want := file + ":3: workspaces counts only in your own configuration file (" + user + "): move it there"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}

	t.Run("check knows which file it is about", func(t *testing.T) {
		write(t, user, text)
		if err := config.Check(config.Options{File: user, Root: root, UserFile: user, Tools: theTools}); err != nil {
			t.Error(err)
		}
		if err := config.Check(config.Options{File: file, Root: root, UserFile: user, Tools: theTools}); err == nil {
			t.Error("the workspace's file may have it")
		}
		write(t, user, "priorities: [low, high]\n")
		if err := config.Check(config.Options{File: user, Root: root, UserFile: user, Tools: theTools}); err == nil {
			t.Error("the user's file may describe a workspace")
		}
	})
}

func TestUserFileIsFollowed(t *testing.T) {
	user := filepath.Join(t.TempDir(), "config.yaml")
	root, _ := workspace(t, "maxPageSize: 40\n")
	f := follow(t, config.LiveOptions{Options: config.Options{Root: root, UserFile: user}})
	write(t, user, "workspaces:\n  web: /srv/web\nmaxPageSize: 30\n")
	if c := f.Config(); c.Workspaces["web"] != "/srv/web" || c.MaxPageSize != 40 {
		t.Errorf("%v, %d", c.Workspaces, c.MaxPageSize)
	}
	f.change(t)
	write(t, user, "workspaces:\n  web: web\n")
	if c := f.Config(); c.Workspaces["web"] != "/srv/web" {
		t.Errorf("an invalid file changed %v", c.Workspaces)
	}
	write(t, user, "")
	if c := f.Config(); len(c.Workspaces) != 0 || c.MaxPageSize != 40 {
		t.Errorf("%v, %d", c.Workspaces, c.MaxPageSize)
	}
}
