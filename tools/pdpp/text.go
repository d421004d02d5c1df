package pdpp

import (
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

// A warning says what the RS did otherwise than it was asked.
type warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// warnings returns a line for each of the first warnings.
func warnings(list []warning) (lines []string) {
	const most, mostBytes = 3, 160
	for i, w := range list {
		if i == most {
			return append(lines, fmt.Sprintf("and %d more warnings", len(list)-i))
		}
		lines = append(lines, words.CutBytes(strings.TrimSpace("Warning "+shown(w.Code)+": "+tools.Line(w.Message)),
			mostBytes))
	}
	return lines
}

// callOf writes out a call of a tool. The arguments come in pairs of name and value.
func callOf(tool string, arguments ...any) string {
	var object orderedjson.Object
	for i := 0; i+1 < len(arguments); i += 2 {
		object.Put(fmt.Sprint(arguments[i]), encode(arguments[i+1]))
	}
	return tool + " " + inLine(encode(object))
}

// again writes out the present call with changes; nil leaves an argument out.
func (c *call) again(changes map[string]any) string {
	var all []any
	given := c.args.Given()
	for key := range strings.FieldsSeq(c.tool.takes) {
		name := nameOf(strings.TrimSuffix(key, "!"))
		value, changed := changes[name]
		if !changed && given[name] != "" {
			value = json.RawMessage(given[name])
		}
		if value != nil {
			all = append(all, name, value)
		}
	}
	return callOf(c.tool.name, all...)
}

// fenced writes our own lines first and below them what others wrote: the fields of one
// line, then the longer texts one by one, all behind a mark that no line of theirs begins
// with. Nothing of ours follows, so no text can pass for a sentence of ours.
func fenced(lines []string, fields, texts []tools.TextField) (text string, mark answer.Mark) {
	if len(fields)+len(texts) == 0 {
		return strings.Join(lines, "\n"), ""
	}
	var below []string
	for _, f := range fields {
		below = append(below, shown(f.Name)+": "+f.Text)
	}
	all := slices.Concat(lines, below)
	for _, f := range texts {
		all = append(all, f.Text)
	}
	mark = answer.MarkFor(all...)
	if len(fields) > 0 {
		lines = append(append(lines, mark.Begin("data")), below...)
	}
	for _, f := range texts {
		lines = append(lines, mark.Begin(shown(f.Name)), f.Text)
	}
	return strings.Join(lines, "\n"), mark
}

// endsLine reports whether a reader may take a character for the end of a line.
func endsLine(r rune) bool {
	return r != '\t' && unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
}
