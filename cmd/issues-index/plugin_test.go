package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"issues-index/tools/clientfile"
	"issues-index/tools/toolstest"
)

// pluginDir is the plugin for agents: an Agent Plugin of version 1.0.0
// (https://agent-plugins.org), and beside it what Claude Code reads.
const pluginDir = repositoryRoot + "/plugin"

// What the manifests say of the plugin. Its text is not theirs: it is in the skill.
const (
	pluginDescription = "Issues, specifications and ideas that are Markdown files in the repository: what is ready, what is claimed, and the text of each."
	skillDescription  = "Work with the issue tracker of this repository, whose issues, specifications and ideas are Markdown files with YAML frontmatter " +
		"(.wrangler/, or folders such as backlog/). Use it to find out what to work on next, to claim, read, create, update, search or close issues, " +
		"to tick boxes, and to resume the work of another agent. Prefer its tools, or its command, to edits of these files."
	// primeHook says nothing where the program is not installed, or a workspace is broken: a
	// hook that fails can keep a client from going on.
	primeHook = "issues-index prime --as claude-code || exit 0"
)

// An entry starts the server, as init writes it.
type entry struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// The plugin is written from the rules of docs/agents.md and the commands' help, so that it
// cannot say anything else. UPDATE_GOLDEN=1 writes it.
func TestPluginSaysWhatTheDocsSay(t *testing.T) {
	const schemas = "https://agent-plugins.org/schemas/1.0.0/"
	keywords := []string{"issues", "issue-tracker", "markdown", "mcp", "tasks"}
	type servers map[string]entry
	type hook struct {
		Type    string `json:"type"`
		Command string `json:"command"`
	}
	type hooks struct {
		Hooks []hook `json:"hooks"`
	}
	prime := []hooks{{[]hook{{"command", primeHook}}}}
	type author struct {
		Name string `json:"name"`
	}
	manifest := func(schema string, own servers) []byte {
		return pluginJSON(t, struct {
			Schema      string   `json:"$schema,omitempty"`
			Name        string   `json:"name"`
			Version     string   `json:"version"`
			Description string   `json:"description"`
			Author      author   `json:"author"`
			License     string   `json:"license"`
			Keywords    []string `json:"keywords"`
			Servers     servers  `json:"mcpServers,omitempty"`
		}{schema, "issues-index", version, pluginDescription, author{"the issues-index contributors"}, "MIT", keywords, own})
	}
	files := map[string][]byte{
		"plugin.json": manifest(schemas+"plugin.schema.json", nil),
		"mcp.json": pluginJSON(t, struct {
			Schema  string  `json:"$schema"`
			Servers servers `json:"mcpServers"`
		}{schemas + "mcp.schema.json", servers{"issues": {"stdio", clientfile.Program, []string{"serve"}}}}),
		"skills/issues-index/SKILL.md": []byte(skill(t)),
		".claude-plugin/plugin.json":   manifest("", servers{"issues": {"", clientfile.Program, []string{"serve"}}}),
		"hooks/hooks.json": pluginJSON(t, struct {
			Hooks map[string][]hooks `json:"hooks"`
		}{map[string][]hooks{"SessionStart": prime, "PreCompact": prime}}),
	}
	for name, data := range files {
		toolstest.Same(t, filepath.Join(pluginDir, filepath.FromSlash(name)), data)
	}
	err := filepath.WalkDir(pluginDir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(pluginDir, file)
		if _, known := files[filepath.ToSlash(name)]; !known {
			t.Errorf("nothing writes plugin/%s", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func pluginJSON(t *testing.T, v any) []byte {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// skill is the skill's text: the rules of docs/agents.md, and the commands for an agent that has no
// tools. How to use the tools is in the instructions of the server, which an agent reads anyway.
func skill(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	fmt.Fprintf(&out, "---\nname: issues-index\ndescription: %q\nlicense: MIT\n---\n\n# Issues of this repository\n\n", skillDescription)
	page, err := os.ReadFile(filepath.Join(repositoryRoot, "docs/agents.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rules, _ := strings.Cut(string(page), "```markdown\n## Issues\n\n")
	rules, _, found := strings.Cut(rules, "```\n")
	if !found || !strings.Contains(rules, "issues_claim") {
		t.Fatalf("docs/agents.md has no rules to paste: %q", rules)
	}
	out.WriteString("## With the tools of the server\n\nThe server's instructions and the descriptions of its tools say how to call them.\n\n" + rules)
	out.WriteString("\n## On the command line\n\nWithout the tools, the command `issues-index` does the same. Every command has `--help` and `--json`.\n\n| command | what it does |\n|---|---|\n")
	for _, path := range []string{
		"prime", "ready", "blocked", "claim", "list", "search", "show", "deps", "new", "set", "append", "tick", "dep add", "done", "release", "check", "sessions show", "init",
	} {
		cmd := commands(t)[path]
		if cmd == nil {
			t.Fatalf("there is no command %s", path)
		}
		use := strings.TrimSuffix(path, cmd.Name()) + cmd.Use
		fmt.Fprintf(&out, "| `%s` | %s |\n", strings.ReplaceAll(use, "|", `\|`), cmd.Short)
	}
	return out.String()
}

// Clients skip a plugin, a server or a skill that is not as the specifications want it.
func TestPluginIsAsClientsWantIt(t *testing.T) {
	read := func(name string) map[string]any {
		data, err := os.ReadFile(filepath.Join(pluginDir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		var object map[string]any
		if err := json.Unmarshal(data, &object); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return object
	}
	pluginName := regexp.MustCompile(`^[a-z0-9]+([.-][a-z0-9]+)*$`)
	t.Run("the manifest has the members of the specification and no others", func(t *testing.T) {
		allowed := []string{"$schema", "name", "version", "description", "author", "homepage", "repository", "license", "keywords", "extensions"}
		manifest := read("plugin.json")
		for name := range manifest {
			if !slices.Contains(allowed, name) {
				t.Errorf("plugin.json has %s", name)
			}
		}
		if name, _ := manifest["name"].(string); !pluginName.MatchString(name) || len(name) > 64 {
			t.Errorf("the name is %q", name)
		}
		if read(".claude-plugin/plugin.json")["name"] != manifest["name"] {
			t.Error("the manifests have two names")
		}
	})
	t.Run("the server is found on the PATH", func(t *testing.T) {
		servers, _ := read("mcp.json")["mcpServers"].(map[string]any)
		server, _ := servers["issues"].(map[string]any)
		for name := range server {
			if !slices.Contains([]string{"type", "command", "args", "env", "cwd"}, name) {
				t.Errorf("the entry has %s", name)
			}
		}
		if command, _ := server["command"].(string); command == "" || strings.ContainsAny(command, `/\ `) {
			t.Errorf("the command is %q", command)
		}
	})
	t.Run("the skill is named as its folder, and says when to use it", func(t *testing.T) {
		text := skill(t)
		if !strings.Contains(text, "\nname: issues-index\n") || len(skillDescription) > 1024 {
			t.Errorf("the head of the skill is wrong:\n%s", text)
		}
		if lines := strings.Count(text, "\n"); lines > 100 {
			t.Errorf("it has %d lines", lines)
		}
	})
	t.Run("the hooks run a command that is there", func(t *testing.T) {
		_, root := tree()
		words := strings.Fields(primeHook)
		if cmd, _, err := root.Find(words[1:2]); err != nil || cmd.Name() != "prime" || cmd.Flag("as") == nil {
			t.Errorf("%s: %v", primeHook, err)
		}
	})
}
