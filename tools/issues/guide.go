package issues

// What a client is told of the documents before it calls anything: the lead stands
// in the part of the instructions that every host shows.
const (
	lead = "This service holds the Markdown issues, specifications and ideas of one workspace. " +
		"Find first, then read: issues_stats counts, issues_list and issues_search find, " +
		"issues_get reads one document, issues_get_batch several. " +
		"Name a document by its id (ISS-000042) or, where several share it, by its path: " +
		"the error AMBIGUOUS_ID lists them. " +
		"Narrow with typed filters (status, priority, labels, project) and fields instead of reading everything. " +
		"Answers are bounded pages: pass the cursor of one to get the next."

	guide = "A cursor continues its own query, so the other arguments may be left out; do not change them. " +
		"A long document comes in chunks with an outline: pass its id and the cursor of one to get the next, " +
		"or read a section, or startLine to endLine. " +
		"Text and structured output say the same. " +
		"Text lines show id, status, priority (medium is left out), title, [labels] and the day of the last update. " +
		"The files are the truth: edits made outside are seen by the next call."

	shortLead = "The issues_ tools hold the Markdown issues, specifications and ideas of one workspace: issues_list and issues_search find, " +
		"issues_get reads one by its id (ISS-000042) or path. " +
		"Narrow with typed filters and fields; pass the cursor of a page to get the next."

	shortGuide = "A long document comes in chunks with an outline: pass its id and the cursor of one, a section, or startLine to endLine. " +
		"Text lines leave out the priority medium. " +
		"The files are the truth: edits made outside are seen by the next call."
)
