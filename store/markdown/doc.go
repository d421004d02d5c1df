// Package markdown finds and edits parts of a Markdown text: the outline, the section under
// a heading, the boxes of task lists, a string, and what names other documents.
//
// It knows nothing about files or locks, and of frontmatter only where it ends. Its
// invariants: no text takes quadratic time; an edit changes the lines that it names and no
// other byte; several edits are applied all or not at all; what cannot be placed exactly is
// refused with what would be needed to place it; line endings and a missing final newline
// stay.
package markdown
