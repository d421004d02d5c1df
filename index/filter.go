package index

import (
	"slices"
	"strings"
	"time"

	"issues-index/index/where"
	"issues-index/store/layout"
)

// A clause is a condition of SQL and its arguments.
type clause struct {
	terms []string
	args  []any
}

func (c *clause) add(term string, args ...any) {
	c.terms = append(c.terms, term)
	c.args = append(c.args, args...)
}

// in adds that a column has one of the values; no values add nothing.
func (c *clause) in(column string, values []string) {
	if len(values) == 0 {
		return
	}
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = v
	}
	c.add(column+" IN (?"+strings.Repeat(", ?", len(values)-1)+")", args...)
}

func (c *clause) String() string {
	if len(c.terms) == 0 {
		return "true"
	}
	return strings.Join(c.terms, " AND ")
}

// facets is the part of the filter that the table tally can count.
func (f Filter) facets() *clause {
	c := &clause{}
	c.in("type", f.Types)
	c.in("status", f.Statuses)
	c.in("priority", f.Priorities)
	c.is("assignee", f.Assignee)
	c.is("project", f.Project)
	if f.MeantFor != "" {
		c.add("assignee IN ('', ?)", f.MeantFor)
	}
	return c
}

// facetsAlone is the filter by what the index document_by_facet has.
func (f Filter) facetsAlone() Filter {
	return Filter{Types: f.Types, Statuses: f.Statuses, Priorities: f.Priorities}
}

// inLines adds that a document is in the workspaces and lines of the filter.
func (c *clause) inLines(f Filter) {
	if !f.inMirror() {
		return
	}
	c.add("workspace <> ''") // the index has no others
	c.in("workspace", f.Workspaces)
	c.in("line", f.Lines)
}

// inMirror reports whether the filter asks for workspaces or lines of a mirror.
func (f Filter) inMirror() bool { return len(f.Workspaces)+len(f.Lines) > 0 }

// is adds that a column which may be unset has a value, or none for None.
func (c *clause) is(column, value string) {
	switch value {
	case "":
	case None:
		c.add(column+" IN ('', ?)", None)
	default:
		c.add(column+" <> '' AND "+column+" = ?", value)
	}
}

// timeBounds bounds the times in a column; a zero time is no bound.
type timeBounds struct {
	column        string
	after, before time.Time
}

// bound compares the times in a column with a bound, unless that is the zero time. A bound at
// midnight in its zone is a day, as in criteria.
func (c *clause) bound(column, op string, at time.Time) {
	if at.IsZero() {
		return
	}
	y, m, d := at.Date()
	one := where.Bound(column, op, at, at.Equal(time.Date(y, m, d, 0, 0, 0, 0, at.Location())))
	c.add(one.SQL, one.Args...)
}

// periods are the bounds of times that the filter has.
func (f Filter) periods() []timeBounds {
	return slices.DeleteFunc([]timeBounds{
		{"created", f.CreatedAfter, f.CreatedBefore},
		{"updated", f.UpdatedAfter, f.UpdatedBefore},
		{"closed", f.ClosedAfter, f.ClosedBefore},
	}, func(p timeBounds) bool { return p.after.IsZero() && p.before.IsZero() })
}

// where is the whole filter as a condition on the table document, as of now.
func (e *engine) where(f Filter) *clause {
	c := f.facets()
	c.inLines(f)
	if f.Parent != "" {
		children := childrenOf(f.parents)
		c.add(children.SQL, children.Args...)
	}
	if f.Boxes == BoxesOpen {
		c.add("boxes_checked < boxes_total")
	}
	for _, p := range f.periods() {
		c.bound(p.column, ">=", p.after)
		c.bound(p.column, "<", p.before)
	}
	if len(f.IDs) > 0 {
		ids, paths := &clause{}, &clause{}
		ids.in("id", f.IDs)
		paths.in("path", f.IDs)
		c.add("("+ids.String()+" OR "+paths.String()+")", append(ids.args, paths.args...)...)
	}
	labels := f.labelled()
	if f.inIndexOrder && len(labels.terms) > 0 {
		// An iif: SQLite would read each document before it looks for its labels.
		labels.terms = []string{e.statuses(layout.Open), "iif(" + labels.String() + ", " + e.readyWhere(f) + ", false)"}
		labels.args = append(labels.args, e.now().UnixMilli())
	} else if f.Ready { // after all else, since it takes the longest for a document
		labels.add(e.readyWhere(f), e.now().UnixMilli())
	}
	c.terms, c.args = append(c.terms, labels.terms...), append(c.args, labels.args...)
	if f.Blocked {
		c.add(e.blockedWhere(f))
	}
	for _, bound := range f.bound {
		c.add(bound.SQL, bound.Args...)
	}
	return c
}

