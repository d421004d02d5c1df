package pdpp

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"issues-index/store/pattern"
	"issues-index/tools"
)

// Names, ids and keys are what others chose, and an answer shows them among its own
// words. So each is shown as one word: whatever could end that word or the line, or is
// not to be seen, stands as JSON escapes it, as in My\u0020Label. Tools take a name in
// this form and as it is.

// escapes finds what may be an escape: a run of them is read at once, since a character
// may be of two.
var escapes = pattern.Lazy(`(?:\\u[0-9a-fA-F]{4})+`)

// escaped is a name as an answer shows it.
func escaped(name string) string {
	name = escapes().ReplaceAllStringFunc(name, func(run string) string { return strings.ReplaceAll(run, `\`, `\u005c`) })
	return escape(name, func(r rune) bool { return unicode.IsSpace(r) || unseen(r) })
}

// escape writes some characters as JSON escapes them.
func escape(text string, some func(rune) bool) string {
	if !strings.ContainsFunc(text, some) {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if !some(r) {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.String()
}

// unseen reports whether a character ends a line, controls what shows it or is not shown.
func unseen(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' ||
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point)
}

// unescaped is a name as the resource server has it.
func unescaped(name string) string {
	return escapes().ReplaceAllStringFunc(name, func(run string) string {
		var text string
		if json.Unmarshal([]byte(`"`+run+`"`), &text) != nil { // it is JSON by its form
			return run
		}
		return text
	})
}

// escapedAll are names as an answer shows them.
func escapedAll(names []string) []string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = escaped(name)
	}
	return shown
}

// inLine is JSON that stays on its line.
func inLine(raw json.RawMessage) string {
	return escape(compact(raw), unseen)
}

// plainWord finds a value that can be taken for nothing but one word.
var plainWord = pattern.Lazy(`^[\p{L}\p{N}_.+:/@-]+$`)

// leading is a value of a record where a line begins with it: as it is when that is one
// word, and else in quotation marks.
func leading(raw json.RawMessage, limit int) string {
	text, isText := textOf(raw)
	if !isText {
		return shorten(inLine(raw), limit)
	}
	if plainWord().MatchString(text) {
		return shorten(text, limit)
	}
	return escape(string(encode(shorten(text, limit))), unseen)
}

// givenName is an argument that is a name.
func givenName(args *tools.Args, argument string) string { return unescaped(args.String(argument)) }

// givenNames is an argument that is a list of names, nil when it is absent.
func givenNames(args *tools.Args, argument string) []string {
	list := slices.Clone(args.Names(argument))
	for i := range list {
		list[i] = unescaped(list[i])
	}
	return list
}

// putNames puts arguments that are names into a query.
func putNames(args *tools.Args, query url.Values, arguments ...string) {
	for _, argument := range arguments {
		if text := givenName(args, argument); text != "" {
			query.Set(argument, text)
		}
	}
}

// maxQuoted bounds what is quoted in a sentence, in bytes.
const maxQuoted = 80

// quote is a name, or another text of others, in a sentence of ours.
func quote(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	return "'" + shorten(escape(text, unseen), maxQuoted) + "'"
}
