package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
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
	v := struct {
		Version string `json:"version"`
		Commit  string `json:"commit,omitempty"`
		Go      string `json:"go"`
		System  string `json:"system"`
	}{version, commit(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	return p.print(v, func(page *terminal.Page) {
		in := ""
		if v.Commit != "" {
			in = " (" + v.Commit + ")"
		}
		page.Line("issues-index %s%s %s %s", version, in, v.Go, v.System)
	})
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
