package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
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
func (p *program) documentIDs(args []string) (ids []string, err error) {
	for _, arg := range args {
		if arg != "-" {
			ids = append(ids, arg)
			continue
		}
		lines, err := p.inputLines()
		if err != nil {
			return nil, fmt.Errorf("read ids from standard input: %w", err)
		}
		ids = append(ids, lines...)
	}
	if len(ids) == 0 {
		p.tell("Standard input has no ids.")
	}
	return ids, nil
}

// inputLines are the lines of standard input that are not blank.
func (p *program) inputLines() (texts []string, err error) {
	lines := bufio.NewScanner(p.in)
	for lines.Scan() {
		if text := strings.TrimSpace(lines.Text()); text != "" {
			texts = append(texts, text)
		}
	}
	return texts, lines.Err()
}

// A documentResult is what became of one document of a command.
type documentResult struct {
	id     string // as given
	err    error
	answer any                  // for scripts
	lay    func(*terminal.Page) // for people; nil for nothing
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
		if results[0].err != nil {
			return results[0].err
		}
		return p.print(results[0].answer, results[0].layOn)
	}
	failures := 0
	answers := make([]any, len(results))
	for i, r := range results {
		answers[i] = r.answer
		if r.err != nil {
			failures++
			code := printError(p.errOut, r.err)
			f := asCommandError(r.err)
			answers[i] = failedJSON{r.id, errorJSON{f.message, f.hint, code}}
		} else if !p.json {
			if err := p.print(nil, r.layOn); err != nil {
				return err
			}
		}
	}
	if p.json {
		p.kind += "-results"
		if err := p.printJSON(struct {
			Results []any `json:"results"`
			Failed  int   `json:"failed"`
		}{answers, failures}); err != nil {
			return err
		}
	}
	if failures == 0 {
		return nil
	}
	p.tell("%d of %s failed.", failures, words.Count(len(results), "document"))
	return errSomeFailed
}

func (r documentResult) layOn(page *terminal.Page) {
	if r.lay != nil {
		r.lay(page)
	}
}

// updateAll makes one change in several documents, which are named by ids or paths.
func (p *program) updateAll(
	cmd *cobra.Command, args []string, ifVersion string, changeWith func(*edit.Writer) edit.Change,
) error {
	ids, err := p.documentIDs(args)
	if err == nil {
		err = oneVersion(cmd, ids, ifVersion)
	}
	if err != nil {
		return err
	}
	return p.withWriter(cmd.Context(), func(ctx context.Context, ix *index.Index, w *edit.Writer) error {
		refs := make([]edit.DocumentRef, len(ids))
		for i, id := range ids {
			refs[i] = edit.DocumentRef{ID: p.documentNamed(ix.Workspace(), id), IfVersion: ifVersion}
		}
		results, err := p.updateRefs(ctx, w, ids, refs, changeWith(w))
		if err != nil {
			return err
		}
		return p.printResults(results)
	})
}

// updateRefs makes one change in several documents, and returns what became of each by its name.
func (p *program) updateRefs(
	ctx context.Context, w *edit.Writer, names []string, refs []edit.DocumentRef, change edit.Change,
) ([]documentResult, error) {
	items := make([]edit.BatchItem, len(refs))
	for i, ref := range refs {
		items[i] = edit.BatchItem{DocumentRef: ref, Change: change}
	}
	done, err := w.UpdateAll(ctx, items)
	if err != nil {
		return nil, err
	}
	results := make([]documentResult, len(done))
	for i, d := range done {
		results[i] = documentResult{id: names[i], err: d.Err}
		if d.Err == nil {
			p.noteWritten(d.Written)
			results[i].answer = p.newWrittenJSON(d.Written)
			results[i].lay = func(page *terminal.Page) { layWritten(page, d.Written) }
		}
	}
	return results, nil
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

// confirm asks a question and reports whether the answer is y or yes. An interrupt counts
// as no.
func (p *program) confirm(ctx context.Context, question string) bool {
	answer := p.ask(ctx, question)
	return answer == "y" || answer == "yes"
}

// ask asks a question and returns the answer in lower case, "" after an interrupt.
func (p *program) ask(ctx context.Context, question string) string {
	fmt.Fprint(p.errOut, question)
	answers := make(chan string, 1)
	go func() {
		answer, err := bufio.NewReader(p.in).ReadString('\n')
		if err != nil {
			answer = ""
		}
		answers <- strings.ToLower(strings.TrimSpace(answer))
	}()
	select {
	case answer := <-answers:
		return answer
	case <-ctx.Done():
		_, _ = io.WriteString(p.errOut, "\n")
		return ""
	}
}
