package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"issues-index/index/edit"
	"issues-index/store/markdown"
)

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
	cmd.ValidArgsFunction = p.completeDocument(anyStatus)
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
