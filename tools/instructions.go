package tools

import "strings"

// core is what every client is told, whatever toolsets are on. Hosts cut
// instructions at 2,048 characters and some at 512: a sentence ends before
// that, and what stands before it is enough to work with.
const core = "This service holds the Markdown issues, specifications and ideas of one workspace. " +
	"Find first, then read: issues_stats counts, issues_list and issues_search find, " +
	"issues_get reads one document, issues_get_batch several. " +
	"Name a document by its id (ISS-000042) or, where several share it, by its path: " +
	"the error AMBIGUOUS_ID lists them. " +
	"Narrow with typed filters (status, priority, labels, project) and fields instead of reading everything. " +
	"Answers are bounded pages: pass the cursor of one to get the next.\n"

// more stands after the part that every host shows.
const more = "A cursor continues its own query, so the other arguments may be left out; do not change them. " +
	"A long document comes in chunks with an outline: pass its id and the cursor of one to get the next, " +
	"or read a section, or startLine to endLine. " +
	"Text and structured output say the same. " +
	"Text lines show id, status, priority (medium is left out), title, [labels] and the day of the last update. " +
	"An error says what is allowed and what to call next. " +
	"The files are the truth: edits made outside are seen by the next call."

// MaxInstructions and MaxLead bound the server's instructions and the part of
// them that must stand alone, in ASCII characters.
const (
	MaxInstructions = 1500
	MaxLead         = 512
)

// Instructions returns what a client is told about the server as a whole: what
// the service holds, how to find and name it, and then the toolsets' own.
func Instructions(sets ...Toolset) string {
	var text strings.Builder
	text.WriteString(core + more)
	for _, set := range sets {
		if set.Guide != "" {
			text.WriteString("\n" + set.Guide)
		}
	}
	return text.String()
}
