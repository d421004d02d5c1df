//go:build !windows

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"issues-index/tools/config"
)

// fence is a block of code in a document, with its language.
var fence = regexp.MustCompile("(?s)\n```([a-z]*)\n(.*?\n)```\n")

// documentation is the README and the pages of docs, by their paths.
func documentation(t *testing.T) map[string]string {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join(repositoryRoot, "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("found no pages in docs: %v", err)
	}
	texts := make(map[string]string)
	for _, page := range append(pages, filepath.Join(repositoryRoot, "README.md")) {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		texts[page] = string(data)
	}
	return texts
}

// fences returns the documentation's blocks of code in a language.
func fences(t *testing.T, language string) (blocks []string) {
	t.Helper()
	for _, text := range documentation(t) {
		for _, block := range fence.FindAllStringSubmatch(text, -1) {
			if block[1] == language {
				blocks = append(blocks, block[2])
			}
		}
	}
	if len(blocks) == 0 {
		t.Fatalf("the documentation has no block of %q", language)
	}
	return blocks
}

// documentLink is a link to a file of the repository, perhaps with a heading.
var documentLink = regexp.MustCompile(`\]\(([^)#:\s]*)(#[^)\s]*)?\)`)

// codeSpan is code within a line, in which no link is one.
var codeSpan = regexp.MustCompile("`[^`\n]*`")

func TestDocumentationLinksResolve(t *testing.T) {
	for page, text := range documentation(t) {
		for _, link := range documentLink.FindAllStringSubmatch(codeSpan.ReplaceAllString(text, ""), -1) {
			target := page
			if link[1] != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(link[1]))
			}
			data, err := os.ReadFile(target)
			if info, statErr := os.Stat(target); statErr == nil && info.IsDir() {
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", page, err)
				continue
			}
			if link[2] != "" && !slices.Contains(anchors(string(data)), link[2]) {
				t.Errorf("%s: no heading of %s is %s", page, target, link[2])
			}
		}
	}
}

