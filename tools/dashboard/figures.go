package dashboard

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"issues-index/store/words"
	"issues-index/tools/telemetry"
)

// ShownFigures are the figures of the calls in a range, as the page of agents shows them.
type ShownFigures struct {
	RangeOverview
	Ranges []string
	Cards  []FigureCard
	Charts []FigureChart
	Steps  []FigureRow // what the charts draw, the latest first; without calls there is none
	ByTool []FigureRow
}

// A FigureCard is one figure of a range.
type FigureCard struct{ Name, Value, Besides string }

// A FigureChart draws figures over time: in each step the bar of a series before that of another,
// which is higher.
type FigureChart struct {
	Title  string
	Names  []string // of the series
	Says   string   // what the series have in the whole range
	Most   string   // what the highest bar has
	Width  int
	Groups []BarGroup
}

// A BarGroup is the bars of one step, and what they say.
type BarGroup struct {
	Says string
	Bars []Bar
}

// A FigureRow is a row of a table of figures.
type FigureRow struct {
	Name  string
	Cells []string
}

// A figureSeries is one figure, by how it is written.
type figureSeries struct {
	name  string
	of    func(*telemetry.Figures) float64
	write func(float64) string
}

// figureCharts are the charts, each with its series: that behind, which is larger, comes first.
var figureCharts = []struct {
	title  string
	series []figureSeries
}{
	{"Calls", []figureSeries{
		{"all", func(f *telemetry.Figures) float64 { return float64(f.Calls) }, CountText},
		{"with an error", func(f *telemetry.Figures) float64 { return float64(f.Errors) }, CountText},
	}},
	{"Bytes of answers", []figureSeries{
		{"uncut", func(f *telemetry.Figures) float64 { return float64(f.Original) }, sizeText},
		{"sent", func(f *telemetry.Figures) float64 { return float64(f.Bytes) }, sizeText},
	}},
	{"Size of an answer", []figureSeries{
		{"p95", func(f *telemetry.Figures) float64 { return float64(f.BytesP95) }, sizeText},
		{"p50", func(f *telemetry.Figures) float64 { return float64(f.BytesP50) }, sizeText},
	}},
	{"Latency", []figureSeries{
		{"p95", func(f *telemetry.Figures) float64 { return float64(f.LatencyP95) }, latencyText},
		{"p50", func(f *telemetry.Figures) float64 { return float64(f.LatencyP50) }, latencyText},
	}},
	{"Answers in pages", []figureSeries{
		{"share", func(f *telemetry.Figures) float64 { return f.PaginationShare }, ShareText},
	}},
	{"Answers over their budget, if uncut", []figureSeries{
		{"share", func(f *telemetry.Figures) float64 { return f.OversizedShare }, ShareText},
	}},
}

// longestName is the longest name of a tool that is shown, in characters.
const longestName = 300

// NewShownFigures shows the figures of a range.
func NewShownFigures(o RangeOverview) *ShownFigures {
	page := &ShownFigures{RangeOverview: o, Ranges: Ranges}
	t := &o.Total
	if t.Calls > 0 {
		page.Cards = []FigureCard{
			{"Calls", CountText(float64(t.Calls)), fmt.Sprintf("%d with an error", t.Errors)},
			{"Reduction", ShareText(t.Reduction), sizeText(float64(t.Bytes)) + " of " + sizeText(float64(t.Original))},
			{"Paginated", ShareText(t.PaginationShare), words.Count(t.Paginated, "answer")},
			{"Size", sizeText(float64(t.BytesP50)), "median; p95 " + sizeText(float64(t.BytesP95))},
			{"Latency", latencyText(float64(t.LatencyP50)), "median; p95 " + latencyText(float64(t.LatencyP95))},
			{"Oversized", ShareText(t.OversizedShare), fmt.Sprintf("if uncut; %d sent so", t.SentOversized)},
		}
	}
	for _, c := range figureCharts {
		page.Charts = append(page.Charts, newFigureChart(c.title, c.series, o))
	}
	for i := len(o.Series) - 1; i >= 0; i-- {
		if p := &o.Series[i]; p.Calls > 0 {
			step := FigureRow{Name: stepText(p.Start)}
			for _, c := range figureCharts {
				for _, s := range c.series {
					step.Cells = append(step.Cells, s.write(s.of(&p.Figures)))
				}
			}
			page.Steps = append(page.Steps, step)
		}
	}
	for i := range o.Tools {
		f := &o.Tools[i].Figures
		page.ByTool = append(page.ByTool, FigureRow{words.Cut(o.Tools[i].Tool, longestName), []string{
			CountText(float64(f.Calls)), CountText(float64(f.Errors)),
			sizeText(float64(f.BytesP50)), sizeText(float64(f.BytesP95)), CountText(float64(f.TokensP95)),
			latencyText(float64(f.LatencyP50)), latencyText(float64(f.LatencyP95)), ShareText(f.Reduction),
		}})
	}
	return page
}

// newFigureChart draws series, 64 high and 10 wide for each step.
func newFigureChart(title string, series []figureSeries, o RangeOverview) FigureChart {
	const high, wide = 64, 10
	chart := FigureChart{Title: title, Width: wide * len(o.Series)}
	most := 0.0
	for i := range o.Series {
		most = max(most, series[0].of(&o.Series[i].Figures))
	}
	chart.Most = series[0].write(most)
	says := func(f *telemetry.Figures) string {
		var texts []string
		for _, s := range series {
			texts = append(texts, s.name+" "+s.write(s.of(f)))
		}
		return strings.Join(texts, ", ")
	}
	chart.Says = says(&o.Total)
	for _, s := range series {
		chart.Names = append(chart.Names, s.name)
	}
	for i := range o.Series {
		p := &o.Series[i]
		if p.Calls == 0 {
			continue
		}
		group := BarGroup{Says: stepText(p.Start) + ": " + says(&p.Figures)}
		for n, s := range series {
			height := int(math.Ceil(high * s.of(&p.Figures) / max(most, 1e-9)))
			b := Bar{X: wide * i, Y: high - height, Width: wide - 2, Height: height}
			if n+1 < len(series) {
				b.Class = "b"
			}
			group.Bars = append(group.Bars, b)
		}
		chart.Groups = append(chart.Groups, group)
	}
	return chart
}

// stepText writes when a step begins.
func stepText(start time.Time) string { return start.Local().Format("2006-01-02 15:04") }

// CountText writes a number as people read it.
func CountText(v float64) string {
	text := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// sizeText writes bytes, and latencyText milliseconds.
func sizeText(v float64) string {
	switch {
	case v < 1e3:
		return CountText(v) + " B"
	case v < 1e6:
		return roundText(v/1e3) + " kB"
	}
	return roundText(v/1e6) + " MB"
}

func latencyText(v float64) string {
	if v < 1e3 {
		return roundText(v) + " ms"
	}
	return roundText(v/1e3) + " s"
}

// ShareText writes a share of one.
func ShareText(v float64) string { return roundText(100*v) + " %" }

// roundText writes a number with one digit behind the point, if that says something.
func roundText(v float64) string {
	if v >= 100 {
		return CountText(v)
	}
	return strconv.FormatFloat(math.Round(10*v)/10, 'f', -1, 64)
}
