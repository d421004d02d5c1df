package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// A report is all that was measured. Times are in milliseconds.
type report struct {
	Machine string  `json:"machine"`
	Rounds  int     `json:"rounds"`
	Tables  []table `json:"tables"`
}

// A table is of one workspace.
type table struct {
	Documents      int     `json:"documents"`
	CorpusBytes    int64   `json:"corpusBytes"`
	IndexBytes     int64   `json:"indexBytes"`
	ServePeak      int64   `json:"servePeakBytes"` // 0 where it is not known, as the next
	RebuildPeak    int64   `json:"rebuildPeakBytes"`
	ToolsListBytes int     `json:"toolsListBytes"`
	StatAll        float64 `json:"statAll"`
	ReadAll        float64 `json:"readAll"`
	Lines          []line  `json:"lines"`
}

// A line is one thing measured, and the least that it could take.
type line struct {
	Name    string  `json:"name"`
	P50     float64 `json:"p50"`
	P95     float64 `json:"p95,omitempty"` // 0 for what was done once
	Limit   float64 `json:"limit"`
	LimitIs string  `json:"limitIs,omitempty"`
	Ratio   float64 `json:"ratio"`
	Bytes   int     `json:"bytes,omitempty"` // of the last answer
	There   string  `json:"there,omitempty"`
}

func newLine(name string, took, limit []time.Duration, limitIs string) line {
	slices.Sort(took)
	slices.Sort(limit)
	return line{
		Name: name, P50: milliseconds(quantile(took, 50)), P95: milliseconds(quantile(took, 95)),
		Limit: milliseconds(quantile(limit, 50)), LimitIs: limitIs,
	}
}

// quantile is the smallest value that so many percent do not exceed.
func quantile(sorted []time.Duration, percent int) time.Duration {
	return sorted[(len(sorted)*percent+99)/100-1]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (t *table) add(l line) {
	l.There = thereAt(l.Name, t.Documents)
	if l.Limit > 0 {
		l.Ratio = l.P50 / l.Limit
	}
	t.Lines = append(t.Lines, l)
}

func (r *report) writeJSON(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

func (r *report) writeMarkdown(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s. Medians of %d calls.\n", r.Machine, r.Rounds)
	for _, t := range r.Tables {
		t.write(&b)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (t *table) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n| %s documents, %.1f MB | ms | p95 | limit, ms | ratio | there, ms |\n|---|---|---|---|---|---|\n",
		humanize.Comma(int64(t.Documents)), megabytes(t.CorpusBytes))
	for _, l := range t.Lines {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", l.Name, figure(l.P50), figure(l.P95), figure(l.Limit), figure(l.Ratio), l.There)
	}
	fmt.Fprintf(b, "| stat of all files, parallel | %s | | | | |\n", figure(t.StatAll))
	fmt.Fprintf(b, "| read of all files, parallel | %s | | | | |\n", figure(t.ReadAll))
	b.WriteString("\n| | | there |\n|---|---|---|\n")
	for _, peak := range []struct {
		name  string
		bytes int64
	}{{"peak memory of serve, MB", t.ServePeak}, {"peak memory of rebuild, MB", t.RebuildPeak}} {
		if peak.bytes > 0 {
			fmt.Fprintf(b, "| %s | %.0f | %s |\n", peak.name, megabytes(peak.bytes), thereAt(peak.name, t.Documents))
		}
	}
	fmt.Fprintf(b, "| index, MB | %.1f, %.2f of the documents | |\n", megabytes(t.IndexBytes), float64(t.IndexBytes)/float64(t.CorpusBytes))
	for _, l := range t.Lines {
		if l.Name == "list, 20 rows" {
			fmt.Fprintf(b, "| bytes of a list of 20 | %s | 126,771 |\n", humanize.Comma(int64(l.Bytes)))
		}
	}
}

func megabytes(n int64) float64 { return float64(n) / 1e6 }

// figure is a number with two digits that count, or all before the point.
func figure(f float64) string {
	switch {
	case f == 0:
		return ""
	case f < 0.1:
		return fmt.Sprintf("%.3f", f)
	case f < 1:
		return fmt.Sprintf("%.2f", f)
	case f < 10:
		return fmt.Sprintf("%.1f", f)
	default:
		return humanize.Comma(int64(f + 0.5))
	}
}