// anchors are the headings of a page as links name them.
func anchors(text string) (names []string) {
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		name := strings.ToLower(regexp.MustCompile(`[^\w -]`).ReplaceAllString(heading[1], ""))
		names = append(names, "#"+strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

// The commands that the documentation tells people to type are understood.
func TestDocumentedCommands(t *testing.T) {
	seen := make(map[string]bool)
	for _, block := range append(fences(t, "sh"), fences(t, "text")...) {
		block = strings.ReplaceAll(block, "\\\n", " ")
		for line := range strings.Lines(block) {
			// What stands after several spaces explains the line.
			line, _, _ = strings.Cut(strings.TrimSpace(line), "  ")
			runs, err := readLine(line)
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
			for _, words := range runs {
				if err := parses(words); err != nil {
					t.Errorf("%s: %v", line, err)
				}
				seen[words[0]] = true
			}
		}
	}
	for path := range commands(t) {
		name, _, _ := strings.Cut(path, " ")
		_, err := os.Stat(filepath.Join("testdata/script", name+".txtar"))
		if !seen[name] && err != nil && name != "help" && name != "version" {
			t.Errorf("neither a page nor a scenario of its own shows issues-index %s", name)
		}
	}
}

// goTest is a go test of one package, and goTestNames the flags with the names of what it
// runs.
var (
	goTest      = regexp.MustCompile("go test (\\./[a-z/-]+) ([^`\n]+)")
	goTestNames = regexp.MustCompile(`-(run|bench) '?([^' ]+)'?`)
	goTestFunc  = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark)\w+)\(`)
)

func TestDocumentedTestsExist(t *testing.T) {
	documents := documentation(t)
	contributing := filepath.Join(repositoryRoot, "CONTRIBUTING.md")
	text, err := os.ReadFile(contributing)
	if err != nil {
		t.Fatal(err)
	}
	documents[contributing] = string(text)
	found := 0
	for document, text := range documents {
		commands := goTest.FindAllStringSubmatch(text, -1)
		found += len(commands)
		for _, command := range commands {
			functions := testFunctions(t, command[1])
			for _, flag := range goTestNames.FindAllStringSubmatch(command[2], -1) {
				for name := range strings.SplitSeq(flag[2], "|") {
					if name != "^$" && !slices.ContainsFunc(functions, func(f string) bool { return strings.Contains(f, name) }) {
						t.Errorf("%s: %s: no test or benchmark is called %s", document, command[0], name)
					}
				}
			}
		}
	}
	if found == 0 {
		t.Error("no document names a test")
	}
}

// testFunctions are the names of the tests and benchmarks of a package.
func testFunctions(t *testing.T, folder string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repositoryRoot, filepath.FromSlash(folder), "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no tests: %v", folder, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range goTestFunc.FindAllStringSubmatch(string(text), -1) {
			names = append(names, found[1])
		}
	}
	return names
}

// The entries for clients are JSON and start a server with arguments that it knows, or name the
// address of one, with a token that is in no file. None sets output: auto chooses by the client.
// None pins a workspace for all projects.
func TestDocumentedClientEntries(t *testing.T) {
	var servers []map[string]any
	for _, block := range fences(t, "json") {
		var value any
		if err := json.Unmarshal([]byte(block), &value); err != nil {
			t.Errorf("%v:\n%s", err, block)
		}
		servers = append(servers, serversIn(value)...)
	}
	for _, block := range fences(t, "toml") { // its strings and lists are JSON's
		server := make(map[string]any)
		for _, line := range regexp.MustCompile(`(?m)^(command|args|url|bearer_token_env_var) = (.+)$`).FindAllStringSubmatch(block, -1) {
			var value any
			if err := json.Unmarshal([]byte(line[2]), &value); err != nil {
				t.Errorf("%v: %s", err, line[0])
			}
			server[line[1]] = value
		}
		servers = append(servers, server)
	}
	if len(servers) < 5 {
		t.Errorf("found only %v", servers)
	}
	for _, server := range servers {
		if server["url"] != nil {
			headers, _ := server["headers"].(map[string]any)
			token := fmt.Sprint(headers["Authorization"], server["bearer_token_env_var"])
			if server["command"] != nil || server["url"] != "http://127.0.0.1:8080/mcp" || !strings.Contains(token, "ISSUES_TOKEN") && !strings.Contains(token, "input:issues-token") {
				t.Errorf("%v is no address with a token", server)
			}
			continue
		}
		words := commandOf(server)
		if len(words) < 2 || words[0] != "issues-index" || words[1] != "serve" || slices.Contains(words, "--output") {
			t.Errorf("%v runs %q", server, words)
			continue
		}
		if err := parses(words[1:]); err != nil {
			t.Errorf("%v: %v", server, err)
		}
		environment, _ := server["env"].(map[string]any)
		for name, value := range environment {
			key := keyOf(name)
			if key == "" {
				t.Errorf("nothing reads %s", name)
				continue
			}
			if _, err := config.Load(config.Options{Root: t.TempDir(), Getenv: func(n string) string {
				if n == name {
					return value.(string)
				}
				return ""
			}}); err != nil {
				t.Errorf("%s=%v: %v", name, value, err)
			}
		}
	}
}

// serversIn finds the objects that say how to start a server, or where one is.
func serversIn(value any) (found []map[string]any) {
	object, _ := value.(map[string]any)
	if object["command"] != nil || object["url"] != nil {
		return []map[string]any{object}
	}
	for _, inner := range object {
		found = append(found, serversIn(inner)...)
	}
	return found
}

// commandOf is a server's command line, which clients write as a command and its
// arguments or as one list.
func commandOf(server map[string]any) (words []string) {
	list, _ := server["args"].([]any)
	if command, ok := server["command"].(string); ok {
		words = append(words, command)
	} else {
		list, _ = server["command"].([]any)
	}
	for _, word := range list {
		words = append(words, word.(string))
	}
	return words
}

// keyOf is the key that an environment variable sets.
func keyOf(variable string) string {
	for _, key := range config.Keys(nil) {
		if slices.Contains(key.Env, variable) {
			return key.Name
		}
	}
	return ""
}

// The examples of configuration files are valid.
func TestDocumentedConfiguration(t *testing.T) {
	for _, block := range fences(t, "yaml") {
		file := filepath.Join(t.TempDir(), "example.yaml")
		if err := os.WriteFile(file, []byte(block), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := runIn(t, t.TempDir(), "config", "check", file); got.code != 0 {
			t.Errorf("%s\n%s%s", block, got.out, got.errOut)
		}
	}
}

// The examples of a tool and of a command in CONTRIBUTING.md fit the code as it is.
func TestContributingExamplesCompile(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(repositoryRoot, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(repositoryRoot)
	if err != nil {
		t.Fatal(err)
	}
	replaced := make(map[string]string) // files of the repository, by the files with their text
	example := regexp.MustCompile("(?s)\\d\\. `([a-z/-]+\\.go)`[^\n]*:\n\n *```go\n(.*?\n) *```\n")
	for _, found := range example.FindAllStringSubmatch(string(data), -1) {
		file := filepath.Join(t.TempDir(), filepath.Base(found[1]))
		text := regexp.MustCompile("(?m)^   ").ReplaceAllString(found[2], "")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		replaced[filepath.Join(root, found[1])] = file
	}
	if len(replaced) != 2 {
		t.Fatalf("the examples are %v", replaced)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	packages := []string{"./tools/issues", "./cmd/issues-index"}
	vet := exec.CommandContext(t.Context(), "go", append([]string{"vet", "-unusedresult", "-overlay", file}, packages...)...)
	vet.Dir = root
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The layout in CONTRIBUTING.md has a place for each package.
func TestContributingNamesEveryPackage(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(repositoryRoot, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, layout, _ := strings.Cut(string(data), "## Layout\n")
	layout, _, found := strings.Cut(layout, "\n## ")
	if !found {
		t.Fatal("there is no section of the layout")
	}
	for pkg := range readImports(t) {
		if name := filepath.Base(pkg) + "/"; !strings.Contains(layout, name) {
			t.Errorf("the layout does not name %s", pkg)
		}
	}
}
