package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"issues-index/index/claims"
	"issues-index/store/mirror"
	"issues-index/store/orderedjson"
	"issues-index/store/words"
	"issues-index/tools/answer"
)

// Args are the arguments of one call. The getters accept what a model is likely to send
// instead of the exact type. They return the zero value for an argument that is absent
// (so are null and, unless it is a String, ""), and remember what is wrong: read all
// arguments, then return Err before acting.
type Args struct {
	values map[string]json.RawMessage
	known  []string
	prefix string // of field names, inside an object
	call   *argState
}

// argState is shared by the arguments of one call and the objects in them.
type argState struct {
	tool    Tool
	usage   string
	strict  bool // an unknown argument is refused
	errs    []*Error
	unknown []string // arguments, and what to do instead of one that was ignored
	notes   []string

	settings *answer.Settings
	budget   answer.Budget
	output   Output
	progress func(done, total int, message string)
	holder   string
	lease    time.Duration

	// sessionIn is the caller's in the workspace of some leases, nil for one without; leases are
	// those of the call's workspace.
	sessionIn func(*claims.Leases) claims.HolderSession
	leases    *claims.Leases

	hubLine mirror.Branch // by which a hub that has forwarded the call knows the documents

	confirm *confirming // nil where the user cannot be asked

	workspace func(ctx context.Context, path string) (WorkspaceBinding, error) // nil without any
	// the workspace that is written to, "" for the start one
	elsewhere string
}

// Settings returns the settings of the call.
func (a *Args) Settings() *answer.Settings { return a.call.settings }

// HubLine returns the line that the workspace is at the hub which has forwarded the call, zero
// for any other call. The answer then names documents as the hub does.
func (a *Args) HubLine() mirror.Branch { return a.call.hubLine }

// Holder returns the name under which the caller claims documents, "" outside of a server.
func (a *Args) Holder() string { return a.HolderIn(a.call.leases) }

// Session returns the session in which the caller claims, the zero one when it has none.
func (a *Args) Session() claims.HolderSession {
	if a.call.sessionIn == nil {
		return claims.HolderSession{}
	}
	return a.call.sessionIn(a.call.leases)
}

// HolderIn returns what Holder does, in the workspace of some leases.
func (a *Args) HolderIn(leases *claims.Leases) string {
	if a.call.sessionIn == nil {
		return a.call.holder
	}
	return a.call.sessionIn(leases).Holder()
}

// Person returns the name of a person or an agent that an argument says, where me is the caller.
func (a *Args) Person(name string) string { return words.Person(a.String(name), a.Holder()) }

// Lease returns how long a claim counts whose caller does not say.
func (a *Args) Lease() time.Duration { return a.call.lease }

// Budget returns what the answer may cost.
func (a *Args) Budget() answer.Budget { return a.call.budget }

// Output returns which channels of the answer are sent.
func (a *Args) Output() Output { return a.call.output }

// Room returns how many bytes and lines of each channel the tool may fill: the budget,
// less what the server adds to the answer. A channel that is not sent has endless room.
func (a *Args) Room() answer.Space {
	b := a.call.budget
	if b.Off {
		return answer.Endless
	}
	const beside = 20 // bytes of "Note: " and the like around what is said
	bytes := min(b.Bytes, b.Tokens*10/3)
	room := answer.Space{Text: bytes, Lines: b.Lines, Object: bytes}
	if said := a.remarks().String(); said != "" {
		room.Text -= len(said) + beside
		room.Lines -= 3
		room.Object -= len(orderedjson.Text(said)) + beside
	}
	switch a.call.output {
	case OutputText:
		room.Object = answer.Endless.Object
	case OutputStructured:
		room.Text, room.Lines = answer.Endless.Text, answer.Endless.Lines
	}
	return room
}

// NewArgs reads the arguments of a call of t. A tool that writes or is strict refuses an
// argument that its schema does not have; any other tool ignores it, with a note.
func NewArgs(t Tool, raw json.RawMessage) *Args {
	in := t.arguments()
	call := &argState{tool: t, usage: in.usage, strict: t.Strict || !t.ReadOnly,
		lease: claims.DefaultLength, settings: answer.Defaults(), budget: answer.Unlimited}
	a := &Args{known: slices.Concat(in.names, t.Takes), call: call}
	values, ok := object(raw)
	if !ok {
		a.Fail(Errorf(CodeValidation, "The arguments must be an object, not %s.", kind(raw)).Try("%s", call.usage))
	}
	a.values = values
	a.rename()
	a.rejectUnknown()
	return a
}

// Err returns what is wrong, nil when nothing is.
func (a *Args) Err() error {
	if len(a.call.errs) == 0 {
		return nil
	}
	return joinErrors(a.call.errs)
}

