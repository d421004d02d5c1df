package main

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/team/publish"
	"issues-index/store"
	"issues-index/store/words"
	"issues-index/tools/dashboard"
	"issues-index/tools/telemetry"
)

func newHealthCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "health",
		Short: "Show index and response health",
		Long: `Health shows whether the index can be read, how a server here notices file changes, and
how many documents have problems. Of the answers of the last hour and day it shows how
many were paginated, their average size, and the share that was larger than its budget
(over 5 % in an hour is an alert). Where the documents are published to a team, it shows
which process does so, whether the cluster is reached, how many documents wait and since
when. The exit code is 1 when the index cannot be read. A server with --http-addr shows
the same as a page, as JSON and as metrics.`,
		Example: `  issues-index health
  issues-index health --json`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withWorkspace(func(ws *store.Workspace) error { return p.health(cmd.Context(), ws) })
		},
	}
}

func (p *program) health(ctx context.Context, ws *store.Workspace) (err error) {
	c, err := p.readConfig(ws.Root, p.notes(slog.LevelWarn))
	if err != nil {
		return err
	}
	// Opened like a server does, to find out whether changes can be watched here.
	ix, err := index.Open(ctx, ws, servedIndex(c, p.notes(slog.LevelError)))
	if err != nil {
		return err
	}
	defer closeIndex(ix, p.notes(slog.LevelWarn))
	figures := dashboard.Backend{Index: ix, Root: ws.Root, Calls: telemetryLog(c, ws)}
	if name := publishedAs(c, ws, sharedAs(c, ws.Root, true)); name != "" {
		status, err := publish.StatusOf(ctx, ix, name)
		if err != nil {
			return err
		}
		figures.Team = &status
	}
	report := figures.Report(ctx)
	err = p.print(report, func(page *terminal.Page) { layHealth(page, report) })
	if err == nil && !report.Index.Readable() {
		err = &commandError{code: exitFailed, message: "the index cannot be read", hint: "issues-index rebuild builds it again; --db and ISSUES_INDEX_DB put it elsewhere"}
	}
	return err
}

func layHealth(page *terminal.Page, r dashboard.HealthReport) {
	page.Names = 14
	field := page.Field
	if r.Index.Readable() {
		field("index", "readable", terminal.Green)
		field("freshness", freshness(r.Index), terminal.Plain)
		field("documents", strconv.Itoa(r.Index.Documents), terminal.Plain)
		if r.Index.Problems > 0 {
			field("with problems", words.Count(r.Index.Problems, "document")+"; issues-index check lists them", terminal.Yellow)
		} else {
			field("with problems", "none", terminal.Plain)
		}
		field("file", fmt.Sprintf("%s, %s", r.Index.Path, humanize.Bytes(uint64(max(0, r.Index.Bytes)))), terminal.Plain)
	} else {
		field("index", r.Index.Problem, terminal.Red)
	}
	if r.Team != nil {
		layTeam(page, *r.Team)
	}
	switch {
	case !r.Telemetry.On:
		field("calls", "not recorded: telemetry is off", terminal.Plain)
	case r.Telemetry.Problem != "":
		field("calls", r.Telemetry.Problem, terminal.Yellow)
	case r.LastDay.Calls == 0:
		field("calls", "none in the last 24 hours", terminal.Plain)
	default:
		layAnswers(page, r)
	}
}

// layAnswers lays out the figures of the answers, and the alert.
func layAnswers(page *terminal.Page, r dashboard.HealthReport) {
	t := &terminal.Table{Columns: []terminal.Column{
		{Title: "ANSWERS"}, {Title: "LAST HOUR", Right: true}, {Title: "LAST 24 HOURS", Right: true},
	}}
	row := func(name string, value func(telemetry.Figures) string) {
		cells := []string{name, value(r.LastHour), value(r.LastDay)}
		if r.LastHour.Calls == 0 && name != "calls" {
			cells[1] = "-"
		}
		t.Add(cells...)
	}
	row("calls", func(f telemetry.Figures) string { return strconv.Itoa(f.Calls) })
	row("errors", func(f telemetry.Figures) string { return percent(f.ErrorShare) })
	row("paginated", func(f telemetry.Figures) string { return percent(f.PaginationShare) })
	row("average size", func(f telemetry.Figures) string { return humanize.Bytes(uint64(max(0, f.MeanBytes))) })
	row("reduction", func(f telemetry.Figures) string { return percent(f.Reduction) })
	row("latency p95", func(f telemetry.Figures) string { return fmt.Sprintf("%.1f ms", float64(f.LatencyP95)) })
	row("oversized without the guard", func(f telemetry.Figures) string { return percent(f.OversizedShare) })
	row("sent oversized", func(f telemetry.Figures) string { return strconv.Itoa(f.SentOversized) })
	page.Line("")
	page.Table(t, nil)
	page.Line("")
	if r.Alert.Firing {
		page.Field("alert", fmt.Sprintf("%d of the last hour's %d answers would have been larger than their budget: more than %s",
			r.Alert.Oversized, r.Alert.Calls, percent(r.Alert.Limit)), terminal.Red)
	} else {
		page.Field("alert", "none", terminal.Plain)
	}
}

// freshness explains the mode.
func freshness(s dashboard.IndexState) string {
	text := map[string]string{
		"watch":  "watch: every change is seen at once",
		"verify": "verify: the files are compared before each answer",
		"poll":   "poll: the files are compared from time to time",
	}[s.Freshness]
	if s.Reason != "" {
		text += " (" + s.Reason + ")"
	}
	return text
}

// percent formats a share.
func percent(share float64) string {
	return strconv.FormatFloat(100*share, 'f', 1, 64) + " %"
}
