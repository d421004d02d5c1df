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

// defaultPager exits when the text fits the screen (-F), shows colours (-R) and leaves the
// text on the screen (-X).
const defaultPager = "less -FRX"

// page prints a text through the user's pager on a terminal, and directly elsewhere or
// without a pager.
func (p *program) page(ctx context.Context, text string) error {
	if screen, ok := p.out.(*os.File); ok && isTerminal(screen) {
		if pager := p.pager(ctx); pager != nil {
			pager.Stdin, pager.Stdout, pager.Stderr = strings.NewReader(text), screen, p.errOut
			if pager.Start() == nil {
				// Leaving a pager early is no error, and the pager has printed its
				// own errors.
				_ = pager.Wait()
				return nil
			}
		}
	}
	_, err := io.WriteString(p.out, text)
	return err
}

// pager returns the command of ISSUES_INDEX_PAGER, else PAGER, else less. It returns nil
// when that is cat or not installed, or when the terminal is dumb.
func (p *program) pager(ctx context.Context) *exec.Cmd {
	given := cmp.Or(p.getenv("ISSUES_INDEX_PAGER"), p.getenv("PAGER"), defaultPager)
	words := strings.Fields(given)
	if len(words) == 0 || words[0] == "cat" || p.getenv("TERM") == "dumb" {
		return nil
	}
	cmd, err := userCommand(ctx, given)
	if err != nil {
		if given != defaultPager {
			fmt.Fprintf(p.errOut, "The pager %s is not installed; --no-pager works without one.\n", harmless(words[0]))
		}
		return nil
	}
	if p.getenv("LESS") == "" {
		cmd.Env = append(os.Environ(), "LESS=FRX")
	}
	return cmd
}
