package index

import (
	"time"

	"issues-index/index/where"
	"issues-index/store/markdown"
)

// None in the Labels, the Assignee or the Project of a Filter stands for the
// documents that have none.
const None = "(none)"

// BoxesOpen in the Boxes of a Filter stands for the documents that have an unchecked box.
const BoxesOpen = "open"

// BoxFilters are the values of Boxes in a Filter, besides "".
var BoxFilters = []string{BoxesOpen}

// A Filter narrows a query. The zero Filter matches every document; within one
// field any value matches, across fields all must. IDs, Parent and Under are ids in any spelling
// that Get takes; Statuses and Priorities are words of the layout.
type Filter struct {
	IDs        []string `json:"ids,omitempty"`
	Types      []string `json:"types,omitempty"`
	Statuses   []string `json:"statuses,omitempty"`
	Priorities []string `json:"priorities,omitempty"`
	Labels     []string `json:"labels,omitempty"`
	MeantFor   string   `json:"meantFor,omitempty"` // assigned to this person, or to no one
	Assignee   string   `json:"assignee,omitempty"`
	Project    string   `json:"project,omitempty"`
	Parent     string   `json:"parent,omitempty"`
	Workspaces []string `json:"workspaces,omitempty"` // of a mirror
	Lines      []string `json:"lines,omitempty"`      // of them, such as main
	Boxes      string   `json:"boxes,omitempty"`      // of BoxFilters

	// An After is inclusive, a Before exclusive. A document that was never closed has no
	// time of closing.
	CreatedAfter  time.Time `json:"createdAfter,omitzero"`
	CreatedBefore time.Time `json:"createdBefore,omitzero"`
	UpdatedAfter  time.Time `json:"updatedAfter,omitzero"`
	UpdatedBefore time.Time `json:"updatedBefore,omitzero"`
	ClosedAfter   time.Time `json:"closedAfter,omitzero"`
	ClosedBefore  time.Time `json:"closedBefore,omitzero"`

	// Ready is what can be begun now: open, not deferred, waiting for nothing, and without
	// unfinished children. Blocked is what is not finished and waits, itself or with an
	// ancestor. All documents decide, whatever else the filter leaves out.
	Ready   bool `json:"ready,omitempty"`
	Blocked bool `json:"blocked,omitempty"`

	// ClaimedBy is what a holder has claimed, or an agent of the holder's, such as
	// claude-code/k3f9q2/a of claude-code/k3f9q2. Stale is what is claimed under a lease that
	// has lapsed, or whose process has ended.
	ClaimedBy string `json:"claimedBy,omitempty"`
	Stale     bool   `json:"stale,omitempty"`

	Under string        `json:"under,omitempty"` // the id of an ancestor, at any distance
	Where AskedCriteria `json:"where,omitzero"`

	// What engine.resolveFilter makes of the filter: which links decide what is ready and blocked,
	// conditions, the order that the criteria ask for, the leases that they depend on, and whether a
	// count has to look at every document.
	use     linkUse
	bound   []where.Condition
	parents []string // the values of parent_fold that Parent means
	leased  string
	order   where.Condition
	costly  bool

	// inIndexOrder says that a query for ready documents goes through an index in order until a
	// page is full. The labels of each document are looked up then: to collect all documents
	// of a label would take longer than the page.
	inIndexOrder bool
}

// A SortKey names an order. Each is total: the path breaks ties.
type SortKey string

// The sort keys. SortRelevance is for searches only.
const (
	SortUpdated   SortKey = "updated"
	SortCreated   SortKey = "created"
	SortPriority  SortKey = "priority" // others < low < medium < high < critical
	SortStatus    SortKey = "status"   // in the order of the layout, others last
	SortRelevance SortKey = "relevance"
)

// A Sort is a key and a direction. The zero Sort is the query's default:
// newest update first for lists, best match first for searches.
type Sort struct {
	Key  SortKey `json:"key,omitempty"`
	Desc bool    `json:"desc,omitempty"`
}

