package telemetry

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"issues-index/tools"
)

// The rule for a percentile: the smallest value that so many percent of all do
// not exceed.
func exactPercentile(values []int, percent int) int {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)*percent+99)/100-1]
}

func TestSummaryMatchesTheCalls(t *testing.T) {
	b := newBench(t)
	r := b.record()
	begin := b.clock.Now()
	outcomes := []tools.Outcome{tools.OutcomePlain, tools.OutcomePaginated, tools.OutcomeChunked, tools.OutcomeSummarized, "NOT_FOUND"}
	var calls []tools.Call
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		call := b.call(fmt.Sprintf("tool_%d", random.IntN(4)))
		call.Outcome = outcomes[random.IntN(len(outcomes))]
		call.Failed = call.Outcome == "NOT_FOUND"
		call.Client = fmt.Sprintf("client %d", random.IntN(2))
		call.Time = begin.Add(time.Duration(random.Int64N(int64(5 * 24 * time.Hour))))
		call.Tokens, call.Latency = random.IntN(5000), time.Duration(random.IntN(1e8))
		calls = append(calls, call)
		r.Record(call)
	}
	b.clock.advance(5 * 24 * time.Hour)
	b.flush(r)

	random = rand.New(rand.NewPCG(3, 4))
	for range 200 {
		filter := CallFilter{}
		if random.IntN(2) == 0 {
			filter.Tool = fmt.Sprintf("tool_%d", random.IntN(5))
		}
		if random.IntN(2) == 0 {
			filter.Outcome = append([]string{AnyError}, "plain", "paginated", "NOT_FOUND")[random.IntN(4)]
		}
		if random.IntN(3) == 0 {
			filter.Client = "client 1"
		}
		if random.IntN(4) > 0 {
			filter.Since = begin.Add(time.Duration(random.IntN(5*24*60)) * time.Minute).Truncate(time.Minute)
		}
		if random.IntN(4) > 0 {
			filter.Until = begin.Add(time.Duration(random.IntN(5*24*60)) * time.Minute).Truncate(time.Minute)
		}
		groupings := append(Groupings(), BySteps(6*time.Hour))
		by := groupings[random.IntN(len(groupings))]
		got := b.summary(filter, by)

		want, latencies := 0, []int{}
		for _, call := range calls {
			if (filter.Tool == "" || filter.Tool == call.Tool) && (filter.Client == "" || filter.Client == call.Client) &&
				(filter.Outcome == "" || filter.Outcome == string(call.Outcome) || filter.Outcome == AnyError && call.Failed) &&
				(filter.Since.IsZero() || !call.Time.Before(filter.Since)) && (filter.Until.IsZero() || call.Time.Before(filter.Until)) {
				want++
				latencies = append(latencies, int(call.Latency.Microseconds()))
			}
		}
		sum := 0
		for _, g := range got.Groups {
			sum += g.Calls
		}
		if got.Total.Calls != want || sum != want {
			t.Fatalf("%+v by %s: %d calls, %d in groups, want %d", filter, by, got.Total.Calls, sum, want)
		}
		if want > 0 {
			p95 := exactPercentile(latencies, 95)
			if got.Total.LatencyP95 != Milliseconds(p95)/1000 {
				t.Errorf("latency p95 is %v, exactly %d µs", got.Total.LatencyP95, p95)
			}
		}
		if !got.Since.Equal(filter.Since) || !got.Until.Equal(filter.Until) {
			t.Errorf("asked from %v to %v, answered from %v to %v", filter.Since, filter.Until, got.Since, got.Until)
		}
		for _, g := range got.Groups {
			if step := by.step(); step > 0 && !g.Start.Equal(g.Start.Truncate(step)) {
				t.Errorf("by %s: a group starts at %v", by, g.Start)
			}
		}
	}
}

func TestCompareVariants(t *testing.T) {
	b := newBench(t)
	r := b.record()
	for range 30 {
		with, without := b.call("issues_list"), b.call("issues_list")
		with.Variant, without.Variant = "on", "off"
		without.Bytes, without.Tokens = 4000, 1200
		r.Record(with)
		r.Record(without)
	}
	alone := b.call("issues_get")
	alone.Variant = "off"
	r.Record(alone)
	b.flush(r)
	log := &Log{Paths: []string{b.path}}
	variants, err := log.Variants(t.Context(), CallFilter{})
	if err != nil || !slices.Equal(variants, []string{"off", "on"}) {
		t.Errorf("variants are %q, %v", variants, err)
	}
	c, err := log.Compare(t.Context(), CallFilter{Variant: "on"}, "on", "off")
	if err != nil {
		t.Fatal(err)
	}
	list := c.Tools[0]
	if len(c.Tools) != 2 || list.Tool != "issues_list" || list.A.Calls != 30 || list.B.Calls != 30 ||
		list.A.Reduction != 0.75 || list.B.Reduction != 0 || c.Total.B.Calls != 31 || c.Tools[1].A.Calls != 0 {
		t.Errorf("%+v", c)
	}
}

// What is kept has no place for a call's arguments or for an answer.
func TestContentIsNeverRecorded(t *testing.T) {
	b := newBench(t)
	f, err := openCalls(t.Context(), databaseOf(t, b.path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := f.Query(`
		SELECT t.name || '.' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c
		WHERE t.type = 'table' AND c.type NOT IN ('INTEGER') ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var columns []string
	for rows.Next() {
		var column string
		if err := rows.Scan(&column); err != nil {
			t.Fatal(err)
		}
		columns = append(columns, column)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"series.client", "series.outcome", "series.tool", "series.variant",
	}
	if !slices.Equal(columns, want) {
		t.Errorf("columns that are not numbers: %q", columns)
	}
}

func TestPagedAndSummarizedCallCountsAsBoth(t *testing.T) {
	b := newBench(t)
	r := b.record()
	for _, outcome := range []tools.Outcome{tools.OutcomePaginated.With(tools.OutcomeSummarized), tools.OutcomePaginated, tools.OutcomePlain} {
		call := b.call("issues_list")
		call.Outcome = outcome
		r.Record(call)
	}
	b.flush(r)
	if total := b.summary(CallFilter{}, ByTool).Total; total.Paginated != 2 || total.Summarized != 1 {
		t.Errorf("%+v", total)
	}
	for outcome, want := range map[tools.Outcome]int{tools.OutcomePaginated: 2, tools.OutcomeSummarized: 1, tools.OutcomeChunked: 0, tools.OutcomePlain: 1} {
		if total := b.summary(CallFilter{Outcome: string(outcome)}, ByTool).Total; total.Calls != want {
			t.Errorf("%d calls are %s, want %d", total.Calls, outcome, want)
		}
	}
}
