package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"issues-index/store/words"
)

// A ValueSource is where a value comes from.
type ValueSource struct {
	Layer Layer  `json:"layer"`
	Name  string `json:"name,omitempty"` // of the file, variable or flag
	Line  int    `json:"line,omitempty"` // in a file, from 1; 0 for none
}

// A Layer is a layer of the configuration.
type Layer string

// The layers. A later one wins.
const (
	LayerDefault     Layer = "default"
	LayerUser        Layer = "user" // the user's own file
	LayerFile        Layer = "file"
	LayerDotenv      Layer = "dotenv"
	LayerEnvironment Layer = "environment"
	LayerFlag        Layer = "flag"
)

// inFile reports whether the value is from a configuration file.
func (s ValueSource) inFile() bool { return s.Layer == LayerUser || s.Layer == LayerFile }

// nameOf is the name of a key in its layer.
func (s ValueSource) nameOf(key string) string {
	if s.Layer == LayerDefault || s.inFile() {
		return key
	}
	return s.Name
}

func (s ValueSource) String() string {
	switch {
	case s.inFile() && s.Line > 0:
		return fmt.Sprintf("%s:%d", s.Name, s.Line)
	case s.Layer == LayerDefault:
		return string(s.Layer)
	}
	return s.Name
}

// A LoadProblem is one thing that is wrong with the configuration.
type LoadProblem struct {
	ValueSource
	Key     string `json:"key,omitempty"` // "" for none
	Message string `json:"message"`
}

func (p LoadProblem) String() string {
	if p.inFile() {
		return p.ValueSource.String() + ": " + p.Message
	}
	return p.Message
}

// Problems are all problems of a configuration: those of files in the order of their lines, then
// those of variables and flags, then those of values that contradict each other.
type Problems []LoadProblem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.String()
	}
	return strings.Join(lines, "\n")
}

// invalid returns the problem of a value that is not allowed. It does not contain the
// value of a secret.
func invalid(k *Key, source ValueSource, text string, err error) LoadProblem {
	name := source.nameOf(k.Name)
	if refusedByTrust(err) {
		return LoadProblem{source, k.Name, name + ": " + err.Error()}
	}
	if !k.Secret && !strings.Contains(text, "@") { // a password in an address
		name += " " + quote(text)
	}
	return LoadProblem{source, k.Name, fmt.Sprintf("invalid %s: %s %s", name, err, k.Allowed)}
}

// errNotAllowed is returned for a text that Key.Allowed excludes, which completes its sentence.
var errNotAllowed = errors.New("must be")

// quote shortens and quotes a text for a line of a log.
func quote(text string) string {
	return strconv.Quote(words.Cut(text, 61))
}
