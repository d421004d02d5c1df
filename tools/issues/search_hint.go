package issues

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/store/pattern"
	"issues-index/tools"
)

// refuseEverything refuses a query that other programs take for all there is: here it
// would find the few documents that have such a character.
func refuseEverything(args *tools.Args, query string) {
	if query != "" && strings.Trim(query, "*%?. ") == "" {
		args.Fail(tools.Errorf(tools.CodeValidation, "Query %s has no word to search for.", tools.Quote(query)).On("query").
			Try("issues_list lists all documents, issues_stats counts them."))
	}
}

// qualifier is a filter as the searches of other trackers have it.
var qualifier = pattern.Lazy(`(?i)(?:^|\s)-?(is|status|state|priority|type|assignee|project|labels|tag|tags|created|updated|sort|in|no|author|milestone):("[^"]*"|\S+)`)

// filterOf is the filter that a qualifier stands for.
var filterOf = map[string]string{
	"is": "status", "status": "status", "state": "status", "priority": "priority", "type": "type",
	"assignee": "assignee", "project": "project", "labels": "labels", "tag": "labels", "tags": "labels",
}

// nothingFound says what to try when a search finds nothing.
func nothingFound(s searched) string {
	hint := "Try fewer or shorter words, or OR between them" + alternatives(s.Query) + "."
	if len(s.Fields) > 0 || !reflect.ValueOf(s.Filters).IsZero() {
		hint = "Try fewer or shorter words, OR between them" + alternatives(s.Query) + ", or drop fields and filters."
	}
	if found := qualifier().FindStringSubmatch(s.Query); found != nil {
		words := strings.TrimSpace(qualifier().ReplaceAllString(s.Query, " "))
		if filter := filterOf[strings.ToLower(found[1])]; filter == "" {
			hint = fmt.Sprintf("A query has no %s:. Pass only the words, and filters, sortBy or sortOrder beside them.", found[1])
		} else {
			hint = fmt.Sprintf("A query has no %s:. Pass filters: {%s: %s}", found[1], filter, tools.Quote(strings.Trim(found[2], `"`)))
			if words != "" {
				hint += " and query: " + tools.Quote(words) + "."
			} else {
				hint = strings.Replace(hint, "filters: {", "issues_list {", 1) + ": it lists without words."
			}
		}
	}
	return fmt.Sprintf("No issues match %s. %s", tools.Quote(s.Query), hint)
}

// alternatives is a query for any of the longest words of one that found nothing, ""
// for one of a single word.
func alternatives(query string) string {
	const most, shortest = 3, 4
	words := strings.FieldsFunc(query, func(r rune) bool { return !(r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'A') })
	words = slices.DeleteFunc(words, func(w string) bool { return utf8.RuneCountInString(w) < shortest })
	longest := slices.SortedStableFunc(slices.Values(words), func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	longest = slices.Compact(longest[:min(len(longest), most)])
	if len(longest) < 2 {
		return ""
	}
	return " (" + strings.Join(longest, " OR ") + ")"
}
