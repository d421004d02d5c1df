package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/itchyny/gojq"
	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
)

// schemaVersion is the version of the JSON that commands print. It grows when a field goes
// or changes its meaning, and not when one is added.
const schemaVersion = 1

// prepareOutput reads --jq before a command does anything, and notes for whom it prints and
// the kind of its answer.
func (p *program) prepareOutput(cmd *cobra.Command) error {
	p.kind = strings.ReplaceAll(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" "), " ", "-")
	p.json = p.json || p.jq != ""
	p.forPerson = terminal.Is(p.out) && !p.json && !cmd.Flags().Changed("csv") && !cmd.Flags().Changed("format")
	if p.jq == "" {
		return nil
	}
	query, err := gojq.Parse(p.jq)
	if err == nil {
		p.filter, err = gojq.Compile(query)
	}
	if err != nil {
		return usage(cmd, "invalid --jq: "+err.Error(), "write a filter of jq, such as '.documents[].id'")
	}
	return nil
}

// printJSON writes v for scripts, indented and without escapes of < > &. An object begins
// with its schemaVersion and kind. With --jq it writes what the filter returns.
func (p *program) printJSON(v any) error {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	out := text.String()
	if members, isObject := strings.CutPrefix(out, "{\n"); isObject {
		out = fmt.Sprintf("{\n  \"schemaVersion\": %d,\n  \"kind\": %q,\n%s", schemaVersion, p.kind, members)
	}
	p.answered = true
	if p.filter != nil {
		return p.printFiltered(out)
	}
	_, err := io.WriteString(p.out, terminal.EscapeControls(out))
	return err
}

// printFiltered writes each result of --jq on a line, strings as they are.
func (p *program) printFiltered(text string) error {
	var v any
	read := json.NewDecoder(strings.NewReader(text))
	read.UseNumber() // a query of sql may have returned larger ones than float64 keeps
	if err := read.Decode(&v); err != nil {
		return fmt.Errorf("read the answer for --jq: %w", err)
	}
	for results := p.filter.Run(v); ; {
		result, ok := results.Next()
		if !ok {
			return nil
		}
		var line string
		switch result := result.(type) {
		case error:
			return misused("--jq: "+result.Error(), "--json prints what the filter gets")
		case string:
			line = terminal.Harmless(result)
		default:
			data, err := gojq.Marshal(result)
			if err != nil {
				return fmt.Errorf("write the result of --jq: %w", err)
			}
			line = terminal.EscapeControls(string(data))
		}
		if _, err := fmt.Fprintln(p.out, line); err != nil {
			return err
		}
	}
}
