package config

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"issues-index/store/layout"
	"issues-index/store/mirror"
	"issues-index/tools/answer"
)

// Keys returns all keys, including those of these tools, in the order of the
// documentation, with their defaults.
func Keys(tools []string) []*Key { return defaults(tools).keys }

// KeyNamed returns the key with a name, nil when there is none or it belongs to a tool.
func KeyNamed(name string) *Key { return general().key(name) }

// general has the keys of no tool. It is made once: the commands ask for each of their flags.
var general = sync.OnceValue(func() *Config { return defaults(nil) })

// toolsets are the possible values of Toolsets. The last three are no tools, and take no
// room among them.
var toolsets = []string{"issues", "session", "wagtail", "pdpp", "resources", "prompts", "elicitation"}

// Toolsets are the values of Toolsets: all of them are the default.
func Toolsets() []string { return slices.Clone(toolsets) }

// defaults returns a configuration that nothing sets.
func defaults(tools []string) *Config {
	d := answer.Defaults()
	c := &Config{
		DefaultPageSize: d.PageSize, MaxPageSize: d.MaxPageSize, TokenBudgetThreshold: d.Threshold,
		MaxTokenBudget: d.MaxTokens, HardByteLimit: d.Bytes, ChunkSize: d.ChunkTokens,
		Output: Outputs()[0], Toolsets: Toolsets(), LogLevel: slog.LevelInfo, Cache: true, CacheTTL: time.Minute,
		Claims:     Claims{Lease: 4 * time.Hour},
		Experiment: Experiment{Mode: ExperimentOff, Share: 0.5},
		Telemetry:  Telemetry{Enabled: true, MaxAge: 30 * day, MaxSize: 50_000_000, SampleRate: 0.01},
		Wagtail:    Wagtail{APIPath: "/api/v2/", AuthScheme: "Bearer", EnableStdio: true},
		PDPP:       PDPP{CacheRoot: ".pdpp"},
		Team: TeamSettings{
			Line: LineAuto, Publish: PublishAuto, Claims: ClaimsAuto, Timeout: 2 * time.Second,
		},
		Hub:        HubSettings{Lines: []string{mirror.Main}, FreshWait: 2 * time.Second},
		Workspaces: map[string]string{},
		flags:      map[string]*answer.Flags{},
	}
	c.keys = slices.Concat(c.answerKeys(), c.serverKeys(), c.connectorKeys(), c.teamKeys(), []*Key{
		key(workspacesName, "", Value{
			Allowed: "a block of names with a path each, absolute or beginning with ~/",
			get:     func() any { return c.Workspaces }, read: (*fileReader).workspaces,
		}, "workspaces that a server may open besides its start workspace, by names that calls and "+
			"--workspace take; only in your own file", func(k *Key) { k.Repository = Never }),
	})
	for _, p := range layout.Properties() {
		c.keys = append(c.keys, layoutKey(p))
	}
	for _, tool := range tools {
		c.keys = append(c.keys, c.toolKeys(tool)...)
	}
	return c
}

// answerKeys are the keys of answers and of how the server presents itself.
func (c *Config) answerKeys() []*Key {
	return []*Key{
		key("defaultPageSize", "ISSUES_INDEX_DEFAULT_PAGE_SIZE", whole(&c.DefaultPageSize, 1, 100),
			"rows of a page when a call names no limit; at most maxPageSize"),
		key("maxPageSize", "ISSUES_INDEX_MAX_PAGE_SIZE", whole(&c.MaxPageSize, 1, 100), "rows that a call may ask for"),
		key("tokenBudgetThreshold", "ISSUES_INDEX_TOKEN_BUDGET_THRESHOLD",
			whole(&c.TokenBudgetThreshold, 500, 1_000_000), "tokens that an answer may cost; at most maxTokenBudget"),
		key("maxTokenBudget", "ISSUES_INDEX_MAX_TOKEN_BUDGET", whole(&c.MaxTokenBudget, 500, 1_000_000),
			"tokens that a call may ask for with maxTokens"),
		key("hardByteLimit", "ISSUES_INDEX_HARD_BYTE_LIMIT", whole(&c.HardByteLimit, 2000, 10_000_000),
			"bytes of each channel of an answer, whatever its tokens; unless it is set, it grows with "+
				"tokenBudgetThreshold and is lower for a client that cuts earlier"),
		key("chunkSize", "ISSUES_INDEX_CHUNK_SIZE", whole(&c.ChunkSize, 100, 1_000_000),
			"tokens of one chunk of a long document; at most tokenBudgetThreshold"),
		key("output", "ISSUES_INDEX_OUTPUT", oneOf(&c.Output, Outputs()...),
			"channels of an answer; auto goes by the client", flag("output"), restart),
		key("toolsets", "ISSUES_INDEX_TOOLSETS", names(&c.Toolsets, toolsets),
			"what is served; wagtail and pdpp need their address besides, prompts need issues", flag("toolsets"), restart),
		key("name", "ISSUES_INDEX_NAME WRANGLER_MCP_NAME MCP_SERVICE_NAME PDPP_MCP_SERVER_NAME", line(&c.Name),
			"how the server calls itself", shown("issues-index"), usersOwn),
		key("version", "ISSUES_INDEX_VERSION WRANGLER_MCP_VERSION MCP_SERVICE_VERSION", line(&c.Version),
			"the version that the server tells", shown("the program's"), usersOwn),
	}
}

