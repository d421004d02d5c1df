package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/joho/godotenv"
)

// EnvFile is the .env file that a command reads in its working directory.
const EnvFile = ".env"

// dotenv is a .env file. One that the user has named counts as much as the environment.
// Any other comes with a project, perhaps from a stranger, and is made for other
// programs, too: its problems are warnings.
type dotenv struct {
	name string // of the file, in messages
	home home
}

// readDotenv reads the .env file. If the user has not named the file, it may be missing, and
// links must not lead out of its folder.
func (o Options) readDotenv(l *loader) dotenv {
	dir, name := filepath.Dir(o.EnvFile), filepath.Base(o.EnvFile)
	d := dotenv{name, home{root: dir, stranger: !o.EnvFileNamed, workspace: o.Root, userFile: o.UserFile}}
	if o.EnvFile == "" {
		return d
	}
	at := configFile{path: o.EnvFile}
	if d.home.stranger {
		at.root, at.inRoot = dir, name
	}
	if root, err := filepath.Abs(dir); err == nil {
		d.home.root = root
	}
	data, err := at.read()
	if err == nil && len(data) > maxFile {
		err = errors.New("it is too large")
	}
	if err == nil {
		l.inEnvFile, err = parseDotenv(string(data))
	}
	switch {
	case err == nil:
	case o.EnvFileNamed:
		source := ValueSource{Layer: LayerDotenv, Name: o.EnvFile}
		l.problems = append(l.problems, LoadProblem{source, "", o.EnvFile + " cannot be read: " + cause(err)})
	case !missing(err):
		l.warnings = append(l.warnings, fmt.Sprintf("%s is not read: %s", name, cause(err)))
	}
	return d
}

// parseDotenv returns the variables in a text. The library may panic on odd input, and its
// messages would show the text.
func parseDotenv(text string) (variables map[string]string, err error) {
	malformed := errors.New("it is not lines of NAME=VALUE throughout")
	defer func() {
		if recover() != nil {
			variables, err = nil, malformed
		}
	}()
	if variables, err = godotenv.Unmarshal(text); err != nil {
		return nil, malformed
	}
	return variables, nil
}

// set sets a key from the file, if the file has it.
func (d dotenv) set(l *loader, k *Key) {
	i := slices.IndexFunc(k.Env, l.InEnvFile)
	if i < 0 {
		return
	}
	text, source := l.inEnvFile[k.Env[i]], ValueSource{Layer: LayerDotenv, Name: k.Env[i] + " in " + d.name}
	switch err := k.take(text, d.home, source); {
	case refusedByTrust(err):
		l.warnings = append(l.warnings, source.Name+" is ignored: "+err.Error())
	case err != nil:
		l.problems = append(l.problems, invalid(k, source, text, err))
	}
}
