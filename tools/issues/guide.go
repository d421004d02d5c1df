package issues

// What a client is told of the documents before it calls anything: the lead stands
// in the part of the instructions that every host shows.
const (
	lead = "Issue tracker of this repository: list, search, read, create, update and close issues, specifications and ideas (Markdown files). " +
		"issues_stats counts, issues_list and issues_search find, issues_get reads one, issues_get_batch several. " +
		"Name one by its id (ISS-000042), or by its path where AMBIGUOUS_ID says that several share it. " +
		"Narrow with typed filters (status, priority, labels) and fields; pass cursor for the next page."

	guide = "A cursor continues its own query: leave the other arguments out. " +
		"A long document comes in chunks with an outline: pass its id with cursor, section, or startLine and endLine."

	shortLead = "Issue tracker: list, search, read, create, update and close issues, specifications and ideas. " +
		"issues_list finds, issues_get reads one by id (ISS-000042) or path; typed filters narrow, cursor goes on."

	shortGuide = "A long document comes in chunks with an outline: pass its id with cursor, section, or startLine and endLine."
)