// serverKeys are the keys of a server and of what it keeps.
func (c *Config) serverKeys() []*Key {
	return []*Key{
		key("httpAddr", "ISSUES_INDEX_HTTP_ADDR", address(&c.HTTPAddr), "where to serve the pages, health and metrics",
			flag("http-addr"), restart, byRepository(loopbackOnly, onThisMachine)),
		key("httpEdit", "ISSUES_INDEX_HTTP_EDIT", toggle(&c.HTTPEdit), "let the pages change documents",
			flag("http-edit"), usersOwn),
		key("httpBaseUrl", "ISSUES_INDEX_BASE_URL", origin(&c.HTTPBaseURL),
			"the address by which others reach the server, as through a proxy", flag("base-url"), usersOwn),
		key("httpTrustProxy", "ISSUES_INDEX_TRUST_PROXY", toggle(&c.HTTPTrustProxy),
			"take from the X-Forwarded headers of a proxy who sent a request", flag("trust-proxy-headers"), usersOwn),
		key("auth.tokens", "ISSUES_INDEX_TOKENS", path(&c.Auth.Tokens), "file of the tokens that requests over HTTP may have",
			flag("tokens"), shown("tokens.json beside your own configuration file"), usersOwn),
		key("auth.issuer", "ISSUES_INDEX_AUTH_ISSUER", site(&c.Auth.Issuer),
			"OpenID Connect issuer of access tokens that they may have", usersOwn),
		key("auth.audience", "ISSUES_INDEX_AUTH_AUDIENCE", line(&c.Auth.Audience),
			"what the issuer's tokens must be for: this server, and nothing else", usersOwn),
		key("auth.requiredScopes", "ISSUES_INDEX_AUTH_REQUIRED_SCOPES", scopes(&c.Auth.RequiredScopes),
			"scopes without which a token of the issuer is refused", usersOwn),
		key("logLevel", "ISSUES_INDEX_LOG_LEVEL", level(&c.LogLevel), "what serve logs to standard error", flag("log-level"),
			byRepository(warningsShown, func(name string) bool { return name != "error" })),
		key("db", "ISSUES_INDEX_DB", path(&c.DB), "index file; in a file relative to the workspace",
			flag("db"), shown(".wrangler/cache/issues-index.db"), restart, inCache),
		key("cache", "ISSUES_INDEX_CACHE WRANGLER_MCP_CACHE", toggle(&c.Cache),
			"false compares every file with the index before each answer, instead of trusting the watcher", restart),
		key("cacheTTL", "ISSUES_INDEX_CACHE_TTL", duration(&c.CacheTTL, time.Second, day),
			"how old an answer may be where files cannot be watched, and how often all files are compared where they can",
			restart),
		key("claims.lease", "ISSUES_INDEX_CLAIMS_LEASE", duration(&c.Claims.Lease, time.Minute, 7*day),
			"how long a claim counts without a write of its holder; others may take the work a quarter of that later",
			flag("lease")),
		key("claims.holder", "ISSUES_INDEX_HOLDER", line(&c.Claims.Holder),
			"who claims: of a command, in place of the user and machine; of serve, in place of the name of its session",
			flag("as"), shown("you@machine"), usersOwn),
		key("experiment.mode", "ISSUES_INDEX_EXPERIMENT",
			oneOf(&c.Experiment.Mode, ExperimentOff, ExperimentShadow, ExperimentSplit),
			"shadow sends answers uncut and records both sizes; split runs a share of the servers with uncut answers"),
		key("experiment.share", "ISSUES_INDEX_EXPERIMENT_SHARE", share(&c.Experiment.Share),
			"share of the servers whose answers are not cut to the budget, in a split"),
		key("telemetry.enabled", "ISSUES_INDEX_TELEMETRY", toggle(&c.Telemetry.Enabled),
			"keep account of the calls, on this machine only"),
		key("telemetry.path", "ISSUES_INDEX_TELEMETRY_PATH", path(&c.Telemetry.Path),
			"its file; in a file relative to the workspace", shown(".wrangler/cache/telemetry.db"), restart, inCache),
		key("telemetry.maxAge", "ISSUES_INDEX_TELEMETRY_MAX_AGE", duration(&c.Telemetry.MaxAge, time.Hour, 3650*day),
			"how long a call is kept"),
		key("telemetry.maxSize", "ISSUES_INDEX_TELEMETRY_MAX_SIZE", size(&c.Telemetry.MaxSize, 1_000_000, 10_000_000_000),
			"how large its file grows"),
		key("telemetry.sampleRate", "ISSUES_INDEX_TELEMETRY_SAMPLE_RATE", share(&c.Telemetry.SampleRate),
			"share of the answers whose tokens are counted by a tokenizer"),
	}
}

