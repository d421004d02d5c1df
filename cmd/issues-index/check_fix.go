package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"issues-index/index"
	"issues-index/index/repair"
	"issues-index/store"
)

// A fixedJSON is what --fix would do or did.
type fixedJSON struct {
	Fixes []fixJSON `json:"fixes"`
	// Applied is false when the changes were only shown.
	Applied bool `json:"applied"`
	// Undo is the file for --undo, relative to the workspace.
	Undo string `json:"undo,omitempty"`
}

type fixJSON struct {
	Path    string   `json:"path"`
	To      string   `json:"to,omitempty"`
	Codes   []string `json:"codes,omitempty"`
	Removed []string `json:"removed,omitempty"`
	Added   []string `json:"added,omitempty"`
	Error   string   `json:"error,omitempty"`
}

func newFixJSON(f repair.Fix) fixJSON {
	out := fixJSON{Path: f.From}
	if f.Moves() {
		out.To = f.To
	}
	for _, code := range f.Codes {
		out.Codes = append(out.Codes, string(code))
	}
	out.Removed, out.Added = f.Lines()
	return out
}

// checkAndFix shows the changes, asks, makes them, and says what is left. What
// was agreed to is what happens: a document that changes meanwhile is left out.
func (p *program) checkAndFix(ctx context.Context, yes, dryRun bool) error {
	report, err := p.look(ctx)
	if err != nil {
		return err
	}
	if len(report.Fixes) == 0 {
		return p.nothingToFix(report)
	}
	if !p.json {
		if err := p.printFixes(report); err != nil {
			// What nobody has seen is not done.
			return &failure{code: exitFailed, message: fmt.Sprintf("show the changes: %v", err), hint: "nothing was changed; let standard output go elsewhere"}
		}
	}
	if !yes {
		if agreed, err := p.agree(ctx, report, dryRun); err != nil || !agreed {
			return errors.Join(err, errProblems)
		}
	}
	var done repair.Done
	err = p.withIndex(ctx, p.indexOptions(), func(ix *index.Index) error {
		sweep(ctx, ix, p.notes(slog.LevelWarn))
		done, err = repair.Apply(ctx, ix, report.Fixes, time.Now())
		return explainWrite(err)
	})
	if err != nil {
		return err
	}
	p.warnBehind(done.Behind)
	if !p.json {
		p.printDone(done)
	}
	// Who has interrupted it wants to know all the more what was done.
	left, err := p.look(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	if err := p.printLeft(left, report.Fixes, done); err != nil {
		return err
	}
	return problemsLeft(left)
}

// nothingToFix prints the problems that only a person can mend, if any.
func (p *program) nothingToFix(r *repair.Report) error {
	if p.json {
		out := p.newCheckJSON(r)
		out.fixedJSON = &fixedJSON{Fixes: []fixJSON{}}
		return errors.Join(p.printJSON(out), problemsLeft(r))
	}
	if err := p.printReport(r); err != nil {
		return err
	}
	if len(r.Problems) > 0 {
		fmt.Fprintln(p.out, "None of them can be fixed without guessing.")
	}
	return problemsLeft(r)
}

// printFixes shows each change: from where to where a file moves, and the lines
// that go and come.
func (p *program) printFixes(r *repair.Report) error {
	s := p.screen()
	for _, f := range r.Fixes {
		if f.Moves() {
			fmt.Fprintf(p.out, "%s %s → %s\n", s.paint(bold, "move"), oneLine(f.From), oneLine(f.To))
		} else {
			fmt.Fprintf(p.out, "%s %s\n", s.paint(bold, "edit"), oneLine(f.From))
		}
		removed, added := f.Lines()
		for _, line := range removed {
			fmt.Fprintln(p.out, s.paint(red, "  - "+oneLine(line)))
		}
		for _, line := range added {
			fmt.Fprintln(p.out, s.paint(green, "  + "+oneLine(line)))
		}
	}
	_, err := fmt.Fprintf(p.out, "\n%s, which %s %d of %s\n", plural(len(r.Fixes), "change"), verb(len(r.Fixes), "fixes", "fix"),
		mendable(r.Problems), plural(len(r.Problems), "problem"))
	return err
}

func verb(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// agree asks whether to go on, where there is somebody to ask.
func (p *program) agree(ctx context.Context, r *repair.Report, dryRun bool) (bool, error) {
	if p.json {
		out := p.newCheckJSON(r)
		out.fixedJSON = &fixedJSON{}
		for _, f := range r.Fixes {
			out.Fixes = append(out.Fixes, newFixJSON(f))
		}
		return false, p.printJSON(out)
	}
	if dryRun {
		fmt.Fprintln(p.errOut, "Nothing was changed.")
		return false, nil
	}
	if !isTerminal(os.Stdin) {
		fmt.Fprintln(p.errOut, "Nothing was changed: there is no terminal to ask on. With --yes these changes are made.")
		return false, nil
	}
	if !p.confirm(ctx, os.Stdin, fmt.Sprintf("Make %s? [y/N] ", verb(len(r.Fixes), "this change", fmt.Sprintf("these %d changes", len(r.Fixes))))) {
		fmt.Fprintln(p.errOut, "Nothing was changed.")
		return false, nil
	}
	return true, nil
}

// printDone says what was made, what was not and why, and how to take it back.
func (p *program) printDone(done repair.Done) {
	made := p.printOutcomes("not changed", done.Outcomes)
	fmt.Fprintf(p.out, "Made %d of %s.\n", made, plural(len(done.Outcomes), "change"))
	if made > 0 {
		fmt.Fprintf(p.out, "To take them back: %s\n", harmless(p.undoCommand(done.Record)))
	}
}

// printOutcomes names the changes that failed and counts those that were made.
func (p *program) printOutcomes(failed string, outcomes []repair.Outcome) (made int) {
	for _, o := range outcomes {
		switch {
		case o.Err != nil:
			fmt.Fprintf(p.out, "%s: %s: %s\n", failed, oneLine(o.Fix.From), oneLine(fixReason(o.Err)))
		case o.Done:
			made++
		}
	}
	return made
}

// fixReason says why one change was not made.
func fixReason(err error) string {
	var conflict *store.ConflictError
	switch {
	case errors.As(err, &conflict):
		return conflict.Path + " " + conflict.Reason
	case errors.Is(err, context.Canceled):
		return "interrupted"
	}
	if disk := (*store.DiskError)(nil); errors.As(err, &disk) {
		return disk.Error()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "it is no longer there"
	}
	return err.Error()
}

// printLeft says what remains after the changes.
func (p *program) printLeft(left *repair.Report, fixes []repair.Fix, done repair.Done) error {
	if p.json {
		out := p.newCheckJSON(left)
		out.fixedJSON = &fixedJSON{Applied: true, Undo: done.Record}
		for i, f := range fixes {
			one := newFixJSON(f)
			if err := done.Outcomes[i].Err; err != nil {
				one.Error = fixReason(err)
			}
			out.Fixes = append(out.Fixes, one)
		}
		return p.printJSON(out)
	}
	if len(left.Problems) == 0 {
		_, err := fmt.Fprintln(p.out, "No problems are left.")
		return err
	}
	_, err := fmt.Fprintf(p.out, "%s left that cannot be fixed without you; issues-index check says what to do about each.\n",
		plural(len(left.Problems), "problem")+" "+verb(len(left.Problems), "is", "are"))
	return err
}
