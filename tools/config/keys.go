package config

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"issues-index/tools/answer"
)

// Keys returns all keys, including those of these tools, in the order of the
// documentation.
func Keys(tools []string) []*Key {
	all := slices.Concat(general(), layoutKeys())
	for _, tool := range tools {
		all = append(all, toolKeys(tool)...)
	}
	return all
}

// toolsets are the possible values of Toolsets. The last three are no tools, and take no
// room among them.
var toolsets = []string{"issues", "session", "wagtail", "pdpp", "resources", "prompts", "elicitation"}

// Toolsets are the values of Toolsets: all of them are the default.
func Toolsets() []string { return slices.Clone(toolsets) }

// general returns the keys that belong to no tool. They are made once: serve asks for one
// of them for each of its flags.
var general = sync.OnceValue(func() []*Key {
	d := answer.Defaults()
	empty := shown("")
	keys := []*Key{
		key("defaultPageSize", "ISSUES_INDEX_DEFAULT_PAGE_SIZE", whole(1, 100), d.PageSize,
			func(c *Config) *int { return &c.DefaultPageSize }, "rows of a page when a call names no limit; at most maxPageSize"),
		key("maxPageSize", "ISSUES_INDEX_MAX_PAGE_SIZE", whole(1, 100), d.MaxPageSize,
			func(c *Config) *int { return &c.MaxPageSize }, "rows that a call may ask for"),
		key("tokenBudgetThreshold", "ISSUES_INDEX_TOKEN_BUDGET_THRESHOLD", whole(500, 1_000_000), d.Threshold,
			func(c *Config) *int { return &c.TokenBudgetThreshold }, "tokens that an answer may cost; at most maxTokenBudget"),
		key("maxTokenBudget", "ISSUES_INDEX_MAX_TOKEN_BUDGET", whole(500, 1_000_000), d.MaxTokens,
			func(c *Config) *int { return &c.MaxTokenBudget }, "tokens that a call may ask for with maxTokens"),
		key("hardByteLimit", "ISSUES_INDEX_HARD_BYTE_LIMIT", whole(2000, 10_000_000), d.Bytes,
			func(c *Config) *int { return &c.HardByteLimit }, "bytes of each channel of an answer, whatever its tokens; unless it is set, it grows with tokenBudgetThreshold and is lower for a client that cuts earlier"),
		key("chunkSize", "ISSUES_INDEX_CHUNK_SIZE", whole(100, 1_000_000), d.ChunkTokens,
			func(c *Config) *int { return &c.ChunkSize }, "tokens of one chunk of a long document; at most tokenBudgetThreshold"),
		key("output", "ISSUES_INDEX_OUTPUT", oneOf(Outputs()...), Outputs()[0],
			func(c *Config) *string { return &c.Output }, "channels of an answer; auto goes by the client", flag("output"), restart),
		key("toolsets", "ISSUES_INDEX_TOOLSETS", names(toolsets...), toolsets,
			func(c *Config) *[]string { return &c.Toolsets }, "what is served; wagtail and pdpp need their address besides, prompts need issues", flag("toolsets"), restart),
		key("name", "ISSUES_INDEX_NAME WRANGLER_MCP_NAME MCP_SERVICE_NAME PDPP_MCP_SERVER_NAME", line(), "",
			func(c *Config) *string { return &c.Name }, "how the server calls itself", shown("issues-index"), restart, usersOwn),
		key("version", "ISSUES_INDEX_VERSION WRANGLER_MCP_VERSION MCP_SERVICE_VERSION", line(), "",
			func(c *Config) *string { return &c.Version }, "the version that the server tells", shown("the program's"), restart, usersOwn),
		key("httpAddr", "ISSUES_INDEX_HTTP_ADDR", address(), "",
			func(c *Config) *string { return &c.HTTPAddr }, "where to serve the pages, health and metrics", flag("http-addr"), empty, restart, byRepository(loopbackOnly, onThisMachine)),
		key("httpEdit", "ISSUES_INDEX_HTTP_EDIT", toggle(), false,
			func(c *Config) *bool { return &c.HTTPEdit }, "let the pages change documents", flag("http-edit"), restart, usersOwn),
		key("httpBaseUrl", "ISSUES_INDEX_BASE_URL", origin(), "",
			func(c *Config) *string { return &c.HTTPBaseURL }, "the address by which others reach the server, as through a proxy", flag("base-url"), empty, restart, usersOwn),
		key("httpTrustProxy", "ISSUES_INDEX_TRUST_PROXY", toggle(), false,
			func(c *Config) *bool { return &c.HTTPTrustProxy }, "take from the X-Forwarded headers of a proxy who sent a request", flag("trust-proxy-headers"), restart, usersOwn),
		key("auth.tokens", "ISSUES_INDEX_TOKENS", place(), "",
			func(c *Config) *string { return &c.Auth.Tokens }, "file of the tokens that requests over HTTP may have", flag("tokens"), shown("tokens.json beside your own configuration file"), restart, usersOwn),
		key("auth.issuer", "ISSUES_INDEX_AUTH_ISSUER", site(), "",
			func(c *Config) *string { return &c.Auth.Issuer }, "OpenID Connect issuer of access tokens that they may have", empty, restart, usersOwn),
		key("auth.audience", "ISSUES_INDEX_AUTH_AUDIENCE", line(), "",
			func(c *Config) *string { return &c.Auth.Audience }, "what the issuer's tokens must be for: this server, and nothing else", empty, restart, usersOwn),
		key("auth.requiredScopes", "ISSUES_INDEX_AUTH_REQUIRED_SCOPES", scopes(), nil,
			func(c *Config) *[]string { return &c.Auth.RequiredScopes }, "scopes without which a token of the issuer is refused", empty, restart, usersOwn),
		key("logLevel", "ISSUES_INDEX_LOG_LEVEL", level(), slog.LevelInfo,
			func(c *Config) *slog.Level { return &c.LogLevel }, "what serve logs to standard error", flag("log-level"),
			byRepository(warningsShown, func(name string) bool { return name != "error" })),
		key("db", "ISSUES_INDEX_DB", place(), "",
			func(c *Config) *string { return &c.DB }, "index file; in a file relative to the workspace", flag("db"), shown(".wrangler/cache/issues-index.db"), restart, inCache),
		key("cache", "ISSUES_INDEX_CACHE WRANGLER_MCP_CACHE", toggle(), true,
			func(c *Config) *bool { return &c.Cache }, "false compares every file with the index before each answer, instead of trusting the watcher", restart),
		key("cacheTTL", "ISSUES_INDEX_CACHE_TTL", duration(time.Second, day), time.Minute,
			func(c *Config) *time.Duration { return &c.CacheTTL }, "how old an answer may be where files cannot be watched, and how often all files are compared where they can", restart),
		key("claims.lease", "ISSUES_INDEX_CLAIMS_LEASE", duration(time.Minute, 7*day), 4*time.Hour,
			func(c *Config) *time.Duration { return &c.Claims.Lease }, "how long a claim counts without a write of its holder; others may take the work a quarter of that later", flag("lease")),
		key("claims.holder", "ISSUES_INDEX_HOLDER", line(), "",
			func(c *Config) *string { return &c.Claims.Holder }, "who claims: of a command, in place of the user and machine; of serve, in place of the name of its session", flag("as"), shown("you@machine"), restart, usersOwn),
		key("experiment.mode", "ISSUES_INDEX_EXPERIMENT", oneOf(ExperimentOff, ExperimentShadow, ExperimentSplit), ExperimentOff,
			func(c *Config) *string { return &c.Experiment.Mode }, "shadow sends answers as without the guard and records both sizes; split runs a share of the servers without it"),
		key("experiment.share", "ISSUES_INDEX_EXPERIMENT_SHARE", share(), 0.5,
			func(c *Config) *float64 { return &c.Experiment.Share }, "share of the servers without the guard, in a split"),
		key("telemetry.enabled", "ISSUES_INDEX_TELEMETRY", toggle(), true,
			func(c *Config) *bool { return &c.Telemetry.Enabled }, "keep account of the calls, on this machine only"),
		key("telemetry.path", "ISSUES_INDEX_TELEMETRY_PATH", place(), "",
			func(c *Config) *string { return &c.Telemetry.Path }, "its file; in a file relative to the workspace", shown(".wrangler/cache/telemetry.db"), restart, inCache),
		key("telemetry.maxAge", "ISSUES_INDEX_TELEMETRY_MAX_AGE", duration(time.Hour, 3650*day), 30*day,
			func(c *Config) *time.Duration { return &c.Telemetry.MaxAge }, "how long a call is kept"),
		key("telemetry.maxSize", "ISSUES_INDEX_TELEMETRY_MAX_SIZE", size(1_000_000, 10_000_000_000), 50_000_000,
			func(c *Config) *int { return &c.Telemetry.MaxSize }, "how large its file grows"),
		key("telemetry.sampleRate", "ISSUES_INDEX_TELEMETRY_SAMPLE_RATE", share(), 0.01,
			func(c *Config) *float64 { return &c.Telemetry.SampleRate }, "share of the answers whose tokens are counted by a tokenizer"),
		key("wagtail.baseUrl", "WAGTAIL_BASE_URL ISSUES_INDEX_WAGTAIL_BASE_URL", site(), "",
			func(c *Config) *string { return &c.Wagtail.BaseURL }, "Wagtail site to serve", empty, restart, usersOwn),
		key("wagtail.frontendUrl", "WAGTAIL_FRONTEND_URL ISSUES_INDEX_WAGTAIL_FRONTEND_URL", site(), "",
			func(c *Config) *string { return &c.Wagtail.FrontendURL }, "where visitors see its pages, when that is another address; the key is not sent there", empty, restart, usersOwn),
		key("wagtail.apiPath", "WAGTAIL_API_PATH ISSUES_INDEX_WAGTAIL_API_PATH", urlPath(), "/api/v2/",
			func(c *Config) *string { return &c.Wagtail.APIPath }, "path of its API", restart, usersOwn),
		key("wagtail.apiKey", "WAGTAIL_API_KEY ISSUES_INDEX_WAGTAIL_API_KEY", token(), "",
			func(c *Config) *Secret { return &c.Wagtail.APIKey }, "key that is sent to it; better in the environment than in a file", empty, secret, restart, usersOwn),
		key("wagtail.authScheme", "WAGTAIL_AUTH_SCHEME ISSUES_INDEX_WAGTAIL_AUTH_SCHEME", oneOf("Bearer", "Token"), "Bearer",
			func(c *Config) *string { return &c.Wagtail.AuthScheme }, "how the key is sent: Token for the tokens of Django REST framework", restart, usersOwn),
		key("wagtail.enableStdio", "MCP_ENABLE_STDIO ISSUES_INDEX_WAGTAIL_ENABLE_STDIO", toggle(), true,
			func(c *Config) *bool { return &c.Wagtail.EnableStdio }, "false refuses to serve over stdio where a Wagtail site is configured", restart, usersOwn),
		key("pdpp.providerUrl", "PDPP_PROVIDER_URL ISSUES_INDEX_PDPP_PROVIDER_URL", site(), "",
			func(c *Config) *string { return &c.PDPP.ProviderURL }, "PDPP resource server to serve", empty, restart, usersOwn),
		key("pdpp.cacheRoot", "PDPP_CACHE_ROOT ISSUES_INDEX_PDPP_CACHE_ROOT", place(), ".pdpp",
			func(c *Config) *string { return &c.PDPP.CacheRoot }, "folder of its credentials", restart, inCache),
	}
	return slices.Concat(keys, teamKeys(), []*Key{workspacesKey()})
})