// labelled is the condition of documents that have one of the labels of the filter.
func (f Filter) labelled() *clause {
	c, labels := &clause{}, &clause{}
	if len(f.Labels) == 0 {
		return c
	}
	labels.in("label", f.Labels)
	term := "doc IN (SELECT doc FROM document_label WHERE " + labels.String() + ")"
	if f.inIndexOrder {
		term = "EXISTS (SELECT 1 FROM document_label WHERE document_label.doc = document.doc AND " + labels.String() + ")"
	}
	if slices.Contains(f.Labels, None) {
		term = "(labels = '[]' OR " + term + ")"
	}
	c.add(term, labels.args...)
	return c
}

// readyWhere is the condition of documents that can be begun. The first terms are for the
// indexes that lists go through. A claimed document is active and not open: no term asks for
// leases. Links of which there are none are not looked for.
func (e *engine) readyWhere(f Filter) string {
	ready := e.statuses(layout.Open) + ` AND NOT finished AND coalesce(deferred, 0) <= ?`
	if f.use.parents {
		ready += ` AND NOT EXISTS (SELECT 1 FROM open_child WHERE container = doc)`
	}
	if f.use.waits {
		ready += ` AND NOT EXISTS (SELECT 1 FROM waiting WHERE waiter = doc)`
	}
	return ready
}

// cannotBegin selects the documents that are deferred, have unfinished children or wait: open ones, and
// others.
func cannotBegin(f Filter) string {
	held := `SELECT doc FROM document WHERE deferred > ?`
	if f.use.parents {
		held += ` UNION ALL SELECT doc FROM (` + openContainers + `)`
	}
	if f.use.waits {
		held += ` UNION ALL SELECT waiter FROM waiting`
	}
	return held
}

// openContainers selects the documents with unfinished children, as the view open_child has them. It
// looks once for each parent that is named, and so takes less than the view where all documents are
// asked about.
const openContainers = `WITH named (fold) AS MATERIALIZED (
		SELECT DISTINCT parent_fold FROM document WHERE parent_fold <> '' AND NOT finished)
	SELECT t.doc FROM named CROSS JOIN document t ON t.id_fold = fold
	UNION ALL
	SELECT m.meant FROM named CROSS JOIN document c ON c.parent_fold = fold
		CROSS JOIN link_meant m ON m.source = c.doc AND m.kind = 'parent' AND m.target_fold = fold
	WHERE c.parent_fold <> '' AND NOT c.finished AND NOT EXISTS (SELECT 1 FROM document t WHERE t.id_fold = fold)`

// blockedWhere is the condition of documents that are not finished and wait.
func (e *engine) blockedWhere(f Filter) string {
	if !f.use.waits {
		return "false"
	}
	return e.unfinished() + ` AND NOT finished AND EXISTS (SELECT 1 FROM waiting WHERE waiter = doc)`
}

// closableWhere is the condition of unfinished documents whose children are all finished.
const closableWhere = `NOT finished AND EXISTS (SELECT 1 FROM link_target r WHERE r.meant = doc AND r.kind = 'parent')
	AND NOT EXISTS (SELECT 1 FROM open_child WHERE container = doc)`

// dependsOnOthers reports whether the filter asks for what other documents decide, and time.
func (f Filter) dependsOnOthers() bool { return f.Ready || f.Blocked || len(f.bound) > 0 }

// byOwnValues is the filter with statuses in place of what other documents decide. It lets
// all through that the filter does, and is counted at once.
func (e *engine) byOwnValues(f Filter) Filter {
	if f.Ready && len(f.Statuses) == 0 {
		f.Statuses = e.ws.Layout.Of(layout.Open)
	}
	f.Ready, f.Blocked, f.Under, f.ClaimedBy, f.Stale, f.Where, f.bound = false, false, "", "", false, AskedCriteria{}, nil
	return f
}

// tallied reports whether a tally alone can count what the filter lets through.
func (f Filter) tallied() bool {
	return !f.dependsOnOthers() && len(f.IDs) == 0 && len(f.Labels) == 0 &&
		f.Parent == "" && f.Boxes == "" && len(f.periods()) == 0
}

// tally is the smallest table that has the counts, by a field or none, of what a
// tallied filter lets through.
func (f Filter) tally(groupBy string) string {
	if f.Assignee != "" || f.MeantFor != "" || f.Project != "" || groupBy == "assignee" || groupBy == "project" {
		return "tally"
	}
	return "facet_tally"
}

// statuses is the condition that a document has a status of one of these categories.
func (e *engine) statuses(categories ...layout.Category) string {
	names := e.ws.Layout.Of(categories...)
	if len(names) == 1 {
		return "status = " + quoteSQL(names[0])
	}
	return "status IN (" + listSQL(names) + ")"
}

// unfinished is the condition that a document's status is not the end of its work.
func (e *engine) unfinished() string {
	return "status NOT IN (" + listSQL(e.ws.Layout.Of(layout.Done, layout.Cancelled)) + ")"
}

// listSQL writes texts as a list of literals.
func listSQL(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = quoteSQL(text)
	}
	return strings.Join(quoted, ", ")
}

func quoteSQL(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
