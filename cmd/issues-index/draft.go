package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"

	"issues-index/cmd/issues-index/terminal"
)

// A draft is a text that the user's editor has open. Its file is in a folder of its own
// outside of the workspace, where only the user can read it. It is removed in the end unless
// it has the only copy of what the user has written.
type draft struct{ file string }

// editor returns the command of the user's editor: VISUAL, else EDITOR, else the one that
// every system has.
func (p *program) editor() (string, error) {
	given := strings.TrimSpace(cmp.Or(p.getenv("VISUAL"), p.getenv("EDITOR")))
	switch {
	case given != "":
		return given, nil
	case !p.asks():
		return "", misused(
			"there is no terminal for an editor",
			"set VISUAL or EDITOR to an editor that needs none; issues-index set and append change a document without one",
		)
	case runtime.GOOS == "windows":
		return "notepad", nil
	}
	return "vi", nil
}

// compose has the user edit a text in a file of this name. It returns the text as the user
// saved it, and the draft to discard or to keep. Without a draft, the error has said all.
func (p *program) compose(ctx context.Context, name string, text []byte) ([]byte, *draft, error) {
	editor, err := p.editor()
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "issues-index-")
	if err != nil {
		return nil, nil, fmt.Errorf("make a folder for the text: %w", err)
	}
	d := &draft{filepath.Join(dir, name)}
	if err := os.WriteFile(d.file, text, 0o600); err != nil {
		d.discard()
		return nil, nil, fmt.Errorf("write the text for the editor: %w", err)
	}
	wrong := p.runEditor(ctx, editor, d.file)
	saved, err := os.ReadFile(d.file)
	switch {
	case wrong != nil && (err != nil || bytes.Equal(saved, text)):
		d.discard()
		return nil, nil, wrong
	case wrong != nil:
		return nil, nil, d.keep(wrong, "")
	case err != nil:
		d.discard()
		return nil, nil, failed("the editor has left no file", unchanged)
	}
	return saved, d, nil
}

// runEditor waits until the editor ends. The program ignores Ctrl-C meanwhile, which is for
// the editor.
func (p *program) runEditor(ctx context.Context, editor, file string) error {
	command, err := terminal.Command(ctx, editor, file)
	if err != nil {
		return failed(
			fmt.Sprintf("the editor %s is not installed", editor), unchanged+"; set VISUAL or EDITOR to your editor",
		)
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	command.Stdin, command.Stdout, command.Stderr = p.in, p.errOut, p.errOut
	if terminal.Is(p.out) {
		command.Stdout = p.out
	}
	if err := command.Run(); err != nil {
		return failed(fmt.Sprintf("the editor %s failed: %v", editor, err), unchanged)
	}
	return nil
}

// discard removes the draft. What stays is in the system's folder for such files.
func (d *draft) discard() { _ = os.RemoveAll(filepath.Dir(d.file)) }

// unchanged begins the hint of an error after which everything is as it was.
const unchanged = "nothing was changed"

// keep leaves the draft where it is and adds to an error where that is, and the command that
// takes the text up, "" for none.
func (d *draft) keep(err error, again string) error {
	f := *asCommandError(err)
	if strings.HasPrefix(f.hint, unchanged) { // without the rest, which is about the document's file
		f.hint = unchanged
	}
	f.hint += "; your text is in " + d.file
	if again != "" {
		f.hint += "; go on with: " + again
	}
	return &f
}

// put replaces the text of the draft, or leaves it whole beside an error.
func (d *draft) put(text []byte) error {
	if err := os.WriteFile(d.file+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(d.file+".new", d.file)
}
