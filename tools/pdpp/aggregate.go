package pdpp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"issues-index/store/words"
	"issues-index/tools"
)

// An aggregation is what the RS answers.
type aggregation struct {
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

// aggregate answers with figures. Fewer groups are still right: other_count has the rest.
func aggregate(ctx context.Context, c *call) (tools.Result, error) {
	whole := 0
	for limit := maxLimit; ; {
		response, err := c.get(ctx)
		if err != nil {
			return tools.Result{}, err
		}
		r := c.aggregated(response)
		if whole > 0 {
			r.Outcome, r.Original = tools.OutcomePaginated, whole
		}
		limit = min(limit, r.Items) / 2
		if c.args.Fits(r) || limit == 0 || !c.args.Budget().Pagination {
			return r, nil
		}
		whole = max(whole, r.Size())
		c.query.Set("limit", strconv.Itoa(limit))
	}
}

// checkGroups refuses arguments that do not go together.
func checkGroups(c *call) {
	has := c.query.Has
	metric := c.query.Get("metric")
	timed, grouped := has("group_by_time"), has("group_by")
	for _, rule := range []struct {
		broken          bool
		argument, needs string
	}{
		{metric != "" && metric != "count" && !has("field"), "field", "The metric " + metric + " needs a field"},
		{grouped && timed, "group_by_time", "group_by and group_by_time were both given"},
		{timed && !has("granularity"), "granularity", "group_by_time needs a granularity"},
		{!timed && has("granularity"), "granularity", "granularity was given without group_by_time"},
		{!timed && has("time_zone"), "time_zone", "time_zone was given without group_by_time"},
		{!timed && !grouped && has("limit"), "limit", "limit was given without groups"},
	} {
		if rule.broken {
			c.refuse(tools.CodeValidation, rule.argument, "Pass a field for each metric but count, and to group either "+
				"group_by, "+
				"or group_by_time with a granularity (minute, hour, day, week, month, quarter or year).", "%s.", rule.needs)
		}
	}
}

// aggregated shows an aggregation of what the query asks for.
func (c *call) aggregated(response *rsResponse) tools.Result {
	var got aggregation
	read(response.Body, &got)
	what, by := c.query.Get("metric"), shown(c.query.Get("group_by"))
	if field := c.query.Get("field"); field != "" {
		what += " of " + shown(field)
	}
	if got.Approximate {
		what = "approximate " + what
	}
	if time := c.query.Get("group_by_time"); time != "" {
		by = strings.TrimSpace(c.query.Get("granularity") + " of " + shown(time) + " " + shown(got.TimeZone))
	}
	what += " in " + shown(c.names["stream"])
	line := what + " = " + leading(got.Value, fieldPreview) + "."
	switch other := cmp.Or(string(got.Other), "unknown"); {
	case len(got.Value) == 0 && got.Groups == nil:
		line = what + ": the answer has neither a value nor groups: " + brief(response.Body, fieldPreview)
	case by != "":
		line = fmt.Sprintf("%s by %s: %s, other_count=%s.", what, by, words.Count(len(got.Groups), "group"), shown(other))
		if other != "0" && other != "unknown" {
			line += " A larger limit (at most 100) shows more groups."
		}
	}
	if got.Filtered != "" {
		line += " Records looked at: " + shown(string(got.Filtered)) + "."
	}
	lines := append([]string{line}, warnings(got.Meta.Warnings)...)
	for _, group := range got.Groups {
		number := group.Value
		if len(number) == 0 {
			number = group.Count
		}
		lines = append(lines, leading(group.Key, fieldPreview)+"="+leading(number, fieldPreview))
	}
	return tools.Result{Text: strings.Join(lines, "\n"), Structured: c.envelope(response), Items: len(got.Groups)}
}
