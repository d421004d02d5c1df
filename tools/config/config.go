// Package config reads the configuration from its layers, and again when the file
// changes while a server runs.
//
// The layers are the defaults, the user's own file, the workspace's file or one that the user
// names in its place, a .env file, the environment and the flags; a later one wins. One table
// of keys (see [Keys]) says how each key is named in every layer, which variable of a [Config]
// it sets, what its values are and what it does; parsing, messages and documentation are made
// from it.
//
// It knows nothing of MCP, of documents, or of what the settings do. Its invariants:
//
//   - a [Config] is complete, valid and never changed;
//   - every problem is reported at once, with its source and with what is allowed;
//   - a secret is never part of a message or of what is shown;
//   - a file that comes with the repository sets nothing that reaches out of the
//     workspace.
package config

import (
	"log/slog"
	"slices"
	"time"

	"issues-index/tools/answer"
)

// A Config is one state of the configuration.
type Config struct {
	// Limits of answers, see package answer.
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
	HTTPEdit bool   // the pages may change documents
	LogLevel slog.Level

	HTTPBaseURL    string // as others reach the listener, "" for the address that a request names
	HTTPTrustProxy bool   // the X-Forwarded headers are those of a proxy
	Auth           Auth

	DB       string // path of the index, "" for its default
	Cache    bool   // false: compare every file before each answer
	CacheTTL time.Duration

	Claims     Claims
	Experiment Experiment
	Telemetry  Telemetry
	Wagtail    Wagtail
	PDPP       PDPP
	Team       TeamSettings
	Hub        HubSettings

	// Workspaces are those that a server may open besides the one that it is started in:
	// absolute paths by name, from the user's own configuration.
	Workspaces map[string]string

	flags    map[string]*answer.Flags // by tool
	guard    *answer.Settings
	keys     []*Key // each with a variable of this Config
	warnings []string
	unknown  Problems
	file     string
	userFile string

	inEnvFile map[string]string // the variables of the .env file
}

// Auth says who may send requests over HTTP.
type Auth struct {
	Tokens         string // path of the file of tokens, "" for its default
	Issuer         string // URL of an OpenID Connect issuer, "" for none
	Audience       string // of the issuer's tokens
	RequiredScopes []string
}

// Claims says how work is claimed.
type Claims struct {
	Lease  time.Duration // of a claim
	Holder string        // "" for a name that the program makes
}

// Outputs are the values of Output, the default first.
func Outputs() []string { return []string{"auto", "both", "text", "structured"} }

// An Experiment compares answers with and without the guard.
type Experiment struct {
	Mode  string  // ExperimentOff, ExperimentShadow or ExperimentSplit
	Share float64 // of the server processes that run without the guard, in a split
}

// The modes of an experiment.
const (
	ExperimentOff    = "off"
	ExperimentShadow = "shadow"
	ExperimentSplit  = "split"
)

// Telemetry says how calls are recorded.
type Telemetry struct {
	Enabled    bool
	Path       string        // "" for its default
	MaxAge     time.Duration // of a call
	MaxSize    ByteSize      // of the file
	SampleRate float64       // share of the answers whose tokens are counted
}

// Wagtail is the Wagtail site to serve, none without a BaseURL.
type Wagtail struct {
	BaseURL     string
	FrontendURL string // of the pages for visitors, "" for the BaseURL
	APIPath     string
	APIKey      Secret
	AuthScheme  string // of the header with the key
	EnableStdio bool
}

// A Secret is never printed: not by fmt, and not as JSON.
type Secret string

func (Secret) String() string { return "(secret)" }

// GoString implements fmt.GoStringer, for %#v.
func (Secret) GoString() string { return "(secret)" }

// MarshalText implements encoding.TextMarshaler, for JSON.
func (Secret) MarshalText() ([]byte, error) { return []byte("(secret)"), nil }

// Reveal returns the secret itself, to be sent.
func (s Secret) Reveal() string { return string(s) }

// PDPP is the resource server to serve, none without a ProviderURL.
type PDPP struct {
	ProviderURL string
	CacheRoot   string // the folder of its credentials
}

// Settings returns the settings of the response guard.
func (c *Config) Settings() *answer.Settings { return c.guard }

// File returns the configuration file that was read, "" when there is none.
func (c *Config) File() string { return c.file }

// UserFile returns the user's own configuration file, "" when it was not read.
func (c *Config) UserFile() string { return c.userFile }

// Warnings returns a sentence for each thing that was ignored.
func (c *Config) Warnings() []string { return c.warnings }

// Unknown returns the unknown keys that were skipped, see Options.SkipUnknown.
func (c *Config) Unknown() Problems { return c.unknown }

// Settled returns every key with its value, in the order of [Keys].
func (c *Config) Settled() []*Key { return c.keys }

// key returns the key with a name, nil when there is none.
func (c *Config) key(name string) *Key {
	for _, k := range c.keys {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// HasToolset reports whether a toolset is served. A connector needs its address, too, and prompts
// need the tools that they name.
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
	case "prompts": // whose texts call the tools
		return slices.Contains(c.Toolsets, name) && slices.Contains(c.Toolsets, "issues")
	}
	return slices.Contains(c.Toolsets, name)
}

// SetsByWorkspace reports whether a key has its value from the workspace's own file.
func (c *Config) SetsByWorkspace(name string) bool {
	k := c.key(name)
	return k != nil && k.Source.Layer == LayerFile && k.Source.Name == DefaultFile
}

// guardSettings returns the settings of the guard. draw, from 0 up to 1, decides which
// side of a split this process is on.
func (c *Config) guardSettings(draw float64) *answer.Settings {
	s := answer.Defaults()
	s.PageSize, s.MaxPageSize = c.DefaultPageSize, c.MaxPageSize
	s.Threshold, s.MaxTokens = c.TokenBudgetThreshold, c.MaxTokenBudget
	s.Bytes, s.ChunkTokens = c.HardByteLimit, c.ChunkSize
	s.ExplicitBytes = c.key("hardByteLimit").Source.Layer != LayerDefault
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
