package dashboard

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
)

// expositionType is the media type of Prometheus' text format.
const expositionType = "text/plain; version=0.0.4; charset=utf-8"

// An exposition is a page of metrics in Prometheus' text format.
type exposition struct{ bytes.Buffer }

// family begins the samples of one metric.
func (e *exposition) family(name, kind, help string) {
	e.WriteString("# HELP " + name + " " + strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(help) + "\n")
	e.WriteString("# TYPE " + name + " " + kind + "\n")
}

// gauge writes a metric with one sample.
func (e *exposition) gauge(name, help string, value float64, labels ...string) {
	e.family(name, "gauge", help)
	e.sample(name, value, labels...)
}

// sample writes one value; labels are names and values in turn.
func (e *exposition) sample(name string, value float64, labels ...string) {
	e.WriteString(name)
	var pairs []string
	for i := 0; i+1 < len(labels); i += 2 {
		pairs = append(pairs, labels[i]+`="`+escapeLabel(labels[i+1])+`"`)
	}
	if len(pairs) > 0 {
		e.WriteString("{" + strings.Join(pairs, ",") + "}")
	}
	e.WriteString(" " + number(value) + "\n")
}

// histogram writes the buckets, the sum and the count of one series.
func (e *exposition) histogram(name string, h *histogram, labels ...string) {
	var below uint64
	for i, n := range h.counts {
		bound := math.Inf(1)
		if i < len(h.bounds) {
			bound = h.bounds[i]
		}
		below += n
		e.sample(name+"_bucket", float64(below), append(labels[:len(labels):len(labels)], "le", number(bound))...)
	}
	e.sample(name+"_sum", h.sum, labels...)
	e.sample(name+"_count", float64(below), labels...)
}

func escapeLabel(value string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(value, "\uFFFD"))
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// A histogram counts values by size. counts has one element more than bounds, for
// the values above all of them.
type histogram struct {
	bounds []float64
	counts []uint64
	sum    float64
}

func newHistogram(bounds []float64) *histogram {
	return &histogram{bounds: bounds, counts: make([]uint64, len(bounds)+1)}
}

func (h *histogram) observe(v float64) {
	i, _ := slices.BinarySearch(h.bounds, v)
	h.counts[i]++
	h.sum += v
}
