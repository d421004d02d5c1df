package config

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/joho/godotenv"
)

// EnvFile is the file of variables that a program reads in its working directory.
const EnvFile = ".env"

// dotenv is a file of variables. One that the user has named is as good as the
// environment. Any other comes with a project, perhaps from a stranger, and is there
// for other programs too: what it cannot say, or may not, is a warning.
type dotenv struct {
	variables map[string]string
	name      string // of the file, as in messages
	home      home
	warning   string
	problem   *Problem
}

// readDotenv reads the file. One that nobody has named may be missing, and is not
// reached through a link out of its folder.
func (o Options) readDotenv() dotenv {
	d := dotenv{name: filepath.Base(o.EnvFile), home: home{root: filepath.Dir(o.EnvFile), stranger: !o.EnvFileNamed, workspace: o.Root}}
	if o.EnvFile == "" {
		return d
	}
	at := file{path: o.EnvFile}
	if d.home.stranger {
		at.root, at.inRoot = d.home.root, d.name
	}
	if root, err := filepath.Abs(d.home.root); err == nil {
		d.home.root = root
	}
	data, err := at.read()
	if err == nil && len(data) > maxFile {
		err = errors.New("it is too large")
	}
	if err == nil {
		if d.variables, err = parseDotenv(string(data)); err != nil { // its words would show what is in the file
			d.variables, err = nil, errors.New("it is not lines of NAME=VALUE throughout")
		}
	}
	switch {
	case err == nil:
	case o.EnvFileNamed:
		d.problem = &Problem{Source: Source{Layer: LayerDotenv, Name: o.EnvFile}, Message: o.EnvFile + " cannot be read: " + cause(err)}
	case !missing(err):
		d.warning = fmt.Sprintf("%s is not read: %s", d.name, cause(err))
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
		text := d.variables[name]
		if text == "" {
			continue
		}
		source := Source{Layer: LayerDotenv, Name: name + " in " + d.name}
		given := raw{text: text, home: d.home}
		if _, err := k.valueFor(given); refusedByTrust(err) {
			l.warnings = append(l.warnings, source.Name+" is ignored: "+err.Error())
			return false
		}
		l.take(k, given, source)
		return true
	}
	return false
}
