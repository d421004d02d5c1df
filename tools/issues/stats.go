package issues

import (
	"context"
	"fmt"
	"strings"

	"issues-index/index"
	"issues-index/tools"
)

// maxCounts is the most values that a count lists one by one.
const maxCounts = 50

// A tally answers issues_stats. Counts and OtherCount add up to Total, unless
// the counts are of labels.
type tally struct {
	GroupBy    string       `json:"groupBy"`
	Counts     []valueCount `json:"counts"`
	Total      int          `json:"total"`
	OtherCount int          `json:"otherCount"` // in the values that Counts leaves out
	Note       string       `json:"note,omitempty"`
}

type valueCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

func stats(ix *index.Index) tools.Tool {
	return tools.Tool{
		Name: "issues_stats",
		Description: "Count issues by one field, filtered, most frequent value first. Read-only. " +
			"The cheapest look at the tracker; groupBy label or project shows them all.",
		ReadOnly:   true,
		Idempotent: true,
		Input: tools.ObjectSchema(`"groupBy":{"type":"string","enum":["status","priority","project","assignee","type","label"]},"status":`+statuses+
			`,"priority":`+priorities+`,"labels":`+anyTexts+`,"project":`+anyText+`,"type":`+typeEnum, "groupBy"),
		Takes: []string{"assignee", "parentTaskId", "types"},
		Output: tools.ObjectSchema(`"counts":{"type":"array","items":{"type":"object","properties":{"value":`+anyText+
			`,"count":`+number+`}}},"total":`+number+`,"otherCount":`+number, "counts", "total"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			groupBy := args.RequiredEnum("groupBy", "status", "priority", "project", "assignee", "type", "label")
			f := readFilter(ctx, ix, args)
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			v, err := ix.Values(ctx, index.ValuesQuery{Field: groupBy, Filter: f.query(), Limit: maxCounts})
			if err != nil {
				return tools.Result{}, err
			}
			return args.Smaller(lastLevel, func(n int) tools.Result {
				t := levels[n].tally(groupBy, v)
				return tools.Result{Text: t.text(), Structured: t, Items: len(t.Counts)}
			}), nil
		},
	}
}

func (l level) tally(groupBy string, v index.Values) tally {
	t := tally{GroupBy: groupBy, Counts: []valueCount{}, Total: v.Documents, OtherCount: v.Counted}
	shortened := false
	for _, c := range v.Counts[:min(len(v.Counts), maxCounts, l.entries)] {
		shown := orNone(l.name(c.Value))
		shortened = shortened || shown != orNone(c.Value)
		t.Counts = append(t.Counts, valueCount{Value: shown, Count: c.Count})
		t.OtherCount -= c.Count
	}
	if t.Total == 0 {
		t.Note = "No issues match. Drop a filter, if any, to count more."
		return t
	}
	var notes []string
	if groupBy == "label" {
		notes = append(notes, "A document counts once for each of its labels.")
	}
	if left := v.Distinct - len(t.Counts); left > 0 {
		notes = append(notes, fmt.Sprintf("%d rarer values are counted together as otherCount.", left))
	}
	if shortened {
		notes = append(notes, "Long values are cut; what stands behind … tells them apart.")
	}
	t.Note = strings.Join(notes, " ")
	return t
}

// text is a line a value, the count first since values may hold spaces.
func (t tally) text() string {
	lines := []string{fmt.Sprintf("%d issues by %s:", t.Total, t.GroupBy)}
	if t.Total == 0 {
		return t.Note
	}
	for _, c := range t.Counts {
		lines = append(lines, fmt.Sprintf("%d %s", c.Count, line(c.Value)))
	}
	if t.OtherCount > 0 {
		lines = append(lines, fmt.Sprintf("%d otherCount", t.OtherCount))
	}
	if t.Note != "" {
		lines = append(lines, t.Note)
	}
	return strings.Join(lines, "\n")
}
