package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/store/layout"
	"issues-index/tools/config"
)

const ownStatuses = "statuses:\n  - {name: To Do, category: open}\n  - {name: Doing, category: active}\n  - {name: Done, category: done}\npriorities: [p2, p1]\n"

func TestKeysThatDescribeTheWorkspace(t *testing.T) {
	t.Run("count in its own file", func(t *testing.T) {
		c, err := config.Load(config.Options{Root: workspaceWith(t, ownStatuses)})
		if err != nil {
			t.Fatal(err)
		}
		shown := map[string]string{}
		for _, s := range c.Settled() {
			shown[s.Name] = s.Text() + " from " + s.Source.String()
		}
		const file = " from " + config.DefaultFile
		if shown["statuses"] != "To Do (open), Doing (active), Done (done)"+file+":2" || shown["priorities"] != "p2, p1"+file+":5" {
			t.Errorf("%q, %q", shown["statuses"], shown["priorities"])
		}
	})
	t.Run("are refused in a file that was named", func(t *testing.T) {
		_, err := loadFile(t, "mine.yaml", ownStatuses)
		wantProblem(t, err, 2, "statuses describes the workspace, so it counts only in its own file: move it to "+config.DefaultFile)
	})
	t.Run("count in its own file when that was named", func(t *testing.T) {
		root := workspaceWith(t, ownStatuses)
		if _, err := config.Load(config.Options{Root: root, File: filepath.Join(root, config.DefaultFile)}); err != nil {
			t.Error(err)
		}
	})
	t.Run("are checked in a draft of its file", func(t *testing.T) {
		draft := filepath.Join(t.TempDir(), "draft.yaml")
		if err := os.WriteFile(draft, []byte(strings.Replace(ownStatuses, "done}", "ready}", 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		err := config.Check(config.Options{Root: t.TempDir(), File: draft})
		wantProblem(t, err, 4, `invalid category "ready": must be open, active, done or cancelled`)
	})
	t.Run("have their problems with their lines", func(t *testing.T) {
		_, err := config.Load(config.Options{Root: workspaceWith(t, "output: text\npriorities: [low, low]\n")})
		wantProblem(t, err, 2, `"low" and "low" are spellings of one word`)
	})
	t.Run("have no flag", func(t *testing.T) {
		if _, err := config.Load(config.Options{Flags: map[string]string{"priorities": "low"}}); err == nil {
			t.Error("a flag is taken")
		}
	})
}

// workspaceWith returns the root of a workspace with a configuration file of its own.
func workspaceWith(t *testing.T, text string) (root string) {
	t.Helper()
	root = t.TempDir()
	file := filepath.Join(root, config.DefaultFile)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

func wantProblem(t *testing.T, err error, line int, message string) {
	t.Helper()
	var problems config.Problems
	if !errors.As(err, &problems) || problems[0].Line != line || problems[0].Message != message {
		t.Errorf("%v, want line %d: %s", err, line, message)
	}
}

// A server refuses a key that resembles one of the layout, so no other key may.
func TestNoKeyResemblesOneOfTheLayout(t *testing.T) {
	for _, k := range config.Keys(theTools) {
		name, _, _ := strings.Cut(k.Name, ".")
		if err := layout.Misspelt([]byte(name + ": x\n")); err != nil {
			t.Error(err)
		}
	}
	const line = ".wrangler/config/issues-index.yaml:2: unknown key \"prorities\": did you mean priorities?"
	if err := layout.Misspelt([]byte("output: text\nprorities: [p1]\n")); err == nil || err.Error() != line {
		t.Errorf("%v, want %s", err, line)
	}
}
