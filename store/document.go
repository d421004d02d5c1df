package store

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

// The three document types, one collection each. A document whose frontmatter
// names another type has its collection's.
const (
	TypeIssue         = "issue"
	TypeSpecification = "specification"
	TypeIdea          = "idea"
)

// Types, Statuses and Priorities are the allowed values in their natural
// order: priorities from the least urgent up.
var (
	Types      = []string{TypeIssue, TypeSpecification, TypeIdea}
	Statuses   = []string{"open", "in_progress", "closed", "cancelled"}
	Priorities = []string{"low", "medium", "high", "critical"}
)

// A document without a status or priority counts as having these: new documents
// start with them. Nothing is written for that.
const (
	DefaultStatus   = "open"
	DefaultPriority = "medium"
)

// A Document is one Markdown file as it stands on disk. Path is its identity;
// the id need not be unique.
type Document struct {
	Path       string // slash-separated, relative to the workspace root
	Collection string // type of the collection that holds the file
	Size       int64  // bytes on disk

	ID       string // literal text of the frontmatter's id, else the stem
	Title    string
	Type     string
	Status   string // as written, "" when absent
	Priority string // as written, "" when absent
	Labels   []string
	Assignee string
	Project  string

	Created time.Time // UTC, millisecond precision; never zero
	Updated time.Time // UTC, millisecond precision; never zero
	Closed  time.Time // zero when absent

	// Context is wranglerContext as one JSON object, nil when absent.
	Context json.RawMessage
	// Parent is wranglerContext.parentTaskId (else parentTaskId or
	// parent_task_id at the top level), "" when absent.
	Parent string
	// Extra holds the frontmatter's keys that no field above stands for, as one
	// JSON object in the file's key order; nil when there are none.
	Extra json.RawMessage

	// Body is everything after the closing fence's line end, byte for byte; the
	// whole file when the frontmatter cannot be read or there is none. It is
	// empty for a file over MaxFileSize, which is never read.
	Body string
	// BodyLine is the line of the file, from 1, that Body starts on.
	BodyLine int

	Problems []Problem
}

// CountedStatus is the status that the document is listed, filtered and counted by.
func (d *Document) CountedStatus() string { return cmp.Or(d.Status, DefaultStatus) }

// CountedPriority is the priority that the document is listed, filtered and counted by.
func (d *Document) CountedPriority() string { return cmp.Or(d.Priority, DefaultPriority) }

// WrittenType is Type, or what the file has in its place that is no known type: a
// document counts as Type then, but naming that very type still changes its file.
func (d *Document) WrittenType() string {
	if !slices.ContainsFunc(d.Problems, func(p Problem) bool { return p.Code == ProblemUnknownType }) {
		return d.Type
	}
	var extra map[string]json.RawMessage
	if json.Unmarshal(d.Extra, &extra) != nil { // it is always an object that we wrote
		return d.Type
	}
	var text string
	if json.Unmarshal(extra["type"], &text) != nil {
		return string(extra["type"]) // a number or a boolean, in its own letters
	}
	return text
}

// A ProblemCode says what is wrong with a document.
type ProblemCode string

// Problems that one file shows by itself. Those that need the whole workspace
// (duplicate ids, dangling parents) are found by package index.
const (
	ProblemInvalidYAML     ProblemCode = "invalid-yaml"
	ProblemUnclosedFence   ProblemCode = "unclosed-frontmatter"
	ProblemDuplicateKey    ProblemCode = "duplicate-key"
	ProblemMergeConflict   ProblemCode = "merge-conflict"
	ProblemNotUTF8         ProblemCode = "not-utf8"
	ProblemNUL             ProblemCode = "nul-byte"
	ProblemFrontmatterSize ProblemCode = "frontmatter-too-large"
	ProblemFileSize        ProblemCode = "file-too-large"
	ProblemUnreadable      ProblemCode = "unreadable-file"
	ProblemUnknownStatus   ProblemCode = "unknown-status"
	ProblemUnknownPriority ProblemCode = "unknown-priority"
	ProblemUnknownType     ProblemCode = "unknown-type"
	ProblemBadValue        ProblemCode = "bad-value"
	ProblemIDFilename      ProblemCode = "id-filename-mismatch"
	ProblemStatusFolder    ProblemCode = "status-folder-mismatch"
)

// A Problem is one thing that is wrong with one document, in words that say
// what to mend. The document is served all the same.
type Problem struct {
	Code    ProblemCode
	Message string
	Line    int // of the file, from 1; 0 when no one line is to blame
}

// Frozen reports whether the problem makes the frontmatter unreadable, so that
// nothing may be written to it until a person mends it.
func (p Problem) Frozen() bool {
	switch p.Code {
	case ProblemInvalidYAML, ProblemUnclosedFence, ProblemDuplicateKey, ProblemMergeConflict,
		ProblemNotUTF8, ProblemNUL, ProblemFrontmatterSize, ProblemFileSize, ProblemUnreadable:
		return true
	}
	return false
}
