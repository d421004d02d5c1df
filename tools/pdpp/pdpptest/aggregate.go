package pdpptest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"
)

const defaultGroups = 10

// aggregate answers with a figure over a stream, or with groups of it.
func (s *Server) aggregate(a asked) (reply, *refusal) {
	_, st, wrong := s.find(a)
	if wrong != nil {
		return reply{}, wrong
	}
	for name := range a.query {
		if len(name) >= 6 && name[:6] == "filter" && s.restricted(a) {
			return reply{}, unsupported("filter")
		}
	}
	keep, wrong := filterOf(a, st)
	if wrong != nil {
		return reply{}, wrong
	}
	metric := a.one("metric")
	if !slices.Contains([]string{"count", "sum", "min", "max", "count_distinct"}, metric) {
		return reply{}, invalid("metric must be count, sum, min, max or count_distinct", "metric")
	}
	if metric != "count" && !st.aggregates(a.one("field"), metric) {
		return reply{}, invalid(fmt.Sprintf("Aggregation %s is not declared for '%s'", metric, a.one("field")), "")
	}
	records := slices.DeleteFunc(slices.Clone(st.records), func(r record) bool { return !keep(r) })
	body := object{
		"object": "aggregation", "stream": st.name, "metric": metric, "approximate": false, "filtered_record_count": len(records),
		"field": a.orNil("field"), "group_by": a.orNil("group_by"), "group_by_time": a.orNil("group_by_time"),
		"granularity": a.orNil("granularity"), "time_zone": nil,
	}
	groupBy, byTime := a.one("group_by"), a.one("group_by_time")
	switch {
	case groupBy != "" && byTime != "":
		return reply{}, invalid("group_by and group_by_time exclude each other", "group_by")
	case groupBy == "" && byTime == "":
		body["value"] = figure(records, metric, a.one("field"))
		return reply{body: envelope(a, body, "")}, nil
	}
	kind, field := "group_by", groupBy
	if byTime != "" {
		kind, field = "group_by_time", byTime
		body["time_zone"] = cmp.Or(a.one("time_zone"), "UTC")
	}
	if !st.aggregates(field, kind) {
		return reply{}, invalid(fmt.Sprintf("Aggregation %s is not declared for '%s'", kind, field), "")
	}
	limit, warnings, wrong := a.limit(defaultGroups, "100 groups")
	if wrong != nil {
		return reply{}, wrong
	}
	counts := make(map[string]int)
	for _, r := range records {
		key := fmt.Sprint(r.data[field])
		if byTime != "" {
			key = bucket(key, a.one("granularity"))
		}
		counts[key]++
	}
	keys := slices.Sorted(maps.Keys(counts))
	if byTime == "" {
		slices.SortStableFunc(keys, func(a, b string) int { return counts[b] - counts[a] })
	}
	groups, other := []object{}, 0
	for i, key := range keys {
		if i < limit {
			groups = append(groups, object{"key": key, "count": counts[key]})
		} else {
			other += counts[key]
		}
	}
	body["groups"], body["limit"], body["other_count"] = groups, limit, other
	return reply{body: envelope(a, body, "", warnings...)}, nil
}

func (st *stream) aggregates(name, metric string) bool {
	f := st.field(name)
	return f != nil && slices.Contains(f.aggregations, metric)
}

func (a asked) orNil(name string) any {
	if value := a.one(name); value != "" {
		return value
	}
	return nil
}

// figure is a metric over integers, or the number of values of a field.
func figure(records []record, metric, field string) int {
	var values []int
	distinct := make(map[string]bool)
	for _, r := range records {
		distinct[fmt.Sprint(r.data[field])] = true
		if n, ok := r.data[field].(int); ok {
			values = append(values, n)
		}
	}
	sum := 0
	for _, n := range values {
		sum += n
	}
	switch {
	case metric == "count":
		return len(records)
	case metric == "count_distinct":
		return len(distinct)
	case len(values) == 0 || metric == "sum":
		return sum
	case metric == "min":
		return slices.Min(values)
	}
	return slices.Max(values)
}

// bucket is the period that a time falls into, by its first day.
func bucket(at, granularity string) string {
	when, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return at
	}
	switch granularity {
	case "week":
		when = when.AddDate(0, 0, -(int(when.Weekday())+6)%7)
	case "month":
		return when.Format("2006-01")
	case "year":
		return when.Format("2006")
	}
	return when.Format(time.DateOnly)
}