// A Query asks for one page of documents. With Cursor set, everything but
// Scope and Limit is taken from the cursor.
type Query struct {
	// Text is what to search for; a Query with Search false is a list and has none.
	Search bool     `json:"search,omitempty"`
	Text   string   `json:"text,omitempty"`
	Fields []string `json:"fields,omitempty"` // of title, description, labels; none means all

	Filter Filter `json:"filter,omitzero"`
	Sort   Sort   `json:"sort,omitzero"`
	Offset int    `json:"offset,omitempty"` // lists only, without a cursor
	// Snippets asks for the text around each match.
	Snippets bool `json:"snippets,omitempty"`

	// Lines says that the rows are for lines of a list: those of a page have no Type, Project, Parent,
	// Undated, Closed, Context, Problem, Size and Version, which take a third of the time to read.
	Lines bool `json:"lines,omitempty"`

	// Waits asks for what each row waits for, Claims for who has claimed it.
	Waits  bool `json:"waits,omitempty"`
	Claims bool `json:"claims,omitempty"`

	// Values counts the values of this field of GroupBys, most used first, in place of documents.
	Values string `json:"values,omitempty"`

	// Limit is the size of the page in rows, or in counts with Values. 0 asks for the total alone; with
	// a cursor it is that of the page before.
	Limit int `json:"limit"`
	// Scope names the tool that asks. A cursor works in the scope that made it.
	Scope string `json:"scope,omitempty"`
	// Uncounted says that the caller does not need the exact Total of the page where only a
	// look at every document would tell.
	Uncounted bool `json:"uncounted,omitempty"`
	// Ordered is set by Find for criteria with an order that is no Sort.
	Ordered bool `json:"ordered,omitempty"`
	// View is the caller's own, kept with the cursor and given back in Page.
	View string `json:"view,omitempty"`

	Cursor string `json:"-"`
}

// A Page is one page of a Query's rows.
type Page struct {
	Rows   []Row
	Counts []Count // with Query.Values in place of Rows
	Total  int     // of all pages
	// AtLeast says that Total and Remaining are only as much as is known: there may be more.
	AtLeast bool
	// Next is the cursor of the next page, "" on the last one. Before the cut it is
	// a placeholder of the same length that costs a model no less.
	Next  string
	Query Query // as asked, or as the cursor remembers it
	// Remaining counts the rows after this page.
	Remaining int
	// Unkept says why there is no cursor although rows remain, as it completes
	// "There is no cursor: "; "" otherwise.
	Unkept string

	// Unleased is why the claims of the rows are not known, nil when they are.
	Unleased error
}

// First is the page as it is when it ends after n rows or counts, without its cursor.
func (p Page) First(n int) Page {
	if dropped := len(p.Rows) + len(p.Counts) - n; dropped > 0 {
		p.Rows, p.Counts = p.Rows[:min(n, len(p.Rows))], p.Counts[:min(n, len(p.Counts))]
		p.Remaining += dropped
		p.Next = placeholderCursor
	}
	return p
}

// A Row is what the index knows of a document, its body excepted.
type Row struct {
	Path     string // slash-separated, relative to the root
	ID       string // such as ISS-000042
	Type     string // one of store.Types
	Title    string
	Status   string // in the words of the layout, as is Priority
	Priority string
	Labels   []string
	Assignee string // with commas between several
	Project  string
	Parent   string // the id as written, "" for none
	// Workspace and Line are whose document it is in a mirror, "" elsewhere.
	Workspace string
	Line      string
	Created   time.Time // UTC, in milliseconds, as are Updated and Closed
	Updated   time.Time
	Closed    time.Time // zero when unset
	Undated   bool      // Updated is the file's time, which a checkout sets
	Context   []byte    // JSON object, nil when unset
	Problem   string    // first problem's message, "" for no problem
	Size      int64     // of the file, bytes
	Version   string    // as store.Document's
	Boxes     markdown.BoxCount

	// WaitsFor is what an unfinished document waits for, itself or with an ancestor: ids of
	// documents. Before what leads to none or to several stands its DependencyState. Only with
	// Query.Waits.
	WaitsFor []string

	// Claim is who has claimed the document, nil for no claim. Only with Query.Claims.
	Claim *RowClaim

	// Shared is true when another document has the same id, so that only the
	// path names this one.
	Shared bool
	// Snippet is text around a search's first match, at most about 200 characters.
	Snippet string

	doc      int64 // its number in the table document
	finished bool  // done, cancelled, or in a folder for such documents
	deferred int64 // until when, in milliseconds since 1970 UTC; 0 for not
}

// Handle is what names exactly this document: its id, or its path where others share the id.
func (r *Row) Handle() string {
	if r.Shared {
		return r.Path
	}
	return r.ID
}

// A Count is one value of a field and how many documents have it. Value is ""
// for documents that do not set the field.
type Count struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}
