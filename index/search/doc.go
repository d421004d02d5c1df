// Package search says what a search finds. It folds case, cuts text into the
// tokens that the index stores, reads the query language, decides whether a
// document matches, and turns a query into expressions for SQLite's FTS5.
//
// It knows nothing about SQL, files or documents beyond three strings: title,
// labels and body. Everything in it is a pure function of its arguments, the
// Vocabulary excepted, which is safe for concurrent use.
//
// Invariants, each held by a test:
//   - Match is the definition of a match. The rows of a Plan's expression are a
//     superset of the matches; when the Plan is Exact they are the matches.
//   - Feed(s) equals Feed(Fold(s)): how a rune is cut depends on its folded form
//     alone, never on its neighbours, so that any part of a text is cut at the
//     same places as the text.
//   - No input is an error, and FTS5 accepts every expression.
//
// The FTS5 table that the expressions are for has the columns body, title and
// labels, in this order. They are fed by Feed, the labels by FeedLines. With
// tokenize='ascii' the table only splits at the spaces that Feed put in.
package search
