// Package where is the language that says which documents are meant, and in which
// order: the same for commands, tools, views and pages. [Parse] reads it,
// [Compile] and [OrderBy] turn it into SQL.
//
//	status = open and priority >= high     fields and values
//	assignee = @me or assignee = empty     me, and no one
//	status in (open, in_progress)          one of several
//	labels = api and not labels != bug     has the label, has it not
//	title ~ cache                          contains
//	updated < -7d and created = 2026-01-02 days, here counted back from today
//	updated > -90m                         a time, here counted back from now
//	estimate > 3                           any key of the frontmatter
//	is:ready has:open-boxes under:ISS-1    predicates
//	mentions:ISS-1                         names it in its text
//	label:api parent:SPEC-000001           short for labels = api, parent = SPEC-000001
//	cache "goes before" -draft             a search, as package search reads it
//	is:ready sort priority desc, updated   an order, always at the end
//
// Terms that stand side by side must all hold, as with "and". "not" binds tighter
// than "and", "and" tighter than "or". Keywords, names of fields, and texts that are
// compared do not depend on letter case. A value that is not one plain word stands in
// quotes, single or double; a backslash takes a quote or a backslash literally. The
// words and, or, not, empty and sort are searched for in quotes.
//
// Names of fields are found in any spelling: due_date is dueDate. A field that every
// document has comes before a key of the frontmatter with its name.
//
// What a comparison means:
//   - != is the opposite of =, and !~ that of ~: documents without the field pass
//     both. They pass no other comparison, but "= empty".
//   - Statuses, priorities and types compare by their order. A value that is not
//     known there comes neither before nor after another. A document without one counts
//     as having the default, so that these fields are never empty.
//   - Times compare as instants. A value without a time of day is that whole day in the
//     zone of who asks; so is a time in a file that is midnight in UTC, which is how a
//     date alone is kept. Counts of days, weeks, months (mo) and years lead to a whole day:
//     -7d, +2w, -3mo. Counts of hours, minutes (m) and seconds lead to an instant: -90m.
//     Without a sign they count back, too, but only for the times that every document has:
//     elsewhere 3d is text.
//   - In other fields, a plain number compares with numbers, a plain date with times,
//     all else with text, letter by letter. In quotes they are text, too.
//   - A list has each of its items: = asks whether one of them is equal. An assignee is a
//     list of people, with commas.
//
// It knows the columns of the index's schema, but runs no SQL, and knows nothing about
// files or MCP. Invariants, each held by a test: parsing never panics, and takes time
// and depth that are bounded; what [Join] joins is read as the same tree; a condition
// is true or false for every document, never NULL.
package where
