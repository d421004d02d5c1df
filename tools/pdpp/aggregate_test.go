package pdpp

import (
	"fmt"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/pdpp/pdpptest"
)

func TestAggregateRefusesConflictingArguments(t *testing.T) {
	f := open(t)
	for name, test := range map[string]struct {
		args arguments
		code tools.Code
		says string
	}{
		"no metric":                       {arguments{}, tools.CodeMissingField, "metric"},
		"another metric":                  {arguments{"metric": "median"}, tools.CodeValidation, "count, sum, min, max, count_distinct"},
		"a metric without a field":        {arguments{"metric": "sum"}, tools.CodeValidation, "needs a field"},
		"two groupings":                   {arguments{"metric": "count", "group_by": "a", "group_by_time": "b", "granularity": "day"}, tools.CodeValidation, "both given"},
		"time without a granularity":      {arguments{"metric": "count", "group_by_time": "b"}, tools.CodeValidation, "minute, hour, day"},
		"a granularity without a time":    {arguments{"metric": "count", "granularity": "day"}, tools.CodeValidation, "without group_by_time"},
		"a time zone without a time":      {arguments{"metric": "count", "time_zone": "UTC"}, tools.CodeValidation, "without group_by_time"},
		"a limit without groups":          {arguments{"metric": "count", "limit": 3}, tools.CodeValidation, "without groups"},
		"more than a page":                {arguments{"metric": "count", "group_by": "a", "limit": 101}, tools.CodeValidation, "maximum is 100"},
		"an argument that there is not":   {arguments{"metric": "count", "having": 1}, tools.CodeValidation, "Unknown argument 'having'"},
		"a connection that is a path":     {arguments{"metric": "count", "connection_id": "../x"}, tools.CodeValidation, "two dots"},
		"a filter that is a query string": {arguments{"metric": "count", "filter": "a=b"}, codeInvalidFilter, "not an object"},
	} {
		t.Run(name, func(t *testing.T) {
			test.args["stream"] = "issues"
			f.untouched(t, func() { f.refused(t, test.code, "aggregate", test.args, test.says) })
		})
	}
}

func TestFigures(t *testing.T) {
	f := open(t, eraA)
	for name, test := range map[string]struct {
		args arguments
		says []string
	}{
		"a count":         {arguments{"metric": "count"}, []string{"count in issues = 30. Records looked at: 30."}},
		"a sum":           {arguments{"metric": "sum", "field": "comments"}, []string{"sum of comments in issues = "}},
		"groups":          {arguments{"metric": "count", "group_by": "state"}, []string{"count in issues by state: 2 groups, other_count=0.", "\nclosed=15", "\nopen=15"}},
		"some of them":    {arguments{"metric": "count", "group_by": "state", "limit": "1"}, []string{"1 group, other_count=15. A larger limit (at most 100) shows more groups."}},
		"groups of weeks": {arguments{"metric": "count", "group_by_time": "created_at", "granularity": "week"}, []string{"by week of created_at UTC"}},
	} {
		t.Run(name, func(t *testing.T) {
			test.args["stream"] = "issues"
			_, answer := f.must(t, "aggregate", test.args)
			for _, words := range test.says {
				if !strings.Contains(answer.Text(), words) {
					t.Errorf("%q is not in %s", words, answer.Text())
				}
			}
		})
	}
}

func TestManyGroups(t *testing.T) {
	groups := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"key":"%s %d","count":1}`, strings.Repeat("k", 300), i))
		}
		return fmt.Sprintf(`{"object":"aggregation","metric":"count","stream":"issues","group_by":"k","groups":[%s],"limit":%d,"other_count":%d,"meta":{"warnings":[]}}`, strings.Join(list, ","), n, 1000-n)
	}
	f := open(t)
	f.rs.Put(pdpptest.Aggregate, pdpptest.Override{Body: groups(100), Times: 1})
	f.rs.Clear(pdpptest.BlobOf)
	_, reply := f.must(t, "aggregate", arguments{"stream": "issues", "metric": "count", "group_by": "state", "limit": 100})
	within(t, reply)
	if limit := f.rs.Last(t, pdpptest.Aggregate).Query.Get("limit"); limit != "50" || !strings.Contains(reply.Text(), "other_count=") {
		t.Errorf("asked for %s groups again: %s", limit, reply.Text())
	}
}

func TestRestOfTheGroupsIsSeen(t *testing.T) {
	f := open(t)
	data, answer := f.must(t, "aggregate", arguments{"stream": "issues", "metric": "count", "group_by": "state", "limit": 1})
	if data["other_count"] != 15.0 || !strings.Contains(answer.Text(), "other_count=15") {
		t.Errorf("%v\n%s", data, answer.Text())
	}
	data, answer = f.must(t, "aggregate", arguments{"stream": "issues", "metric": "count", "group_by_time": "created_at", "granularity": "week", "limit": 2})
	if data["other_count"] != 19.0 || !strings.Contains(answer.Text(), "other_count=19") || !strings.Contains(answer.Text(), "2026-01-05=7") {
		t.Errorf("%v\n%s", data, answer.Text())
	}
}
