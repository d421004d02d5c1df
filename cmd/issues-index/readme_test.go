package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/issues"
	"issues-index/tools/session"
)

// The README's tool table is written from the definitions: UPDATE_GOLDEN=1
// rewrites it.
func TestReadmeToolTable(t *testing.T) {
	const (
		begin = "<!-- tools: written by UPDATE_GOLDEN=1 go test ./cmd/issues-index -->\n"
		end   = "<!-- /tools -->"
	)
	file := filepath.Join(repositoryRoot, "README.md")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(data), begin)
	_, after, ended := strings.Cut(rest, end)
	if !begun || !ended {
		t.Fatal("the README has no place for the tool table")
	}
	want := before + begin + toolTable(t, issues.Toolset(nil), session.Toolset(nil)) + end + after
	if want == string(data) {
		return
	}
	if os.Getenv("UPDATE_GOLDEN") == "" {
		t.Fatal("the README's tool table is out of date: UPDATE_GOLDEN=1 go test ./cmd/issues-index")
	}
	if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// toolTable has a line for each tool: its name, its inputs with * at the
// required ones, and its description.
func toolTable(t *testing.T, sets ...tools.Toolset) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| tool | inputs | what it does |\n|---|---|---|\n")
	for _, set := range sets {
		for _, tool := range set.Tools {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", tool.Name, strings.Join(inputs(t, tool), ", "), strings.ReplaceAll(tool.Description, "|", `\|`))
		}
	}
	return b.String()
}

// inputs lists a tool's arguments, in the order of its schema.
func inputs(t *testing.T, tool tools.Tool) (list []string) {
	t.Helper()
	var schema struct {
		Properties json.RawMessage
		Required   []string
	}
	if err := json.Unmarshal(tool.Input, &schema); err != nil {
		t.Fatalf("%s: %v", tool.Name, err)
	}
	// A decoder's tokens keep the order that a map would lose.
	dec := json.NewDecoder(strings.NewReader(string(schema.Properties)))
	if _, err := dec.Token(); err != nil {
		t.Fatalf("%s: %v", tool.Name, err)
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		var definition json.RawMessage
		if err := dec.Decode(&definition); err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		text := fmt.Sprint(name)
		if slices.Contains(schema.Required, text) {
			text += `\*`
		}
		list = append(list, text)
	}
	return list
}
