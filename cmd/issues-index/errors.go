package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/tools"
	"issues-index/tools/config"
	"issues-index/tools/pdpp"
)

// Exit codes.
const (
	exitFailed = 1
	exitUsage  = 2
)

// A commandError is an error with its exit code and hint.
type commandError struct {
	code    int
	message string
	hint    string
}

func (f *commandError) Error() string { return f.message }

// usage returns a usage error. Its hint is the given one, else that on the help.
func usage(cmd *cobra.Command, message string, hint ...string) *commandError {
	return &commandError{exitUsage, message, append(hint, "see `"+cmd.CommandPath()+" --help`")[0]}
}

// failed returns an error of a command that was used as it should be.
func failed(message, hint string) *commandError { return &commandError{exitFailed, message, hint} }

// misused returns a usage error with its hint.
func misused(message, hint string) *commandError { return &commandError{exitUsage, message, hint} }

// exclusive is a usage error when a flag was given together with one of others, nil else.
func exclusive(cmd *cobra.Command, flag string, others ...string) error {
	for _, other := range others {
		if cmd.Flags().Changed(flag) && cmd.Flags().Changed(other) {
			return usage(cmd, fmt.Sprintf("--%s and --%s exclude each other", flag, other))
		}
	}
	return nil
}

// errProblems ends check when it has printed problems. It only sets the exit code.
var errProblems = errors.New("there are problems")

// printError prints err and a hint for a person, and returns the exit code.
func printError(w io.Writer, err error) int {
	if err == nil {
		return 0
	}
	if errors.Is(err, errProblems) || errors.Is(err, errSomeFailed) || errors.Is(err, errConflicts) {
		return exitFailed
	}
	if errors.Is(err, syscall.EPIPE) {
		return 0
	}
	f := asCommandError(err)
	// Both may contain names from files, which must not control the terminal.
	fmt.Fprintf(w, "issues-index: %s\n", terminal.Harmless(f.message))
	fmt.Fprintf(w, "hint: %s\n", terminal.Harmless(f.hint))
	return f.code
}

// asCommandError returns the message, hint and exit code of any error.
func asCommandError(err error) *commandError {
	var (
		given    *commandError
		unserved *pdpp.StartError
		refused  config.Problems
		base     *store.BasePathError
		unlaid   *layout.InvalidError
		file     *fs.PathError
	)
	switch {
	case errors.As(err, &given):
		return given
	case errors.As(err, &unserved):
		return &commandError{code: unserved.Exit, message: unserved.Message, hint: unserved.Hint}
	case errors.As(err, &refused):
		return &commandError{
			code: refusedCode(refused), message: refused.Error(),
			hint: "issues-index config --help says where configuration comes from, config show prints every key",
		}
	case errors.As(err, &unlaid):
		return misused(unlaid.Error(), "fix the file; issues-index config check lists all that is wrong with it")
	case errors.As(err, &base):
		return failed(base.Error(), "name the folder that holds both with --workspace, or leave the variable out; "+
			"without --workspace and WRANGLER_WORKSPACE_ROOT it names the workspace")
	case errors.As(err, &file) && file.Path == os.Stdout.Name():
		return failed(err.Error(), "the command has done its work but could not print; send standard output elsewhere")
	}
	e := tools.ErrorOf(err)
	f := &commandError{code: exitFailed}
	var cycle *edit.CycleError // the documents refuse it, as they do an id that none has
	if e.Code == tools.CodeValidation && !errors.As(err, &cycle) {
		f.code = exitUsage
	}
	f.message, f.hint = e.Terminal()
	return f
}

// refusedCode returns the exit code of an invalid configuration: usage, except for the
// address of a PDPP resource server, for which that protocol defines a code.
func refusedCode(refused config.Problems) int {
	if slices.ContainsFunc(refused, func(p config.LoadProblem) bool { return p.Key != "pdpp.providerUrl" }) {
		return exitUsage
	}
	return pdpp.ExitUsage
}
