package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"issues-index/store/orderedjson"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/config"
	"issues-index/tools/issues"
	"issues-index/tools/pdpp"
	"issues-index/tools/session"
	"issues-index/tools/wagtail"
)

// The tables of the documentation are generated from the code. UPDATE_GOLDEN=1 rewrites
// them.
func TestDocumentedTables(t *testing.T) {
	keepTable(t, "docs/tools.md", "tools", toolTable(t, issues.Toolset(nil), session.Toolset(nil)))
	keepTable(t, "docs/connectors.md", "pdpp", toolTable(t, pdpp.Toolset(nil)))
	keepTable(t, "docs/connectors.md", "wagtail", toolTable(t, wagtail.Toolset(nil)))
	keepTable(t, "docs/configuration.md", "configuration", configurationTable(config.Keys([]string{"<tool>"})))
	keepTable(t, "docs/clients.md", "clients", clientTable())
}

// clientTable has a line for each client that output: auto knows.
func clientTable() string {
	var b strings.Builder
	b.WriteString("| client | of an answer in both forms its model sees | `auto` sends | bytes at most | with `maxTokens` |\n|---|---|---|---|---|\n")
	for _, profile := range append(tools.ClientProfiles(), tools.UnknownClient()) {
		usual, most := answer.DefaultBytes, ""
		if profile.Bytes > 0 {
			usual, most = min(usual, profile.Bytes), strconv.Itoa(profile.Bytes)
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` | %d | %s |\n", profile.Title, profile.Shows, profile.Output, usual, most)
	}
	return b.String()
}

// keepTable fails unless a document has this table between its comments of this name.
func keepTable(t *testing.T, document, name, table string) {
	t.Helper()
	begin := "<!-- " + name + ": written by "
	end := "<!-- /" + name + " -->"
	file := filepath.Join(repositoryRoot, document)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(data), begin)
	command, rest, told := strings.Cut(rest, " -->\n")
	_, after, ended := strings.Cut(rest, end)
	if !begun || !told || !ended {
		t.Fatalf("%s has no place for the table of %s", document, name)
	}
	want := before + begin + command + " -->\n" + table + end + after
	if want == string(data) {
		return
	}
	if os.Getenv("UPDATE_GOLDEN") == "" {
		t.Fatalf("the table of %s in %s is out of date: %s", name, document, command)
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
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", tool.Name, inputs(t, tool.Input, tool.Takes, tool.TakesIn), strings.ReplaceAll(tool.Description, "|", `\|`))
		}
	}
	return b.String()
}

// configurationTable has a line for each key, with * at those that a running
// server does not follow.
func configurationTable(keys []*config.Key) string {
	var b strings.Builder
	b.WriteString("| key | what it is | value | default | environment, flag | by the repository |\n|---|---|---|---|---|---|\n")
	for _, k := range keys {
		name, standard := "`"+k.Name+"`", ""
		if k.Restart {
			name += `\*`
		}
		if k.Default != "" {
			standard = "`" + k.Default + "`"
		}
		from := ""
		if len(k.Env) > 0 {
			from = "`" + strings.Join(k.Env, "`, `") + "`"
		}
		if k.Flag != "" {
			from += ", `--" + k.Flag + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", name, k.Doc, k.Allowed, standard, from, cmp.Or(k.Repository, "yes"))
	}
	return b.String()
}

// inputs lists the arguments that a schema shows, in its order, with the members of objects in
// braces, and then those that the tool takes, too. in has these of the members.
func inputs(t *testing.T, schema json.RawMessage, takes []string, in map[string][]string) string {
	t.Helper()
	var object struct {
		Properties json.RawMessage
		Required   []string
	}
	if err := json.Unmarshal(schema, &object); err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	properties, err := orderedjson.Parse(object.Properties)
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	var list []string
	for _, property := range properties {
		text := property.Name
		if slices.Contains(object.Required, text) {
			text += `\*`
		}
		definition := property.Value
		var of struct{ Items, Properties json.RawMessage }
		if err := json.Unmarshal(definition, &of); err != nil {
			t.Fatalf("%s: %v", definition, err)
		}
		if of.Items != nil {
			definition = of.Items
		}
		if strings.Contains(string(definition), `"properties":{"`) {
			text += " {" + inputs(t, definition, in[property.Name], nil) + "}"
		}
		list = append(list, text)
	}
	text := strings.Join(list, ", ")
	if len(takes) > 0 {
		text += "; also " + strings.Join(takes, ", ")
	}
	return text
}
