package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"issues-index/index/where"
	"issues-index/store/words"
)

// A choiceFlag is a flag that takes some words alone. It checks them where flags are read, and
// completes them.
type choiceFlag struct {
	p     *program
	name  string
	among []string
	one   *string
	many  *[]string // in place of one
}

func (c *choiceFlag) String() string {
	switch {
	case c.many != nil:
		return strings.Join(*c.many, ",")
	case c.one != nil:
		return *c.one
	}
	return ""
}

func (c *choiceFlag) Type() string { return "string" }

func (c *choiceFlag) Set(text string) error {
	texts := []string{text}
	if c.many != nil {
		texts = words.List(text)
	}
	for _, text := range texts {
		value, err := c.p.choose("--"+c.name, text, words.Only(c.among...))
		if err != nil {
			return err
		}
		if c.many == nil {
			*c.one = value
		} else if !slices.Contains(*c.many, value) {
			*c.many = append(*c.many, value)
		}
	}
	return nil
}

// choice declares a flag that takes one of some words. usage gets them behind it.
func (p *program) choice(flags *pflag.FlagSet, value *string, name, short, byDefault, usage string, among ...string) {
	*value = byDefault
	flags.VarP(&choiceFlag{p: p, name: name, among: among, one: value}, name, short, choiceUsage(usage, among))
}

// choices declares a flag that takes several of some words.
func (p *program) choices(flags *pflag.FlagSet, values *[]string, name, short, usage string, among ...string) {
	flags.VarP(&choiceFlag{p: p, name: name, among: among, many: values}, name, short, choiceUsage(usage, among))
}

func choiceUsage(usage string, among []string) string {
	return usage + " (" + strings.Join(among, ", ") + ")"
}

// choose returns the value that a text means, and prints a note where another word was understood.
// Error: *words.ChoiceError.
func (p *program) choose(what, text string, allowed words.ValueSet) (string, error) {
	values, note, err := allowed.Choose(what, text)
	if err != nil {
		return "", err
	}
	if note != "" {
		p.note("%s", note)
	}
	return values[0], nil
}

// A dateFlag is a flag that takes a time, see where.ParseTime.
type dateFlag struct {
	at    *time.Time
	whole bool // a day is meant with its end
}

func (d dateFlag) String() string {
	if d.at == nil || d.at.IsZero() {
		return ""
	}
	return d.at.Format(time.RFC3339)
}

func (d dateFlag) Type() string { return "string" }

func (d dateFlag) Set(text string) error {
	at, ok := where.ParseTime(text, time.Now())
	if !ok && text != "" {
		return misused(fmt.Sprintf("invalid date %q", text), "write "+where.TimeForms)
	}
	if _, err := time.Parse(time.DateOnly, text); err == nil && d.whole {
		at = at.AddDate(0, 0, 1)
	}
	*d.at = at
	return nil
}

// completeFlag completes a flag in another way than its declaration says.
func completeFlag(cmd *cobra.Command, name string, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(name, complete); err != nil {
		panic(fmt.Sprintf("complete --%s of %s: %v", name, cmd.CommandPath(), err))
	}
}

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
