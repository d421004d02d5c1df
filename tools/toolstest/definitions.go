// Package toolstest holds the checks that the tests of every toolset share:
// what its definitions cost, say and promise, and calls whose answers are held
// to their schema. It knows nothing about single tools.
package toolstest

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"issues-index/tools"
)

// MaxDescription bounds a tool's description, in characters.
const MaxDescription = 300

// Definition is one tool as tools/list shows it.
type Definition struct {
	Name         string           `json:"name"`
	Description  string           `json:"description"`
	InputSchema  json.RawMessage  `json:"inputSchema"`
	OutputSchema json.RawMessage  `json:"outputSchema"`
	Annotations  map[string]*bool `json:"annotations"`

	JSON json.RawMessage `json:"-"` // all of it, as it is sent
}

// NeedsNothing returns the tools that read and need no argument, which tests of every tool call with
// none unless they have a call.
func NeedsNothing(t *testing.T, sets ...tools.Toolset) (names []string) {
	t.Helper()
	for _, set := range sets {
		for _, tool := range set.Tools {
			var schema struct{ Required []string }
			if err := json.Unmarshal(tool.Input, &schema); err != nil {
				t.Fatalf("%s: %v", tool.Name, err)
			}
			if tool.ReadOnly && len(schema.Required) == 0 {
				names = append(names, tool.Name)
			}
		}
	}
	return names
}

// List returns the definitions that a server of these toolsets lists, and
// fails the test when they take more than one page.
func List(t *testing.T, output tools.Output, sets ...tools.Toolset) []Definition {
	t.Helper()
	return NewClient(t, tools.Config{Output: output, Toolsets: sets}).List(t)
}

// Footprint returns the bytes of the list of definitions as it is sent.
func Footprint(t *testing.T, output tools.Output, sets ...tools.Toolset) int {
	t.Helper()
	size := len("[]")
	for i, d := range List(t, output, sets...) {
		size += len(d.JSON) + min(i, 1)
	}
	return size
}

// Golden compares each tool's definition with dir/NAME.json, and fails for a
// file that no tool has. With UPDATE_GOLDEN=1 in the environment it writes them.
func Golden(t *testing.T, dir string, sets ...tools.Toolset) {
	t.Helper()
	var files []string
	for _, d := range List(t, tools.OutputBoth, sets...) {
		file := filepath.Join(dir, d.Name+".json")
		files = append(files, file)
		var got bytes.Buffer
		if err := json.Indent(&got, d.JSON, "", "  "); err != nil {
			t.Fatal(err)
		}
		got.WriteByte('\n')
		Same(t, file, got.Bytes())
	}
	present, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range present {
		if !slices.Contains(files, file) {
			t.Errorf("%s belongs to no tool", file)
		}
	}
}

// CheckDefinitions holds every definition to what all of them promise.
func CheckDefinitions(t *testing.T, sets ...tools.Toolset) {
	t.Helper()
	for _, d := range List(t, tools.OutputBoth, sets...) {
		if size := len([]rune(d.Description)); size == 0 || size > MaxDescription {
			t.Errorf("%s: description of %d characters, allowed are 1 to %d", d.Name, size, MaxDescription)
		}
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if d.Annotations[hint] == nil {
				t.Errorf("%s: %s is not explicit", d.Name, hint)
			}
		}
		for name, schema := range map[string]json.RawMessage{"inputSchema": d.InputSchema, "outputSchema": d.OutputSchema} {
			if bytes.Contains(schema, []byte(`"$ref"`)) {
				t.Errorf("%s: %s has a $ref", d.Name, name)
			}
			if _, err := compile(schema); err != nil {
				t.Errorf("%s: %s does not compile: %v", d.Name, name, err)
			}
		}
		var output struct {
			Properties           map[string]json.RawMessage `json:"properties"`
			AdditionalProperties *bool                      `json:"additionalProperties"`
		}
		if err := json.Unmarshal(d.OutputSchema, &output); err != nil {
			t.Errorf("%s: %v", d.Name, err)
		}
		if closed := output.AdditionalProperties; closed != nil && !*closed && output.Properties["note"] == nil {
			t.Errorf("%s: the output schema forbids a note", d.Name)
		}
	}
}
