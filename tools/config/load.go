package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"issues-index/store/words"
	"issues-index/tools/answer"
)

// DefaultFile is the file of a workspace, relative to its root.
const DefaultFile = ".wrangler/config/issues-index.yaml"

// FileVariable names the file in the environment.
const FileVariable = "ISSUES_INDEX_CONFIG"

// EnvFileVariable names the file of variables in the environment.
const EnvFileVariable = "ISSUES_INDEX_ENV_FILE"

// Options say where to look for a configuration.
type Options struct {
	// File is the file as the user named it with a flag, "" for that of
	// FileVariable or else the workspace's DefaultFile, which may be missing.
	File string
	// Root is the workspace root, "" for none.
	Root string
	// Getenv is the environment, nil for none.
	Getenv func(string) string
	// EnvFile is a file of variables that count where the environment has none, ""
	// for none. It may be missing, and may set what a repository may, unless the user
	// has named it.
	EnvFile      string
	EnvFileNamed bool
	// Flags are the values of flags that were given, by the names of their keys.
	Flags map[string]string
	// Tools are the names of the tools there are.
	Tools []string
	// Draw, from 0 up to 1, decides which side of a split experiment the process
	// is on.
	Draw float64
	// SkipUnknown leaves out keys of the workspace's own file that nobody knows, rather
	// than to refuse them: a file that all of a team share may be made for another
	// version. See Config.Unknown.
	SkipUnknown bool

	inspect bool
}

// A Setting is the effective value of a key.
type Setting struct {
	Key    *Key
	Source Source
	value  value
}

// Text is the value for people, of a secret whether it is set.
func (s Setting) Text() string {
	if s.value.text == "" {
		return s.Key.Default
	}
	return s.value.text
}

// JSON is the value for scripts, of a secret whether it is set.
func (s Setting) JSON() any { return s.value.data }

// Load reads the configuration. Its error is Problems when a layer has
// something that is refused.
func Load(o Options) (*Config, error) {
	return o.load(o.file().read())
}

func (o Options) load(contents []byte, unread error) (*Config, error) {
	return o.layers(contents, unread).build(o.Draw, nil)
}

// Check reads a file by itself: what is wrong with it is the error. The
// workspace's own is held to what it may say, though it is named.
func Check(o Options) error {
	o.Getenv, o.EnvFile, o.Flags, o.inspect = nil, "", nil, true
	_, err := Load(o)
	return err
}

// layers is what each layer says, merged.
type layers struct {
	keys     []*Key
	set      map[string]assignment
	file     string // that was read
	problems Problems
	warnings []string
	unknown  Problems // that are left out

	inEnvFile map[string]bool
}

// layers reads all of them; the file's is its contents, or why there are none.
func (o Options) layers(contents []byte, unread error) *layers {
	l := &layers{keys: Keys(o.Tools), set: map[string]assignment{}}
	f := o.file()
	switch {
	case unread == nil:
		r := newReader(f.shown, home{root: o.Root, stranger: f.root != "", workspace: o.Root}, l.keys)
		r.read(contents)
		l.set, l.problems, l.file = r.set, r.problems, f.shown
		if o.SkipUnknown && f.root != "" {
			l.unknown, l.problems = r.problems.split(func(p Problem) bool { return p.unknown })
		}
	case f.named || !missing(unread):
		l.problems = Problems{{Source: Source{Layer: LayerFile, Name: f.shown}, Message: cause(unread)}}
	}
	variables := o.readDotenv()
	if variables.warning != "" {
		l.warnings = append(l.warnings, variables.warning)
	}
	if variables.problem != nil {
		l.problems = append(l.problems, *variables.problem)
	}
	l.inEnvFile = variables.names()
	for _, k := range l.keys {
		if !l.environment(k, o.Getenv) {
			variables.take(l, k)
		}
		if text, given := o.Flags[k.Name]; given {
			l.take(k, raw{text: text}, Source{Layer: LayerFlag, Name: "--" + k.Flag})
		}
	}
	return l
}

