package dashboard

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"issues-index/tools"
)

var (
	headLine   = regexp.MustCompile(`^# (HELP|TYPE) ([a-z][a-z0-9_]*) (\S.*)$`)
	sampleLine = regexp.MustCompile(`^([a-z][a-z0-9_]*)(?:\{(.*)\})? (\+Inf|[-+0-9.e]+)$`)
	labelText  = regexp.MustCompile(`^([a-z][a-z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)`)
)

// parse reads a page of metrics as strictly as its format is written down, and
// returns the samples by name and labels, as in name{label="value"}.
func parse(page string) (map[string]float64, error) {
	samples := map[string]float64{}
	seen := map[string]bool{}
	var family, kind string
	if !strings.HasSuffix(page, "\n") {
		return nil, fmt.Errorf("the last line has no end")
	}
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		if head := headLine.FindStringSubmatch(line); head != nil {
			switch {
			case head[1] == "HELP" && seen[head[2]]:
				return nil, fmt.Errorf("%s comes twice", head[2])
			case head[1] == "HELP":
				family, kind = head[2], ""
				seen[family] = true
			case head[2] != family || kind != "":
				return nil, fmt.Errorf("TYPE does not follow its HELP: %s", line)
			default:
				kind = head[3]
			}
			continue
		}
		sample := sampleLine.FindStringSubmatch(line)
		if sample == nil {
			return nil, fmt.Errorf("not a line of the format: %s", line)
		}
		if err := belongs(sample[1], family, kind); err != nil {
			return nil, err
		}
		for rest := sample[2]; rest != ""; {
			label := labelText.FindString(rest)
			if label == "" {
				return nil, fmt.Errorf("not a label: %s", rest)
			}
			rest = rest[len(label):]
		}
		value, err := strconv.ParseFloat(sample[3], 64)
		if err != nil {
			return nil, err
		}
		key := strings.TrimSuffix(line, " "+sample[3])
		if _, twice := samples[key]; twice {
			return nil, fmt.Errorf("%s comes twice", key)
		}
		samples[key] = value
	}
	return samples, nil
}

// belongs checks a sample's name against its metric's.
func belongs(name, family, kind string) error {
	switch kind {
	case "counter":
		if name != family || !strings.HasSuffix(family, "_total") {
			return fmt.Errorf("%s is no counter's name in %s", name, family)
		}
	case "gauge":
		if name != family || strings.HasSuffix(family, "_total") {
			return fmt.Errorf("%s is no gauge's name in %s", name, family)
		}
	case "histogram":
		if !slices.Contains([]string{family + "_bucket", family + "_sum", family + "_count"}, name) {
			return fmt.Errorf("%s is no part of the histogram %s", name, family)
		}
	default:
		return fmt.Errorf("%s has no type", name)
	}
	return nil
}

func page(t *testing.T, m *Metrics) map[string]float64 {
	t.Helper()
	var e exposition
	m.write(&e)
	samples, err := parse(e.String())
	if err != nil {
		t.Fatalf("%v in\n%s", err, e.String())
	}
	return samples
}