// connectorKeys are the keys of services that a server connects to.
func (c *Config) connectorKeys() []*Key {
	return []*Key{
		key("wagtail.baseUrl", "WAGTAIL_BASE_URL ISSUES_INDEX_WAGTAIL_BASE_URL", site(&c.Wagtail.BaseURL),
			"Wagtail site to serve", usersOwn),
		key("wagtail.frontendUrl", "WAGTAIL_FRONTEND_URL ISSUES_INDEX_WAGTAIL_FRONTEND_URL", site(&c.Wagtail.FrontendURL),
			"where visitors see its pages, when that is another address; the key is not sent there", usersOwn),
		key("wagtail.apiPath", "WAGTAIL_API_PATH ISSUES_INDEX_WAGTAIL_API_PATH", urlPath(&c.Wagtail.APIPath),
			"path of its API", usersOwn),
		key("wagtail.apiKey", "WAGTAIL_API_KEY ISSUES_INDEX_WAGTAIL_API_KEY", token(&c.Wagtail.APIKey),
			"key that is sent to it; better in the environment than in a file", usersOwn),
		key("wagtail.authScheme", "WAGTAIL_AUTH_SCHEME ISSUES_INDEX_WAGTAIL_AUTH_SCHEME",
			oneOf(&c.Wagtail.AuthScheme, "Bearer", "Token"),
			"how the key is sent: Token for the tokens of Django REST framework", usersOwn),
		key("wagtail.enableStdio", "MCP_ENABLE_STDIO ISSUES_INDEX_WAGTAIL_ENABLE_STDIO", toggle(&c.Wagtail.EnableStdio),
			"false refuses to serve over stdio where a Wagtail site is configured", usersOwn),
		key("pdpp.providerUrl", "PDPP_PROVIDER_URL ISSUES_INDEX_PDPP_PROVIDER_URL", site(&c.PDPP.ProviderURL),
			"PDPP resource server to serve", usersOwn),
		key("pdpp.cacheRoot", "PDPP_CACHE_ROOT ISSUES_INDEX_PDPP_CACHE_ROOT", path(&c.PDPP.CacheRoot),
			"folder of its credentials", restart, inCache),
	}
}

