package store

import (
	"slices"
	"strings"

	"issues-index/store/words"
)

// A NameChange is what a person says about a list of names, such as labels. Set replaces the
// list, nil keeps it; Add and Remove are for what is then there.
type NameChange struct {
	Set         *[]string
	Add, Remove []string
}

// Signed reads the signs that people write before names: a Set of which every name begins with
// + or - adds and takes away. It is a *ValueError where only some do, since the others could
// stay or go, and for a name to add that begins with -. So no name gets a sign by accident.
// A name with a sign that the list has already is a name as any other.
func (c NameChange) Signed(field string, present []string) (NameChange, error) {
	signed := NameChange{Remove: slices.Clone(c.Remove)}
	for i, name := range c.Remove {
		if !slices.Contains(present, name) {
			signed.Remove[i] = strings.TrimPrefix(name, "-")
		}
	}
	more := c.Add
	if c.Set != nil {
		var add, remove []string
		unknown := false
		for _, name := range *c.Set {
			switch rest, added := strings.CutPrefix(name, "+"); {
			case added:
				add = append(add, rest)
			case strings.HasPrefix(name, "-"):
				remove = append(remove, name[1:])
			default:
				continue
			}
			unknown = unknown || !slices.Contains(present, name)
		}
		switch n := len(add) + len(remove); {
		case n > 0 && n == len(*c.Set):
			more, signed.Remove = slices.Concat(add, more), append(signed.Remove, remove...)
		case unknown:
			return c, mixedNames(field, *c.Set)
		default:
			signed.Set = c.Set
		}
	}
	for _, name := range more {
		if !slices.Contains(present, name) {
			given := name
			if name = words.OneLine(strings.TrimLeft(name, "+")); name == "" || name[0] == '-' {
				return c, &ValueError{
					Field: field, Value: given, Reason: "is no name to add",
					Advice: "write + before a name to add, - before one to take away, and no other sign",
				}
			}
		}
		signed.Add = append(signed.Add, name)
	}
	return signed, nil
}

// mixedNames refuses names of which only some have a sign, and says how each meaning is written.
func mixedNames(field string, names []string) error {
	var change, all []string
	for _, name := range names {
		plain := strings.TrimLeft(name, "+")
		if !strings.HasPrefix(plain, "-") {
			all, plain = append(all, plain), "+"+plain
		}
		change = append(change, plain)
	}
	return &ValueError{
		Field: field, Value: strings.Join(names, ","), Reason: "has a + or - before some names only",
		Advice: "write " + strings.Join(change, ",") + " to change the list, " + strings.Join(all, ",") + " to replace it",
	}
}

// On returns the names that a list has after the change.
func (c NameChange) On(list []string) []string {
	if c.Set != nil {
		list = *c.Set
	}
	after := slices.Clone(list)
	for _, name := range c.Add {
		if !slices.Contains(after, name) {
			after = append(after, name)
		}
	}
	return slices.DeleteFunc(after, func(name string) bool { return slices.Contains(c.Remove, name) })
}

// NamesOf returns the names that a new list has for which a person gives these, in place of the
// usual ones or with signs to change them. Errors are those of [NameChange.Signed].
func NamesOf(field string, given, usual []string) ([]string, error) {
	change, err := NameChange{Set: &given}.Signed(field, usual)
	return change.On(usual), err
}
