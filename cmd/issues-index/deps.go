package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/store/words"
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
	formats := []string{treeFormat, mermaidFormat, dotFormat}
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
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if format, err = oneOf(cmd, "format", format, words.Only(formats...)); err != nil {
				return err
			}
			if err := exclusive(cmd, "format", "json", "jq"); err != nil {
				return err
			}
			ctx, options := cmd.Context(), p.indexOptions()
			options.Mode = index.ModePoll // each document is a query, and one look at the files is enough
			return p.withIndex(ctx, options, func(ix *index.Index) error {
				d := dependencies{ix: ix, seen: map[string]index.LinkedDocument{}, most: p.atMost(usualDependencies)}
				links, err := ix.Links(ctx, documentNamed(ix.Workspace(), args[0]))
				if err != nil {
					return err
				}
				start := index.LinkedDocument{ID: links.Row.ID, Row: links.Row}
				if up || !down {
					err = d.follow(ctx, start, 1, true)
				}
				if err == nil && (down || !up) {
					err = d.follow(ctx, start, 1, false)
				}
				if err != nil {
					return err
				}
				return p.printDependencies(start, d, format)
			})
		},
	}
	cmd.Flags().BoolVar(&up, "up", false, "only what it waits for")
	cmd.Flags().BoolVar(&down, "down", false, "only what waits for it")
	cmd.Flags().StringVar(&format, "format", treeFormat, "`form` of the output ("+strings.Join(formats, ", ")+")")
	completeFlag(cmd, "format", completeAmong(formats...))
	return cmd
}

// dependencies are the links around one document, in the order in which they were followed.
type dependencies struct {
	ix    *index.Index
	seen  map[string]index.LinkedDocument // whose links are followed already, by direction and key
	lines []dependency
	most  int  // lines
	more  bool // than that
}

// A dependency is one line of the tree.
type dependency struct {
	waiter, of index.LinkedDocument // waiter waits for of
	up         bool                 // the line is about of, else about waiter
	depth      int                  // from 1
	again      bool                 // what follows was shown above
}

// linkKey tells documents, and ids without one, apart.
func linkKey(d index.LinkedDocument) string {
	if d.Row.Path != "" {
		return d.Row.Path
	}
	return d.ID
}

// follow adds what a document waits for, or what waits for it, and goes on from there.
func (d *dependencies) follow(ctx context.Context, from index.LinkedDocument, depth int, up bool) error {
	d.seen[fmt.Sprint(up, linkKey(from))] = from
	links, err := d.ix.AllLinks(ctx, from.Row.Path)
	if err != nil {
		return err
	}
	next := links.Blocks
	if up {
		next = links.WaitsFor
	}
	for _, to := range next {
		if len(d.lines) == d.most {
			d.more = true
			return nil
		}
		_, again := d.seen[fmt.Sprint(up, linkKey(to))]
		line := dependency{waiter: from, of: to, up: up, depth: depth, again: again}
		if !up {
			line.waiter, line.of = to, from
		}
		d.lines = append(d.lines, line)
		if again || to.Row.Path == "" {
			continue
		}
		if err := d.follow(ctx, to, depth+1, up); err != nil {
			return err
		}
	}
	return nil
}

// A dependencyJSON says that one document waits for another, for scripts.
type dependencyJSON struct {
	Waiter   string `json:"waiter"`
	WaitsFor string `json:"waitsFor"`
	State    string `json:"state"` // of what is waited for, or of the document that waits
	Up       bool   `json:"up"`
}

func (p *program) printDependencies(start index.LinkedDocument, d dependencies, format string) error {
	switch {
	case p.json:
		all := make([]dependencyJSON, len(d.lines))
		for i, l := range d.lines {
			about := l.waiter
			if l.up {
				about = l.of
			}
			all[i] = dependencyJSON{l.waiter.ID, l.of.ID, string(about.State), l.up}
		}
		return p.printJSON(struct {
			ID           string           `json:"id"`
			Dependencies []dependencyJSON `json:"dependencies"`
		}{start.ID, all})
	case format == treeFormat:
		p.printDependencyTree(start, d)
	default:
		fmt.Fprint(p.out, graphOf(start, d.lines, format))
	}
	if d.more {
		fmt.Fprintf(p.errOut, "More than %d links; the others are left out.\n", d.most)
	}
	return nil
}

func (p *program) printDependencyTree(start index.LinkedDocument, d dependencies) {
	s := p.screen()
	fmt.Fprintln(p.out, s.paint(bold, oneLine(start.ID))+" "+oneLine(start.Row.Title))
	if len(d.lines) == 0 {
		fmt.Fprintln(p.out, "  waits for nothing, and nothing waits for it")
	}
	for _, l := range d.lines {
		to, verb := l.waiter, "blocks"
		if l.up {
			to, verb = l.of, "waits for"
		}
		line := strings.Repeat("  ", l.depth) + s.paint(dim, verb) + " " + s.paint(bold, oneLine(to.ID))
		if to.Row.Path == "" {
			line += " " + string(to.State)
		} else {
			line += " " + s.paint(statusColour(p.workspaceLayout(), to.Row.Status), oneLine(to.Row.Status)) + " " + oneLine(to.Row.Title)
		}
		if l.again {
			line += " (see above)"
		}
		fmt.Fprintln(p.out, line)
	}
}

// graphOf draws links, each once. Documents have numbers, since ids may have any characters.
func graphOf(start index.LinkedDocument, lines []dependency, format string) string {
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
			label = strings.NewReplacer(`\`, "/", `"`, "'", "[", "(", "]", ")", "<", "(", ">", ")", "#", "").Replace(oneLine(label))
			fmt.Fprintf(&nodes, node, n, label)
		}
		return n
	}
	number(start)
	for _, l := range lines {
		pair := [2]int{number(l.waiter), number(l.of)}
		if !drawn[pair] {
			drawn[pair] = true
			fmt.Fprintf(&edges, edge, pair[0], pair[1])
		}
	}
	return open + nodes.String() + edges.String() + closing
}
