package tools

import (
	"encoding/json"
	"maps"
	"slices"

	"issues-index/store/words"
)

// wrappers are the names under which some clients send all arguments as one object, and
// filterWrappers those under which a model sends filters that stand on their own.
var (
	wrappers       = []string{"arguments", "args", "params", "parameters", "request", "input"}
	filterWrappers = []string{"filters", "filter", "where"}
)

// textWrapper is the one of filterWrappers that is a text where a tool has it. As an object it
// holds filters there, too.
const textWrapper = "where"

// reshape puts each argument where the tool has it. A tool that reads takes filters
// inside an object and outside of one, and every spelling that can only mean one thing.
func (a *Args) reshape() {
	a.unwrap(wrappers)
	if a.call.strict {
		a.rename()
		return
	}
	objects := a.call.tool.arguments().objects
	a.gather(objects)
	a.unwrap(filterWrappers)
	a.rename()
	for object, inner := range objects {
		a.rearrange(object, inner)
	}
}

// unwrap takes the arguments out of an object that is not itself an argument.
func (a *Args) unwrap(names []string) {
	for _, name := range names {
		if slices.Contains(a.known, name) && name != textWrapper || !a.Has(name) {
			continue
		}
		inner, ok := object(a.values[name])
		if !ok {
			continue
		}
		delete(a.values, name)
		for _, member := range keys(inner) {
			a.put(a.values, member, inner[member])
		}
	}
}

// gather moves filters that were sent under another name into the tool's own object for
// them, where that takes any field. What the tool takes beside that object is put there.
func (a *Args) gather(objects map[string][]string) {
	own := slices.IndexFunc(filterWrappers, func(name string) bool {
		return slices.Contains(a.known, name) && objects[name] == nil && name != textWrapper
	})
	if own < 0 {
		return
	}
	for _, name := range filterWrappers {
		sent, ok := object(a.values[name])
		if slices.Contains(a.known, name) || !ok {
			continue
		}
		fields := maps.Clone(sent)
		maps.DeleteFunc(fields, func(field string, _ json.RawMessage) bool { return slices.Contains(a.known, field) })
		maps.DeleteFunc(sent, func(field string, _ json.RawMessage) bool { return !slices.Contains(a.known, field) })
		for field, value := range sent {
			a.put(a.values, field, value)
		}
		delete(a.values, name)
		if len(fields) > 0 {
			if moved, err := json.Marshal(fields); err == nil { // what was sent as JSON has a JSON form
				a.put(a.values, filterWrappers[own], moved)
			}
		}
	}
}

// rename gives arguments that were sent under another name their own.
func (a *Args) rename() {
	for _, given := range keys(a.values) {
		if slices.Contains(a.known, given) {
			continue
		}
		if name := a.ownName(given, a.known); name != "" {
			value := a.values[given]
			delete(a.values, given)
			a.put(a.values, name, value)
		}
	}
}

// ownName is which of the names is meant by another spelling, "" when none is.
func (a *Args) ownName(given string, names []string) string {
	for _, name := range names {
		if !a.call.strict && words.Fold(name) == words.Fold(given) {
			return name
		}
	}
	return a.call.tool.otherName(given, names)
}

// otherName is which of the names has another one that was given, "" when none has.
func (t Tool) otherName(given string, names []string) string {
	for _, name := range names {
		for _, other := range t.Also[name] {
			if words.Fold(other) == words.Fold(given) {
				return name
			}
		}
	}
	return ""
}

// rearrange moves arguments that belong in an object into it, and those that stand in it
// but belong beside it out of it.
func (a *Args) rearrange(name string, inner []string) {
	members, ok := object(a.values[name])
	if !ok {
		return
	}
	members = maps.Clone(members)
	moved := false
	for _, given := range keys(members) {
		if slices.Contains(inner, given) || a.ownName(given, inner) != "" {
			continue
		}
		own := a.ownName(given, a.known)
		if slices.Contains(a.known, given) {
			own = given
		}
		if own != "" && own != name {
			a.put(a.values, own, members[given])
			delete(members, given)
			moved = true
		}
	}
	for _, given := range keys(a.values) {
		if slices.Contains(a.known, given) {
			continue
		}
		own := a.ownName(given, inner)
		if own == "" {
			continue
		}
		if members == nil {
			members = make(map[string]json.RawMessage)
		}
		a.put(members, own, a.values[given])
		delete(a.values, given)
		moved = true
	}
	if !moved {
		return
	}
	object, err := json.Marshal(members)
	if err != nil {
		return // what was sent as JSON has a JSON form
	}
	a.values[name] = object
}

// put sets an argument. One that says something else already is refused: neither can be
// taken for what is meant. Null says nothing.
func (a *Args) put(values map[string]json.RawMessage, name string, value json.RawMessage) {
	if string(value) == "null" {
		if _, given := values[name]; !given {
			values[name] = value
		}
		return
	}
	if old, given := values[name]; given && string(old) != "null" && canonical(old) != canonical(value) {
		a.Fail(Errorf(CodeValidation, "Argument %s is given twice, as %s and as %s.", Plain(name), kind(old), kind(value)).
			On(Plain(name)).Try("Pass it once."))
		return
	}
	values[name] = value
}
