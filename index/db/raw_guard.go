package db

import (
	"fmt"
	"slices"
	"strings"
)

// A RawError refuses a person's own query, since it does more than read.
type RawError struct{ Reason string }

func (e *RawError) Error() string { return "the query is refused: " + e.Reason }

var (
	// readingStatements are the words that a statement which only reads may begin
	// with. One that begins with WITH may still write: the read-only file stops it.
	readingStatements = []string{"SELECT", "WITH", "VALUES", "EXPLAIN", "PRAGMA"}
	// readingPragmas change nothing, whatever is in their brackets.
	readingPragmas = []string{
		"table_list", "table_info", "table_xinfo", "index_list", "index_info", "index_xinfo",
		"database_list", "function_list", "compile_options", "page_count", "freelist_count", "integrity_check", "quick_check",
	}
)

// readsOnly refuses what is not one statement that reads. It only has to be right
// about where words and statements end: SQLite refuses what is no SQL, and the
// file cannot be written to in any case.
func readsOnly(query string) error {
	if strings.IndexByte(query, 0) >= 0 {
		return &RawError{"it has a NUL byte"}
	}
	var words []string // the first ones, punctuation among them
	ended := false
	for rest := query; ; {
		token, tail := nextToken(rest)
		if token == "" {
			break
		}
		rest = tail
		switch {
		case token == ";":
			ended = ended || len(words) > 0
		case ended:
			return &RawError{"it is more than one statement"}
		default:
			words = append(words, token)
		}
	}
	if len(words) == 0 {
		return &RawError{"it is empty"}
	}
	first := strings.ToUpper(words[0])
	if !slices.Contains(readingStatements, first) {
		return &RawError{fmt.Sprintf("it begins with %s; what reads begins with %s",
			shortWord(words[0]), strings.Join(readingStatements, ", "))}
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

// nextToken cuts the next word, quoted text or punctuation off, without the blanks
// and comments before it; "" at the end.
func nextToken(s string) (token, rest string) {
	for {
		s = strings.TrimLeft(s, " \t\r\n\f\ufeff")
		switch {
		case strings.HasPrefix(s, "--"):
			_, s, _ = strings.Cut(s, "\n")
			continue
		case strings.HasPrefix(s, "/*"):
			_, s, _ = strings.Cut(s[2:], "*/")
			continue
		case s == "":
			return "", ""
		}
		break
	}
	end := 1
	switch c := s[0]; {
	case c == '\'' || c == '"' || c == '`' || c == '[':
		end = quoteEnd(s)
	case wordByte(c):
		for end < len(s) && wordByte(s[end]) {
			end++
		}
	}
	return s[:end], s[end:]
}

// quoteEnd is where the quoted text that s begins with ends. A quote that stands
// there twice is a part of it, but for brackets.
func quoteEnd(s string) int {
	quote := s[0]
	if quote == '[' {
		quote = ']'
	}
	for i := 1; i < len(s); i++ {
		if s[i] != quote {
			continue
		}
		if quote != ']' && i+1 < len(s) && s[i+1] == quote {
			i++
			continue
		}
		return i + 1
	}
	return len(s)
}

func wordByte(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// shortWord is a word for a message.
func shortWord(word string) string {
	const most = 20
	word = strings.ToValidUTF8(word, "")
	if len(word) > most {
		word = strings.ToValidUTF8(word[:most], "") + "…"
	}
	return strings.ToUpper(word)
}
