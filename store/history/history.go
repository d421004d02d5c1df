// Package history reads from git how documents became what they are: each change of a
// document, with the fields, boxes and sections that it changed, and what is different in
// all documents since a commit.
//
// It knows nothing of the index, of MCP or of how answers are worded. It writes nothing and
// keeps nothing: the history is git's. Its invariants: the number of git processes does not
// grow with the number of commits; a commit that changed a document's bytes has an entry,
// whatever state the document is in; a version that cannot be read hides no change of the
// others.
package history

import (
	"time"

	"issues-index/store/git"
)

// An UnreadableError says why there is no history to read.
type UnreadableError = git.UnreadableError

// A HistoryEntry is what one commit did to a document.
type HistoryEntry struct {
	Time    time.Time `json:"time"`
	Author  string    `json:"author,omitempty"`  // as written in the commit, "" for what is not committed
	Commit  string    `json:"commit,omitempty"`  // whole; "" for what is not committed
	Subject string    `json:"subject,omitempty"` // as written
	// Merge is true for a commit with several parents. Its changes are those against the
	// first one.
	Merge   bool            `json:"merge,omitempty"`
	Event   Event           `json:"event,omitempty"`
	Path    string          `json:"path"` // afterwards, or before a deletion
	Changes []HistoryChange `json:"changes"`
}

// ShortCommit is the beginning of a commit's name, by which people and git know it.
func ShortCommit(commit string) string {
	const digits = 12
	return commit[:min(digits, len(commit))]
}

// An Event is what happened to the file.
type Event string

// The events. A commit that only edits the file has none.
const (
	Created  Event = "created"
	Deleted  Event = "deleted"
	Restored Event = "restored" // after it was deleted
	Archived Event = "archived" // moved to a folder for finished documents
	Returned Event = "returned" // moved back from there
	Moved    Event = "moved"    // to another folder, perhaps with another name
	Renamed  Event = "renamed"
	// Begins is the oldest commit of a shallow clone, which has all that was there.
	Begins Event = "begins"
)

// A HistoryChange is one thing that is different in two versions of a document.
type HistoryChange struct {
	// Field is a field's name as store.FieldChange has it, another key of the frontmatter,
	// or one of the names below.
	Field string `json:"field"`
	From  string `json:"from,omitempty"`
	To    string `json:"to,omitempty"`
	// Part is the box's text or the section's heading, "" for the text before the first one.
	Part    string `json:"part,omitempty"`
	Added   int    `json:"added,omitempty"` // lines
	Removed int    `json:"removed,omitempty"`
	// Merged is true where a merge took the change over from another parent than the first.
	// Where it is false, the merge made the change itself.
	Merged bool `json:"merged,omitempty"`
}

// Names in HistoryChange.Field besides those of fields.
const (
	Text        = "text"        // lines of one section
	Boxes       = "boxes"       // one box; From and To are Checked or Unchecked
	Path        = "path"        // of the file
	LineEnds    = "lineEnds"    // and nothing else of the text
	Frontmatter = "frontmatter" // it cannot be read; From or To says why
	Formatting  = "formatting"  // nothing that has a meaning, or times alone
)

// The states of a box.
const (
	Checked   = "checked"
	Unchecked = "unchecked"
)
