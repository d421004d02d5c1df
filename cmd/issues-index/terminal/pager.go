package terminal

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

// PrintPaged prints a text through the user's pager on a terminal, and directly elsewhere or
// without a pager. Errors of the pager are printed by it to errOut.
func PrintPaged(ctx context.Context, text string, out, errOut io.Writer, getenv func(string) string) error {
	if Is(out) {
		if pager := pagerOf(ctx, errOut, getenv); pager != nil {
			pager.Stdin, pager.Stdout, pager.Stderr = strings.NewReader(text), out, errOut
			if pager.Start() == nil {
				_ = pager.Wait() // leaving a pager early is no error
				return nil
			}
		}
	}
	_, err := io.WriteString(out, text)
	return err
}

// pagerOf returns the command of ISSUES_INDEX_PAGER, else PAGER, else less. It returns nil
// when that is cat or not installed, or when the terminal is dumb.
func pagerOf(ctx context.Context, errOut io.Writer, getenv func(string) string) *exec.Cmd {
	given := cmp.Or(getenv("ISSUES_INDEX_PAGER"), getenv("PAGER"), defaultPager)
	words := strings.Fields(given)
	if len(words) == 0 || words[0] == "cat" || getenv("TERM") == "dumb" {
		return nil
	}
	cmd, err := Command(ctx, given)
	if err != nil {
		if given != defaultPager {
			fmt.Fprintf(errOut, "The pager %s is not installed; --no-pager works without one.\n", Harmless(words[0]))
		}
		return nil
	}
	if getenv("LESS") == "" {
		cmd.Env = append(os.Environ(), "LESS=FRX")
	}
	return cmd
}
