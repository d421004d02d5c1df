package issues

// Fragments of JSON schema that several tools share. Every enum has a type and
// every object properties, since some hosts refuse a schema without.
const (
	anyText  = `{"type":"string"}`
	anyTexts = `{"type":"array","items":` + anyText + `}`
	number   = `{"type":"integer"}`
	yesNo    = `{"type":"boolean"}`

	statusEnum   = `{"type":"string","enum":["open","in_progress","closed","cancelled"]}`
	priorityEnum = `{"type":"string","enum":["low","medium","high","critical"]}`
	typeEnum     = `{"type":"string","enum":["issue","specification","idea"]}`
	fieldsEnum   = `{"type":"string","enum":["title","description","status","priority","labels","assignee","project","dates","wranglerContext","boxes"]}`
	searchEnum   = `{"type":"string","enum":["title","description","labels"]}`

	// filterProperties narrow lists and searches.
	filterProperties = `"status":` + statuses + `,"priority":` + priorities + `,"labels":` + anyTexts +
		`,"assignee":` + anyText + `,"project":` + anyText + `,"parentTaskId":` + anyText + `,"claimedBy":` + anyText +
		`,"types":` + types + `,"boxes":` + boxesEnum
	boxesEnum    = `{"type":"string","enum":["open"]}`
	statuses     = `{"type":"array","items":` + statusEnum + `}`
	priorities   = `{"type":"array","items":` + priorityEnum + `}`
	types        = `{"type":"array","items":` + typeEnum + `}`
	fieldsFilter = `{"type":"array","items":` + fieldsEnum + `}`

	// ownFields are what several tools set in one way, and revisionProperties what
	// they answer.
	ifVersion          = `"ifVersion":` + anyText
	ownFields          = `"labels":` + anyTexts + `,"assignee":` + anyText + `,"project":` + anyText
	revisionProperties = `"id":` + anyText + `,"changes":` + anyTexts + `,"updatedAt":` + anyText + `,"path":` + anyText + `,"version":` + anyText

	// pageProperties bound an answer that has pages.
	pageProperties = `"limit":{"type":"integer"},"cursor":` + anyText

	// listingProperties describe a listing.
	listingProperties = `"issues":` + issueList + `,"totalCount":` + number + `,"nextCursor":` + anyText + `,"note":` + anyText
	issueList         = `{"type":"array","items":` + rowObject + `}`
	// nameCounts describes labels or projects.
	nameCounts = `{"type":"array","items":{"type":"object","properties":{"name":` + anyText + `,"count":` + number + `}}}`

	// Of a document the schema has the members that a script filters by; answers have
	// more. An answer shows the fields that it was asked for, so that only id is sure.
	rowObject = `{"type":"object","properties":{"id":` + anyText + `,"title":` + anyText + `,"status":` + anyText + `,"priority":` + anyText +
		`,"labels":` + anyTexts + `,"updated":` + anyText + `,"created":` + anyText + `},"required":["id"]}`
	documentObject = `{"type":"object","properties":{"id":` + anyText + `,"title":` + anyText + `,"status":` + anyText + `,"priority":` + anyText +
		`,"labels":` + anyTexts + `,"path":` + anyText + `,"description":` + anyText + `},"required":["id"]}`
)
