package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index/team/publish"
	"issues-index/store/words"
)

func newClusterVerifyCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Compare what the cluster has of a workspace with its files",
		Long: `Verify compares the documents of the workspace with what the cluster has of them, and changes
nothing. The exit code is 1 when they differ: publish --once sends what is missing, and cluster
rebuild sends everything again. Messages that nobody uses are named: a newer version of this
program may know them, and whoever has a key for the workspace can have sent them.`,
		Example: `  issues-index cluster verify
  issues-index cluster verify --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withPublisher(cmd.Context(), func(publisher *publish.Publisher) error {
				compared, err := publisher.Verify(cmd.Context())
				if err != nil {
					return explainPublish(err)
				}
				return p.printLineComparison(compared)
			})
		},
	}
	p.settingFlags(cmd.Flags(), "team.workspace")
	return cmd
}

func newClusterRebuildCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rebuild",
		Short: "Publish all documents of a workspace again",
		Long: `Rebuild publishes every document of the workspace, whatever the cluster has, and removes there
what has no file. It is for a cluster whose data cannot be trusted; usually publish does what is
needed.`,
		Example: `  issues-index cluster rebuild`,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withPublisher(cmd.Context(), func(publisher *publish.Publisher) error {
				return p.publishNow(cmd.Context(), publisher.Rebuild)
			})
		},
	}
	p.settingFlags(cmd.Flags(), "team.workspace")
	return cmd
}

func (p *program) printLineComparison(c publish.BranchComparison) error {
	err := p.print(c, func(page *terminal.Page) {
		for _, m := range c.Unused {
			page.Line("not used: %s", unusedText(m))
		}
		if c.Same() {
			page.Line("The cluster has %s of the line %s of %s as the files are.",
				words.Count(c.Documents, "document"), c.Branch, c.Workspace)
		}
		for _, one := range []struct {
			what  string
			paths []string
		}{{"not published", c.Missing}, {"published otherwise", c.Changed}, {"published, but the file is gone", c.Extra}} {
			for _, path := range one.paths {
				page.Line("%s: %s", one.what, path)
			}
		}
	})
	if err == nil && !c.Same() {
		err = failed("the cluster differs from the files", "issues-index publish --once sends what is missing")
	}
	return err
}

// unusedText names a message that nobody uses.
func unusedText(m publish.UnusedMessage) string {
	text := fmt.Sprintf("message %d of %s: %s", m.Position, m.Branch, m.Reason)
	if m.Path != "" {
		text += ", in the place of " + m.Path
	}
	return terminal.OneLine(text)
}