// teamKeys are the keys of a team and of its hubs. A repository sets none: it would decide to
// whom the documents are sent.
func (c *Config) teamKeys() []*Key {
	const (
		oneName      = "1 to 64 lower-case letters, digits and hyphens"
		severalNames = "names of lower-case letters, digits and hyphens"
	)
	name := func(text string) (string, bool) { return text, mirror.IsName(text) }
	return []*Key{
		key("team.url", "ISSUES_INDEX_TEAM_URL", clusterNodes(&c.Team.URLs),
			"nodes of the team's NATS cluster; without one nothing is shared", usersOwn),
		key("team.workspace", "ISSUES_INDEX_TEAM_WORKSPACE", variable(&c.Team.Workspace, oneName, name),
			"name by which the team knows the workspace; without one it is shared if workspaces names it",
			flag("team-workspace"), usersOwn),
		key("team.line", "ISSUES_INDEX_TEAM_LINE", variable(&c.Team.Line, oneName, name),
			"line that this checkout publishes; auto is main on the default branch, and a name of its own elsewhere", usersOwn),
		key("team.publish", "ISSUES_INDEX_TEAM_PUBLISH", oneOf(&c.Team.Publish, PublishAuto, PublishMain, PublishOff),
			"what is published: main leaves out work on other branches", usersOwn),
		key("team.claims", "ISSUES_INDEX_TEAM_CLAIMS", oneOf(&c.Team.Claims, ClaimsAuto, ClaimsCluster, ClaimsOff),
			"how claims and ids are agreed with the team: with auto, or cluster, the cluster is asked for each, "+
				"and off asks for none", usersOwn),
		key("team.timeout", "ISSUES_INDEX_TEAM_TIMEOUT", duration(&c.Team.Timeout, 100*time.Millisecond, time.Minute),
			"how long the cluster may take to answer", usersOwn),
		key("team.credentials", "ISSUES_INDEX_TEAM_CREDENTIALS", path(&c.Team.Credentials),
			"file with the seed of an NKEY, or a .creds file, for the cluster", usersOwn),
		key("team.caFile", "ISSUES_INDEX_TEAM_CA_FILE", path(&c.Team.CAFile),
			"certificates of the authorities that the cluster's are checked with", shown("the system's"), usersOwn),
		key("team.certFile", "ISSUES_INDEX_TEAM_CERT_FILE", path(&c.Team.CertFile),
			"certificate that the cluster is shown", usersOwn),
		key("team.keyFile", "ISSUES_INDEX_TEAM_KEY_FILE", path(&c.Team.KeyFile), "key of that certificate", usersOwn),
		key("hub.dir", "ISSUES_INDEX_HUB_DIR", path(&c.Hub.Dir), "folder of a hub: it can be deleted at any time",
			flag("dir"), shown("hub in the program's folder of the user's cache"), usersOwn),
		key("hub.workspaces", "ISSUES_INDEX_HUB_WORKSPACES", list(&c.Hub.Workspaces, severalNames, mirror.IsName),
			"workspaces that a hub holds", flag("workspaces"), shown("all"), usersOwn),
		key("hub.lines", "ISSUES_INDEX_HUB_LINES", list(&c.Hub.Lines, severalNames, mirror.IsName),
			"lines that a hub holds; all adds the work of branches that is not merged", flag("lines"), usersOwn),
		key("hub.freshWait", "ISSUES_INDEX_HUB_FRESH_WAIT", duration(&c.Hub.FreshWait, 0, time.Minute),
			"how long a hub waits to show what was written through it", usersOwn),
	}
}

// toolKeys are the keys of one tool, whose flags are all on by default.
func (c *Config) toolKeys(tool string) []*Key {
	flags := &answer.Flags{Pagination: true, Summarization: true, Chunking: true}
	c.flags[tool] = flags
	block, env := "tools."+tool+".", "ISSUES_INDEX_TOOLS_"+strings.ToUpper(tool)+"_"
	return []*Key{
		key(block+"pagination", env+"PAGINATION", toggle(&flags.Pagination),
			"an answer over its budget may have fewer rows, and a cursor for the rest"),
		key(block+"summarization", env+"SUMMARIZATION", toggle(&flags.Summarization),
			"an answer over its budget may have less of each row or field; what is still over a limit is cut even so"),
		key(block+"chunking", env+"CHUNKING", toggle(&flags.Chunking),
			"a document over the budget of its answer may come in parts"),
	}
}

// shorthands are blocks that may have a single value in a file, which sets this key.
var shorthands = map[string]string{"experiment": "experiment.mode", "telemetry": "telemetry.enabled"}

// Some keys of the workspace's own file describe its documents, not the program. The
// workspace itself reads them there (see package layout), whatever file the rest of the
// configuration is in. Here they are checked and shown.

// LayoutOnly is the Repository of such a key: no other layer may set it.
const LayoutOnly = "yes, and only there"

// described is the value of such a key.
type described struct {
	text string
	data any
}

func layoutKey(p *layout.Property) *Key {
	at := described{p.Default, p.Standard()}
	return key(p.Name, "", Value{
		Allowed: p.Allowed, get: func() any { return at },
		read: func(r *fileReader, k *Key, node *yaml.Node) {
			if !r.describes {
				r.problem(node.Line, k.Name, "%s describes the workspace, so it counts only in its own file: move it to %s",
					k.Name, DefaultFile)
				return
			}
			text, data, problems := p.Check(node)
			for _, wrong := range problems {
				r.problem(wrong.Line, k.Name, "%s", wrong.Message)
			}
			if len(problems) == 0 {
				at, k.Source = described{text, data}, r.at(node.Line)
			}
		},
	}, p.Doc, func(k *Key) { k.Repository = LayoutOnly })
}
