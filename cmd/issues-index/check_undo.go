package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"issues-index/index"
	"issues-index/index/repair"
	"issues-index/store"
)

// undoFixes takes the changes of a record back.
func (p *program) undoFixes(ctx context.Context, file string) error {
	var outcomes []repair.Outcome
	err := p.withIndex(ctx, p.indexOptions(), func(ix *index.Index) error {
		data, err := readRecord(ix.Workspace(), file)
		if err != nil {
			return &failure{code: exitFailed, message: err.Error(), hint: "check --fix names the file; it lies in .wrangler/cache of its workspace"}
		}
		record, err := repair.ReadRecord(data)
		if err != nil {
			return &failure{code: exitFailed, message: fmt.Sprintf("%s is no record of check --fix: %v", file, err), hint: "check --fix names the file; it lies in .wrangler/cache of its workspace"}
		}
		sweep(ctx, ix, p.notes(slog.LevelWarn))
		var behind error
		outcomes, behind = repair.Undo(ctx, ix, record)
		p.warnBehind(behind)
		return nil
	})
	if err != nil {
		return err
	}
	return p.printUndone(outcomes)
}

// readRecord reads the file as it is named, else as it is in the workspace.
func readRecord(ws *store.Workspace, file string) ([]byte, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(file) {
		if here, e := os.ReadFile(filepath.Join(ws.Root, file)); e == nil {
			return here, nil
		}
	}
	return data, err
}

func (p *program) printUndone(outcomes []repair.Outcome) error {
	failed := 0
	list := []fixJSON{}
	made := 0
	for _, o := range outcomes {
		one := newFixJSON(repair.Fix{Fix: o.Fix})
		switch {
		case o.Err != nil:
			failed++
			one.Error = fixReason(o.Err)
		case o.Done:
			made++
		}
		if o.Err != nil || o.Done {
			list = append(list, one)
		}
	}
	if p.json {
		if err := p.printJSON(struct {
			Undone []fixJSON `json:"undone"`
		}{list}); err != nil {
			return err
		}
	} else {
		p.printOutcomes("not taken back", outcomes)
		fmt.Fprintf(p.out, "Took back %d of %s.\n", made, plural(len(outcomes), "change"))
		if same := len(outcomes) - made - failed; same > 0 {
			fmt.Fprintf(p.out, "%d %s as before already.\n", same, verb(same, "was", "were"))
		}
	}
	if failed > 0 {
		return errProblems
	}
	return nil
}

// undoCommand is the line that takes changes back, from any directory.
func (p *program) undoCommand(record string) string {
	line := "issues-index check --undo " + shellWord(record)
	ws, err := p.openWorkspace()
	if err != nil {
		return line
	}
	root := ws.Root
	if ws.Close() != nil {
		return line
	}
	return "issues-index check --workspace " + shellWord(root) + " --undo " + shellWord(record)
}
