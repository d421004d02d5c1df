package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path"
	"strings"
	"unicode/utf8"

	"issues-index/tools"
)

// limits are what an answer shows of a session at most: entries of a list and,
// in bytes, an entry or other line, a path, a paragraph and the variables.
type limits struct{ list, line, path, paragraph, variables int }

// levels are the limits that an answer is tried with in turn. The first are none.
var levels = []limits{
	{math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt},
	{20, 100, 400, 1500, 1500},
	{10, 80, 400, 800, 800},
	{5, 60, 300, 400, 300},
	{3, 40, 200, 150, 100},
	{1, 30, 200, 80, 0},
	{0, 20, 150, 40, 0},
	{0, 16, 24, 30, 0},
}

// lastLevel is the one that shows the least.
var lastLevel = len(levels) - 1

// maxNamed bounds the variables that are named when they are left out.
const maxNamed = 3

// The files of a session that have what an answer leaves out.
const (
	contextFile    = "context.json"
	checkpointFile = "checkpoint.json"
)

// fileOf is where a session's file is, relative to the workspace.
func fileOf(id, name string) string { return path.Join(".wrangler/sessions", id, name) }

// bounds cuts what is too long for an answer, and remembers what it cut.
type bounds struct {
	limits
	cuts []string
}

func (b *bounds) entries(name string, list []string) []string {
	shown := []string{}
	shortened := false
	for _, entry := range list[:min(len(list), b.list)] {
		line := oneLine(entry)
		shortened = shortened || len(line) > b.line
		shown = append(shown, cut(line, b.line))
	}
	switch left := len(list) - len(shown); {
	case left > 0:
		b.cuts = append(b.cuts, fmt.Sprintf("%s shows %d of %d", name, len(shown), len(list)))
	case shortened:
		b.cuts = append(b.cuts, name+" has long entries cut")
	}
	return shown
}

func (b *bounds) text(name, text string, limit int) string {
	if len(text) > limit {
		b.cuts = append(b.cuts, fmt.Sprintf("%s is cut to %d of %d bytes", name, limit, len(text)))
	}
	return cut(text, limit)
}

// members keeps the members of an object that fit, in their order. What is no
// object is left out: it is shown as it is in the file.
func (b *bounds) members(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if opening, err := decoder.Token(); err != nil || opening != json.Delim('{') {
		b.cuts = append(b.cuts, "variables are no object and left out")
		return nil
	}
	shown := []byte{'{'}
	total := 0
	var left []string
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			break
		}
		member, err := json.Marshal(map[string]json.RawMessage{fmt.Sprint(name): value})
		total++
		if err != nil || len(shown)+len(member) > b.variables {
			left = append(left, fmt.Sprint(name))
			continue
		}
		if len(shown) > 1 {
			shown = append(shown, ',')
		}
		shown = append(shown, member[1:len(member)-1]...)
	}
	if len(left) > 0 {
		b.cuts = append(b.cuts, fmt.Sprintf("variables shows %d of %d keys (%d bytes), not %s",
			total-len(left), total, len(raw), b.some(left)))
	}
	return append(shown, '}')
}

// some names the first of many.
func (b *bounds) some(names []string) string {
	shown := names[:min(len(names), maxNamed)]
	for i, name := range shown {
		shown[i] = tools.Plain(cut(name, b.line))
	}
	if left := len(names) - len(shown); left > 0 {
		return fmt.Sprintf("%s and %d more", commas(shown), left)
	}
	return commas(shown)
}

// note says what was cut and where it can be read whole, "" when nothing was.
func (b *bounds) note(file string) string {
	switch {
	case len(b.cuts) == 0:
		return ""
	case b.list == 0: // there is no room to say what
		return "Cut to fit: " + file + " has all of it."
	}
	return strings.Join(b.cuts, ", ") + ". " + file + " has all of it."
}

// cut shortens a text to a number of bytes, an ellipsis included, between runes.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := max(0, limit-len("…"))
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

func commas(list []string) string { return strings.Join(list, ", ") }
