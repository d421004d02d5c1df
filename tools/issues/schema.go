package issues

import (
	"encoding/json"
	"strings"

	"issues-index/index"
	"issues-index/store/layout"
)

// layoutOf is the layout of an index's workspace, the usual one without an index.
func layoutOf(ix *index.Index) *layout.Layout {
	if ix == nil {
		return layout.Default()
	}
	return ix.Workspace().Layout
}

// longestEnum is the most bytes that a workspace's own words may take in a schema, which has
// them in six tools.
const longestEnum = 300

// statusEnum describes a status, and priorityEnum a priority.
func statusEnum(l *layout.Layout) string   { return enumOf(l.StatusNames()) }
func priorityEnum(l *layout.Layout) string { return enumOf(l.Priorities) }

// enumOf describes a text that is one of some values, if these are short.
func enumOf(values []string) string {
	list, err := json.Marshal(values)
	if err != nil || len(list) > longestEnum {
		return anyText
	}
	return `{"type":"string","enum":` + string(list) + `}`
}

// listOf describes a list of what a schema describes.
func listOf(schema string) string { return `{"type":"array","items":` + schema + `}` }

// endStatuses names the first status of each way in which work ends.
func endStatuses(l *layout.Layout) string {
	names := []string{l.First(layout.Done)}
	if cancelled := l.First(layout.Cancelled); cancelled != "" {
		names = append(names, cancelled)
	}
	return strings.Join(names, " or ")
}

// filterProperties narrow lists and searches.
func filterProperties(l *layout.Layout) string {
	return `"status":` + listOf(statusEnum(l)) + `,"priority":` + listOf(priorityEnum(l)) + `,"labels":` + anyTexts +
		`,"assignee":` + anyText + `,"project":` + anyText + `,"parentTaskId":` + anyText + `,"claimedBy":` + anyText +
		`,"types":` + types + `,"boxes":` + boxesEnum
}

// Fragments of JSON schema that several tools share. Every enum has a type and
// every object properties, since some hosts refuse a schema without.
const (
	anyText  = `{"type":"string"}`
	anyTexts = `{"type":"array","items":` + anyText + `}`
	number   = `{"type":"integer"}`
	yesNo    = `{"type":"boolean"}`

	typeEnum   = `{"type":"string","enum":["issue","specification","idea"]}`
	fieldsEnum = `{"type":"string","enum":["title","description","status","priority","labels","assignee",` +
		`"project","dates","wranglerContext","boxes"]}`
	searchEnum = `{"type":"string","enum":["title","description","labels"]}`

	boxesEnum    = `{"type":"string","enum":["open"]}`
	types        = `{"type":"array","items":` + typeEnum + `}`
	fieldsFilter = `{"type":"array","items":` + fieldsEnum + `}`

	// ownFields are what several tools set in one way, and revisionProperties what
	// they answer.
	ifVersion          = `"ifVersion":` + anyText
	ownFields          = `"labels":` + anyTexts + `,"assignee":` + anyText + `,"project":` + anyText
	revisionProperties = `"id":` + anyText + `,"changes":` + anyTexts + `,"updatedAt":` + anyText + `,"path":` + anyText +
		`,"version":` + anyText

	// pageProperties bound an answer that has pages.
	pageProperties = `"limit":{"type":"integer"},"cursor":` + anyText

	// listingProperties describe a listing.
	listingProperties = `"issues":` + issueList + `,"totalCount":` + number + `,"nextCursor":` + anyText + `,"note":` +
		anyText
	issueList = `{"type":"array","items":` + rowObject + `}`
	// nameCounts describes labels or projects.
	nameCounts = `{"type":"array","items":{"type":"object","properties":{"name":` + anyText + `,"count":` + number + `}}}`

	// Of a document the schema has the members that a script filters by; answers have
	// more. An answer shows the fields that it was asked for, so that only id is sure.
	rowObject = `{"type":"object","properties":{"id":` + anyText + `,"title":` + anyText + `,"status":` + anyText +
		`,"priority":` + anyText +
		`,"labels":` + anyTexts + `,"updated":` + anyText + `,"created":` + anyText + `},"required":["id"]}`
	documentObject = `{"type":"object","properties":{"id":` + anyText + `,"title":` + anyText + `,"status":` + anyText +
		`,"priority":` + anyText +
		`,"labels":` + anyTexts + `,"path":` + anyText + `,"description":` + anyText + `},"required":["id"]}`
)
