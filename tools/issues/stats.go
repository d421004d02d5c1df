package issues

import (
	"context"
	"fmt"
	"strings"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store/words"
	"issues-index/tools"
)

// maxCounts is the most values that a count lists one by one.
const maxCounts = 50

// A statsAnswer answers issues_stats. Counts and OtherCount add up to Total, unless
// the counts are of labels.
type statsAnswer struct {
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
		Description: "Count issues by one field, filtered. Read-only. " +
			"The cheapest look at the tracker.",
		ReadOnly:   true,
		Idempotent: true,
		Input: tools.ObjectSchema(`"groupBy":{"type":"string","enum":`+
			`["status","priority","project","assignee","type","label"]},`+
			`"status":`+listOf(statusEnum(layoutOf(ix)))+
			`,"priority":`+listOf(priorityEnum(layoutOf(ix)))+`,"labels":`+anyTexts+`,"project":`+anyText+`,"type":`+
			typeEnum, "groupBy"),
		Takes: []string{"assignee", "parentTaskId", "types", "boxes"},
		Output: tools.ObjectSchema(`"counts":{"type":"array","items":{"type":"object","properties":{"value":`+anyText+
			`,"count":`+number+`}}},"total":`+number+`,"otherCount":`+number, "counts", "total"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			groupBy := args.RequiredEnum("groupBy", "status", "priority", "project", "assignee", "type", "label")
			f := readFilter(ctx, ix, args).query()
			f.Where.Me = args.Holder()
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			if _, err := documents.Narrow(ctx, ix, &f, ""); err != nil {
				return tools.Result{}, err
			}
			counts, total, err := ix.Stats(ctx, groupBy, f)
			if err != nil {
				return tools.Result{}, err
			}
			s := statsOf(groupBy, counts, total)
			return tools.Result{Text: s.text(), Structured: s, Items: len(s.Counts)}, nil
		},
	}
}

func statsOf(groupBy string, counts []index.Count, total int) statsAnswer {
	s := statsAnswer{GroupBy: groupBy, Counts: []valueCount{}, Total: total}
	for i, c := range counts {
		if i < maxCounts {
			s.Counts = append(s.Counts, valueCount{Value: documents.OrNone(c.Value), Count: c.Count})
		} else {
			s.OtherCount += c.Count
		}
	}
	if s.Total == 0 {
		s.Note = "No issues match. Drop a filter, if any, to count more."
		return s
	}
	var notes []string
	if groupBy == "label" {
		notes = append(notes, "A document counts once for each of its labels.")
	}
	if left := len(counts) - len(s.Counts); left > 0 {
		notes = append(notes, fmt.Sprintf("%d rarer values are counted together as otherCount.", left))
	}
	s.Note = strings.Join(notes, " ")
	return s
}

// text is a line a value, the count first since values may hold spaces.
func (s statsAnswer) text() string {
	lines := []string{fmt.Sprintf("%d issues by %s:", s.Total, s.GroupBy)}
	if s.Total == 0 {
		return s.Note
	}
	for _, c := range s.Counts {
		lines = append(lines, fmt.Sprintf("%d %s", c.Count, words.OneLine(c.Value)))
	}
	if s.OtherCount > 0 {
		lines = append(lines, fmt.Sprintf("%d otherCount", s.OtherCount))
	}
	if s.Note != "" {
		lines = append(lines, s.Note)
	}
	return strings.Join(lines, "\n")
}
