package dashboard

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"issues-index/tools"
)

// Bounds of the histograms. They include the default limits of answers.
var (
	byteBounds    = []float64{250, 500, 1000, 2000, 4000, 6000, 8000, 10000, 20000, 50000, 100000}
	tokenBounds   = []float64{100, 250, 500, 1000, 2000, 3000, 4000, 8000, 16000, 25000}
	latencyBounds = []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5} // seconds
)

// maxLabels limits the values of one label. The rest are counted as other, because the
// number of metrics must not depend on what clients send.
const (
	maxLabels = 100
	other     = "other"
)

// Metrics counts the calls of this process since its start. Unlike the figures of the
// telemetry file, which several processes share and which forgets old calls, these
// counters only grow, as Prometheus expects.
type Metrics struct {
	mu       sync.Mutex
	calls    map[callKey]uint64
	tools    map[string]*toolMetrics
	outcomes map[string]bool
}

type callKey struct{ tool, outcome string }

type toolMetrics struct {
	original uint64 // bytes
	attempts uint64 // answers oversized without the guard
	over     uint64 // answers sent so
	bytes    *histogram
	tokens   *histogram
	seconds  *histogram
}

// NewMetrics returns counters at zero.
func NewMetrics() *Metrics {
	return &Metrics{calls: map[callKey]uint64{}, tools: map[string]*toolMetrics{}, outcomes: map[string]bool{}}
}

// Record counts a call.
func (m *Metrics) Record(call tools.Call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := bounded(m.tools, call.Tool)
	outcome := bounded(m.outcomes, string(cmp.Or(call.Outcome, tools.OutcomePlain)))
	m.outcomes[outcome] = true
	m.calls[callKey{name, outcome}]++
	t := m.tools[name]
	if t == nil {
		t = &toolMetrics{bytes: newHistogram(byteBounds), tokens: newHistogram(tokenBounds), seconds: newHistogram(latencyBounds)}
		m.tools[name] = t
	}
	t.original += uint64(max(0, call.Original, call.Bytes))
	if call.Oversized || call.Over {
		t.attempts++
	}
	if call.Over {
		t.over++
	}
	t.bytes.observe(float64(call.Bytes))
	t.tokens.observe(float64(call.Tokens))
	t.seconds.observe(call.Latency.Seconds())
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
	e.family("issues_index_calls_total", "counter", "Calls of tools answered by this process, by how the answer was made to fit (in two ways with a + between them), or by the code of the error.")
	for _, key := range slices.SortedFunc(maps.Keys(m.calls), func(a, b callKey) int {
		return cmp.Or(cmp.Compare(a.tool, b.tool), cmp.Compare(a.outcome, b.outcome))
	}) {
		e.sample("issues_index_calls_total", float64(m.calls[key]), "tool", key.tool, "outcome", key.outcome)
	}
	names := slices.Sorted(maps.Keys(m.tools))
	e.family("issues_index_oversized_attempts_total", "counter", "Answers that would have been larger than their budget without the guard.")
	for _, name := range names {
		e.sample("issues_index_oversized_attempts_total", float64(m.tools[name].attempts), "tool", name)
	}
	e.family("issues_index_oversized_calls_total", "counter", "Answers that were sent larger than their budget.")
	for _, name := range names {
		e.sample("issues_index_oversized_calls_total", float64(m.tools[name].over), "tool", name)
	}
	e.family("issues_index_original_bytes_total", "counter", "Bytes that answers would have had without their budget.")
	for _, name := range names {
		e.sample("issues_index_original_bytes_total", float64(m.tools[name].original), "tool", name)
	}
	for _, h := range []struct {
		name, help string
		of         func(*toolMetrics) *histogram
	}{
		{"issues_index_response_bytes", "Size of the larger channel of an answer.", func(t *toolMetrics) *histogram { return t.bytes }},
		{"issues_index_response_tokens", "Estimated tokens of the larger channel of an answer.", func(t *toolMetrics) *histogram { return t.tokens }},
		{"issues_index_latency_seconds", "Time from a call to its answer.", func(t *toolMetrics) *histogram { return t.seconds }},
	} {
		e.family(h.name, "histogram", h.help)
		for _, name := range names {
			e.histogram(h.name, h.of(m.tools[name]), "tool", name)
		}
	}
}
