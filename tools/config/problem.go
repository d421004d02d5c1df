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
	Line  int    `json:"line,omitempty"` // in a file, from 1; 0 when it has none
}

// A Layer is one of the places that configuration is read from.
type Layer string

// The layers, the last one winning.
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

// A Problem is one thing that is wrong with the configuration. Its message
// stands alone but for the place.
type Problem struct {
	Source  Source
	Key     string // "" when it is not about one
	Message string

	unknown bool // the key, to this version
}

func (p Problem) String() string {
	if p.Source.Layer == LayerFile {
		return p.Source.String() + ": " + p.Message
	}
	return p.Message
}

// Problems is the error of a configuration that is refused: all that is wrong,
// in the order of the layers.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.String()
	}
	return strings.Join(lines, "\n")
}

// split returns the problems that fit, and the others.
func (p Problems) split(fits func(Problem) bool) (fit, others Problems) {
	for _, problem := range p {
		if fits(problem) {
			fit = append(fit, problem)
		} else {
			others = append(others, problem)
		}
	}
	return fit, others
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

// invalid says that a key's value is not what it must be. The value of a secret
// is not said.
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
	if err != errNot { //nolint:errorlint // the very one, which has nothing to say
		message += "; " + err.Error()
	}
	return Problem{Source: source, Key: k.Name, Message: message}
}

// quote makes a text of a file fit for a line of a log.
func quote(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%q", text)
}
