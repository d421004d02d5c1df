package pdpp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"issues-index/store/words"
	"issues-index/tools"
)

var (
	metrics       = []string{"count", "sum", "min", "max", "count_distinct"}
	granularities = []string{"minute", "hour", "day", "week", "month", "quarter", "year"}
)

// An aggregation is what the RS answers.
type aggregation struct {
	Metric      string          `json:"metric"`
	Field       string          `json:"field"`
	GroupBy     string          `json:"group_by"`
	GroupByTime string          `json:"group_by_time"`
	Granularity string          `json:"granularity"`
	TimeZone    string          `json:"time_zone"`
	Approximate bool            `json:"approximate"`
	Filtered    word            `json:"filtered_record_count"`
	Value       json.RawMessage `json:"value"`
	Groups      []struct {
		Key   json.RawMessage `json:"key"`
		Count json.RawMessage `json:"count"`
		Value json.RawMessage `json:"value"`
	} `json:"groups"`
	Other word `json:"other_count"`
	Meta  struct {
		Warnings []warning `json:"warnings"`
	} `json:"meta"`
}

func aggregate(c *Client) tools.Tool {
	return reading(tools.Tool{
		NeedsObject: true,
		Name:        "aggregate",
		Description: "Count or aggregate one stream: GET /v1/streams/{stream}/aggregate. Read-only. Cheaper than reading records. " +
			"field is for all metrics but count; group_by, or group_by_time with granularity." + served,
		Input: tools.ObjectSchema(`"stream":`+anyText+`,"metric":{"type":"string","enum":["`+strings.Join(metrics, `","`)+`"]},"field":`+anyText+
			`,"group_by":`+anyText+`,"group_by_time":`+anyText+`,"granularity":{"type":"string","enum":["`+strings.Join(granularities, `","`)+
			`"]},"time_zone":`+anyText+`,"limit":{"type":"integer","minimum":1,"maximum":100},`+filterInput+`,"connection_id":`+anyText, "stream", "metric"),
		Output: answered(),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			query := url.Values{}
			stream := unescaped(args.Required("stream"))
			path := "/v1/streams/" + segment(args, "stream", stream) + "/aggregate"
			metric := args.RequiredEnum("metric", metrics...)
			query.Set("metric", metric)
			readConnection(args, query)
			readNames(args, query, "field", "group_by", "group_by_time")
			readTexts(args, query, "time_zone")
			readEnum(args, query, "granularity", granularities...)
			readLimit(args, query)
			readFilter(args, query)
			checkGroups(args, query)
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			a, err := c.get(ctx, path, query)
			if err != nil {
				return tools.Result{}, err
			}
			r := c.aggregated(stream, query, a)
			// Fewer groups are still right: other_count has the rest.
			for limit := r.Items / 2; limit > 0 && !args.Fits(r) && args.Budget().Pagination; limit /= 2 {
				query.Set("limit", fmt.Sprint(limit))
				if a, err = c.get(ctx, path, query); err != nil {
					return tools.Result{}, err
				}
				whole := max(r.Size(), r.Original)
				r = c.aggregated(stream, query, a)
				r.Outcome, r.Original = tools.OutcomePaginated, whole
			}
			return r, nil
		},
	})
}

// checkGroups refuses arguments that do not go together.
func checkGroups(args *tools.Args, query url.Values) {
	fail := func(argument, message, remedy string) {
		args.Fail(tools.Errorf(tools.CodeValidation, "%s", message).On(argument).Try("%s", remedy))
	}
	metric, grouped := query.Get("metric"), query.Has("group_by") || query.Has("group_by_time")
	switch {
	case metric != "" && metric != "count" && !query.Has("field"):
		fail("field", "The metric "+metric+" needs a field.", "Pass field; schema with this stream names those that can be aggregated.")
	case query.Has("group_by") && query.Has("group_by_time"):
		fail("group_by_time", "group_by and group_by_time were both given.", "Pass one of them.")
	case query.Has("group_by_time") && !query.Has("granularity"):
		fail("granularity", "group_by_time needs a granularity.", "Valid values: "+strings.Join(granularities, ", ")+".")
	case query.Has("granularity") && !query.Has("group_by_time"):
		fail("granularity", "granularity was given without group_by_time.", "Pass the date field to group by as group_by_time, or leave granularity out.")
	case query.Has("time_zone") && !query.Has("group_by_time"):
		fail("time_zone", "time_zone was given without group_by_time.", "Pass the date field to group by as group_by_time, or leave time_zone out.")
	case query.Has("limit") && !grouped:
		fail("limit", "limit was given without groups.", "Pass group_by or group_by_time, or leave limit out.")
	}
}

// aggregated shows an aggregation. What the RS does not repeat of the question is taken
// from the query.
func (c *Client) aggregated(stream string, query url.Values, a *rsResponse) tools.Result {
	got := aggregation{
		Metric: query.Get("metric"), Field: query.Get("field"), GroupBy: query.Get("group_by"),
		GroupByTime: query.Get("group_by_time"), Granularity: query.Get("granularity"),
	}
	read(a.Body, &got)
	what := escaped(got.Metric)
	if got.Field != "" {
		what += " of " + escaped(got.Field)
	}
	if got.Approximate {
		what = "approximate " + what
	}
	lines := []string{fmt.Sprintf("%s in %s = %s.", what, escaped(stream), leading(got.Value, 200))}
	if by := got.by(); len(got.Value) == 0 && got.Groups == nil {
		lines[0] = fmt.Sprintf("%s in %s: the answer has neither a value nor groups: %s", what, escaped(stream), brief(a.Body, 300))
	} else if by != "" {
		other := cmp.Or(escaped(string(got.Other)), "unknown")
		lines[0] = fmt.Sprintf("%s in %s by %s: %s, other_count=%s.", what, escaped(stream), by, words.Count(len(got.Groups), "group"), other)
		if other != "0" && other != "unknown" {
			lines[0] += " A larger limit (at most 100) shows more groups."
		}
	}
	if got.Filtered != "" {
		lines[0] += " Records looked at: " + escaped(string(got.Filtered)) + "."
	}
	lines = append(lines, warnings(got.Meta.Warnings)...)
	for _, group := range got.Groups {
		number := group.Value
		if len(number) == 0 {
			number = group.Count
		}
		lines = append(lines, leading(group.Key, 120)+"="+leading(number, 60))
	}
	return tools.Result{Text: strings.Join(lines, "\n"), Structured: c.envelope(a), Items: len(got.Groups)}
}

// by says by what the groups are, "" when there are none.
func (a aggregation) by() string {
	switch {
	case a.GroupByTime != "":
		by := escaped(a.Granularity) + " of " + escaped(a.GroupByTime)
		if a.TimeZone != "" {
			by += " (" + escaped(a.TimeZone) + ")"
		}
		return by
	case a.GroupBy != "":
		return escaped(a.GroupBy)
	}
	return ""
}
