package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/index/repair"
	"issues-index/store"
	"issues-index/store/words"
)

// duplicateFlags are the flags of check --fix duplicate-id.
type duplicateFlags struct {
	keep        []string
	references  string
	fingerprint string
}

// fixDuplicates shows the repair of duplicate ids, asks, and makes exactly the changes that
// were shown, but for numbers that a team's counter gives then.
func (p *program) fixDuplicates(cmd *cobra.Command, flags duplicateFlags, yes, dryRun bool) error {
	if flags.references != "" && flags.references != "repo" {
		return usage(cmd, "--references takes repo")
	}
	ctx := cmd.Context()
	asks := !yes && !dryRun && !p.json && terminal.Is(os.Stdin)
	o := repair.DuplicateOptions{Keep: flags.keep, Repository: flags.references == "repo"}
	r, err := p.duplicates(ctx, &o, asks)
	if err != nil {
		return err
	}
	if flags.fingerprint != "" && flags.fingerprint != r.Fingerprint() {
		return &commandError{
			exitFailed, "the changes would be others than those with the fingerprint " + terminal.OneLine(flags.fingerprint) + ": nothing was changed",
			"issues-index check --fix duplicate-id --dry-run shows them",
		}
	}
	if !p.json {
		if err := p.printDuplicates(r); err != nil {
			return &commandError{code: exitFailed, message: fmt.Sprintf("show the changes: %v", err), hint: "nothing was changed; let standard output go elsewhere"}
		}
	}
	agreed := yes && !dryRun
	if asks && len(r.Changes) > 0 {
		agreed = p.confirm(ctx, os.Stdin, fmt.Sprintf("Make %s? [y/N] ", verb(len(r.Changes), "this change", fmt.Sprintf("these %d changes", len(r.Changes)))))
	}
	applied := agreed && len(r.Changes) > 0
	if applied {
		shown := len(r.Notes)
		if err := p.applyDuplicates(ctx, r); err != nil {
			return err
		}
		if !p.json {
			p.printNotes(r.Notes[shown:])
		}
	}
	switch {
	case p.json:
		err = p.printJSON(newDuplicatesJSON(r, applied))
	case applied:
		_, err = fmt.Fprintf(p.out, "Made %s. issues-index undo takes back those of documents.\n", words.Count(len(r.Changes), "change"))
	case len(r.Changes) > 0:
		fmt.Fprintln(p.errOut, "Nothing was changed. With --yes these changes are made.")
	}
	if len(r.Undecided) > 0 || !applied && len(r.Changes) > 0 {
		err = errors.Join(err, errProblems)
	}
	return err
}

// duplicates chooses the changes. Where it asks, a person decides what no rule does.
func (p *program) duplicates(ctx context.Context, o *repair.DuplicateOptions, asks bool) (r *repair.DuplicateRepair, err error) {
	for {
		err = p.withIndex(ctx, p.indexOptions(), func(ix *index.Index) error {
			for i, name := range o.Keep {
				o.Keep[i] = documentNamed(ix.Workspace(), name)
			}
			r, err = repair.Duplicates(ctx, ix, *o)
			return err
		})
		if unknown := (*repair.KeepError)(nil); errors.As(err, &unknown) {
			return nil, &commandError{exitUsage, "--keep: " + terminal.OneLine(unknown.Error()), "issues-index check duplicate-id lists the documents that share an id"}
		}
		if err != nil || !asks {
			return r, err
		}
		kept := len(o.Keep)
		for _, u := range r.Undecided {
			if !u.Tie {
				continue
			}
			question := fmt.Sprintf("%s: %s\n", terminal.OneLine(u.ID), terminal.OneLine(u.Reason))
			for i, path := range u.Paths {
				question += fmt.Sprintf("  %d %s\n", i+1, terminal.OneLine(path))
			}
			answer := p.ask(ctx, os.Stdin, question+"Which one keeps the id? [1-"+strconv.Itoa(len(u.Paths))+", or nothing to leave them] ")
			if n, err := strconv.Atoi(answer); err == nil && 0 < n && n <= len(u.Paths) {
				o.Keep = append(o.Keep, u.Paths[n-1])
			}
		}
		if len(o.Keep) == kept {
			return r, nil
		}
		asks = false
	}
}

