package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// defaultPager leaves at once when the text fits the screen (-F), lets colours
// through (-R) and leaves the text on the screen when it ends (-X).
const defaultPager = "less -FRX"

// shellCharacters are those by which a pager is a line for the shell, as it is to git.
const shellCharacters = "\"'\\|&;<>()$`=~"

// page prints a text through the reader's pager when it goes to a terminal, and
// as it is otherwise, or where there is no pager.
func (p *program) page(ctx context.Context, text string) error {
	if screen, ok := p.out.(*os.File); ok && isTerminal(screen) {
		if pager := p.pager(ctx); pager != nil {
			pager.Stdin, pager.Stdout, pager.Stderr = strings.NewReader(text), screen, p.errOut
			if pager.Start() == nil {
				// Whoever leaves a pager early has read enough, and what it
				// says of its own trouble is on the screen already.
				_ = pager.Wait()
				return nil
			}
		}
	}
	_, err := io.WriteString(p.out, text)
	return err
}

// pager is ISSUES_INDEX_PAGER, else PAGER, else less; nil where that is not
// installed, or is cat, which would only stand in the way, or where the terminal
// cannot move its cursor, which no pager copes with.
func (p *program) pager(ctx context.Context) *exec.Cmd {
	given := cmp.Or(p.getenv("ISSUES_INDEX_PAGER"), p.getenv("PAGER"), defaultPager)
	words := strings.Fields(given)
	if len(words) == 0 || words[0] == "cat" || p.getenv("TERM") == "dumb" {
		return nil
	}
	if strings.ContainsAny(given, shellCharacters) {
		if _, err := exec.LookPath("sh"); err == nil {
			words = []string{"sh", "-c", given}
		}
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		if given != defaultPager {
			fmt.Fprintf(p.errOut, "The pager %s is not installed; --no-pager goes without.\n", harmless(words[0]))
		}
		return nil
	}
	// Ctrl-C belongs to the pager, which decides whether it ends.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), path, words[1:]...)
	if p.getenv("LESS") == "" {
		cmd.Env = append(os.Environ(), "LESS=FRX")
	}
	return cmd
}
