package store

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"issues-index/store/frontmatter"
	"issues-index/store/layout"
	"issues-index/store/mirror"
	"issues-index/store/orderedjson"
)

// The three document types, one collection each. A document whose frontmatter
// names another type has its collection's.
const (
	TypeIssue         = "issue"
	TypeSpecification = "specification"
	TypeIdea          = "idea"
)

// Types are the allowed types. The statuses and priorities are those of the workspace's
// layout.
var Types = layout.Types

// A Document is one Markdown file as it stands on disk. Path is its identity;
// the id need not be unique. A document without a status or priority counts as having
// those of a new document. Nothing is written for that.
type Document struct {
	Path       string        // slash-separated, relative to the workspace root
	Collection string        // type of the collection that holds the file
	Branch     mirror.Branch // whose document it is in a mirror, zero elsewhere
	// Version changes whenever the file's bytes do. It is "" for a file that cannot be read.
	Version   string
	written   time.Time // the file's own time
	workspace *layout.Layout

	// The ID is the stem of the file's name where the frontmatter has none, the Title
	// then is the first heading or the stem. Created and Updated are the file's times
	// where the frontmatter has none; they are never zero.
	frontmatter.Header

	// Undated is true where Updated is the file's time, which a checkout sets.
	Undated bool
	// Committed is true where Updated is the time of the last commit that touched the file,
	// which has not changed since: see [Workspace.FollowCommits].
	Committed bool

	// Body is everything after the closing fence's line end, byte for byte; the
	// whole file when the frontmatter cannot be read or there is none. It is
	// empty for a file over MaxFileSize, which is never read.
	Body string
	// BodyLine is the line of the file, from 1, that Body starts on.
	BodyLine int

	Problems []Problem
}

// CountedStatus is the status that the document is listed, filtered and counted by.
func (d *Document) CountedStatus() string {
	if d.Status == "" {
		return d.Layout().DefaultStatus()
	}
	return d.Status
}

// CountedPriority is the priority that the document is listed, filtered and counted by.
func (d *Document) CountedPriority() string {
	if d.Priority == "" {
		return d.Layout().DefaultPriority()
	}
	return d.Priority
}

// Category is what the document's status means.
func (d *Document) Category() layout.Category { return d.Layout().CategoryOf(d.Status) }

// Finished reports whether the document is done with by its status.
func (d *Document) Finished() bool { return d.Category().Finished() }

// Layout is that of the document's workspace, the default one for a document that was read
// from no file.
func (d *Document) Layout() *layout.Layout {
	if d.workspace == nil {
		return layout.Default()
	}
	return d.workspace
}

// FoldLink is the form in which a link, or an id, that the document is written with is
// compared with ids. In a mirror it is one of the document's own branch, unless it names another
// one.
func (d *Document) FoldLink(written string) string {
	if d.Branch != (mirror.Branch{}) {
		if _, _, qualified := mirror.CutBranch(strings.ToLower(written)); qualified {
			return FoldID(written)
		}
	}
	return d.Branch.Qualify(FoldLink(d.Layout(), written))
}

// WrittenType is Type, or what the file has in its place that is no known type: a
// document counts as Type then, but naming that very type still changes its file.
func (d *Document) WrittenType() string {
	if !slices.ContainsFunc(d.Problems, func(p Problem) bool { return p.Code == frontmatter.ProblemUnknownType }) {
		return d.Type
	}
	extra, _ := orderedjson.Parse(d.Extra) // it is always an object that we wrote
	value := extra.Get("type")
	var text string
	if json.Unmarshal(value, &text) != nil {
		return string(value) // a number or a boolean, in its own letters
	}
	return text
}

// These are the problems of one document's text, the errors of an edit of it, and its links.
type (
	// Problem is [frontmatter.Problem].
	Problem = frontmatter.Problem
	// ProblemCode is [frontmatter.ProblemCode].
	ProblemCode = frontmatter.ProblemCode
	// UneditableError is [frontmatter.UneditableError].
	UneditableError = frontmatter.UneditableError
	// ValueError is [frontmatter.ValueError].
	ValueError = frontmatter.ValueError
	// LinkKind is [frontmatter.LinkKind].
	LinkKind = frontmatter.LinkKind
)

// The kinds of links between documents.
const (
	WaitsFor  = frontmatter.WaitsFor
	Blocks    = frontmatter.Blocks
	Parent    = frontmatter.Parent
	RelatesTo = frontmatter.RelatesTo
)