// toolKeys returns the keys of one tool.
func toolKeys(tool string) []*Key {
	block, env := "tools."+tool+".", "ISSUES_INDEX_TOOLS_"+strings.ToUpper(tool)+"_"
	return []*Key{
		key(block+"pagination", env+"PAGINATION", toggle(), true,
			func(c *Config) *bool { return &c.flagsOf(tool).Pagination }, "the guard may give fewer rows and a cursor"),
		key(block+"summarization", env+"SUMMARIZATION", toggle(), true,
			func(c *Config) *bool { return &c.flagsOf(tool).Summarization }, "the guard may give less of each row or field; what is still over a limit is cut even so"),
		key(block+"chunking", env+"CHUNKING", toggle(), true,
			func(c *Config) *bool { return &c.flagsOf(tool).Chunking }, "the guard may give a long document in parts"),
	}
}

// shorthands are blocks that may have a single value in a file, which sets this key.
var shorthands = map[string]string{"experiment": "experiment.mode", "telemetry": "telemetry.enabled"}

// A limit is a key whose value is at most that of another key. An explicit upper value
// also lowers a default below it.
type limit struct {
	lower, upper string
	values       func(*Config) (lower, upper *int)
}

var limits = []limit{
	{"defaultPageSize", "maxPageSize", func(c *Config) (lower, upper *int) { return &c.DefaultPageSize, &c.MaxPageSize }},
	{"tokenBudgetThreshold", "maxTokenBudget", func(c *Config) (lower, upper *int) { return &c.TokenBudgetThreshold, &c.MaxTokenBudget }},
	{"chunkSize", "tokenBudgetThreshold", func(c *Config) (lower, upper *int) { return &c.ChunkSize, &c.TokenBudgetThreshold }},
}

// KeyNamed returns the key with a name, nil when there is none or it belongs to a tool.
func KeyNamed(name string) *Key {
	for _, k := range general() {
		if k.Name == name {
			return k
		}
	}
	return nil
}
