package terminal

import (
	"context"
	"os/exec"
	"runtime"
	"strings"
)

// shellCharacters in a user's command mean that a shell has to run it, as in git.
const shellCharacters = "\"'\\|&;<>()$`=~"

// Command returns the command of a variable such as PAGER or EDITOR, with these
// arguments. Its value may have arguments of its own. The error is that of exec.LookPath.
//
// Ctrl-C belongs to the command, which decides whether it ends.
func Command(ctx context.Context, given string, args ...string) (*exec.Cmd, error) {
	words := strings.Fields(given)
	if whole := strings.Trim(given, `"`); runtime.GOOS == "windows" && strings.ContainsAny(given, `\`) {
		if _, err := exec.LookPath(whole); err == nil { // a path with blanks
			words, given = []string{whole}, ""
		}
	}
	if strings.ContainsAny(given, shellCharacters) {
		if _, err := exec.LookPath("sh"); err == nil {
			words = []string{"sh", "-c", given}
			if len(args) > 0 {
				words = []string{"sh", "-c", given + ` "$@"`, given}
			}
		}
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return nil, err
	}
	return exec.CommandContext(context.WithoutCancel(ctx), path, append(words[1:], args...)...), nil
}
