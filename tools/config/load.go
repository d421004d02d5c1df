package config

import (
	"fmt"
	"slices"
	"strings"

	"issues-index/store/layout"
	"issues-index/store/words"
	"issues-index/tools/answer"
)

// DefaultFile is the configuration file of a workspace, relative to its root.
const DefaultFile = layout.File

// FileVariable is the environment variable that names the configuration file.
const FileVariable = "ISSUES_INDEX_CONFIG"

// UserFileVariable is the environment variable that names the user's own configuration file.
const UserFileVariable = "ISSUES_INDEX_USER_CONFIG"

// EnvFileVariable is the environment variable that names the .env file.
const EnvFileVariable = "ISSUES_INDEX_ENV_FILE"

// Options say where the configuration is.
type Options struct {
	// File is the configuration file that the user named with a flag. Without it, it
	// is that of FileVariable, or else the workspace's DefaultFile, which may be missing.
	File string
	// UserFile is the user's own configuration file, for all workspaces, "" for none. Unless
	// the user has named it, it may be missing.
	UserFile      string
	UserFileNamed bool
	// Root is the workspace root, "" for none.
	Root string
	// Getenv is the environment, nil for none.
	Getenv func(string) string
	// EnvFile is a .env file, "" for none. Unless the user has named it, it may be
	// missing, and may only set what a repository may set.
	EnvFile      string
	EnvFileNamed bool
	// Flags are the values of flags, by the names of their keys.
	Flags map[string]string
	// Tools are the names of all tools.
	Tools []string
	// Draw, from 0 up to 1, decides which side of a split experiment the process
	// is on.
	Draw float64
	// SkipUnknown ignores unknown keys of the workspace's own file instead of reporting
	// them: a team may share the file and use several versions. See Config.Unknown.
	SkipUnknown bool

	checking bool // the file is read by Check, and no other layer
}

// Load reads the configuration. The error is of type Problems if it is invalid.
func Load(o Options) (*Config, error) {
	return o.load(contentOf(o.userFile().read()), contentOf(o.file().read()))
}

// Check reads the file of the options without the other layers, and returns its
// problems. It applies the restrictions of the workspace's own file to that file, even if
// the user has named it, and takes the user's own file for that.
func Check(o Options) error {
	o.Getenv, o.EnvFile, o.Flags, o.checking = nil, "", nil, true
	_, err := Load(o)
	return err
}

// A loader sets the keys of a Config, layer by layer, and collects what is wrong.
type loader struct {
	*Config
	problems Problems
}

// A content is what a file has, or the error of reading it.
type content struct {
	data   []byte
	unread error
}

func contentOf(data []byte, unread error) content { return content{data, unread} }

// load reads all layers, of which the content of the files is given.
func (o Options) load(user, file content) (*Config, error) {
	l := &loader{Config: defaults(o.Tools)}
	own := home{root: o.Root, workspace: o.Root, userFile: o.UserFile}
	if !o.checking && l.readFile(o.userFile(), user, fileReader{layer: LayerUser, home: own, isUsers: true}) {
		l.userFile = o.UserFile
	}
	f := o.file()
	own.stranger = f.root != ""
	r := fileReader{layer: LayerFile, home: own, skipUnknown: o.SkipUnknown && own.stranger}
	r.describes = own.stranger || o.isWorkspaceFile(f)
	if o.checking && !own.stranger { // it may be going to be any file that it is not certain not to be
		r.isUsers, r.describes = true, o.UserFile == "" || !sameFile(f.path, o.UserFile)
	}
	if l.readFile(f, file, r) {
		l.file = f.shown
	}
	variables := o.readDotenv(l)
	for _, k := range l.keys {
		if !l.environment(k, o.Getenv) {
			variables.set(l, k)
		}
		if text, given := o.Flags[k.Name]; given {
			l.take(k, text, home{}, ValueSource{Layer: LayerFlag, Name: "--" + k.Flag})
		}
	}
	l.applyLimits()
	if len(l.problems) > 0 {
		return nil, l.problems
	}
	l.raiseByteLimit()
	l.guard = l.guardSettings(o.Draw)
	return l.Config, nil
}

// readFile reads a configuration file, and reports whether it is there.
func (l *loader) readFile(f configFile, c content, r fileReader) bool {
	r.loader, r.name = l, f.shown
	if c.unread == nil {
		r.read(c.data)
	} else if f.named || !missing(c.unread) {
		r.problem(0, "", "%s", cause(c.unread))
	}
	return c.unread == nil
}

// environment sets a key from the environment, and reports whether it is there.
func (l *loader) environment(k *Key, getenv func(string) string) bool {
	for _, name := range k.Env {
		if getenv == nil {
			break
		}
		if text := getenv(name); text != "" {
			l.take(k, text, home{}, ValueSource{Layer: LayerEnvironment, Name: name})
			return true
		}
	}
	return false
}

// take sets a key to a text, or reports why it may not be that.
func (l *loader) take(k *Key, text string, from home, source ValueSource) {
	if err := k.take(text, from, source); err != nil {
		l.problems = append(l.problems, invalid(k, source, text, err))
	}
}

// Misspelt returns a sentence for each variable of an environment (see os.Environ) whose
// name is almost that of a known variable.
func Misspelt(environ, tools []string) (sentences []string) {
	const ours = "ISSUES_INDEX_"
	var known []string
	add := func(names ...string) {
		for _, name := range names {
			if short, ok := strings.CutPrefix(name, ours); ok {
				known = append(known, short)
			}
		}
	}
	add(FileVariable, EnvFileVariable, UserFileVariable)
	for _, k := range Keys(tools) {
		add(k.Env...)
	}
	for _, variable := range environ {
		name, text, _ := strings.Cut(variable, "=")
		short, ok := strings.CutPrefix(name, ours)
		if !ok || text == "" || slices.Contains(known, short) {
			continue
		}
		if near := words.Nearest(short, known); near != "" {
			sentences = append(sentences, "unknown variable "+quote(name)+": did you mean "+ours+near+"?")
		}
	}
	slices.Sort(sentences)
	return sentences
}

// applyLimits lowers defaults to the limits that are set, and reports settings that
// contradict each other.
func (l *loader) applyLimits() {
	for _, limit := range []struct {
		lower, upper string // the value of the lower key is at most that of the upper one
		low, high    *int
	}{
		{"defaultPageSize", "maxPageSize", &l.DefaultPageSize, &l.MaxPageSize},
		{"tokenBudgetThreshold", "maxTokenBudget", &l.TokenBudgetThreshold, &l.MaxTokenBudget},
		{"chunkSize", "tokenBudgetThreshold", &l.ChunkSize, &l.TokenBudgetThreshold},
	} {
		source := l.key(limit.lower).Source
		switch {
		case *limit.low <= *limit.high:
		case source.Layer == LayerDefault:
			*limit.low = *limit.high
		default:
			l.problems = append(l.problems, LoadProblem{source, limit.lower, fmt.Sprintf(
				"invalid %s %d: must be at most %s, which is %d (%s)", source.nameOf(limit.lower), *limit.low,
				limit.upper, *limit.high, l.key(limit.upper).Source)})
		}
	}
}

// raiseByteLimit raises the default byte limit with the token threshold. Otherwise
// raising the threshold would change nothing.
func (c *Config) raiseByteLimit() {
	if c.key("hardByteLimit").Source.Layer == LayerDefault && c.TokenBudgetThreshold > answer.DefaultThreshold {
		c.HardByteLimit = int(int64(answer.DefaultBytes) * int64(c.TokenBudgetThreshold) / answer.DefaultThreshold)
	}
}
