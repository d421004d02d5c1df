package config

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// A Key is one thing that can be set, with its value in one [Config].
type Key struct {
	Name    string   // as in a file, with a dot between a block and a key in it
	Env     []string // environment variables; the first one that is not empty counts
	Flag    string   // "" for none
	Default string   // as text
	Doc     string   // one phrase
	Secret  bool     // the value is never shown
	Toggle  bool     // the value is true or false
	Restart bool     // a change needs a restart of the server
	// Repository says what a repository's own files may set the key to: "" for
	// anything, else Never or a phrase that begins with "only to".
	Repository string
	Value
	Source ValueSource // where the value comes from

	fits func(text string) bool // whether Repository allows a value; nil for every value
}

// A Value is a variable of a Config, and the texts that it can be set to.
type Value struct {
	Allowed string // what a text must be

	parse func(text string) (v any, ok bool) // nil for a value that only a file can have
	get   func() any
	set   func(v any)

	isList bool // a file may have a sequence
	isPath bool // see home.place
	read   func(r *fileReader, k *Key, node *yaml.Node)
}

// variable returns the value of a variable. parse reports whether a text is allowed.
func variable[T any](at *T, allowed string, parse func(text string) (T, bool)) Value {
	return Value{
		Allowed: allowed,
		parse:   func(text string) (any, bool) { return parse(text) },
		get:     func() any { return *at },
		set:     func(v any) { *at, _ = v.(T) }, // parse and get return a T
		read:    (*fileReader).value,
	}
}

// key returns a key whose default is what its variable has.
func key(name, env string, v Value, doc string, options ...func(*Key)) *Key {
	k := &Key{Name: name, Env: strings.Fields(env), Value: v, Doc: doc, Source: ValueSource{Layer: LayerDefault}}
	_, k.Toggle = v.get().(bool)
	if _, k.Secret = v.get().(Secret); !k.Secret {
		k.Default = k.Text()
	}
	for _, option := range options {
		option(k)
	}
	return k
}

func restart(k *Key)               { k.Restart = true }
func flag(name string) func(*Key)  { return func(k *Key) { k.Flag = name } }
func shown(text string) func(*Key) { return func(k *Key) { k.Default = text } }

// usersOwn forbids a repository to set a key, which no key does that a running server follows.
func usersOwn(k *Key) { k.Repository, k.Restart = Never, true }

// take sets a key to a text.
func (k *Key) take(text string, from home, source ValueSource) error {
	refused := &repositoryError{k, from.userFile}
	if from.stranger && k.Repository == Never {
		return refused
	}
	if k.parse == nil {
		return errNotAllowed
	}
	v, ok := k.parse(text)
	if !ok {
		return errNotAllowed
	}
	if k.isPath {
		if v, ok = from.place(text); !ok {
			return refused
		}
	}
	if from.stranger && k.fits != nil && !k.fits(textOf(v)) {
		return refused
	}
	k.set(v)
	k.Source = source
	return nil
}

// Text returns the value for people. For a secret it says whether it is set.
func (k *Key) Text() string {
	if text := textOf(k.get()); text != "" {
		return text
	}
	return k.Default
}

// JSON returns the value for scripts. For a secret it says whether it is set.
func (k *Key) JSON() any {
	switch v := k.get().(type) {
	case described:
		return v.data
	case Secret:
		return v != ""
	case time.Duration, slog.Level:
		return textOf(v)
	default:
		return v
	}
}

// textOf returns a value for people.
func textOf(v any) string {
	switch v := v.(type) {
	case described:
		return v.text
	case Secret:
		return map[bool]string{true: "set", false: "not set"}[v != ""]
	case slog.Level:
		return strings.ToLower(v.String())
	case time.Duration:
		return formatDuration(v)
	case []string:
		return strings.Join(v, ", ")
	case map[string]string:
		var pairs []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			pairs = append(pairs, name+": "+v[name])
		}
		return strings.Join(pairs, ", ")
	default:
		return fmt.Sprint(v)
	}
}
