package db

import (
	"fmt"
	"slices"
	"strings"

	"issues-index/store/pattern"
)

// A RawError refuses a person's own query, since it does more than read.
type RawError struct{ Reason string }

func (e *RawError) Error() string { return "the query is refused: " + e.Reason }

var (
	// readingStatements are the words that a statement which only reads may begin
	// with. A statement that begins with WITH may still write: the read-only file stops it.
	readingStatements = []string{"SELECT", "WITH", "VALUES", "EXPLAIN", "PRAGMA"}
	// readingPragmas change nothing, whatever is in their brackets.
	readingPragmas = []string{
		"table_list", "table_info", "table_xinfo", "index_list", "index_info", "index_xinfo",
		"database_list", "function_list", "compile_options", "page_count", "freelist_count", "integrity_check", "quick_check",
	}
)

// sqlToken is a byte order mark, which counts as a blank, a comment, a quoted text, a word or a
// sign. What is not closed ends with the query.
var sqlToken = pattern.Lazy("(?s)\ufeff|--[^\n]*|/\\*.*?(?:\\*/|$)" +
	"|'(?:[^']|'')*'?|\"(?:[^\"]|\"\")*\"?|`(?:[^`]|``)*`?|\\[[^]]*]?|[\\w$[:^ascii:]]+|\\S")

// readsOnly refuses what is not one statement that reads. It only has to be right
// about where words and statements end: SQLite refuses what is no SQL, and the
// file cannot be written to in any case.
func readsOnly(query string) error {
	words := slices.DeleteFunc(sqlToken().FindAllString(query, -1), func(token string) bool {
		return token == "\ufeff" || strings.HasPrefix(token, "--") || strings.HasPrefix(token, "/*")
	})
	for len(words) > 0 && words[0] == ";" {
		words = words[1:]
	}
	for len(words) > 0 && words[len(words)-1] == ";" {
		words = words[:len(words)-1]
	}
	switch {
	case strings.Contains(query, "\x00"):
		return &RawError{"it has a NUL byte"}
	case slices.Contains(words, ";"):
		return &RawError{"it is more than one statement"}
	case len(words) == 0:
		return &RawError{"it is empty"}
	}
	first := strings.ToUpper(words[0])
	if !slices.Contains(readingStatements, first) {
		return &RawError{fmt.Sprintf("it begins with %.20s; what reads begins with %s",
			first, strings.Join(readingStatements, ", "))}
	}
	if first == "PRAGMA" {
		return readingPragma(words[1:])
	}
	return nil
}

// readingPragma refuses a PRAGMA that is not known to read only. words are those
// after the first: a name, perhaps with its schema and a dot before it.
func readingPragma(words []string) error {
	if len(words) > 2 && words[1] == "." {
		words = words[2:]
	}
	if len(words) == 0 || !slices.Contains(readingPragmas, strings.ToLower(words[0])) || slices.Contains(words, "=") {
		return &RawError{"of PRAGMA only these are run, without =: " + strings.Join(readingPragmas, ", ")}
	}
	return nil
}
