package tools

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"issues-index/store/words"
)

// mostUnknown is the most unknown arguments that a note names.
const mostUnknown = 5

// rename gives arguments that were sent under another name their own.
func (a *Args) rename() {
	for _, given := range keys(a.values) {
		if slices.Contains(a.known, given) {
			continue
		}
		if name := a.ownName(given, a.known); name != "" {
			value := a.values[given]
			delete(a.values, given)
			a.put(name, value)
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
func (t Tool) otherName(given string, names []string) string { return named(given, names, t.Also) }

// named returns which of the names has this other one, "" when none has.
func named(given string, names []string, others map[string][]string) string {
	for _, name := range names {
		for _, other := range others[name] {
			if words.Fold(other) == words.Fold(given) {
				return name
			}
		}
	}
	return ""
}

// put sets an argument. One that says something else already is refused: neither can be
// taken for what is meant. Null says nothing.
func (a *Args) put(name string, value json.RawMessage) {
	switch old := a.values[name]; {
	case !a.Has(name):
		a.values[name] = value
	case string(value) != "null" && canonical(old) != canonical(value):
		a.Fail(Errorf(CodeValidation, "Argument %s is given twice, as %s and as %s.", Plain(name), kind(old), kind(value)).
			On(Plain(name)).Try("Pass it once."))
	}
}

// rejectUnknown refuses the arguments that a tool does not have which writes or is strict. A
// tool that reads refuses those that it has in another place, and ignores the others: the answer
// says so and what to pass instead.
func (a *Args) rejectUnknown() {
	for _, name := range keys(a.values) {
		if slices.Contains(a.known, name) {
			continue
		}
		full := a.prefix + name
		place := ""
		if a.Has(name) {
			place = a.place(name)
		}
		if !a.call.strict && place == "" {
			if !a.asksForNothing(name) {
				a.call.unknown = append(a.call.unknown, Plain(full)+a.insteadOfIgnored(name))
			}
			continue
		}
		a.call.unknown = append(a.call.unknown, Plain(full))
		e, next := a.refused(full), cmp.Or(a.instead(name), place)
		if next == "" {
			e.Message += a.didYouMean(name)
			next = a.call.usage
		}
		a.Fail(e.Try("%s", next))
	}
}

// place says where the tool has an argument that it does not have here, or the members of one,
// "" when it has them nowhere.
func (a *Args) place(name string) string {
	in := a.call.tool.arguments()
	if outer := a.knownAs(name, in.names); outer != "" && a.prefix != "" {
		return "Pass " + outer + " beside " + strings.TrimSuffix(a.prefix, ".") + "."
	}
	for _, object := range slices.Sorted(maps.Keys(in.objects)) {
		if inner := a.knownAs(name, in.objects[object]); inner != "" && a.prefix == "" {
			return "It belongs in " + object + ": pass " + object + ": {" + inner + ": …}."
		}
	}
	members, _ := object(a.values[name])
	for member := range members {
		if a.knownAs(member, a.known) != "" {
			return "Pass what is in it beside the other arguments. " + a.call.usage
		}
	}
	return ""
}

// knownAs is which of the names was given, in its own or another spelling, "" for none.
func (a *Args) knownAs(given string, names []string) string {
	if slices.Contains(names, given) {
		return given
	}
	return a.ownName(given, names)
}

// allUnknown names the first of the unknown arguments.
func (s *argState) allUnknown() string {
	shown := s.unknown[:min(len(s.unknown), mostUnknown)]
	return strings.Join(shown, ", ") + words.AndMore(len(s.unknown)-len(shown))
}

// insteadOfIgnored says in parentheses what to do instead of passing an argument that is
// ignored: what the tool says, or the argument that it resembles.
func (a *Args) insteadOfIgnored(name string) string {
	if instead := a.instead(name); instead != "" {
		return " (" + strings.TrimSuffix(instead, ".") + ")"
	}
	if near := words.Nearest(name, a.known); near != "" {
		return " (did you mean " + a.prefix + near + "?)"
	}
	return ""
}

// asksForNothing reports whether a read is the same without the argument, such as an
// offset of 0.
func (a *Args) asksForNothing(name string) bool {
	return !a.Has(name) || words.Fold(name) == "offset" && string(a.values[name]) == "0"
}

// refused returns the error for an argument that the tool does not have.
func (a *Args) refused(full string) *Error {
	e := Errorf(CodeValidation, "Unknown argument %s.", Quote(full)).On(Plain(full))
	if !a.call.tool.ReadOnly {
		e.Message = strings.TrimSuffix(e.Message, ".") + ", nothing was changed."
	}
	return e
}

// instead is what the tool says to pass instead of an argument, "" when it says nothing.
func (a *Args) instead(name string) string {
	for other, advice := range a.call.tool.Instead {
		if words.Fold(other) == words.Fold(name) {
			return advice
		}
	}
	return ""
}

// didYouMean asks whether a similar argument was meant, "" when there is none.
func (a *Args) didYouMean(name string) string {
	near := cmp.Or(named(name, a.known, a.call.tool.Meant), words.Nearest(name, a.known))
	if near == "" {
		return ""
	}
	return " Did you mean " + a.prefix + near + "?"
}
