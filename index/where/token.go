package where

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A tokenKind is what a token is.
type tokenKind int

const (
	endToken tokenKind = iota
	wordToken
	stringToken // in quotes
	operatorToken
	openToken
	closeToken
	commaToken
)

// A token is a word, a sign or a text in quotes.
type token struct {
	kind   tokenKind
	text   string // of a text in quotes, what is in them
	raw    string // as typed
	column int    // from 1, in characters
	start  int    // in bytes

	// glued is set for a word that goes on in quotes: title:"a b". Its text then is
	// what the quotes hold, lead what stands before them.
	glued bool
	lead  string
}

// keywords are the words that are no values and not searched for, unless they are
// in quotes.
var keywords = []string{"and", "or", "not", "in", "sort", "empty"}

// is reports whether the token is this keyword.
func (t token) is(keyword string) bool {
	return t.kind == wordToken && !t.glued && strings.EqualFold(t.text, keyword)
}

// keyword reports whether the token is any keyword.
func (t token) keyword() bool {
	return slices.ContainsFunc(keywords, t.is)
}

// A lexer takes a text apart.
type lexer struct {
	text   string
	at     int // bytes
	column int
}

// lex returns the tokens of a text, the last of which is its end.
func lex(text string) ([]token, error) {
	l := lexer{text: text, column: 1}
	var tokens []token
	for {
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, t)
		if t.kind == endToken {
			return tokens, nil
		}
	}
}

// take moves past n bytes.
func (l *lexer) take(n int) string {
	taken := l.text[l.at : l.at+n]
	l.at += n
	l.column += utf8.RuneCountInString(taken)
	return taken
}

func (l *lexer) next() (token, error) {
	rest := strings.TrimLeftFunc(l.text[l.at:], unicode.IsSpace)
	l.take(len(l.text) - l.at - len(rest))
	start, t := l.at, token{column: l.column, start: l.at}
	var err error
	switch {
	case rest == "":
		return t, nil
	case operatorLength(rest) > 0:
		t.kind, t.text = operatorToken, l.take(operatorLength(rest))
	case rest[0] == '(':
		t.kind, t.text = openToken, l.take(1)
	case rest[0] == ')':
		t.kind, t.text = closeToken, l.take(1)
	case rest[0] == ',':
		t.kind, t.text = commaToken, l.take(1)
	case isQuote(rest):
		t.kind = stringToken
		t.text, err = l.quoted()
	default:
		t.kind = wordToken
		t.text = l.take(wordLength(rest))
		if isQuote(l.text[l.at:]) {
			t.glued, t.lead = true, t.text
			t.text, err = l.quoted()
		}
	}
	t.raw = l.text[start:l.at]
	return t, err
}

// operatorLength is how many bytes of an operator a text begins with.
func operatorLength(s string) int {
	for _, o := range []Operator{NotEqual, AtMost, AtLeast, Lacks, Equal, Less, Greater, Contains} {
		if strings.HasPrefix(s, string(o)) {
			return len(o)
		}
	}
	return 0
}

func isQuote(s string) bool { return s != "" && (s[0] == '"' || s[0] == '\'') }

// wordLength is how many bytes of a word a text begins with. A quote in a word is a
// character, but after a colon, or a minus at the beginning, it begins a text.
func wordLength(s string) int {
	for i, r := range s {
		switch {
		case unicode.IsSpace(r), strings.ContainsRune("(),", r), operatorLength(s[i:]) > 0:
			return i
		case isQuote(s[i:]) && i > 0 && (s[i-1] == ':' || s[:i] == "-"):
			return i
		}
	}
	return len(s)
}

// quoted takes a text in quotes, and returns what is in them.
func (l *lexer) quoted() (string, error) {
	opening, column := l.text[l.at], l.column
	rest := l.text[l.at+1:]
	var text strings.Builder
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == opening:
			l.take(i + 2)
			return text.String(), nil
		case c == '\\' && i+1 < len(rest) && (rest[i+1] == '\\' || isQuote(rest[i+1:])):
			i++
			text.WriteByte(rest[i])
		default:
			text.WriteByte(c)
		}
	}
	l.take(len(rest) + 1)
	return "", &SyntaxError{
		Column: l.column, Got: theEnd, Expected: string(opening) + " to close the quote of column " + strconv.Itoa(column),
	}
}
