package tools

import (
	"slices"
	"strings"

	"issues-index/store/words"
)

// mostTakers is the most tools that a note about an unknown argument names, and mostUnknown
// the most such arguments.
const (
	mostTakers  = 3
	mostUnknown = 5
)

// argumentTakers has the tools that take an argument, by its name as words.Fold folds it.
// Tools that read come first.
type argumentTakers map[string][]string

// takersOf returns what the tools of these toolsets take.
func takersOf(sets []Toolset) argumentTakers {
	v := make(argumentTakers)
	for _, readOnly := range []bool{true, false} {
		for _, set := range sets {
			for _, t := range set.Tools {
				if t.ReadOnly == readOnly {
					v.add(t)
				}
			}
		}
	}
	return v
}

// add adds the arguments of a tool: those of its schema, those in the objects of its
// schema, and the other names that it takes for them.
func (v argumentTakers) add(t Tool) {
	in := t.arguments()
	names := slices.Clone(in.names)
	for _, inner := range in.objects {
		names = append(names, inner...)
	}
	names = append(names, t.Takes...)
	for _, others := range []map[string][]string{t.Also, t.Meant} {
		for name, list := range others {
			if slices.Contains(names, name) {
				names = append(names, list...)
			}
		}
	}
	for _, name := range names {
		if name == workspaceArgument { // no harm where it says nothing
			continue
		}
		if key := words.Fold(name); !slices.Contains(v[key], t.Name) {
			v[key] = append(v[key], t.Name)
		}
	}
}

// takers returns the other tools that take an argument of this name.
func (v argumentTakers) takers(tool, name string) []string {
	return slices.DeleteFunc(slices.Clone(v[words.Fold(name)]), func(other string) bool { return other == tool })
}

// rejectUnknown refuses the arguments that a tool does not have which writes or is strict. A
// tool that reads ignores them, and the answer says so and what to pass instead.
func (a *Args) rejectUnknown() {
	for _, name := range keys(a.values) {
		if slices.Contains(a.known, name) {
			continue
		}
		full := a.prefix + name
		if !a.call.strict {
			if !a.asksForNothing(name) {
				a.call.unknown = append(a.call.unknown, Plain(full)+a.insteadOfIgnored(name))
			}
			continue
		}
		a.call.unknown = append(a.call.unknown, Plain(full))
		e, instead := a.refused(full), a.instead(name)
		if instead == "" {
			e.Message += a.didYouMean(name)
			instead = a.call.usage
		}
		a.Fail(e.Try("%s", instead))
	}
}

// allUnknown names the first of the unknown arguments.
func (s *argState) allUnknown() string {
	shown := s.unknown[:min(len(s.unknown), mostUnknown)]
	return strings.Join(shown, ", ") + words.AndMore(len(s.unknown)-len(shown))
}

// insteadOfIgnored says in parentheses what to do instead of passing an argument that is
// ignored: what the tool says, which other tools take it, or the argument that it resembles.
func (a *Args) insteadOfIgnored(name string) string {
	if instead := a.instead(name); instead != "" {
		return " (" + strings.TrimSuffix(instead, ".") + ")"
	}
	if takers := a.call.others().takers(a.call.tool.Name, name); len(takers) > 0 {
		verb := " take it)"
		if len(takers) == 1 {
			verb = " takes it)"
		}
		return " (" + strings.Join(takers[:min(len(takers), mostTakers)], ", ") + verb
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

// instead says what to pass instead of an argument, "" when that is not known.
func (a *Args) instead(name string) string {
	for other, advice := range a.call.tool.Instead {
		if words.Fold(other) == words.Fold(name) {
			return advice
		}
	}
	for object, inner := range a.call.tool.arguments().objects {
		if a.prefix == "" && slices.Contains(inner, name) {
			return "It belongs in " + object + ": pass " + object + ": {" + name + ": …}."
		}
	}
	members, ok := object(a.values[name])
	if !ok || !a.Has(name) || a.prefix != "" && a.call.tool.ReadOnly {
		return ""
	}
	for member := range members {
		if slices.Contains(a.known, member) {
			return "Pass what is in it beside the other arguments. " + a.call.usage
		}
	}
	return ""
}

// didYouMean asks whether a similar argument was meant, "" when there is none.
func (a *Args) didYouMean(name string) string {
	near := a.named(name, a.call.tool.Meant)
	if near == "" {
		near = words.Nearest(name, a.known)
	}
	if near == "" {
		return ""
	}
	return " Did you mean " + a.prefix + near + "?"
}

// named returns the argument that has this other name, "" when none has.
func (a *Args) named(name string, others map[string][]string) string {
	for _, known := range a.known {
		for _, other := range others[known] {
			if words.Fold(other) == words.Fold(name) {
				return known
			}
		}
	}
	return ""
}
