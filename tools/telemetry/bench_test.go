package telemetry

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"issues-index/store/storetest"
	"issues-index/tools"
)

// What a call costs whoever makes it. Calls that come as fast as here are
// dropped, which costs no more than keeping them.
func BenchmarkRecord(b *testing.B) {
	r := New(Options{Settings: defaultSettings})
	r.end()
	r.Close()
	call := tools.Call{Tool: "issues_list", Client: "tester 1", Bytes: 1000, Text: func() string { return "text" }}
	for n := 0; b.Loop(); n++ {
		if n%queueSize == 0 {
			r.dequeue()
		}
		r.Record(call)
	}
}

// BenchmarkQuestions asks a month of calls, -long a million of them, and one in
// which all calls were made within an hour.
func BenchmarkQuestions(b *testing.B) {
	calls := 20_000
	if storetest.Long() {
		calls = 1_000_000
	}
	now := time.Date(2026, 3, 31, 12, 34, 56, 0, time.UTC)
	for name, spread := range map[string]time.Duration{"a month": 30 * 24 * time.Hour, "an hour": time.Hour} {
		path := b.TempDir() + "/telemetry.db"
		filled := time.Now()
		fill(b, path, calls, now.Add(-spread), spread)
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		b.Logf("%s: %d calls in %d bytes, %v a call to write", name, calls, info.Size(), time.Since(filled)/time.Duration(calls))
		log := &Log{Paths: []string{path}}
		for _, q := range []struct {
			name   string
			filter CallFilter
			by     Grouping
		}{
			{"all by tool", CallFilter{}, ByTool},
			{"one tool by outcome", CallFilter{Tool: "tool_3"}, ByOutcome},
			{"one outcome by tool", CallFilter{Outcome: "paginated"}, ByTool},
			{"a week by tool", CallFilter{Since: now.Add(-7*24*time.Hour - 10*time.Minute), Until: now.Add(-5 * time.Hour)}, ByTool},
			{"a day by hour", CallFilter{Since: now.Add(-24 * time.Hour)}, ByHour},
			{"one tool of a month by hour", CallFilter{Tool: "tool_3"}, ByHour},
			{"all by hour", CallFilter{}, ByHour},
			{"all by day", CallFilter{}, ByDay},
		} {
			b.Run(name+"/"+q.name, func(b *testing.B) {
				for b.Loop() {
					if _, err := log.Summary(b.Context(), q.filter, q.by); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// fill writes calls as a few agents make them: some tools far more often than
// others, most answers plain.
func fill(tb testing.TB, path string, calls int, begin time.Time, spread time.Duration) {
	tb.Helper()
	f, err := openCalls(tb.Context(), databaseOf(tb, path))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	random := rand.New(rand.NewPCG(1, 2))
	outcomes := []tools.Outcome{tools.OutcomePlain, tools.OutcomePaginated, tools.OutcomeChunked, tools.OutcomeSummarized, "ISSUE_NOT_FOUND", "INVALID_ARGUMENT"}
	few := func(n int) int { return int(float64(n) * math.Pow(random.Float64(), 3)) }
	for done := 0; done < calls; {
		var batch []callRecord
		for ; done < calls && len(batch) < 5000; done++ {
			outcome := outcomes[few(len(outcomes))]
			batch = append(batch, callRecord{n: int64(done), Call: tools.Call{
				Time: begin.Add(spread / time.Duration(calls) * time.Duration(done)),
				Tool: fmt.Sprintf("tool_%d", few(19)), Client: fmt.Sprintf("client %d", few(3)), Variant: "on",
				Outcome: outcome, Failed: outcome[0] == 'I', Tokens: random.IntN(4000), Bytes: random.IntN(10000),
				Original: 10000 + random.IntN(40000), Budget: 4000, Items: random.IntN(100), Latency: time.Duration(random.ExpFloat64() * 1e7),
			}})
		}
		if err := f.write(tb.Context(), batch); err != nil {
			tb.Fatal(err)
		}
	}
}
