package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"issues-index/store/layout"
)

// A Key is one thing that can be set.
type Key struct {
	Name    string   // as in a file, with a dot between a block and a key in it
	Env     []string // environment variables; the first one that is not empty counts
	Flag    string   // "" for none
	Default string   // as text
	Allowed string   // what the value must be
	Doc     string   // one phrase
	Secret  bool     // the value is never shown
	Toggle  bool     // the value is true or false
	Restart bool     // a change needs a restart of the server
	// Repository says what a repository's own files may set the key to: "" for
	// anything, else Never or a phrase that begins with "only to".
	Repository string

	fits     func(text string) bool   // whether Repository allows a value; nil for every value
	read     func(raw) (value, error) // nil for a property of the layout
	standard value
	list     bool             // a file may have a sequence
	block    bool             // a file has a mapping, see workspacesKey
	property *layout.Property // of the workspace, nil for a key of the program
}

// raw is a value before it is checked.
type raw struct {
	text string
	tag  string // of a scalar in a file: "!!int" and so on; "" elsewhere
	home home
}

// A home says where a value comes from, to resolve and restrict paths.
type home struct {
	root      string // relative paths start here; "" for the working directory
	stranger  bool   // the value is from a repository's own file
	workspace string // the root of the workspace; a stranger's path must be in its cache
	describes bool   // the file may describe the workspace, see layoutKeys
	user      bool   // the file is the user's own one
	userFile  string // the path of that, "" when it is not known
}

// A value is a valid value of a key.
type value struct {
	text  string // for people; of a secret, whether it is set
	exact string // to compare values, secrets too
	data  any    // for JSON; of a secret, whether it is set
	apply func(*Config)
}

// A valueType is a type of values and what is allowed.
type valueType[T any] struct {
	allowed string
	tags    []string // of scalars in a file; nil for any but null
	list    bool
	parse   func(raw) (T, error)
	format  func(T) string // nil for fmt.Sprint
	json    func(T) any    // nil for the value itself
	exact   func(T) string // nil for format
}

// key returns a key that sets a field of the configuration.
func key[T any](name, env string, k valueType[T], standard T, field func(*Config) *T, doc string, options ...func(*Key)) *Key {
	made := &Key{
		Name: name, Env: strings.Fields(env), Doc: doc,
		Allowed: k.allowed, list: k.list, standard: k.value(standard, field),
		read: func(r raw) (value, error) {
			parsed, err := k.parse(r)
			if err != nil {
				return value{}, err
			}
			if r.tag != "" && k.tags != nil && !slices.Contains(k.tags, r.tag) {
				return value{}, errQuoted
			}
			return k.value(parsed, field), nil
		},
	}
	made.Default = made.standard.text
	_, made.Toggle = any(standard).(bool)
	for _, option := range options {
		option(made)
	}
	return made
}

// valueFor checks a value, and whether its layer may set it.
func (k *Key) valueFor(r raw) (value, error) {
	if r.home.stranger && k.Repository == Never {
		return value{}, &repositoryError{k, r.home.userFile}
	}
	if k.property != nil {
		return value{}, errDescribes
	}
	v, err := k.read(r)
	if errors.Is(err, errOutside) || err == nil && r.home.stranger && k.fits != nil && !k.fits(v.text) {
		return value{}, &repositoryError{k, r.home.userFile}
	}
	return v, err
}

func (k valueType[T]) value(v T, field func(*Config) *T) value {
	made := value{text: fmt.Sprint(v), data: v, apply: func(c *Config) { *field(c) = v }}
	if k.format != nil {
		made.text = k.format(v)
	}
	if k.json != nil {
		made.data = k.json(v)
	}
	made.exact = made.text
	if k.exact != nil {
		made.exact = k.exact(v)
	}
	return made
}

// errNotAllowed is returned for a value that Key.Allowed excludes.
var errNotAllowed = errors.New("not allowed")

var errQuoted = errors.New("it is text here: leave the quotes out")

func restart(k *Key)               { k.Restart = true }
func secret(k *Key)                { k.Secret = true }
func flag(name string) func(*Key)  { return func(k *Key) { k.Flag = name } }
func shown(text string) func(*Key) { return func(k *Key) { k.Default = text } }
