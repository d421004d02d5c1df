package config

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/joho/godotenv"
)

// EnvFile is the file of variables that a program reads in its working directory.
const EnvFile = ".env"

// dotenv is a file of variables. It comes with a project, perhaps from a stranger,
// and is there for other programs too: what it cannot say is a warning, and its
// paths lead nowhere outside of its folder.
type dotenv struct {
	variables map[string]string
	name      string // of the file, as in messages
	home      home
	warning   string
}

// readDotenv reads the file, which may be missing.
func readDotenv(path string) dotenv {
	d := dotenv{name: filepath.Base(path), home: home{root: filepath.Dir(path), confined: true}}
	if path == "" {
		return d
	}
	data, err := file{path: path}.read()
	if err == nil && len(data) > maxFile {
		err = errors.New("it is too large")
	}
	switch {
	case err != nil && missing(err):
	case err != nil:
		d.warning = fmt.Sprintf("%s is not read: %s", d.name, cause(err))
	default:
		if d.variables, err = parseDotenv(string(data)); err != nil { // its words would show what is in the file
			d.variables = nil
			d.warning = d.name + " is not read: it is not lines of NAME=VALUE throughout"
		}
	}
	return d
}

// parseDotenv reads the variables of a text. A panic of the library on what nobody
// has thought of is an error.
func parseDotenv(text string) (variables map[string]string, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("not understood")
		}
	}()
	return godotenv.Unmarshal(text)
}

// names are those of the variables that are not empty.
func (d dotenv) names() map[string]bool {
	set := make(map[string]bool)
	for name, text := range d.variables {
		if text != "" {
			set[name] = true
		}
	}
	return set
}

// take reads a key's value from the file, and reports whether it is there.
func (d dotenv) take(l *layers, k *Key) bool {
	for _, name := range k.Env {
		if text := d.variables[name]; text != "" {
			l.take(k, raw{text: text, home: d.home}, Source{Layer: LayerDotenv, Name: name + " in " + d.name})
			return true
		}
	}
	return false
}
