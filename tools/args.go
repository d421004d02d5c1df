package tools

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"issues-index/tools/guard"
)

// Args are the arguments of one call. The getters take what a model is likely
// to send in place of the exact type, return the zero value for what is absent
// (null and, for anything but a String, "" are), and remember the first thing
// that is wrong: read everything, then return Err before acting.
type Args struct {
	values map[string]json.RawMessage
	known  []string
	prefix string // of field names, inside an object
	call   *reading
}

// reading is what the arguments of one call and the objects in them share.
type reading struct {
	tool    string
	usage   string
	writing bool
	strict  bool // an unknown argument is refused
	err     *Error
	unknown []string
	notes   []string

	settings *guard.Settings
	budget   guard.Budget
	fits     func(Result) bool
}

// Settings are those that the whole call works with.
func (a *Args) Settings() *guard.Settings { return a.call.settings }

// Budget is what the answer may cost.
func (a *Args) Budget() guard.Budget { return a.call.budget }

// Fits reports whether an answer keeps to the budget, in the channels that are
// sent. A tool whose answer does not makes a smaller one that says how to go on;
// what still does not fit is cut by the server.
func (a *Args) Fits(r Result) bool { return a.call.fits == nil || a.call.fits(r) }

// NewArgs reads the arguments of a call of t. An argument that t's schema does
// not have is refused by a tool that writes or is strict, and ignored, with a note,
// by any other.
func NewArgs(t Tool, raw json.RawMessage) *Args {
	known, required := properties(t.Input)
	call := &reading{tool: t.Name, usage: usage(t.Name, known, required), writing: !t.ReadOnly, strict: t.Strict || !t.ReadOnly,
		settings: guard.Defaults(), budget: guard.Unlimited}
	a := &Args{known: known, call: call}
	values, ok := object(raw)
	if !ok {
		a.Fail(Errorf(CodeValidation, "The arguments must be an object, not %s.", kind(raw)).Try("%s", call.usage))
	}
	a.values = values
	a.rejectUnknown()
	return a
}

func (a *Args) rejectUnknown() {
	for _, name := range keys(a.values) {
		if slices.Contains(a.known, name) {
			continue
		}
		full := a.prefix + name
		a.call.unknown = append(a.call.unknown, full)
		if !a.call.strict {
			continue
		}
		e := Errorf(CodeValidation, "Unknown argument %s.", Quote(full)).On(Plain(full))
		if a.call.writing {
			e.Message = strings.TrimSuffix(e.Message, ".") + ", nothing was changed."
		}
		if near := nearest(name, a.known); near != "" {
			a.Fail(e.Try("Did you mean %s? %s", a.prefix+near, a.call.usage))
		} else {
			a.Fail(e.Try("%s", a.call.usage))
		}
	}
}

// Err returns the first thing that is wrong, nil when nothing is.
func (a *Args) Err() error {
	if a.call.err == nil {
		return nil
	}
	return a.call.err
}

// Fail records what is wrong with the arguments, unless something was before.
func (a *Args) Fail(e *Error) {
	if a.call.err == nil {
		a.call.err = e
	}
}

// Note adds a sentence for the client to both channels of the answer.
func (a *Args) Note(sentence string) { a.call.notes = append(a.call.notes, sentence) }

// remarks are what there is to say beside the answer.
func (a *Args) remarks() remarks {
	said := remarks{last: strings.Join(a.call.notes, "; ")}
	switch unknown := a.call.unknown; len(unknown) {
	case 0:
	case 1:
		said.first = "ignored unknown argument " + Plain(unknown[0])
	default:
		said.first = "ignored unknown arguments " + Plain(strings.Join(unknown, ", "))
	}
	return said
}

// Has reports whether the argument was given and is not null.
func (a *Args) Has(name string) bool {
	value, ok := a.values[name]
	return ok && !bytes.Equal(value, []byte("null"))
}

// Null reports whether the argument was given as null.
func (a *Args) Null(name string) bool {
	_, ok := a.values[name]
	return ok && !a.Has(name)
}

// RefuseNull records that an argument is null, if it is, and what to do instead.
func (a *Args) RefuseNull(name, instead string) {
	if a.Null(name) {
		a.Fail(Errorf(CodeValidation, "Invalid %s: got null.", a.prefix+name).On(a.prefix+name).Try("%s", instead))
	}
}

// Given returns the arguments that the tool knows and that are not null, as
// JSON that is equal when they are.
func (a *Args) Given() map[string]string {
	given := make(map[string]string)
	for _, name := range a.known {
		if a.Has(name) {
			given[name] = canonical(a.values[name])
		}
	}
	return given
}

// Object returns the arguments inside an object that may have these keys. One
// that is absent has none of them.
func (a *Args) Object(name string, known ...string) *Args {
	inner := &Args{known: known, prefix: a.prefix + name + ".", call: a.call}
	if !a.Has(name) {
		return inner
	}
	values, ok := object(a.values[name])
	if !ok {
		a.wrong(name, "an object")
		return inner
	}
	inner.values = values
	inner.rejectUnknown()
	return inner
}

// JSON returns the argument as it was sent, nil when it is absent.
func (a *Args) JSON(name string) json.RawMessage { return a.values[name] }

// wrong records that an argument has the wrong type.
func (a *Args) wrong(name, expected string) {
	a.Fail(Errorf(CodeValidation, "Invalid %s: got %s.", a.prefix+name, kind(a.values[name])).
		On(a.prefix+name).Try("Pass %s.", expected))
}

// missing records that an argument is required.
func (a *Args) missing(name string) {
	message := "Missing required argument " + a.prefix + name
	if unknown := a.call.unknown; len(unknown) > 0 {
		message += " (unknown: " + Plain(strings.Join(unknown, ", ")) + ")"
	}
	a.Fail(Errorf(CodeMissingField, "%s.", message).On(a.prefix+name).Try("%s", a.call.usage))
}
