package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/store/markdown"
)

func newAppendCommand(p *program) *cobra.Command {
	var section, ifVersion string
	cmd := &cobra.Command{
		Use:     "append ID [TEXT|-]",
		Aliases: []string{"note"},
		Short:   "Add a paragraph to the text of one document",
		Long: `Append adds TEXT to the end of a document, or of the own text of one section, with a blank
line before it. A text that is there already is not added again. Without TEXT, or with -
in its place, append reads standard input. A TEXT of several lines is best given so: \n in
an argument stays as it is. Put a TEXT that starts with - after --.`,
		Example: `  issues-index append ISS-000041 "Seen on Windows, too."
  issues-index append 41 --section Tasks -- "- [ ] Write the page"
  git log -3 --oneline | issues-index append ISS-000041 -`,
		Args:              arguments(1, 2, "one id or path, and one text (in quotes) or -"),
		ValidArgsFunction: p.completeDocument(anyStatus),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := p.textToAppend(cmd, args[1:])
			if err != nil {
				return err
			}
			change := markdown.TextEdit{Op: markdown.Append, Text: text}
			if section != "" {
				change.Op, change.Section = markdown.AppendSection, section
			}
			return p.editText(cmd, edit.DocumentRef{ID: args[0], IfVersion: ifVersion}, change)
		},
	}
	cmd.Flags().StringVar(&section, "section", "", "`heading` of the section to add the text to")
	ifVersionFlag(cmd, &ifVersion)
	return cmd
}

// textToAppend returns the text of the argument, or of standard input without one.
func (p *program) textToAppend(cmd *cobra.Command, args []string) (text string, err error) {
	switch {
	case len(args) == 1 && args[0] != "-":
		text = args[0]
	case len(args) == 0 && p.asks():
		return "", usage(cmd, "append has no text to add")
	default:
		if text, err = p.readText("-"); err != nil {
			return "", err
		}
	}
	if strings.TrimSpace(text) == "" {
		return "", usage(cmd, "the text to append is empty")
	}
	return text, nil
}

// editText changes parts of a document's text, and prints what became of each.
func (p *program) editText(cmd *cobra.Command, ref edit.DocumentRef, changes ...markdown.TextEdit) error {
	ctx := cmd.Context()
	return p.withWriter(ctx, func(ctx context.Context, ix *index.Index, w *edit.Writer) error {
		ref.ID = p.documentNamed(ix.Workspace(), ref.ID)
		done, err := w.Edit(ctx, ref, changes)
		if err != nil {
			return err
		}
		return p.printWritten(done.Applied, p.partLines(done)...)
	})
}

func newTickCommand(p *program) *cobra.Command {
	return newBoxesCommand(p, markdown.Check, &cobra.Command{
		Use:   "tick ID N...",
		Short: "Tick boxes of one document",
		Long: `Tick ticks the boxes N of a document, and prints them and how many are ticked. Boxes are
the items of task lists, such as - [ ] Write tests. They are numbered from 1 over the whole
document, or over one section with --section. Where each box has a number of its own at
the beginning of its text, as in - [ ] #3 Write tests, that is its number. Without N, tick
lists the boxes.`,
		Example: `  issues-index tick ISS-000041 1 3
  issues-index tick iss-41 2 --section Requirements`,
	})
}

func newUntickCommand(p *program) *cobra.Command {
	return newBoxesCommand(p, markdown.Uncheck, &cobra.Command{
		Use:   "untick ID N...",
		Short: "Untick boxes of one document",
		Long: `Untick takes the ticks from the boxes N of a document. They are numbered as those of
tick.`,
		Example: `  issues-index untick ISS-000041 3
  issues-index untick iss-41 1 2 --section Requirements`,
	})
}

// newBoxesCommand completes a command that sets boxes.
func newBoxesCommand(p *program, op markdown.Op, cmd *cobra.Command) *cobra.Command {
	var section, ifVersion string
	cmd.Args = arguments(1, -1, "one id or path, and the numbers of boxes")
	cmd.ValidArgsFunction = p.completeBoxes(op == markdown.Uncheck)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		numbers, err := boxNumbers(cmd, args[1:])
		if err != nil {
			return err
		}
		changes := make([]markdown.TextEdit, len(numbers))
		for i, n := range numbers {
			changes[i] = markdown.TextEdit{Op: op, Section: section, Boxes: []markdown.BoxRef{{N: n}}}
		}
		return p.editText(cmd, edit.DocumentRef{ID: args[0], IfVersion: ifVersion}, changes...)
	}
	cmd.Flags().StringVar(&section, "section", "", "`heading` of the section whose boxes are numbered")
	ifVersionFlag(cmd, &ifVersion)
	return cmd
}

// boxNumbers reads the numbers of boxes. None gives 0, which is no box: the error then lists
// the boxes that there are.
func boxNumbers(cmd *cobra.Command, args []string) ([]int, error) {
	if len(args) == 0 {
		return []int{0}, nil
	}
	numbers := make([]int, len(args))
	for i, arg := range args {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 {
			return nil, usage(cmd, fmt.Sprintf("expected the number of a box, got %q", arg))
		}
		numbers[i] = n
	}
	return numbers, nil
}
