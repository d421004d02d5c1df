package dashboard

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"

	"issues-index/tools"
)

// maxLabels limits the values of one label. The rest are counted as other, because the
// number of metrics must not depend on what clients send.
const (
	maxLabels = 100
	other     = "other"
)

// families are the metrics of each tool: counters, and histograms where there are bounds, which
// include the default limits of answers.
var families = []struct {
	name, help string
	bounds     []float64
	value      func(tools.Call) float64
}{
	{"issues_index_oversized_attempts_total", "Answers that would be larger than their budget if sent uncut.",
		nil, func(c tools.Call) float64 { return oneIf(c.Oversized || c.Over) }},
	{"issues_index_oversized_calls_total", "Answers that were sent larger than their budget.",
		nil, func(c tools.Call) float64 { return oneIf(c.Over) }},
	{"issues_index_original_bytes_total", "Bytes that answers would have had without their budget.",
		nil, func(c tools.Call) float64 { return float64(max(0, c.Original, c.Bytes)) }},
	{"issues_index_response_bytes", "Size of the larger channel of an answer.",
		[]float64{250, 500, 1000, 2000, 4000, 6000, 8000, 10000, 20000, 50000, 100000},
		func(c tools.Call) float64 { return float64(c.Bytes) }},
	{"issues_index_response_tokens", "Estimated tokens of the larger channel of an answer.",
		[]float64{100, 250, 500, 1000, 2000, 3000, 4000, 8000, 16000, 25000},
		func(c tools.Call) float64 { return float64(c.Tokens) }},
	{"issues_index_latency_seconds", "Time from a call to its answer.",
		[]float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5},
		func(c tools.Call) float64 { return c.Latency.Seconds() }},
}

// A series is the values of one family and tool.
type series struct {
	sum    float64
	counts []uint64 // of a histogram: one for each bound, and one for the values above all of them
}

// Metrics counts the calls of this process since its start. Unlike the figures of the
// telemetry file, which several processes share and which forgets old calls, these
// counters only grow, as Prometheus expects.
type Metrics struct {
	mu       sync.Mutex
	calls    map[callKey]uint64
	tools    map[string][]series // in the order of families
	outcomes map[string]bool
}

type callKey struct{ tool, outcome string }

// NewMetrics returns counters at zero.
func NewMetrics() *Metrics {
	return &Metrics{calls: map[callKey]uint64{}, tools: map[string][]series{}, outcomes: map[string]bool{}}
}

// Record counts a call.
func (m *Metrics) Record(call tools.Call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := bounded(m.tools, call.Tool)
	outcome := bounded(m.outcomes, string(cmp.Or(call.Outcome, tools.OutcomePlain)))
	m.outcomes[outcome] = true
	m.calls[callKey{name, outcome}]++
	if m.tools[name] == nil {
		m.tools[name] = make([]series, len(families))
	}
	for i, f := range families {
		of, value := &m.tools[name][i], f.value(call)
		of.sum += value
		if f.bounds == nil {
			continue
		}
		if of.counts == nil {
			of.counts = make([]uint64, len(f.bounds)+1)
		}
		bucket, _ := slices.BinarySearch(f.bounds, value)
		of.counts[bucket]++
	}
}

// bounded returns the label value to count under.
func bounded[V any](known map[string]V, value string) string {
	if _, ok := known[value]; ok || len(known) < maxLabels && len(value) <= maxLabels {
		return value
	}
	return other
}

// write adds the counters to the metrics, in a fixed order.
func (m *Metrics) write(e *exposition) {
	m.mu.Lock()
	defer m.mu.Unlock()
	const calls = "issues_index_calls_total"
	e.family(calls, "counter", "Calls of tools answered by this process, by how the answer was made to fit "+
		"(in two ways with a + between them), or by the code of the error.")
	for _, key := range slices.SortedFunc(maps.Keys(m.calls), func(a, b callKey) int {
		return cmp.Or(cmp.Compare(a.tool, b.tool), cmp.Compare(a.outcome, b.outcome))
	}) {
		e.sample(calls, float64(m.calls[key]), "tool", key.tool, "outcome", key.outcome)
	}
	for i, f := range families {
		kind := "counter"
		if f.bounds != nil {
			kind = "histogram"
		}
		e.family(f.name, kind, f.help)
		for _, name := range slices.Sorted(maps.Keys(m.tools)) {
			of := m.tools[name][i]
			if f.bounds == nil {
				e.sample(f.name, of.sum, "tool", name)
				continue
			}
			below := uint64(0)
			for n, count := range of.counts {
				below += count
				bound := append(slices.Clone(f.bounds), math.Inf(1))[n]
				e.sample(f.name+"_bucket", float64(below), "tool", name, "le", number(bound))
			}
			e.sample(f.name+"_sum", of.sum, "tool", name)
			e.sample(f.name+"_count", float64(below), "tool", name)
		}
	}
}
