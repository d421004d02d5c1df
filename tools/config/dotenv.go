package config

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/joho/godotenv"
)

// EnvFile is the .env file that a command reads in its working directory.
const EnvFile = ".env"

// dotenv is a .env file. One that the user has named counts as much as the environment.
// Any other comes with a project, perhaps from a stranger, and is made for other
// programs, too: its problems are warnings.
type dotenv struct {
	variables map[string]string
	name      string // of the file, in messages
	home      home
}

// readDotenv reads the .env file, and adds its problems to l. If the user has not named
// the file, it may be missing, and links must not lead out of its folder.
func (o Options) readDotenv(l *layers) dotenv {
	d := dotenv{name: filepath.Base(o.EnvFile), home: home{root: filepath.Dir(o.EnvFile), stranger: !o.EnvFileNamed, workspace: o.Root}}
	if o.EnvFile == "" {
		return d
	}
	at := configFile{path: o.EnvFile}
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
		if d.variables, err = parseDotenv(string(data)); err != nil { // the library's message would show the content
			d.variables, err = nil, errors.New("it is not lines of NAME=VALUE throughout")
		}
	}
	switch {
	case err == nil:
	case o.EnvFileNamed:
		l.problems = append(l.problems, LoadProblem{ValueSource: ValueSource{Layer: LayerDotenv, Name: o.EnvFile}, Message: o.EnvFile + " cannot be read: " + cause(err)})
	case !missing(err):
		l.warnings = append(l.warnings, fmt.Sprintf("%s is not read: %s", d.name, cause(err)))
	}
	for name, text := range d.variables {
		if text != "" {
			l.inEnvFile[name] = true
		}
	}
	return d
}

// parseDotenv returns the variables in a text. The library may panic on odd input.
func parseDotenv(text string) (variables map[string]string, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("not understood")
		}
	}()
	return godotenv.Unmarshal(text)
}

// set sets a key from the file, if the file has it.
func (d dotenv) set(l *layers, k *Key) {
	for _, name := range k.Env {
		text := d.variables[name]
		if text == "" {
			continue
		}
		source := ValueSource{Layer: LayerDotenv, Name: name + " in " + d.name}
		given := raw{text: text, home: d.home}
		if _, err := k.valueFor(given); refusedByTrust(err) {
			l.warnings = append(l.warnings, source.Name+" is ignored: "+err.Error())
			return
		}
		l.take(k, given, source)
		return
	}
}
