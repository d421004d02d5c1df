package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/index/repair"
	"issues-index/store"
	"issues-index/store/words"
)

// fixDuplicates shows the repair of duplicate ids, asks, and makes exactly the changes that
// were shown, but for numbers that a team's counter gives then.
func (p *program) fixDuplicates(
	ctx context.Context, o repair.DuplicateOptions, fingerprint string, yes, dryRun bool,
) error {
	r, err := p.duplicates(ctx, &o, !yes && !dryRun && !p.json && p.asks())
	if err != nil {
		return err
	}
	if fingerprint != "" && fingerprint != r.Fingerprint() {
		return failed("the changes no longer match the fingerprint "+terminal.OneLine(fingerprint)+": nothing was changed",
			"issues-index check --fix duplicate-id --dry-run shows them")
	}
	if err := p.showChanges(func(page *terminal.Page) { layDuplicates(page, r) }); err != nil {
		return err
	}
	shown := len(r.Notes)
	applied := len(r.Changes) > 0 && p.agree(ctx, len(r.Changes), yes, dryRun)
	if applied {
		if err := p.applyDuplicates(ctx, r); err != nil {
			return err
		}
	}
	if p.json {
		fixed := newFixedJSON(r.Changes, nil)
		fixed.Applied = applied
		err = p.printJSON(struct {
			*fixedJSON
			Fingerprint string                 `json:"fingerprint"`
			Resumed     bool                   `json:"resumed"`
			Undecided   []repair.UndecidedID   `json:"undecided"`
			Left        []repair.LeftReference `json:"left"`
			Notes       []string               `json:"notes"`
		}{
			fixed, r.Fingerprint(), r.Resumed, append([]repair.UndecidedID{}, r.Undecided...),
			append([]repair.LeftReference{}, r.Left...), append([]string{}, r.Notes...),
		})
	} else if applied {
		for _, note := range r.Notes[shown:] {
			p.note("%s", note)
		}
		_, err = fmt.Fprintf(
			p.out, "Made %s. issues-index undo takes back those of documents.\n", words.Count(len(r.Changes), "change"),
		)
	}
	if len(r.Undecided) > 0 || !applied && len(r.Changes) > 0 {
		err = errors.Join(err, errProblems)
	}
	return err
}

// duplicates chooses the changes. Where it asks, a person decides what no rule does.
func (p *program) duplicates(
	ctx context.Context, o *repair.DuplicateOptions, asks bool,
) (r *repair.DuplicateRepair, err error) {
	for {
		err = p.withIndex(ctx, func(ix *index.Index) error {
			for i, name := range o.Keep {
				o.Keep[i] = p.documentNamed(ix.Workspace(), name)
			}
			r, err = repair.Duplicates(ctx, ix, *o)
			return err
		})
		if unknown := (*repair.KeepError)(nil); errors.As(err, &unknown) {
			return nil, misused(
				"--keep: "+terminal.OneLine(unknown.Error()),
				"issues-index check duplicate-id lists the documents that share an id",
			)
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
			answer := p.ask(
				ctx, question+"Which one keeps the id? [1-"+strconv.Itoa(len(u.Paths))+", or nothing to leave them] ",
			)
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
		p.noteBehind(behind)
		return err
	})
	var conflict *store.ConflictError
	if errors.As(err, &conflict) {
		hint := "run the command again: it chooses the changes anew"
		if r.Resumed {
			hint = "git restores the file, and the command goes on; or delete " + store.UnfinishedFixes +
				", and it chooses the changes anew"
		}
		return failed("nothing was changed: "+terminal.OneLine(conflict.Path+" "+conflict.Reason), hint)
	}
	return err
}

// layDuplicates lays out the changes, and what they leave.
func layDuplicates(page *terminal.Page, r *repair.DuplicateRepair) {
	if r.Resumed {
		page.Line("A repair was interrupted. These are its changes, of which some are made already:")
	}
	layFileChanges(page, r.Changes)
	for _, note := range r.Notes {
		page.Line("note: %s", note)
	}
	if len(r.Undecided) > 0 {
		page.Line("\nYou have to decide:")
	}
	for _, u := range r.Undecided {
		page.Line("%s: %s", u.ID, u.Reason)
		for _, path := range u.Paths {
			line := terminal.OneLine(path)
			if u.Tie {
				line = "issues-index check --fix duplicate-id --keep " + shellWord(line)
			}
			page.Line("  %s", line)
		}
	}
	if len(r.Left) > 0 {
		page.Line("\nThese places stay as they are. Correct those that mean a document with another id now:")
	}
	for _, l := range r.Left {
		page.Line("%s:%d: %s: %s; it may be %s", l.Path, l.Line, l.Text, l.Reason,
			strings.Join(l.Candidates, ", or "))
	}
	switch {
	case len(r.Changes) > 0:
		page.Line("\n%s, with the fingerprint %s", words.Count(len(r.Changes), "change"), r.Fingerprint())
	case len(r.Undecided) == 0:
		page.Line("No documents share an id.")
	}
}