func TestMetricsCountCalls(t *testing.T) {
	m := NewMetrics()
	for i := range 10 {
		m.Record(tools.Call{Tool: "issues_list", Outcome: tools.OutcomePaginated, Bytes: 1000 * (i + 1), Original: 20_000, Tokens: 300 * (i + 1), Latency: 3 * time.Millisecond, Oversized: i >= 7, Over: i == 9})
	}
	m.Record(tools.Call{Tool: "issues_get", Outcome: tools.Outcome(tools.CodeIssueNotFound), Failed: true, Bytes: 120, Tokens: 36, Latency: time.Minute})
	m.Record(tools.Call{Tool: "issues_get", Bytes: 80, Original: 80, Tokens: 24})
	got := page(t, m)
	for sample, want := range map[string]float64{
		`issues_index_calls_total{tool="issues_list",outcome="paginated"}`:      10,
		`issues_index_calls_total{tool="issues_get",outcome="ISSUE_NOT_FOUND"}`: 1,
		`issues_index_calls_total{tool="issues_get",outcome="plain"}`:           1,
		`issues_index_oversized_calls_total{tool="issues_list"}`:                1,
		`issues_index_oversized_attempts_total{tool="issues_list"}`:             3,
		`issues_index_original_bytes_total{tool="issues_list"}`:                 200_000,
		`issues_index_original_bytes_total{tool="issues_get"}`:                  200,
		`issues_index_response_bytes_bucket{tool="issues_list",le="1000"}`:      1,
		`issues_index_response_bytes_bucket{tool="issues_list",le="8000"}`:      8,
		`issues_index_response_bytes_bucket{tool="issues_list",le="+Inf"}`:      10,
		`issues_index_response_bytes_sum{tool="issues_list"}`:                   55_000,
		`issues_index_response_bytes_count{tool="issues_list"}`:                 10,
		`issues_index_response_tokens_sum{tool="issues_list"}`:                  16_500,
		`issues_index_latency_seconds_bucket{tool="issues_list",le="0.0025"}`:   0,
		`issues_index_latency_seconds_bucket{tool="issues_list",le="0.005"}`:    10,
		`issues_index_latency_seconds_bucket{tool="issues_get",le="5"}`:         1,
		`issues_index_latency_seconds_bucket{tool="issues_get",le="+Inf"}`:      2,
		`issues_index_latency_seconds_sum{tool="issues_get"}`:                   60,
		`issues_index_response_tokens_bucket{tool="issues_get",le="100"}`:       2,
		`issues_index_response_tokens_count{tool="issues_get"}`:                 2,
		`issues_index_response_bytes_bucket{tool="issues_get",le="100000"}`:     2,
		`issues_index_response_bytes_bucket{tool="issues_get",le="250"}`:        2,
		`issues_index_oversized_calls_total{tool="issues_get"}`:                 0,
		`issues_index_response_tokens_bucket{tool="issues_list",le="3000"}`:     10,
		`issues_index_response_tokens_bucket{tool="issues_list",le="250"}`:      0,
		`issues_index_response_tokens_bucket{tool="issues_list",le="500"}`:      1,
		`issues_index_response_tokens_bucket{tool="issues_list",le="1000"}`:     3,
		`issues_index_response_tokens_bucket{tool="issues_list",le="2000"}`:     6,
		`issues_index_latency_seconds_count{tool="issues_list"}`:                10,
		`issues_index_response_bytes_bucket{tool="issues_list",le="10000"}`:     10,
		`issues_index_response_bytes_bucket{tool="issues_list",le="250"}`:       0,
		`issues_index_response_tokens_bucket{tool="issues_list",le="25000"}`:    10,
	} {
		if value, ok := got[sample]; !ok || math.Abs(value-want) > 1e-9 {
			t.Errorf("%s: %v (there: %v), want %v", sample, value, ok, want)
		}
	}
}

func TestHistogramBucketsAreCumulative(t *testing.T) {
	m := NewMetrics()
	for i := range 200 {
		m.Record(tools.Call{Tool: "issues_get", Bytes: i * i * 5, Tokens: i * i, Latency: time.Duration(i*i) * time.Millisecond})
	}
	var e exposition
	m.write(&e)
	var last float64
	for line := range strings.Lines(e.String()) {
		name, number, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "} ")
		if !strings.Contains(name, "_bucket{") {
			last = 0
			continue
		}
		value, err := strconv.ParseFloat(number, 64)
		check(t, err)
		if value < last {
			t.Errorf("%s is less than the bucket below it, %v", line, last)
		}
		last = value
	}
}

func TestNumberOfLabelsIsLimited(t *testing.T) {
	m := NewMetrics()
	for i := range 10_000 {
		m.Record(tools.Call{Tool: fmt.Sprint("tool", i), Outcome: tools.Outcome(fmt.Sprint("CODE", i))})
	}
	if len(m.tools) > maxLabels+1 || len(m.outcomes) > maxLabels+1 || len(m.calls) > 2*maxLabels {
		t.Errorf("%d tools, %d outcomes, %d series", len(m.tools), len(m.outcomes), len(m.calls))
	}
	var sum float64
	for sample, value := range page(t, m) {
		if strings.HasPrefix(sample, "issues_index_calls_total{") {
			sum += value
		}
	}
	if sum != 10_000 {
		t.Errorf("%v calls counted, want all 10000", sum)
	}
}

func TestLabelsAreEscaped(t *testing.T) {
	m := NewMetrics()
	m.Record(tools.Call{Tool: "a\"b\\c\nd\xff}", Outcome: "} 7\n"})
	want := `issues_index_calls_total{tool="a\"b\\c\nd` + "\uFFFD" + `}",outcome="} 7\n"}`
	if got := page(t, m); got[want] != 1 {
		t.Errorf("not found: %s in %v", want, slices.Sorted(maps.Keys(got)))
	}
}

func TestStrictParserRefusesInvalidText(t *testing.T) {
	const head = "# HELP a_total Things.\n# TYPE a_total counter\n"
	if _, err := parse(head + "a_total{x=\"y\"} 1\n"); err != nil {
		t.Errorf("the format itself is refused: %v", err)
	}
	for why, page := range map[string]string{
		"no type":         "a_total 1\n",
		"a sample twice":  head + "a_total 1\na_total 2\n",
		"a metric twice":  head + head,
		"foreign sample":  head + "b_total 1\n",
		"a quote":         head + "a_total{x=\"y\"z\"} 1\n",
		"no end of line":  head + "a_total 1",
		"no number":       head + "a_total one\n",
		"a counter's end": "# HELP a Things.\n# TYPE a counter\na 1\n",
	} {
		if _, err := parse(page); err == nil {
			t.Errorf("%s is not noticed", why)
		}
	}
}
