package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is the release that CHANGELOG.md describes last.
const version = "0.1.0"

func newVersionCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Version prints what a bug report needs: the release, the commit, the version of Go and the system.",
		Example: `  issues-index version --json`,
		Args:    arguments(0, 0, "no arguments"),
		RunE:    func(*cobra.Command, []string) error { return p.printVersion() },
	}
}

func (p *program) printVersion() error {
	commit := commit()
	if p.json {
		return p.printJSON(struct {
			Version string `json:"version"`
			Commit  string `json:"commit,omitempty"`
			Go      string `json:"go"`
			System  string `json:"system"`
		}{version, commit, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH})
	}
	if commit != "" {
		commit = " (" + commit + ")"
	}
	_, err := fmt.Fprintf(p.out, "issues-index %s%s %s %s/%s\n", version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// commit returns the revision that the program was built from, "" when it is unknown.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(len(s.Value), 12)]
		}
	}
	return ""
}
