package tools

import (
	"encoding/json"
	"slices"
	"strings"
)

// Strings returns a list of strings, nil when it is absent. A lone string is a
// list of one, and the text of a JSON list is that list. Blank ones are dropped.
func (a *Args) Strings(name string) []string {
	if !a.Has(name) {
		return nil
	}
	items, ok := list(a.values[name])
	if !ok {
		a.wrongList(name)
		return nil
	}
	return slices.DeleteFunc(items, func(text string) bool { return strings.TrimSpace(text) == "" })
}

// wrongList records which item of a list is no string.
func (a *Args) wrongList(name string) {
	var values []json.RawMessage
	if json.Unmarshal(a.values[name], &values) != nil {
		a.wrong(name, "a list of strings")
		return
	}
	for i, value := range values {
		if _, ok := scalar(value); !ok {
			a.Fail(Errorf(CodeValidation, "Invalid %s[%d]: got %s.", a.prefix+name, i, kind(value)).
				On(a.prefix + name).Try("Pass a list of strings."))
			return
		}
	}
}

// IDs returns a list of ids. The text `a,b` is two of them.
func (a *Args) IDs(name string) []string {
	if text, ok := scalar(a.values[name]); ok && a.Has(name) && !strings.HasPrefix(strings.TrimSpace(text), "[") {
		return splitIDs(text)
	}
	return a.Strings(name)
}

// splitIDs splits ids at commas, unless that would split a path that has one in it.
func splitIDs(text string) []string {
	parts := commaSeparated(text)
	for _, part := range parts {
		if strings.Contains(part, "/") && !strings.HasSuffix(strings.ToLower(part), ".md") {
			return []string{text}
		}
	}
	return parts
}

// RequiredIDs returns a list of ids that must hold between 1 and most.
func (a *Args) RequiredIDs(name string, most int) []string {
	items := a.IDs(name)
	switch {
	case len(items) == 0:
		a.Missing(name)
	case len(items) > most:
		a.tooMany(name, len(items), most)
	}
	return items
}

// Names is Strings for what cannot hold a comma: `a,b` is two of them, each
// without the space around it.
func (a *Args) Names(name string) []string {
	items := a.Strings(name)
	if items == nil {
		return nil
	}
	names := []string{}
	for _, item := range items {
		names = append(names, commaSeparated(item)...)
	}
	return names
}

// Elements returns the elements of a list as they were sent, none when it is absent. A lone
// value is a list of one, and the text of a JSON list is that list.
func (a *Args) Elements(name string) []json.RawMessage {
	if !a.Has(name) {
		return nil
	}
	if list, ok := elements(a.values[name]); ok {
		return list
	}
	return []json.RawMessage{a.values[name]}
}

// elements returns the elements of a JSON list or of the text of one.
func elements(raw json.RawMessage) (list []json.RawMessage, ok bool) {
	if json.Unmarshal(raw, &list) == nil {
		return list, true
	}
	var text string
	return list, json.Unmarshal(raw, &text) == nil && json.Unmarshal([]byte(text), &list) == nil
}

func commaSeparated(text string) []string {
	var names []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			names = append(names, part)
		}
	}
	return names
}

// list returns the strings of a JSON list, of the text of one, or a lone one.
func list(raw json.RawMessage) ([]string, bool) {
	if text, ok := scalar(raw); ok {
		if inner := strings.TrimSpace(text); strings.HasPrefix(inner, "[") && raw[0] == '"' {
			if items, ok := list(json.RawMessage(inner)); ok {
				return items, true
			}
		}
		return []string{text}, true
	}
	var values []json.RawMessage
	if json.Unmarshal(raw, &values) != nil {
		return nil, false
	}
	items := make([]string, 0, len(values))
	for _, value := range values {
		text, ok := scalar(value)
		if !ok {
			return nil, false
		}
		items = append(items, text)
	}
	return items, true
}
