package pdpp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"issues-index/store/orderedjson"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// maxSummary bounds the text of a page, in bytes: the text is for finding a record;
// structured output and fetch are for reading it.
const maxSummary = 1780

// The least and the most that a row of a summary has beside its id, in bytes.
const (
	leastPreview = 48
	mostPreview  = 320
)

// A preview is a row in a summary: its id, which is never cut, and what it says. A row
// without an id cannot be fetched.
type preview struct {
	id, text string
}

func (p preview) name() string { return cmp.Or(p.id, "(no id)") }

func (p preview) line() string { return strings.TrimSpace(p.name() + " " + p.text) }

// summarize writes the head and a line for each row. It keeps to maxSummary, for which it
// cuts previews and then leaves out rows at the end, unless all ids are wanted. The last
// line tells what is missing and, with shorter, given the number of ids that fit, how to
// get it. summarize returns how many rows it left out.
func summarize(head []string, rows []preview, first string, allIDs bool, shorter func(fit int) string) (text string, hidden int) {
	lines := slices.Clone(head)
	room := maxSummary - len(strings.Join(head, "\n"))
	tail := "Previews are cut; structured output has the records."
	if first != "" {
		tail = "Previews are cut; " + callOf("fetch", "id", first) + " reads a record whole."
	}
	shown, ids := len(rows), 0
	for _, row := range rows {
		ids += len(row.name()) + 1
	}
	for shown > 1 && !allIDs && ids+1+len(tail) > room {
		shown--
		ids -= len(rows[shown].name()) + 1
		tail = fmt.Sprintf("%d more ids of this page are left out here: %s", len(rows)-shown, shorter(shown))
	}
	left := room - 1 - len(tail) - ids
	cut := shown < len(rows)
	for i, row := range rows[:shown] {
		share := min(mostPreview, max(leastPreview, left/(shown-i)))
		text := ""
		if row.text != "" && left > share {
			text = " " + words.CutBytes(row.text, share-1)
		}
		cut = cut || strings.TrimSpace(text) != row.text
		left -= len(text)
		lines = append(lines, row.name()+text)
	}
	if cut {
		lines = append(lines, tail)
	}
	return strings.Join(lines, "\n"), len(rows) - shown
}

// A warning says what the RS did otherwise than it was asked.
type warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// UnmarshalJSON reads a warning, or the text of one.
func (w *warning) UnmarshalJSON(raw []byte) error {
	type plain warning
	readTextOr(raw, &w.Message, (*plain)(w))
	if w.Code == "" && w.Message == "" {
		w.Message = compact(raw)
	}
	return nil
}

// warnings returns a line for each of the first warnings.
func warnings(list []warning) (lines []string) {
	const most, mostBytes = 3, 160
	for i, w := range list {
		if i == most {
			return append(lines, fmt.Sprintf("and %d more warnings", len(list)-i))
		}
		line := "Warning"
		if w.Code != "" {
			line += " " + shownWord(w.Code)
		}
		lines = append(lines, strings.TrimSpace(line+": "+words.CutBytes(tools.Line(w.Message), mostBytes)))
	}
	return lines
}

// someOf names the first few of a list.
func someOf(names []string) string {
	const most, mostBytes = 8, 200
	text := words.CutBytes(strings.Join(escapedAll(names[:min(most, len(names))]), ", "), mostBytes)
	return text + words.AndMore(len(names)-most)
}

// callOf writes out a call of a tool. The arguments come in pairs of name and value.
func callOf(tool string, arguments ...any) string {
	var object orderedjson.Object
	for i := 0; i+1 < len(arguments); i += 2 {
		object.Put(fmt.Sprint(arguments[i]), encode(arguments[i+1]))
	}
	return tool + " " + inLine(encode(object))
}

// maxCall bounds a call that a text writes out, in bytes. Of a longer one it writes only
// what changes: the caller has just sent the rest.
const maxCall = 700

// nextCall writes out the present call with changes, which come in pairs of name and
// value; nil leaves an argument out.
func nextCall(tool string, args *tools.Args, changes ...any) string {
	given := args.Given()
	for i := 0; i+1 < len(changes); i += 2 {
		name := fmt.Sprint(changes[i])
		delete(given, name)
		if changes[i+1] != nil {
			given[name] = string(encode(changes[i+1]))
		}
	}
	var all, changed []any
	for _, name := range []string{
		"stream", "q", "id", "metric", "field", "streams", "mode", "limit", "count", "order", "sort", "filter", "fields",
		"view", "expand", "expand_limit", "changes_since", "connection_id", "cursor",
	} {
		if value, ok := given[name]; ok {
			all = append(all, name, json.RawMessage(value))
			if slices.Contains(changes, any(name)) {
				changed = append(changed, name, json.RawMessage(value))
			}
		}
	}
	if call := callOf(tool, all...); len(call) <= maxCall {
		return call
	}
	return callOf(tool+" with the same arguments and", changed...)
}

// fenced writes our own lines first and below them what others wrote: the fields of one
// line, then the longer texts one by one, all behind a mark that no line of theirs begins
// with. Nothing of ours follows, so no text can pass for a sentence of ours.
func fenced(lines []string, fields, texts []tools.TextField) (text string, mark answer.Mark) {
	if len(fields)+len(texts) == 0 {
		return strings.Join(lines, "\n"), ""
	}
	below := make([]string, len(fields))
	for i, f := range fields {
		below[i] = escaped(f.Name) + ": " + f.Text
	}
	shown := slices.Concat(lines, below)
	for _, f := range texts {
		shown = append(shown, f.Text)
	}
	mark = answer.MarkFor(shown...)
	written := slices.Clone(lines)
	if len(fields) > 0 {
		written = append(append(written, mark.Begin("data")), below...)
	}
	for _, f := range texts {
		written = append(written, mark.Begin(escaped(f.Name)), f.Text)
	}
	return strings.Join(written, "\n"), mark
}

// endsLine reports whether a reader may take a character for the end of a line.
func endsLine(r rune) bool {
	return r != '\t' && unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
}
