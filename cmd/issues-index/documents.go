package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/store/words"
)

// Commands over several documents: each succeeds or fails alone.

// errSomeFailed ends a command that has printed the errors of some documents. It only sets
// the exit code.
var errSomeFailed = errors.New("some documents failed")

// documentIDs returns the ids or paths of the arguments. For - it reads them from standard
// input, one a line: none where a list is empty.
func documentIDs(cmd *cobra.Command, args []string) (ids []string, err error) {
	for _, arg := range args {
		if arg != "-" {
			ids = append(ids, arg)
			continue
		}
		lines := bufio.NewScanner(cmd.InOrStdin())
		for lines.Scan() {
			if id := strings.TrimSpace(lines.Text()); id != "" {
				ids = append(ids, id)
			}
		}
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("read ids from standard input: %w", err)
		}
	}
	if len(ids) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "Standard input has no ids.")
	}
	return ids, nil
}

// A documentResult is what became of one document of a command.
type documentResult struct {
	id     string // as given
	err    error
	answer any          // for scripts
	print  func() error // for people
}

// A failedJSON says for scripts why the command failed for one document of several.
type failedJSON struct {
	ID    string    `json:"id"`
	Error errorJSON `json:"error"`
}

// printResults prints the results of a command. Those of several documents are a list for
// scripts; errors of some do not hide the others.
func (p *program) printResults(results []documentResult) error {
	if len(results) == 1 {
		switch r := results[0]; {
		case r.err != nil:
			return r.err
		case p.json:
			return p.printJSON(r.answer)
		default:
			return r.print()
		}
	}
	failed := 0
	answers := make([]any, len(results))
	for i, r := range results {
		answers[i] = r.answer
		if r.err != nil {
			failed++
			code := printError(p.errOut, r.err)
			f := asCommandError(r.err)
			answers[i] = failedJSON{r.id, errorJSON{f.message, f.hint, code}}
			continue
		}
		if p.json {
			continue
		}
		if err := r.print(); err != nil {
			return err
		}
	}
	if p.json {
		p.kind += "-results"
		if err := p.printJSON(struct {
			Results []any `json:"results"`
			Failed  int   `json:"failed"`
		}{answers, failed}); err != nil {
			return err
		}
	}
	if failed == 0 {
		return nil
	}
	fmt.Fprintf(p.errOut, "%d of %s failed.\n", failed, words.Count(len(results), "document"))
	return errSomeFailed
}

// updateAll makes one change in several documents.
func (p *program) updateAll(cmd *cobra.Command, args []string, ifVersion string, changeWith func(*edit.Writer) edit.Change) error {
	ids, err := documentIDs(cmd, args)
	if err != nil {
		return err
	}
	if err := oneVersion(cmd, ids, ifVersion); err != nil {
		return err
	}
	ctx := cmd.Context()
	return p.withWriter(ctx, func(ctx context.Context, ix *index.Index, w *edit.Writer) error {
		change := changeWith(w)
		items := make([]edit.BatchItem, len(ids))
		for i, id := range ids {
			items[i] = edit.BatchItem{DocumentRef: edit.DocumentRef{ID: documentNamed(ix.Workspace(), id), IfVersion: ifVersion}, Change: change}
		}
		done, err := w.UpdateAll(ctx, items)
		if err != nil {
			return err
		}
		results := make([]documentResult, len(ids))
		for i, d := range done {
			results[i] = documentResult{id: ids[i], err: d.Err}
			if d.Err == nil {
				p.warnWritten(d.Written)
				results[i].answer = p.newWrittenJSON(d.Written)
				results[i].print = func() error { return p.printChangedFields(d.Written) }
			}
		}
		return p.printResults(results)
	})
}

// oneVersion refuses --if-version for several documents.
func oneVersion(cmd *cobra.Command, ids []string, version string) error {
	if version != "" && len(ids) > 1 {
		return usage(cmd, "--if-version is for one document, not "+words.Count(len(ids), "document"))
	}
	return nil
}

// manyDocuments checks the arguments of a command over documents.
func manyDocuments() cobra.PositionalArgs {
	return arguments(1, -1, "ids or paths, or - for standard input")
}
