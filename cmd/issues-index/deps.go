package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
)

// The formats of deps.
const (
	treeFormat    = "tree"
	mermaidFormat = "mermaid"
	dotFormat     = "dot"
)

// usualDependencies bounds what deps shows a person: more cannot be looked over.
const usualDependencies = 500

func newDepsCommand(p *program) *cobra.Command {
	var up, down bool
	var format string
	cmd := &cobra.Command{
		Use:   "deps ID",
		Short: "Show what a document waits for, and what waits for it",
		Long: `Deps follows the links of a document in both directions: --up only to what it waits for,
--down only to what waits for it. mermaid and dot draw the same as a graph, with an arrow
from each document to what it waits for.`,
		Example: `  issues-index deps ISS-000041
  issues-index deps 41 --up --format mermaid`,
		Args:              arguments(1, 1, "one id or path"),
		ValidArgsFunction: p.completeDocument(anyStatus),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := exclusive(cmd, "format", "json", "jq"); err != nil {
				return err
			}
			ctx := cmd.Context()
			return p.withIndex(ctx, func(ix *index.Index) error {
				id := p.documentNamed(ix.Workspace(), args[0])
				start, found, more, err := ix.Dependencies(ctx, id, up || !down, down || !up, p.atMost(usualDependencies))
				if err != nil {
					return err
				}
				return p.printDependencies(start, found, more, format)
			})
		},
	}
	cmd.Flags().BoolVar(&up, "up", false, "only what it waits for")
	cmd.Flags().BoolVar(&down, "down", false, "only what waits for it")
	p.choice(cmd.Flags(), &format, "format", "", treeFormat, "`form` of the output", treeFormat, mermaidFormat, dotFormat)
	return cmd
}

// linkKey tells documents, and ids without one, apart.
func linkKey(d index.LinkedDocument) string {
	if d.Row.Path != "" {
		return d.Row.Path
	}
	return d.ID
}

// A dependencyJSON says that one document waits for another, for scripts.
type dependencyJSON struct {
	Waiter   string `json:"waiter"`
	WaitsFor string `json:"waitsFor"`
	State    string `json:"state"` // of what is waited for, or of the document that waits
	Up       bool   `json:"up"`
}

func (p *program) printDependencies(
	start index.LinkedDocument, found []index.Dependency, more bool, format string,
) error {
	all := make([]dependencyJSON, len(found))
	for i, d := range found {
		about := d.Waiter
		if d.Up {
			about = d.Of
		}
		all[i] = dependencyJSON{d.Waiter.ID, d.Of.ID, string(about.State), d.Up}
	}
	err := p.print(struct {
		ID           string           `json:"id"`
		Dependencies []dependencyJSON `json:"dependencies"`
	}{start.ID, all}, func(page *terminal.Page) {
		if format == treeFormat {
			p.layDependencies(page, start, found)
		} else {
			page.Text(graphOf(start, found, format))
		}
	})
	if more && !p.json {
		p.tell("More than %d links; the others are left out.", len(found))
	}
	return err
}

func (p *program) layDependencies(page *terminal.Page, start index.LinkedDocument, found []index.Dependency) {
	layTitle(page, start.ID, start.Row.Title)
	if len(found) == 0 {
		page.Line("  waits for nothing, and nothing waits for it")
	}
	for _, d := range found {
		to, verb, again := d.Waiter, "blocks", ""
		if d.Up {
			to, verb = d.Of, "waits for"
		}
		status, title := terminal.Styled(to.State), ""
		if to.Row.Path != "" {
			status, title = page.In(statusColour(p.workspaceLayout(), to.Row.Status), to.Row.Status), " "+to.Row.Title
		}
		if d.Again {
			again = " (see above)"
		}
		page.Line("%s%s %s %s%s%s", indent(d.Depth), page.Dim(verb), page.Bold(to.ID), status, title, again)
	}
}

// indent is the indentation of a depth of a tree. From a depth on it grows no more: a chain of
// thousands of documents would be mostly blanks.
func indent(depth int) string {
	const deepest = 50
	return strings.Repeat("  ", min(depth, deepest))
}

// graphOf draws links, each once. Documents have numbers, since ids may have any characters.
func graphOf(start index.LinkedDocument, found []index.Dependency, format string) string {
	var nodes, edges strings.Builder
	numbers, drawn := map[string]int{}, map[[2]int]bool{}
	open, closing, node, edge := "graph TD\n", "", "  n%d[\"%s\"]\n", "  n%d --> n%d\n"
	if format == dotFormat {
		open, closing, node, edge = "digraph {\n", "}\n", "  n%d [label=\"%s\"];\n", "  n%d -> n%d;\n"
	}
	number := func(d index.LinkedDocument) int {
		n, known := numbers[linkKey(d)]
		if !known {
			n = len(numbers) + 1
			numbers[linkKey(d)] = n
			label := d.ID + " " + d.Row.Title
			if d.Row.Path == "" {
				label = string(d.State) + " " + d.ID
			}
			label = strings.NewReplacer(
				`\`, "/", `"`, "'", "[", "(", "]", ")", "<", "(", ">", ")", "#", "",
			).Replace(terminal.OneLine(label))
			fmt.Fprintf(&nodes, node, n, label)
		}
		return n
	}
	number(start)
	for _, d := range found {
		pair := [2]int{number(d.Waiter), number(d.Of)}
		if !drawn[pair] {
			drawn[pair] = true
			fmt.Fprintf(&edges, edge, pair[0], pair[1])
		}
	}
	return open + nodes.String() + edges.String() + closing
}
