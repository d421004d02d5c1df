package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// What an answer shows of a session at most: entries of a list and, in bytes, an
// entry or other line, a paragraph and the variables.
const (
	maxList      = 20
	maxLine      = 100
	maxParagraph = 1500
	maxVariables = 1500
)

// The files of a session that have what an answer leaves out.
const (
	contextFile    = "context.json"
	checkpointFile = "checkpoint.json"
)

// fileOf is where a session's file is, relative to the workspace.
func fileOf(id, name string) string { return path.Join(".wrangler/sessions", id, name) }

// bounds cuts what is too long for an answer, and remembers what it cut.
type bounds struct{ cuts []string }

func (b *bounds) list(name string, list []string) []string {
	shown := []string{}
	shortened := false
	for _, entry := range list[:min(len(list), maxList)] {
		line := strings.Join(strings.Fields(entry), " ")
		shortened = shortened || len(line) > maxLine
		shown = append(shown, cut(line, maxLine))
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

// variables keeps the members of an object that fit, in their order. What is no
// object is left out: it is shown as it is in the file.
func (b *bounds) variables(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if opening, err := decoder.Token(); err != nil || opening != json.Delim('{') {
		b.cuts = append(b.cuts, "variables are no object and left out")
		return nil
	}
	shown := []byte{'{'}
	total, left := 0, 0
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
		if err != nil || len(shown)+len(member) > maxVariables {
			left++
			continue
		}
		if len(shown) > 1 {
			shown = append(shown, ',')
		}
		shown = append(shown, member[1:len(member)-1]...)
	}
	if left > 0 {
		b.cuts = append(b.cuts, fmt.Sprintf("variables shows %d of %d keys (%d bytes)", total-left, total, len(raw)))
	}
	return append(shown, '}')
}

// note says what was cut and where it can be read whole, "" when nothing was.
func (b *bounds) note(file string) string {
	if len(b.cuts) == 0 {
		return ""
	}
	return strings.Join(b.cuts, ", ") + ". " + file + " has all of it."
}

// cut shortens a text to a number of bytes, an ellipsis included, between runes.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit - len("…")
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

func commas(list []string) string { return strings.Join(list, ", ") }
