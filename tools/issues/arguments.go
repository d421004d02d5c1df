package issues

import (
	"maps"

	"issues-index/tools"
)

// idNames are other names of the arguments that name documents. Every tool takes them:
// nothing else can be meant.
var idNames = map[string][]string{
	"id":       {"issueId", "issue", "key", "issueKey", "path", "file", "ref", "documentId"},
	"issueId":  {"id", "issue", "issueKey", "path", "file", "ref", "documentId"},
	"ids":      {"issueIds", "id", "issueId", "issues", "keys", "paths"},
	"issueIds": {"ids", "id", "issueId", "issues", "keys", "paths"},
}

// otherNames are other names of the other arguments. A tool that reads takes them; one
// that writes names what was meant.
var otherNames = map[string][]string{
	"query":         {"q", "search", "text", "term", "terms", "keyword", "keywords", "searchQuery"},
	"status":        {"statuses", "state", "states"},
	"priority":      {"priorities", "severity"},
	"labels":        {"label", "tags", "tag"},
	"assignee":      {"assignees", "assignedTo", "owner"},
	"project":       {"projects", "projectName"},
	"parentTaskId":  {"parent", "parentId"},
	"types":         {"type", "kind", "kinds"},
	"boxes":         {"checkboxes", "checklist"},
	"type":          {"types", "kind", "issueType", "documentType"},
	"limit":         {"maxResults", "pageSize", "perPage", "count", "top", "first", "size", "max", "n"},
	"cursor":        {"nextCursor", "pageToken", "nextPageToken", "after", "next"},
	"offset":        {"skip"},
	"format":        {"detail", "verbosity"},
	"ready":         {"isReady", "actionable", "unblocked"},
	"blocked":       {"isBlocked", "waiting"},
	"under":         {"ancestor", "below", "descendantsOf"},
	"filters":       {"filter"},
	"where":         {"criteria", "condition"},
	"view":          {"viewName"},
	"sortBy":        {"sort", "orderBy", "sortField"},
	"sortOrder":     {"order", "direction", "sortDirection"},
	"createdAfter":  {"since", "createdSince"},
	"createdBefore": {"until", "createdUntil"},
	"updatedAfter":  {"updatedSince", "modifiedAfter"},
	"updatedBefore": {"updatedUntil", "modifiedBefore"},
	"closedAfter":   {"closedSince", "completedAfter"},
	"closedBefore":  {"closedUntil", "completedBefore"},
	"groupBy":       {"by", "group", "field"},
	"fields":        {"select", "properties", "columns"},
	"section":       {"heading"},
	"startLine":     {"start", "fromLine", "lineStart", "from"},
	"endLine":       {"end", "toLine", "lineEnd", "to"},
	"field":         {"fieldName", "property", "attribute"},
	"since":         {"updatedAfter", "createdAfter"},
	"maxTokens":     {"tokens", "tokenLimit"},

	"dependsOn":       {"dependencies", "blockedBy", "waitsFor"},
	"title":           {"name", "subject", "summary"},
	"description":     {"body", "content", "text", "markdown", "details"},
	"note":            {"comment", "message", "reason", "resolution"},
	"wranglerContext": {"context", "metadata"},
	"operation":       {"op", "action", "command"},
	"value":           {"val", "data"},
	"confirm":         {"confirmed", "force", "yes"},
	"updates":         {"items", "changes", "edits"},
	"ifVersion":       {"version", "ifMatch", "expectedVersion", "baseVersion"},
}

// editNames are other names of the arguments of an edit. Nothing else can be meant.
var editNames = map[string][]string{
	"edits":   {"edit", "changes", "operations", "updates"},
	"op":      {"operation", "action", "type", "command"},
	"section": {"heading", "header"},
	"find":    {"oldString", "oldText", "oldStr", "findText", "search"},
	"count":   {"expectedReplacements", "occurrences"},
	"text":    {"newString", "newText", "newStr", "content", "body", "markdown", "replacement"},
	"boxes":   {"box", "items", "n", "checkbox", "checkboxes", "numbers"},
}

// How to ask for what an argument of another tool asks for.
const (
	useSearch = "issues_search {query} searches the text."
	usePages  = "Pages go by cursor: pass the cursor that the answer before ends with."
	useBatch  = "Pass updates: [{id: 'ISS-000042', status: 'closed'}, …], one object for each document."
	useParent = "Pass parent: 'ISS-000042'."
	useUpdate = "issues_update changes fields."
	useLabels = "A new issue has labels alone: pass labels."
)

// instead has, for each tool, what to do in place of passing it an argument of another.
var instead = map[string]map[string]string{
	listName: {
		"query": useSearch, "q": useSearch, "search": useSearch, "text": useSearch, "term": useSearch, "keyword": useSearch,
		"keywords": useSearch,
		"page":     usePages + " offset works, too.", "pageNumber": usePages + " offset works, too.",
		"fields":             "Pass format: minimal, summary or full; issues_get_batch takes fields.",
		"includeDescription": "Pass format: full.",
	},
	searchName: {
		"page": usePages, "pageNumber": usePages, "offset": usePages, "skip": usePages,
		"format": "Rows are summaries; includeDescription: true adds what was found. issues_list takes format.",
	},
	"issues_get": {"ids": "issues_get_batch {ids} reads several documents."},
	"issues_stats": {
		"query": useSearch, "q": useSearch, "search": useSearch,
		"limit": "The counts are complete without it.",
	},
	"issues_all_complete": {
		"status": "It looks for closed and cancelled by itself: leave status out. issues_stats {groupBy: 'status'} counts " +
			"by status.",
		"query": useSearch,
	},
	"issues_create": {"parentTaskId": useParent, "parentId": useParent, "addLabels": useLabels, "removeLabels": useLabels},
	"issues_update": {"parentTaskId": useParent, "parentId": useParent},
	"issues_update_batch": {
		"id": useBatch, "ids": useBatch, "issueId": useBatch, "issueIds": useBatch, "issues": useBatch,
		"status": useBatch, "priority": useBatch, "labels": useBatch, "assignee": useBatch, "project": useBatch,
		"addLabels": useBatch, "removeLabels": useBatch,
	},
	editName: {
		"status": useUpdate, "priority": useUpdate, "title": useUpdate, "labels": useUpdate, "assignee": useUpdate,
		"project":   useUpdate,
		"addLabels": useUpdate, "removeLabels": useUpdate,
		"replaceAll": "Pass count: how often find occurs.",
	},
}

// withNames gives a tool the other names of its arguments.
func withNames(t tools.Tool) tools.Tool {
	t.Instead = instead[t.Name]
	t.Also = maps.Clone(idNames)
	switch {
	case t.Name == editName:
		maps.Copy(t.Also, editNames)
	case t.ReadOnly:
		maps.Copy(t.Also, otherNames)
	}
	if !t.ReadOnly {
		t.Meant = maps.Clone(otherNames) // one label is no list that replaces all
		t.Meant["labels"], t.Meant["addLabels"] = []string{"tags"}, []string{"label", "tag", "labels+", "addTags", "addTag"}
		t.Meant["removeLabels"] = []string{"removeTags", "removeTag"}
	}
	return t
}
