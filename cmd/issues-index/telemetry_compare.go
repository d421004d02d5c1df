package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/tools/telemetry"
)

func newTelemetryCompareCommand(p *program) *cobra.Command {
	var filter telemetry.CallFilter
	cmd := &cobra.Command{
		Use:   "compare [A B]",
		Short: "Set the calls under two variants of the settings side by side",
		Long: `Compare shows, by tool, the calls that were answered under two variants of the settings,
and by how much B differs from A. Without names it compares the two variants with the
most calls; issues-index telemetry --by variant lists all. experiment: split or shadow in
the configuration records variants.`,
		Example: `  issues-index telemetry compare off on --since 7d`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return usage(cmd, "compare takes two variants, or none for the two with the most calls")
			}
			return arguments(0, 2, "two variants or none")(cmd, args)
		},
		ValidArgsFunction: p.completeVariants,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.askTelemetry(func(log *telemetry.Log) error {
				return p.compareTelemetry(cmd.Context(), log, filter, args)
			}, func(why *commandError) error { return why })
		},
	}
	callFlags(cmd, &filter)
	return cmd
}

func (p *program) compareTelemetry(
	ctx context.Context, log *telemetry.Log, filter telemetry.CallFilter, pair []string,
) error {
	if len(pair) == 0 {
		variants, err := log.Variants(ctx, filter)
		if err != nil {
			return err
		}
		if len(variants) < 2 {
			return failed(fmt.Sprintf("there are no two variants to compare: %d on record", len(variants)),
				"experiment: split in the configuration sends a share of the sessions uncut answers")
		}
		pair = variants[:2]
	}
	comparison, err := log.Compare(ctx, filter, pair[0], pair[1])
	if err != nil {
		return err
	}
	if p.json || comparison.Total.A.Calls+comparison.Total.B.Calls > 0 {
		return p.print(comparison, func(page *terminal.Page) { layComparison(page, comparison) })
	}
	p.tell("No calls match.")
	p.tell("hint: issues-index telemetry --by variant shows the variants on record")
	return nil
}

func layComparison(page *terminal.Page, c telemetry.VariantComparison) {
	t := &terminal.Table{Columns: []terminal.Column{{Title: "TOOL", Least: 13}, {Title: "VARIANT", Least: 6}}}
	for _, title := range []string{"CALLS", "TOKENS", "P95", "MS", "P95", "AVG BYTES", "REDUCED"} {
		t.Columns = append(t.Columns, terminal.Column{Title: title, Right: true})
	}
	for _, d := range append(c.Tools, telemetry.Difference{Tool: "all", A: c.Total.A, B: c.Total.B}) {
		t.Add(append([]string{d.Tool, c.A}, comparedCells(d.A)...)...)
		t.Add(append([]string{"", c.B}, comparedCells(d.B)...)...)
		if d.A.Calls > 0 && d.B.Calls > 0 {
			t.Add("", "change", "",
				change(d.A.TokensP50, d.B.TokensP50), change(d.A.TokensP95, d.B.TokensP95),
				change(d.A.LatencyP50, d.B.LatencyP50), change(d.A.LatencyP95, d.B.LatencyP95),
				change(d.A.MeanBytes, d.B.MeanBytes), "")
		}
	}
	page.Table(t, nil)
}

func comparedCells(f telemetry.Figures) []string {
	if f.Calls == 0 {
		return []string{"0", "-", "-", "-", "-", "-", "-"}
	}
	return []string{
		strconv.Itoa(f.Calls), strconv.Itoa(f.TokensP50), strconv.Itoa(f.TokensP95),
		millis(f.LatencyP50), millis(f.LatencyP95), strconv.FormatFloat(f.MeanBytes, 'f', 0, 64), percent(f.Reduction),
	}
}

// change says by how much b differs from a.
func change[N int | float64 | telemetry.Milliseconds](a, b N) string {
	if a == 0 {
		return "-"
	}
	return fmt.Sprintf("%+.0f %%", 100*(float64(b)-float64(a))/float64(a))
}
