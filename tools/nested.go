package tools

import (
	"encoding/json"
	"fmt"
)

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

// Items returns the arguments in each object of a list that must hold between 1
// and most. Each has what is wrong with it in its own Err, so that one mistake
// does not spoil the others. A lone object is a list of one.
func (a *Args) Items(name string, most int, required string, known ...string) []*Args {
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
		a.Fail(Errorf(CodeValidation, "Too many %s: %d, the maximum is %d.", field, len(raws), most).
			On(field).Try("Split them over several calls."))
		return nil
	}
	items := make([]*Args, len(raws))
	for i, raw := range raws {
		at := fmt.Sprintf("%s[%d]", field, i)
		item := &Args{known: known, prefix: at + ".", call: &reading{
			tool: a.call.tool, strict: a.call.strict, others: a.call.others,
			usage:    usage("Each of "+name, known, []string{required}),
			settings: a.call.settings, budget: a.call.budget, fits: a.call.fits,
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

// objects returns the elements of a JSON list, of the text of one, or a lone
// object.
func objects(raw json.RawMessage) ([]json.RawMessage, bool) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		return list, true
	}
	var text string
	if json.Unmarshal(raw, &text) == nil && json.Unmarshal([]byte(text), &list) == nil {
		return list, true
	}
	_, lone := object(raw)
	return []json.RawMessage{raw}, lone
}