// applyDuplicates makes the changes.
func (p *program) applyDuplicates(ctx context.Context, r *repair.DuplicateRepair) error {
	err := p.withWriter(ctx, func(ctx context.Context, ix *index.Index, _ *edit.Writer) error {
		removeStaleTempFiles(ctx, ix, p.notes(slog.LevelWarn))
		behind, err := r.Apply(ctx, ix)
		p.warnBehind(behind)
		return err
	})
	var conflict *store.ConflictError
	if errors.As(err, &conflict) {
		hint := "run the command again: it chooses the changes anew"
		if r.Resumed {
			hint = "git restores the file, and the command goes on; or delete " + store.UnfinishedFixes + ", and it chooses the changes anew"
		}
		return &commandError{exitFailed, "nothing was changed: " + terminal.OneLine(conflict.Path+" "+conflict.Reason), hint}
	}
	return err
}

// printDuplicates shows the changes, and what they leave.
func (p *program) printDuplicates(r *repair.DuplicateRepair) error {
	if r.Resumed {
		fmt.Fprintln(p.out, "A repair was interrupted. These are its changes, of which some are made already:")
	}
	p.printFileChanges(r.Changes)
	p.printNotes(r.Notes)
	if len(r.Undecided) > 0 {
		fmt.Fprintln(p.out, "\nYou have to decide:")
	}
	for _, u := range r.Undecided {
		fmt.Fprintf(p.out, "%s: %s\n", terminal.OneLine(u.ID), terminal.OneLine(u.Reason))
		for _, path := range u.Paths {
			line := terminal.OneLine(path)
			if u.Tie {
				line = "issues-index check --fix duplicate-id --keep " + shellWord(terminal.OneLine(path))
			}
			fmt.Fprintf(p.out, "  %s\n", line)
		}
	}
	if len(r.Left) > 0 {
		fmt.Fprintln(p.out, "\nThese places stay as they are. Correct those that mean a document with another id now:")
	}
	for _, l := range r.Left {
		fmt.Fprintf(p.out, "%s:%d: %s: %s; it may be %s\n", terminal.OneLine(l.Path), l.Line, terminal.OneLine(l.Text), terminal.OneLine(l.Reason), terminal.OneLine(strings.Join(l.Candidates, ", or ")))
	}
	if len(r.Changes) == 0 {
		if len(r.Undecided) == 0 {
			_, err := fmt.Fprintln(p.out, "No documents share an id.")
			return err
		}
		return nil
	}
	_, err := fmt.Fprintf(p.out, "\n%s, with the fingerprint %s\n", words.Count(len(r.Changes), "change"), r.Fingerprint())
	return err
}

func (p *program) printNotes(notes []string) {
	for _, note := range notes {
		fmt.Fprintf(p.errOut, "note: %s\n", terminal.Harmless(note))
	}
}

// A duplicatesJSON is a repair of duplicate ids for scripts.
type duplicatesJSON struct {
	*fixedJSON
	Fingerprint string          `json:"fingerprint"`
	Resumed     bool            `json:"resumed"`
	Undecided   []undecidedJSON `json:"undecided"`
	Left        []leftJSON      `json:"left"`
	Notes       []string        `json:"notes"`
}

type undecidedJSON struct {
	ID     string   `json:"id"`
	Paths  []string `json:"paths"`
	Reason string   `json:"reason"`
	Keep   bool     `json:"keep"` // one of the paths can be given to --keep
}

type leftJSON struct {
	Path       string   `json:"path"`
	Line       int      `json:"line"`
	Text       string   `json:"text"`
	Reason     string   `json:"reason"`
	Candidates []string `json:"candidates"`
}

func newDuplicatesJSON(r *repair.DuplicateRepair, applied bool) duplicatesJSON {
	out := duplicatesJSON{
		fixedJSON: newFixedJSON(r.Changes, nil), Fingerprint: r.Fingerprint(), Resumed: r.Resumed,
		Undecided: []undecidedJSON{}, Left: []leftJSON{}, Notes: append([]string{}, r.Notes...),
	}
	out.Applied = applied
	for _, u := range r.Undecided {
		out.Undecided = append(out.Undecided, undecidedJSON{u.ID, u.Paths, u.Reason, u.Tie})
	}
	for _, l := range r.Left {
		out.Left = append(out.Left, leftJSON{l.Path, l.Line, l.Text, l.Reason, l.Candidates})
	}
	return out
}
