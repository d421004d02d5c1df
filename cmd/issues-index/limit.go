package main

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"
)

// noLimit is a limit that leaves nothing out.
const noLimit = math.MaxInt32

// atMost is how many of something are printed where nobody has asked for a number: the usual
// ones to a person at a terminal, all to a program. A command behind a pipe cannot see that its
// list was cut, and would change a part of the documents.
func (p *program) atMost(usual int) int {
	if p.forPerson {
		return usual
	}
	return noLimit
}

// usualRows is how many rows of a list a person gets.
const usualRows = 50

// addLimit adds the flag --limit to a command that lists things.
func addLimit(cmd *cobra.Command, limit *int, things string) {
	text := fmt.Sprintf("at most this `number` of %s, 0 for all (default: %d on a terminal, else all)", things, usualRows)
	cmd.Flags().IntVarP(limit, "limit", "n", 0, text)
}

// rowLimit is how many rows a command with --limit prints.
func (p *program) rowLimit(cmd *cobra.Command, limit int) (int, error) {
	switch {
	case limit < 0:
		return 0, usage(cmd, fmt.Sprintf("invalid limit %d: must be a whole number, 0 for all", limit))
	case limit > 0:
		return limit, nil
	case cmd.Flags().Changed("limit"):
		return noLimit, nil
	}
	return p.atMost(usualRows), nil
}
