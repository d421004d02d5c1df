package main

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"

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
		Args: noArguments,
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
		err = failed(
			"the index cannot be read", "issues-index rebuild builds it again; --db and ISSUES_INDEX_DB put it elsewhere",
		)
	}
	return err
}

func layHealth(page *terminal.Page, r dashboard.HealthReport) {
	page.Names = 14
	field := page.Field
	if r.Index.Readable() {
		field("index", "readable", terminal.Green)
		field("freshness", freshness(r.Index))
		field("documents", strconv.Itoa(r.Index.Documents))
		if r.Index.Problems > 0 {
			field("with problems", words.Count(r.Index.Problems, "document")+"; issues-index check lists them", terminal.Yellow)
		} else {
			field("with problems", "none")
		}
		field("file", fmt.Sprintf("%s, %s", r.Index.Path, sizeText(r.Index.Bytes)))
	} else {
		field("index", r.Index.Problem, terminal.Red)
	}
	if r.Team != nil {
		layTeam(page, *r.Team)
	}
	switch {
	case !r.Telemetry.On:
		field("calls", "not recorded: telemetry is off")
	case r.Telemetry.Problem != "":
		field("calls", r.Telemetry.Problem, terminal.Yellow)
	case r.LastDay.Calls == 0:
		field("calls", "none in the last 24 hours")
	default:
		layAnswers(page, r)
	}
}

// layAnswers lays out the figures of the answers, and the alert.
func layAnswers(page *terminal.Page, r dashboard.HealthReport) {
	t := &terminal.Table{Columns: []terminal.Column{
		{Title: "ANSWERS"}, {Title: "LAST HOUR", Right: true}, {Title: "LAST 24 HOURS", Right: true},
	}}
	cells := func(f telemetry.Figures) []string {
		return []string{
			strconv.Itoa(f.Calls), percent(f.ErrorShare), percent(f.PaginationShare), sizeText(f.MeanBytes),
			percent(f.Reduction), fmt.Sprintf("%.1f ms", float64(f.LatencyP95)), percent(f.OversizedShare),
			strconv.Itoa(f.SentOversized),
		}
	}
	hour, day := cells(r.LastHour), cells(r.LastDay)
	for i, name := range []string{
		"calls", "errors", "paginated", "average size", "reduction", "latency p95",
		"over the budget if uncut", "sent over the budget",
	} {
		if r.LastHour.Calls == 0 && i > 0 {
			hour[i] = "-"
		}
		t.Add(name, hour[i], day[i])
	}
	page.Line("")
	page.Table(t, nil)
	page.Line("")
	if r.Alert.Firing {
		page.Field("alert", fmt.Sprintf(
			"%d of the last hour's %d answers would have been larger than their budget: more than %s",
			r.Alert.Oversized, r.Alert.Calls, percent(r.Alert.Limit)), terminal.Red)
	} else {
		page.Field("alert", "none")
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

// layTeam lays out how the documents are published to the team.
func layTeam(page *terminal.Page, s publish.PublisherStatus) {
	field := page.Field
	running := s.Process.Running
	switch by := fmt.Sprintf("process %d on %s", s.Process.PID, s.Process.Host); {
	case s.Idle != "":
		field("published", "nothing: "+s.Idle)
	case !running:
		field(
			"published", "by no process at the moment: a server publishes the documents while it runs, or issues-index publish",
		)
	case s.Process.Noted.IsZero():
		field("published", "a process has just begun with it")
	case s.Branch == "":
		field("published", "nothing yet, by "+by)
	case s.MainHolder != "":
		field(
			"published",
			fmt.Sprintf("as the line %s of %s, by %s; %s publishes the main line", s.Branch, s.Workspace, by, s.MainHolder),
		)
	default:
		field("published", fmt.Sprintf("as the line %s of %s, by %s", s.Branch, s.Workspace, by))
	}
	field("last published", page.Time(s.Published))
	switch {
	case !running || s.Process.Noted.IsZero():
	case s.Connected:
		field("cluster", "connected since "+page.Time(s.Since))
	default:
		field("cluster", fmt.Sprintf("away since %s: %s", page.Time(s.Since), s.Reason), terminal.Yellow)
	}
	switch {
	case s.Waiting == 0:
		field("waiting", "none")
	case s.WaitingSince.IsZero():
		field("waiting", words.Count(s.Waiting, "document"), terminal.Yellow)
	default:
		field("waiting", words.Count(s.Waiting, "document")+" since "+page.Time(s.WaitingSince), terminal.Yellow)
	}
	if n := len(s.Problems); n > 0 {
		field("not published", words.Count(n, "document")+"; issues-index check lists them", terminal.Yellow)
	}
	for _, m := range s.Unused {
		field("not used", unusedText(m), terminal.Yellow)
	}
	switch {
	case s.Refused:
		field("refused", s.LastError, terminal.Red)
	case s.Connected:
		field("last error", s.LastError, terminal.Yellow)
	}
}