// Fail records something that is wrong with the arguments.
func (a *Args) Fail(e *Error) { a.call.errs = append(a.call.errs, e) }

// Note adds a sentence for the client to both channels of the answer, once.
func (a *Args) Note(sentence string) {
	if !slices.Contains(a.call.notes, sentence) {
		a.call.notes = append(a.call.notes, sentence)
	}
}

// remarks returns what the server adds to the answer.
func (a *Args) remarks() remarks {
	notes := a.call.notes
	if place := a.call.place(); place != "" {
		notes = append([]string{place}, notes...)
	}
	said := remarks{last: strings.Join(notes, "; ")}
	if unknown := len(a.call.unknown); unknown > 0 && !a.call.strict {
		said.first = "ignored unknown argument " + a.call.allUnknown()
		if unknown > 1 {
			said.first = "ignored unknown arguments " + a.call.allUnknown()
		}
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

// membersOf are the members that an object, or each object of a list, may have: those that
// the tool has for it, and others.
func (a *Args) membersOf(name string, others []string) []string {
	if a.prefix != "" {
		return others
	}
	return slices.Concat(a.call.tool.arguments().objects[name], others)
}

// Object returns the arguments inside an object, which may have the members that the tool has
// for it, and these. An absent object has none of them.
func (a *Args) Object(name string, others ...string) *Args {
	inner := &Args{known: a.membersOf(name, others), prefix: a.prefix + name + ".", call: a.call}
	if !a.Has(name) {
		return inner
	}
	values, ok := object(a.values[name])
	if !ok {
		a.wrong(name, "an object")
		return inner
	}
	inner.values = values
	inner.rename()
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

// Missing records that an argument is required, and that it is empty if it is there.
func (a *Args) Missing(name string) {
	if a.values == nil && len(a.call.errs) > 0 {
		return // what was sent has no arguments at all, and that is said
	}
	message := "Missing required argument " + a.prefix + name
	if a.Has(name) {
		message += ": it is empty"
	}
	if len(a.call.unknown) > 0 {
		message += " (unknown: " + a.call.allUnknown() + ")"
	}
	a.Fail(Errorf(CodeMissingField, "%s.", message).On(a.prefix+name).Try("%s", a.call.usage))
}

// tooMany records that a list is too long.
func (a *Args) tooMany(name string, n, most int) {
	a.Fail(Errorf(CodeValidation, "Too many %s: %d, the maximum is %d.", a.prefix+name, n, most).
		On(a.prefix + name).Try("Split them over several calls."))
}

// invalid returns the error for an argument with this value.
func (a *Args) invalid(name, value string) *Error {
	return Errorf(CodeValidation, "Invalid %s %s.", a.prefix+name, Quote(value)).On(a.prefix + name)
}

// Members returns the members of an object that may have any keys, nulls among
// them, nil when it is absent.
func (a *Args) Members(name string) map[string]json.RawMessage {
	if !a.Has(name) {
		return nil
	}
	members, ok := object(a.values[name])
	if !ok {
		a.wrong(name, "an object")
		return nil
	}
	return members
}

// Items returns the arguments in each object of a list, which must hold between 1 and most
// objects, with members as Object's. Each has its own Err, so that one mistake does not spoil the
// others. A single
// object is a list of one.
func (a *Args) Items(name string, most int, required string, others ...string) []*Args {
	if !a.Has(name) {
		a.Missing(name)
		return nil
	}
	raws, ok := objects(a.values[name])
	field := a.prefix + name
	switch {
	case !ok:
		a.wrong(name, "a list of objects")
		return nil
	case len(raws) == 0:
		a.Missing(name)
		return nil
	case len(raws) > most:
		a.tooMany(name, len(raws), most)
		return nil
	}
	items, known := make([]*Args, len(raws)), a.membersOf(name, others)
	for i, raw := range raws {
		at := fmt.Sprintf("%s[%d]", field, i)
		item := &Args{known: known, prefix: at + ".", call: &argState{
			tool: a.call.tool, strict: a.call.strict,
			usage:    usage("Each of "+name, known, []string{required}),
			settings: a.call.settings, budget: a.call.budget, output: a.call.output,
		}}
		values, ok := object(raw)
		if !ok {
			item.Fail(Errorf(CodeValidation, "Invalid %s: got %s.", at, kind(raw)).On(at).Try("%s", item.call.usage))
		}
		item.values = values
		item.rename()
		item.rejectUnknown()
		items[i] = item
	}
	return items
}

// objects returns the elements of a JSON list, of the text of one, or a single object.
func objects(raw json.RawMessage) ([]json.RawMessage, bool) {
	if list, ok := elements(raw); ok {
		return list, true
	}
	_, lone := object(raw)
	return []json.RawMessage{raw}, lone
}
