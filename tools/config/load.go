package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
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

// A Setting is the effective value of a key.
type Setting struct {
	Key    *Key
	Source ValueSource
	value  value
}

// Text returns the value for people. For a secret it says whether it is set.
func (s Setting) Text() string {
	if s.value.text == "" {
		return s.Key.Default
	}
	return s.value.text
}

// JSON returns the value for scripts. For a secret it says whether it is set.
func (s Setting) JSON() any { return s.value.data }

// Load reads the configuration. The error is of type Problems if it is invalid.
func Load(o Options) (*Config, error) {
	return o.layers(contentOf(o.userFile().read()), contentOf(o.file().read())).build(o.Draw, nil)
}

// Check reads the file of the options without the other layers, and returns its
// problems. It applies the restrictions of the workspace's own file to that file, even if
// the user has named it, and takes the user's own file for that.
func Check(o Options) error {
	o.Getenv, o.EnvFile, o.Flags, o.checking = nil, "", nil, true
	_, err := Load(o)
	return err
}

// layers are the values of all layers, merged.
type layers struct {
	keys     []*Key
	set      map[string]layerValue
	file     string // the file that was read
	userFile string // the user's own file, if it was read
	problems Problems
	warnings []string
	unknown  Problems // skipped, see Options.SkipUnknown

	inEnvFile map[string]bool
}

// A content is what a file has, or the error of reading it.
type content struct {
	data   []byte
	unread error
}

func contentOf(data []byte, unread error) content { return content{data, unread} }

// layers reads all layers, of which the content of the files is given.
func (o Options) layers(user, file content) *layers {
	l := &layers{keys: Keys(o.Tools), set: map[string]layerValue{}, inEnvFile: map[string]bool{}}
	base := home{root: o.Root, workspace: o.Root, userFile: o.UserFile}
	if !o.checking {
		own := base
		own.user = true
		if l.readFile(LayerUser, o.userFile(), own, user, false) {
			l.userFile = o.UserFile
		}
	}
	f := o.file()
	base.stranger, base.describes = f.root != "", o.describes(f)
	base.user = o.checking && !base.stranger // a file that is only checked may be going to be any
	if base.user && o.UserFile != "" && sameFile(f.path, o.UserFile) {
		base.describes = false
	}
	if l.readFile(LayerFile, f, base, file, o.SkipUnknown && base.stranger) {
		l.file = f.shown
	}
	variables := o.readDotenv(l)
	for _, k := range l.keys {
		if !l.environment(k, o.Getenv) {
			variables.set(l, k)
		}
		if text, given := o.Flags[k.Name]; given {
			l.take(k, raw{text: text}, ValueSource{Layer: LayerFlag, Name: "--" + k.Flag})
		}
	}
	return l
}

// readFile reads a configuration file, and reports whether it is there. skipUnknown sets
// unknown keys aside.
func (l *layers) readFile(layer Layer, f configFile, h home, c content, skipUnknown bool) bool {
	if c.unread != nil {
		if f.named || !missing(c.unread) {
			l.problems = append(l.problems, LoadProblem{ValueSource: ValueSource{Layer: layer, Name: f.shown}, Message: cause(c.unread)})
		}
		return false
	}
	r := newFileReader(layer, f.shown, h, l.keys)
	r.read(c.data)
	maps.Copy(l.set, r.set)
	for _, p := range r.problems {
		if skipUnknown && p.unknown {
			l.unknown = append(l.unknown, p)
		} else {
			l.problems = append(l.problems, p)
		}
	}
	return true
}

// environment sets a key from the environment, and reports whether it is there.
func (l *layers) environment(k *Key, getenv func(string) string) bool {
	if getenv == nil {
		return false
	}
	for _, name := range k.Env {
		if text := getenv(name); text != "" {
			l.take(k, raw{text: text}, ValueSource{Layer: LayerEnvironment, Name: name})
			return true
		}
	}
	return false
}

