package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Source is where a value comes from.
type Source struct {
	Layer Layer  `json:"layer"`
	Name  string `json:"name,omitempty"` // of the file, variable or flag
	Line  int    `json:"line,omitempty"` // in a file, from 1; 0 for none
}

// A Layer is a layer of the configuration.
type Layer string

// The layers. A later one wins.
const (
	LayerDefault     Layer = "default"
	LayerFile        Layer = "file"
	LayerDotenv      Layer = "dotenv"
	LayerEnvironment Layer = "environment"
	LayerFlag        Layer = "flag"
)

func (s Source) String() string {
	switch {
	case s.Layer == LayerFile && s.Line > 0:
		return fmt.Sprintf("%s:%d", s.Name, s.Line)
	case s.Layer == LayerDefault:
		return string(s.Layer)
	}
	return s.Name
}

// A Problem is one thing that is wrong with the configuration.
type Problem struct {
	Source
	Key     string `json:"key,omitempty"` // "" for none
	Message string `json:"message"`

	unknown bool // the key is unknown
}

func (p Problem) String() string {
	if p.Source.Layer == LayerFile {
		return p.Source.String() + ": " + p.Message
	}
	return p.Message
}

// Problems are all problems of a configuration, in the order of the layers.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.String()
	}
	return strings.Join(lines, "\n")
}

func (p Problems) sort() {
	order := []Layer{LayerFile, LayerDotenv, LayerEnvironment, LayerFlag}
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, a.Source.Layer), slices.Index(order, b.Source.Layer)),
			cmp.Compare(a.Source.Line, b.Source.Line),
		)
	})
}

// invalid returns the problem of a value that is not allowed. It does not contain the
// value of a secret.
func invalid(k *Key, source Source, text string, err error) Problem {
	name := source.Name
	if source.Layer == LayerFile {
		name = k.Name
	}
	if refusedByTrust(err) {
		return Problem{Source: source, Key: k.Name, Message: name + ": " + err.Error()}
	}
	message := "invalid " + name
	if !k.Secret && !strings.Contains(text, "@") { // a password in an address
		message += " " + quote(text)
	}
	message += ": must be " + k.Allowed
	if err != errNotAllowed { //nolint:errorlint // it is never wrapped
		message += "; " + err.Error()
	}
	return Problem{Source: source, Key: k.Name, Message: message}
}

// quote shortens and quotes a text for a line of a log.
func quote(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%q", text)
}
