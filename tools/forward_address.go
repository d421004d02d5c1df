package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"issues-index/store/mirror"
	"issues-index/store/orderedjson"
)

// addressed returns the line that a call is about, by the workspace that it names or by its
// ids, and the arguments as they are there. usual is the line of a call that names none, "" for
// none.
func addressed(t Tool, lines []mirror.Branch, workspace, usual string,
	values map[string]json.RawMessage) (line mirror.Branch, arguments map[string]json.RawMessage, err error) {
	found := &addresses{tool: t, lines: lines, named: map[mirror.Branch]bool{}}
	if workspace != "" {
		l, ok := mirror.ParseBranch(workspace)
		if !ok || !slices.Contains(lines, l) {
			return line, nil, Errorf(CodeNotFound, "This server has no workspace %s.", Quote(workspace)).On(workspaceArgument).
				Try("Pass one of these:").Among(lineNames(lines)...)
		}
		found.named[l] = true
	}
	arguments = maps.Clone(values)
	for name, value := range arguments {
		arguments[name] = found.strip(name, value)
	}
	if l, ok := mirror.ParseBranch(usual); ok && len(found.named) == 0 {
		found.named[l] = true
	}
	switch {
	case len(found.named) > 1:
		return line, nil, Errorf(CodeValidation, "The call is about several workspaces: %s; nothing was changed.",
			strings.Join(lineNames(slices.Collect(maps.Keys(found.named))), ", ")).
			Try("Make a call for each of them.")
	case len(found.named) == 0 && len(lines) == 1:
		return lines[0], arguments, nil
	case len(found.named) == 0:
		return line, nil, Errorf(CodeMissingField, "workspace is missing: this server has several.").On(workspaceArgument).
			Try("Pass one of these, or ids as they are listed, such as %s:ISS-000041:", lineNames(lines)[0]).
			Among(lineNames(lines)...)
	}
	for l := range found.named {
		line = l
	}
	return line, arguments, nil
}

func lineNames(lines []mirror.Branch) []string {
	names := make([]string, 0, len(lines)+1)
	for _, l := range lines {
		names = append(names, l.String())
	}
	slices.Sort(names)
	return names
}

// The addresses are the lines that the ids of a call name.
type addresses struct {
	tool  Tool
	lines []mirror.Branch
	named map[mirror.Branch]bool
}

// strip takes the lines off the ids in an argument, or in the member of one, and notes them. Any
// other value stays as it is, byte for byte: it is the user's own.
func (a *addresses) strip(name string, value json.RawMessage) json.RawMessage {
	var members []string // that are ids, or have some
	for _, id := range a.tool.IDs {
		if member, ok := strings.CutPrefix(id, name+"."); ok {
			members = append(members, member)
		}
	}
	isID := slices.Contains(a.tool.IDs, name)
	var text string
	var list []json.RawMessage
	var changed any
	switch {
	case !isID && members == nil:
		return value
	case json.Unmarshal(value, &text) == nil && isID:
		ids := strings.Split(text, ",")
		for i, id := range ids {
			ids[i] = a.local(id)
		}
		if local := strings.Join(ids, ","); local != text {
			changed = local
		}
	case json.Unmarshal(value, &text) == nil: // some clients send an object as a text
		if inner := a.strip(name, json.RawMessage(text)); string(inner) != text {
			changed = inner
		}
	case json.Unmarshal(value, &list) == nil:
		for i, item := range list {
			if list[i] = a.strip(name, item); !bytes.Equal(list[i], item) {
				changed = list
			}
		}
	case !isID:
		object, err := orderedjson.Parse(value)
		if err != nil {
			return value
		}
		for i, m := range object {
			member := cmp.Or(a.tool.otherName(m.Name, members), m.Name)
			if object[i].Value = a.strip(name+"."+member, m.Value); !bytes.Equal(object[i].Value, m.Value) {
				changed = object
			}
		}
	}
	if changed == nil {
		return value
	}
	data, err := orderedjson.Marshal(changed)
	if err != nil { // what was sent as JSON has a JSON form
		return value
	}
	return data
}

// local returns an id, or a path, as it is in its workspace.
func (a *addresses) local(id string) string {
	trimmed := strings.TrimSpace(id)
	i := strings.IndexAny(trimmed, ":/")
	if i < 0 {
		return id
	}
	l, ok := mirror.ParseBranch(trimmed[:i])
	if !ok || !slices.Contains(a.lines, l) {
		return id
	}
	a.named[l] = true
	return trimmed[i+1:]
}