// environment reads a key's value from the environment, and reports whether it is
// there.
func (l *layers) environment(k *Key, getenv func(string) string) bool {
	if getenv == nil {
		return false
	}
	for _, name := range k.Env {
		if text := getenv(name); text != "" {
			l.take(k, raw{text: text}, Source{Layer: LayerEnvironment, Name: name})
			return true
		}
	}
	return false
}

// take reads the value that a variable or flag has for a key.
func (l *layers) take(k *Key, given raw, source Source) {
	v, err := k.valueFor(given)
	if err != nil {
		l.problems = append(l.problems, invalid(k, source, given.text, err))
		return
	}
	l.set[k.Name] = assignment{v, source}
}

// Misspelt returns a sentence for each variable of an environment, as of
// os.Environ, whose name is nearly one of ours.
func Misspelt(environ, tools []string) (sentences []string) {
	const ours = "ISSUES_INDEX_"
	known := []string{strings.TrimPrefix(FileVariable, ours), strings.TrimPrefix(EnvFileVariable, ours)}
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

// build makes a configuration. The settings of keep, by their keys, take the
// place of what the layers say.
func (l *layers) build(draw float64, keep map[string]Setting) (*Config, error) {
	c := &Config{file: l.file, warnings: l.warnings, unknown: l.unknown, inEnvFile: l.inEnvFile}
	for _, k := range l.keys {
		s := Setting{Key: k, Source: Source{Layer: LayerDefault}, value: k.standard}
		if a, given := l.set[k.Name]; given {
			s.value, s.Source = a.value, a.source
		}
		if kept, held := keep[k.Name]; held {
			s = kept
		}
		s.value.apply(c)
		c.values = append(c.values, s)
	}
	problems := slices.Concat(l.problems, c.keepLimits())
	if len(problems) > 0 {
		problems.sort()
		return nil, problems
	}
	c.raiseByteLimit()
	c.settings = c.guardSettings(draw)
	return c, nil
}

// keepLimits lowers what nobody set to what somebody did, and reports what
// was set in contradiction.
func (c *Config) keepLimits() (problems Problems) {
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
		problems = append(problems, Problem{Source: low.Source, Key: limit.lower, Message: fmt.Sprintf("invalid %s %d: must be at most %s, which is %d (%s)",
			low.name(), *lower, limit.upper, *upper, high.Source)})
	}
	return problems
}

// raiseByteLimit has the bytes of an answer grow with its tokens, unless somebody set
// them: else a raised threshold would change nothing.
func (c *Config) raiseByteLimit() {
	s := c.setting("hardByteLimit")
	if s.Source.Layer != LayerDefault || c.TokenBudgetThreshold <= answer.DefaultThreshold {
		return
	}
	c.HardByteLimit = int(int64(answer.DefaultBytes) * int64(c.TokenBudgetThreshold) / answer.DefaultThreshold)
	text := strconv.Itoa(c.HardByteLimit)
	s.value.text, s.value.exact, s.value.data = text, text, c.HardByteLimit
}

// name is what the setting is called where it was set.
func (s *Setting) name() string {
	if s.Source.Layer == LayerDefault || s.Source.Layer == LayerFile {
		return s.Key.Name
	}
	return s.Source.Name
}

func (c *Config) setting(name string) *Setting {
	for i := range c.values {
		if c.values[i].Key.Name == name {
			return &c.values[i]
		}
	}
	return nil
}

// Warnings are what was left out because it could not be read, a sentence each.
func (c *Config) Warnings() []string { return c.warnings }

// Unknown are the keys that SkipUnknown left out, each with its place.
func (c *Config) Unknown() Problems { return c.unknown }

// Settled returns the effective value of every key, in their order.
func (c *Config) Settled() []Setting { return c.values }
