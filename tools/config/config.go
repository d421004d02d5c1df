// Package config is the configuration: what an operator may set, the layers it
// is read from, and a file that is followed while a server runs.
//
// The layers are, the last one winning: the defaults, a YAML or JSON file, a file of
// variables, the environment, the flags. One table of keys (see [Keys]) says how each is named
// in every layer, what it may be and what it is for; parsing, messages and
// documentation are made from it.
//
// It knows nothing of MCP, of documents, or of what the settings do. Its
// invariants: a [Config] is complete, valid and never changed; what is wrong is
// said with its place and with what is allowed, all of it at once; a secret is
// never part of a message or of what is shown; a file that comes with the
// repository sets nothing that reaches out of the workspace.
package config

import (
	"log/slog"
	"slices"
	"time"

	"issues-index/tools/answer"
)

// A Config is one state of the configuration.
type Config struct {
	// What an answer may cost, see package guard.
	DefaultPageSize      int // rows
	MaxPageSize          int // rows
	TokenBudgetThreshold int // tokens
	MaxTokenBudget       int // tokens
	HardByteLimit        int // bytes of each channel
	ChunkSize            int // tokens

	Output   string // one of Outputs
	Toolsets []string
	Name     string // of the server; "" is the program's
	Version  string // of the server; "" is the program's
	HTTPAddr string // host:port, "" for no listener
	LogLevel slog.Level

	DB       string // path of the index, "" for its default
	Cache    bool   // false: compare every file before each answer
	CacheTTL time.Duration

	Experiment Experiment
	Telemetry  Telemetry
	Wagtail    Wagtail
	PDPP       PDPP

	flags    map[string]*answer.Flags // of tools
	settings *answer.Settings
	values   []Setting
	warnings []string
	unknown  Problems
	file     string

	inEnvFile map[string]bool // variables that are not empty there
}

// Outputs are the values of Output, the default first.
func Outputs() []string { return []string{"auto", "both", "text", "structured"} }

// An Experiment compares answers with the guard and without it.
type Experiment struct {
	Mode  string  // ExperimentOff, ExperimentShadow or ExperimentSplit
	Share float64 // of the server processes, in a split, that run without the guard
}

// The modes of an experiment.
const (
	ExperimentOff    = "off"
	ExperimentShadow = "shadow"
	ExperimentSplit  = "split"
)

// Telemetry says what is kept of the calls.
type Telemetry struct {
	Enabled    bool
	Path       string        // "" for its default
	MaxAge     time.Duration // of a record
	MaxSize    int           // bytes of the file
	SampleRate float64       // share of the answers whose tokens are counted
}

// Wagtail is the Wagtail site to serve; it is off without a BaseURL.
type Wagtail struct {
	BaseURL     string
	FrontendURL string // where visitors see its pages, "" for the BaseURL
	APIPath     string
	APIKey      Secret
	AuthScheme  string // in which the key is sent
	EnableStdio bool
}

// A Secret does not show itself, however it is printed.
type Secret string

func (Secret) String() string { return "(secret)" }

// GoString is for %#v.
func (Secret) GoString() string { return "(secret)" }

// MarshalText is for JSON.
func (Secret) MarshalText() ([]byte, error) { return []byte("(secret)"), nil }

// Reveal returns the secret, for the one who has to send it.
func (s Secret) Reveal() string { return string(s) }

// PDPP is the resource server to serve; it is off without a ProviderURL.
type PDPP struct {
	ProviderURL string
	CacheRoot   string // folder of the credentials
}

// Settings are those of the response guard.
func (c *Config) Settings() *answer.Settings { return c.settings }

// File is the configuration file that was read, "" when there is none.
func (c *Config) File() string { return c.file }

// HasToolset reports whether a toolset is to be served. A connector needs its
// address besides.
func (c *Config) HasToolset(name string) bool {
	switch name {
	case "wagtail":
		if c.Wagtail.BaseURL == "" {
			return false
		}
	case "pdpp":
		if c.PDPP.ProviderURL == "" {
			return false
		}
	}
	return slices.Contains(c.Toolsets, name)
}

// flagsOf returns what is set of a tool's flags, which start as all set.
func (c *Config) flagsOf(tool string) *answer.Flags {
	if c.flags == nil {
		c.flags = make(map[string]*answer.Flags)
	}
	if c.flags[tool] == nil {
		c.flags[tool] = &answer.Flags{Pagination: true, Summarization: true, Chunking: true}
	}
	return c.flags[tool]
}

// guardSettings makes the guard's settings. draw, from 0 up to 1, decides which
// side of a split this process is on.
func (c *Config) guardSettings(draw float64) *answer.Settings {
	s := answer.Defaults()
	s.PageSize, s.MaxPageSize = c.DefaultPageSize, c.MaxPageSize
	s.Threshold, s.MaxTokens = c.TokenBudgetThreshold, c.MaxTokenBudget
	s.Bytes, s.ChunkTokens = c.HardByteLimit, c.ChunkSize
	s.ExplicitBytes = c.setting("hardByteLimit").Source.Layer != LayerDefault
	s.Lines = max(s.Lines, s.Lines*s.Threshold/answer.DefaultThreshold)
	s.Shadow = c.Experiment.Mode == ExperimentShadow
	s.Off = c.Experiment.Mode == ExperimentSplit && draw < c.Experiment.Share
	all := answer.Flags{Pagination: true, Summarization: true, Chunking: true}
	for tool, flags := range c.flags {
		if *flags == all {
			continue
		}
		if s.Tools == nil {
			s.Tools = make(map[string]answer.Flags)
		}
		s.Tools[tool] = *flags
	}
	return s
}
