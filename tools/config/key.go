package config

import (
	"errors"
	"slices"
	"strings"
)

// A Key is one thing that can be set.
type Key struct {
	Name    string   // as in a file, a dot before each step into a block
	Env     []string // environment variables; the first that is not empty counts
	Flag    string   // "" for none
	Default string   // as it is shown
	Allowed string   // what a value must be
	Doc     string   // one phrase
	Secret  bool     // the value is never shown
	Restart bool     // a change is taken at the next start only
	// Repository says what a repository's own files may set the key to: "" for
	// anything, else Never or a phrase that begins with "only to".
	Repository string

	fits     func(any) bool // a value with Repository; nil for all
	read     func(raw) (value, error)
	standard value
	list     bool // a file may have a sequence
}

// raw is a value as a layer has it.
type raw struct {
	text string
	tag  string // what a file's scalar is by its form: "!!int" and so on; "" elsewhere
	home home
}

// A home is what a path in some layer is relative to.
type home struct {
	root      string // "" for the working directory
	stranger  bool   // the layer is a repository's own file
	workspace string // root of the workspace, whose cache a stranger's path must lie in; "" for none
}

// A value is one that is valid.
type value struct {
	text  string // in its one form, of a secret what may be shown
	exact string // tells it from others, shown or not
	data  any    // the same for JSON
	apply func(*Config)
}

// A kind is a type of values and what they may be.
type kind[T any] struct {
	allowed string
	tags    []string // of a file's scalars; nil for any but null
	list    bool
	parse   func(raw) (T, error)
	format  func(T) string
	json    func(T) any    // nil for the value itself
	exact   func(T) string // nil for format
}

// key makes a key of a kind that sets a field.
func key[T any](name, env string, k kind[T], standard T, field func(*Config) *T, doc string, options ...func(*Key)) *Key {
	made := &Key{
		Name: name, Env: strings.Fields(env), Doc: doc,
		Default: k.format(standard), Allowed: k.allowed, list: k.list,
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
	made.standard = k.value(standard, field)
	for _, option := range options {
		option(made)
	}
	return made
}

// valueFor reads a value, and refuses one that stands where it may not.
func (k *Key) valueFor(r raw) (value, error) {
	if r.home.stranger && k.Repository == Never {
		return value{}, &repositoryError{k}
	}
	v, err := k.read(r)
	if errors.Is(err, errOutside) || err == nil && r.home.stranger && k.fits != nil && !k.fits(v.data) {
		return value{}, &repositoryError{k}
	}
	return v, err
}

func (k kind[T]) value(v T, field func(*Config) *T) value {
	made := value{text: k.format(v), data: v, apply: func(c *Config) { *field(c) = v }}
	if k.json != nil {
		made.data = k.json(v)
	}
	made.exact = made.text
	if k.exact != nil {
		made.exact = k.exact(v)
	}
	return made
}

func (v value) same(w value) bool { return v.exact == w.exact }

// errNot is for a value that is not what is allowed, with no more to say.
var errNot = errors.New("not allowed")

var errQuoted = errors.New("it is text here: leave the quotes out")

func restart(k *Key)               { k.Restart = true }
func secret(k *Key)                { k.Secret = true }
func flag(name string) func(*Key)  { return func(k *Key) { k.Flag = name } }
func shown(text string) func(*Key) { return func(k *Key) { k.Default = text } }