// take sets a key to the value of a variable or flag.
func (l *layers) take(k *Key, given raw, source ValueSource) {
	v, err := k.valueFor(given)
	if err != nil {
		l.problems = append(l.problems, invalid(k, source, given.text, err))
		return
	}
	l.set[k.Name] = layerValue{v, source}
}

// Misspelt returns a sentence for each variable of an environment (see os.Environ) whose
// name is almost that of a known variable.
func Misspelt(environ, tools []string) (sentences []string) {
	const ours = "ISSUES_INDEX_"
	known := []string{strings.TrimPrefix(FileVariable, ours), strings.TrimPrefix(EnvFileVariable, ours), strings.TrimPrefix(UserFileVariable, ours)}
	for _, k := range Keys(tools) {
		for _, name := range k.Env {
			if short, ok := strings.CutPrefix(name, ours); ok {
				known = append(known, short)
			}
		}
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

// build returns the configuration. Keys that need a restart keep their settings in
// running, if that is not nil.
func (l *layers) build(draw float64, running []Setting) (*Config, error) {
	c := &Config{file: l.file, userFile: l.userFile, warnings: l.warnings, unknown: l.unknown, inEnvFile: l.inEnvFile}
	for i, k := range l.keys {
		s := Setting{Key: k, Source: ValueSource{Layer: LayerDefault}, value: k.standard}
		if a, given := l.set[k.Name]; given {
			s.value, s.Source = a.value, a.source
		}
		if k.Restart && running != nil {
			s = running[i]
		}
		s.value.apply(c)
		c.settings = append(c.settings, s)
	}
	problems := slices.Concat(l.problems, c.applyLimits())
	if len(problems) > 0 {
		problems.sort()
		return nil, problems
	}
	c.raiseByteLimit()
	c.guard = c.guardSettings(draw)
	return c, nil
}

// applyLimits lowers defaults to the limits that are set, and reports settings that
// contradict each other.
func (c *Config) applyLimits() (problems Problems) {
	for _, limit := range limits {
		lower, upper := limit.values(c)
		if *lower <= *upper {
			continue
		}
		low, high := c.setting(limit.lower), c.setting(limit.upper)
		if low.Source.Layer == LayerDefault {
			*lower = *upper
			low.value.text, low.value.data = high.value.text, high.value.data
			continue
		}
		problems = append(problems, LoadProblem{ValueSource: low.Source, Key: limit.lower, Message: fmt.Sprintf("invalid %s %d: must be at most %s, which is %d (%s)",
			low.name(), *lower, limit.upper, *upper, high.Source)})
	}
	return problems
}

// raiseByteLimit raises the default byte limit with the token threshold. Otherwise
// raising the threshold would change nothing.
func (c *Config) raiseByteLimit() {
	s := c.setting("hardByteLimit")
	if s.Source.Layer != LayerDefault || c.TokenBudgetThreshold <= answer.DefaultThreshold {
		return
	}
	c.HardByteLimit = int(int64(answer.DefaultBytes) * int64(c.TokenBudgetThreshold) / answer.DefaultThreshold)
	text := strconv.Itoa(c.HardByteLimit)
	s.value.text, s.value.exact, s.value.data = text, text, c.HardByteLimit
}

// name returns the name of the setting in its layer.
func (s *Setting) name() string {
	if s.Source.Layer == LayerDefault || s.Source.inFile() {
		return s.Key.Name
	}
	return s.Source.Name
}

func (c *Config) setting(name string) *Setting {
	for i := range c.settings {
		if c.settings[i].Key.Name == name {
			return &c.settings[i]
		}
	}
	return nil
}

// Warnings returns a sentence for each thing that was ignored.
func (c *Config) Warnings() []string { return c.warnings }

// Unknown returns the unknown keys that were skipped, see Options.SkipUnknown.
func (c *Config) Unknown() Problems { return c.unknown }

// Settled returns the setting of every key, in the order of [Keys].
func (c *Config) Settled() []Setting { return c.settings }
