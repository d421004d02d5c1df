package main

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/store"
	"issues-index/tools/telemetry"
)

func newTelemetryCommand(p *program) *cobra.Command {
	var filter telemetry.CallFilter
	var by string
	groupings := make([]string, 0, len(telemetry.Groupings()))
	for _, g := range telemetry.Groupings() {
		groupings = append(groupings, string(g))
	}
	cmd := &cobra.Command{
		Use:   "telemetry",
		Short: "Show how many calls were answered, how large and how fast",
		Long: `Telemetry shows the calls that the servers of the workspace have answered: how many, their
tokens and latency (the median and the 95th percentile), by how much the answers were
reduced, and how many were paginated, failed or would have been larger than their
budget. Hours and days are in UTC. The record stays on this machine and has no arguments
or documents in it; telemetry: off in the configuration switches it off.`,
		Example: `  issues-index telemetry --since 24h --by hour
  issues-index telemetry --tool issues_list --outcome paginated --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.askTelemetry(func(log *telemetry.Log) error {
				return p.showTelemetry(cmd.Context(), log, filter, telemetry.Grouping(by))
			}, func(why *commandError) error { // no calls are an answer, not a failure
				printError(p.errOut, why)
				if !p.json {
					return nil
				}
				return p.printJSON(shownCalls{telemetry.Grouping(by), telemetry.CallSummary{Groups: []telemetry.CallGroup{}}})
			})
		},
	}
	callFlags(cmd, &filter)
	p.choice(cmd.Flags(), &by, "by", "", groupings[0], "`what` to group by", groupings...)
	cmd.AddCommand(newTelemetryCompareCommand(p))
	return cmd
}

// callFlags declares the flags that select calls.
func callFlags(cmd *cobra.Command, f *telemetry.CallFilter) {
	flags := cmd.Flags()
	flags.StringVar(&f.Tool, "tool", "", "only calls of this `tool`")
	flags.StringVar(&f.Outcome, "outcome", "",
		"only calls with this `outcome`: plain, paginated, summarized, chunked, an error's code, or error for all errors")
	flags.StringVar(&f.Client, "client", "",
		"only calls of this `client`, by name and version as --by client shows them")
	flags.Var(dateFlag{at: &f.Since}, "since", "only calls since this `time`: 24h or 7d ago, a day or a time")
	flags.Var(
		dateFlag{at: &f.Until, whole: true}, "until", "only calls before this `time`, in the same form; a day is included",
	)
}

// askTelemetry calls ask with the record of the workspace's calls. If there is none, it
// calls none with the reason.
func (p *program) askTelemetry(ask func(*telemetry.Log) error, none func(why *commandError) error) error {
	return p.withWorkspace(func(ws *store.Workspace) error {
		c, err := p.readConfig(ws.Root, p.notes(slog.LevelWarn))
		if err != nil {
			return err
		}
		log := recordedCalls(c, ws)
		err = ask(log)
		var damaged *telemetry.DamagedError
		switch {
		case errors.Is(err, telemetry.ErrNone) && !c.Telemetry.Enabled:
			return none(failed("telemetry is off, and nothing was recorded before",
				"telemetry.enabled switches it on; issues-index config show says where it is switched off"))
		case errors.Is(err, telemetry.ErrNone) && len(log.Paths) == 0:
			return none(failed("no call is on record",
				"the index is kept in memory, so calls are recorded only if telemetry.path is set"))
		case errors.Is(err, telemetry.ErrNone):
			return none(failed("no call is on record yet",
				"a server records its calls in "+log.Paths[0]+" within a second"))
		case errors.As(err, &damaged):
			return failed(damaged.Error(), "a server puts it aside at its next call and begins a new one")
		case err == nil && !c.Telemetry.Enabled:
			p.tell("Telemetry is off: nothing is added to these figures.")
		}
		return err
	})
}

func (p *program) showTelemetry(
	ctx context.Context, log *telemetry.Log, filter telemetry.CallFilter, by telemetry.Grouping,
) error {
	summary, err := log.Summary(ctx, filter, by)
	if err != nil {
		return err
	}
	if p.json || summary.Total.Calls > 0 {
		return p.print(shownCalls{by, summary}, func(page *terminal.Page) { layFigures(page, summary, by) })
	}
	p.tell("No calls match.")
	p.tell("hint: issues-index telemetry --by tool and --by outcome show what is on record")
	return nil
}

// shownCalls are figures of calls for scripts.
type shownCalls struct {
	By telemetry.Grouping `json:"groupBy"`
	telemetry.CallSummary
}

func layFigures(page *terminal.Page, summary telemetry.CallSummary, by telemetry.Grouping) {
	t := &terminal.Table{Columns: []terminal.Column{{Title: strings.ToUpper(string(by)), Least: 17}}}
	for _, title := range []string{"CALLS", "TOKENS", "P95", "MS", "P95", "REDUCED", "PAGED", "FAILED", "OVER", "BYTES"} {
		c := terminal.Column{
			Title: title, Right: true, Optional: slices.Contains([]string{"REDUCED", "PAGED", "FAILED", "BYTES"}, title),
		}
		if title == "OVER" {
			c.Colour = overColour
		}
		t.Columns = append(t.Columns, c)
	}
	for _, g := range summary.Groups {
		t.Add(append([]string{groupName(g, by)}, figureCells(g.Figures)...)...)
	}
	if len(summary.Groups) > 1 {
		t.Add(append([]string{"all"}, figureCells(summary.Total)...)...)
	}
	page.Table(t, nil)
	if e := summary.Total.Estimate; e.Sampled > 0 {
		page.Line("\nTokens are estimated: %+.1f %% on average, off by %.1f %% at the 95th percentile,\n"+
			"too low in %d of %d calls that were counted.",
			100*e.MeanError, 100*e.P95Error, e.Low, e.Sampled)
	} else {
		page.Line("\nTokens are estimated; none of these calls was counted.")
	}
}

// groupName returns the name of a group in a table.
func groupName(g telemetry.CallGroup, by telemetry.Grouping) string {
	switch {
	case by == telemetry.ByHour:
		return g.Start.Format("2006-01-02 15h")
	case by == telemetry.ByDay:
		return g.Start.Format(time.DateOnly)
	case g.Key == "":
		return "(none)"
	}
	return g.Key
}

// figureCells returns the cells of a row after the group's name.
func figureCells(f telemetry.Figures) []string {
	return []string{
		strconv.Itoa(f.Calls), strconv.Itoa(f.TokensP50), strconv.Itoa(f.TokensP95),
		millis(f.LatencyP50), millis(f.LatencyP95),
		percent(f.Reduction), percent(f.PaginationShare), percent(f.ErrorShare), percent(f.OversizedShare),
		sizeText(f.Bytes),
	}
}

// millis formats a latency without a unit, to about three digits.
func millis(m telemetry.Milliseconds) string {
	decimals := 0
	if m < 100 {
		decimals = 1
	}
	if m < 10 {
		decimals = 2
	}
	return strconv.FormatFloat(float64(m), 'f', decimals, 64)
}

// overColour marks a share of oversized answers that would be an alert.
func overColour(cell string) string {
	share, err := strconv.ParseFloat(strings.TrimSuffix(cell, " %"), 64)
	if err == nil && share > 100*telemetry.AlertShare {
		return terminal.Red
	}
	return terminal.Plain
}
