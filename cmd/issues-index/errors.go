package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/cachedir"
	"issues-index/tools/config"
	"issues-index/tools/pdpp"
)

// Exit codes.
const (
	exitFailed = 1
	exitUsage  = 2
)

// A failure is an error with the exit code and the hint that go with it.
type commandError struct {
	code    int
	message string
	hint    string
}

func (f *commandError) Error() string { return f.message }

// usage is a usage error.
func usage(cmd *cobra.Command, message string) *commandError {
	return &commandError{code: exitUsage, message: message, hint: "see `" + cmd.CommandPath() + " --help`"}
}

// errProblems ends check when there is something to mend: the report is
// printed already, and only the exit code is left to say.
var errProblems = errors.New("there are problems")

// report prints err for a person, with what to do next, and returns the exit code.
func report(w io.Writer, err error) int {
	if err == nil {
		return 0
	}
	if errors.Is(err, errProblems) {
		return exitFailed
	}
	if errors.Is(err, syscall.EPIPE) {
		return 0
	}
	f := explain(err)
	// Both may hold names from files, which have no business with the terminal.
	fmt.Fprintf(w, "issues-index: %s\n", harmless(f.message))
	fmt.Fprintf(w, "hint: %s\n", harmless(f.hint))
	return f.code
}

// explain finds the words and the hint for an error.
func explain(err error) *commandError {
	var (
		given     *commandError
		notFound  *index.NotFoundError
		ambiguous *index.AmbiguousError
		terms     *index.TermsError
		root      *store.RootError
		base      *store.BasePathError
		path      *store.PathError
		foreign   *cachedir.ForeignError
		refused   config.Problems
		unserved  *pdpp.StartError
		file      *fs.PathError
		locked    *index.LockedError
	)
	switch {
	case errors.As(err, &given):
		return given
	case errors.As(err, &unserved):
		return &commandError{code: unserved.Exit, message: unserved.Message, hint: unserved.Hint}
	case errors.As(err, &refused):
		return &commandError{code: refusedCode(refused), message: refused.Error(), hint: "issues-index config --help tells where configuration comes from, config show prints every key"}
	case errors.As(err, &notFound):
		f := &commandError{code: exitFailed, message: "no document " + notFound.ID, hint: "issues-index list and issues-index search show the ids"}
		if len(notFound.Suggestions) > 0 {
			f.hint = "did you mean " + strings.Join(notFound.Suggestions, ", ") + "?"
		}
		return f
	case errors.As(err, &ambiguous):
		const named = 20
		lines := []string{ambiguous.ID + " names several documents:"}
		for _, row := range ambiguous.Candidates[:min(named, len(ambiguous.Candidates))] {
			lines = append(lines, "  "+row.Path)
		}
		if more := len(ambiguous.Candidates) - named; more > 0 {
			lines = append(lines, fmt.Sprintf("  and %d more; issues-index check lists them", more))
		}
		return &commandError{code: exitFailed, message: strings.Join(lines, "\n"), hint: "pass one of these paths instead of the id"}
	case errors.As(err, &terms):
		return &commandError{code: exitUsage, message: terms.Error(), hint: "search for the few words that matter most; words to exclude count, too"}
	case errors.As(err, &root):
		return &commandError{code: exitFailed, message: root.Error(), hint: "--workspace names the directory to read"}
	case errors.As(err, &base):
		return &commandError{code: exitFailed, message: base.Error(), hint: "name the folder that holds both with --workspace, or leave the variable out; without --workspace and WRANGLER_WORKSPACE_ROOT it names the workspace"}
	case errors.As(err, &path):
		return &commandError{code: exitFailed, message: path.Error(), hint: "paths are relative to the workspace root and stay inside it"}
	case errors.As(err, &foreign):
		return &commandError{code: exitFailed, message: foreign.Error(), hint: "move it away, or name another file: --db for the index, ISSUES_INDEX_TELEMETRY_PATH for the calls"}
	case errors.As(err, &locked):
		return &commandError{code: exitFailed, message: locked.Error(), hint: "end that program, or let it finish, and try again; nothing was changed"}
	case errors.Is(err, context.Canceled):
		return &commandError{code: exitFailed, message: "interrupted", hint: "only the index was changed, and the next start repairs it"}
	case errors.As(err, &file) && file.Path == os.Stdout.Name():
		return &commandError{code: exitFailed, message: err.Error(), hint: "the command has done its work but could not print; send standard output elsewhere"}
	case errors.Is(err, fs.ErrPermission):
		return &commandError{code: exitFailed, message: err.Error(), hint: "--db puts the index elsewhere; the documents only have to be readable"}
	}
	return &commandError{code: exitFailed, message: err.Error(), hint: "issues-index check names what is wrong in the workspace, issues-index rebuild builds the index again"}
}

// refusedCode is the exit code of a configuration that is refused: usage, but for the
// address of a resource server, whose own program has a code for that.
func refusedCode(refused config.Problems) int {
	if slices.ContainsFunc(refused, func(p config.Problem) bool { return p.Key != "pdpp.providerUrl" }) {
		return exitUsage
	}
	return pdpp.ExitUsage
}
