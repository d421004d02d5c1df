package issues

// What a client is told of the documents before it calls anything: the lead stands
// in the part of the instructions that every host shows.
const (
	lead = "This service holds the Markdown issues, specifications and ideas of one workspace. " +
		"Find first, then read: issues_stats counts, issues_list and issues_search find, " +
		"issues_get reads one, issues_get_batch several. " +
		"Name a document by its id (ISS-000042), or by its path where AMBIGUOUS_ID says that several share it. " +
		"Narrow with typed filters (status, priority, labels, project) and fields. " +
		"Pages are bounded: pass the cursor to get the next."

	guide = "A cursor continues its own query, so the other arguments may be left out; do not change them. " +
		"A long document comes in chunks with an outline: pass its id and the cursor of one to get the next, " +
		"or read a section, or startLine to endLine. " +
		"Text and structured output say the same. " +
		"Text lines show id, status, priority (medium is left out), title, [labels] and the day of the last update. " +
		"The files are the truth: edits made outside are seen by the next call."

	shortLead = "The issues_ tools serve Markdown issues, specifications and ideas: issues_list and issues_search find, " +
		"issues_get reads one by id (ISS-000042) or path. " +
		"Narrow with typed filters and fields; pass cursor for the next page."

	shortGuide = "A long document comes in chunks with an outline: pass its id and the cursor of one, a section, or startLine to endLine. " +
		"Text lines leave out the priority medium. " +
		"The files are the truth: edits made outside are seen by the next call."
)
