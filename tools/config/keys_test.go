package config_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/tools/answer"
	"issues-index/tools/config"
)

// A sample is a value of a key as it is written, and what it must become.
type sample struct {
	text string
	want any
}

// samples has every key there is: values that are taken, at the ends of what
// is allowed, and values that are refused.
var samples = map[string]struct {
	get     func(*config.Config) any
	valid   []sample
	invalid []string
}{
	"defaultPageSize": {
		func(c *config.Config) any { return c.DefaultPageSize },
		[]sample{{"1", 1}, {"100", 100}},
		[]string{"0", "101", "-1", "1.5", "ten", "010", "1e1", "99999999999999999999"},
	},
	"maxPageSize": {
		func(c *config.Config) any { return c.MaxPageSize },
		[]sample{{"1", 1}, {"100", 100}},
		[]string{"0", "101", "0x10", "1_0"},
	},
	"tokenBudgetThreshold": {
		func(c *config.Config) any { return c.TokenBudgetThreshold },
		[]sample{{"500", 500}, {"25000", 25000}},
		[]string{"499", "1000001", "25001", "4k"},
	},
	"maxTokenBudget": {
		func(c *config.Config) any { return c.MaxTokenBudget },
		[]sample{{"500", 500}, {"1000000", 1_000_000}},
		[]string{"499", "1000001", "true"},
	},
	"hardByteLimit": {
		func(c *config.Config) any { return c.HardByteLimit },
		[]sample{{"2000", 2000}, {"10000000", 10_000_000}},
		[]string{"1999", "10000001", "10KB"},
	},
	"chunkSize": {
		func(c *config.Config) any { return c.ChunkSize },
		[]sample{{"100", 100}, {"4000", 4000}},
		[]string{"99", "4001", "~"},
	},
	"output": {
		func(c *config.Config) any { return c.Output },
		[]sample{{"auto", "auto"}, {"both", "both"}, {"text", "text"}, {"structured", "structured"}, {"TEXT", "text"}},
		[]string{"xml", "true", "1"},
	},
	"toolsets": {
		func(c *config.Config) any { return c.Toolsets },
		[]sample{{"issues", []string{"issues"}}, {"session, issues", []string{"session", "issues"}}, {"pdpp,wagtail", []string{"pdpp", "wagtail"}}},
		[]string{"issue", "issues,sesion", ","},
	},
	"name": {
		func(c *config.Config) any { return c.Name },
		[]sample{{"our issues", "our issues"}, {"42", "42"}},
		[]string{strings.Repeat("n", 201)},
	},
	"version": {
		func(c *config.Config) any { return c.Version },
		[]sample{{"1.10", "1.10"}},
		[]string{strings.Repeat("1", 201)},
	},
	"httpAddr": {
		func(c *config.Config) any { return c.HTTPAddr },
		[]sample{{"8080", "127.0.0.1:8080"}, {":8080", "127.0.0.1:8080"}, {"0.0.0.0:80", "0.0.0.0:80"}, {"[::1]:0", "[::1]:0"}, {"localhost:1", "localhost:1"}},
		[]string{"65536", "localhost", "a:b:c", "host:http", "-1", "http://localhost:80"},
	},
	"logLevel": {
		func(c *config.Config) any { return c.LogLevel },
		[]sample{{"debug", slog.LevelDebug}, {"INFO", slog.LevelInfo}, {"warn", slog.LevelWarn}, {"error", slog.LevelError}},
		[]string{"loud", "4", "info+1"},
	},
	"db": {
		func(c *config.Config) any { return c.DB },
		[]sample{{"/var/tmp/index.db", "/var/tmp/index.db"}, {":memory:", ":memory:"}},
		[]string{"a\x00b"},
	},
	"cache": {
		func(c *config.Config) any { return c.Cache },
		[]sample{{"true", true}, {"false", false}, {"FALSE", false}, {"off", false}, {"on", true}, {"no", false}, {"1", true}},
		[]string{"maybe", "2", "-"},
	},
	"claims.lease": {
		func(c *config.Config) any { return c.Claims.Lease },
		[]sample{{"90m", 90 * time.Minute}, {"7d", 7 * 24 * time.Hour}}, []string{"30s", "8d", "4"},
	},
	"claims.holder": {
		func(c *config.Config) any { return c.Claims.Holder },
		[]sample{{"anna@laptop", "anna@laptop"}}, []string{"two\nlines"},
	},
	"cacheTTL": {
		func(c *config.Config) any { return c.CacheTTL },
		[]sample{{"1s", time.Second}, {"90s", 90 * time.Second}, {"1h30m", 90 * time.Minute}, {"1d", 24 * time.Hour}},
		[]string{"60", "0s", "999ms", "25h", "-1s", "1w"},
	},
	"experiment.mode": {
		func(c *config.Config) any { return c.Experiment.Mode },
		[]sample{{"off", "off"}, {"shadow", "shadow"}, {"split", "split"}},
		[]string{"on", "half"},
	},
	"experiment.share": {
		func(c *config.Config) any { return c.Experiment.Share },
		[]sample{{"0", 0.0}, {"0.05", 0.05}, {"1", 1.0}},
		[]string{"-0.1", "1.1", "5%", "NaN", ".inf"},
	},
	"telemetry.enabled": {
		func(c *config.Config) any { return c.Telemetry.Enabled },
		[]sample{{"true", true}, {"off", false}},
		[]string{"never", "5"},
	},
	"telemetry.path": {
		func(c *config.Config) any { return c.Telemetry.Path },
		[]sample{{"/var/tmp/calls.db", "/var/tmp/calls.db"}},
		[]string{"\x00"},
	},
	"telemetry.maxAge": {
		func(c *config.Config) any { return c.Telemetry.MaxAge },
		[]sample{{"1h", time.Hour}, {"3650d", 3650 * 24 * time.Hour}, {"36h", 36 * time.Hour}},
		[]string{"59m", "3651d", "30", "-1d", "d"},
	},
	"telemetry.maxSize": {
		func(c *config.Config) any { return int(c.Telemetry.MaxSize) },
		[]sample{{"1MB", 1_000_000}, {"10GB", 10_000_000_000}, {"1500000", 1_500_000}, {"2000kb", 2_000_000}},
		[]string{"999KB", "11GB", "1.5MB", "-1MB", "MB", "99999999999999999999"},
	},
	"telemetry.sampleRate": {
		func(c *config.Config) any { return c.Telemetry.SampleRate },
		[]sample{{"0", 0.0}, {"0.01", 0.01}, {"1", 1.0}},
		[]string{"1%", "2", "-1"},
	},
	"httpEdit": {
		func(c *config.Config) any { return c.HTTPEdit },
		[]sample{{"true", true}, {"off", false}},
		[]string{"sometimes"},
	},
	"httpBaseUrl": {
		func(c *config.Config) any { return c.HTTPBaseURL },
		[]sample{{"https://issues.example.org", "https://issues.example.org"}, {"http://box:8080/", "http://box:8080"}},
		[]string{"issues.example.org", "https://issues.example.org/path", "https://user@x.org", "ftp://x.org"},
	},
	"httpTrustProxy": {
		func(c *config.Config) any { return c.HTTPTrustProxy },
		[]sample{{"true", true}, {"off", false}},
		[]string{"nginx"},
	},
	"auth.tokens": {
		func(c *config.Config) any { return c.Auth.Tokens },
		[]sample{{"/etc/issues/tokens.json", "/etc/issues/tokens.json"}},
		[]string{"\x00"},
	},
	"auth.issuer": {
		func(c *config.Config) any { return c.Auth.Issuer },
		[]sample{{"https://id.example.org/realms/a", "https://id.example.org/realms/a"}},
		[]string{"id.example.org", "https://id.example.org?a=b"},
	},
	"auth.audience": {
		func(c *config.Config) any { return c.Auth.Audience },
		[]sample{{"https://issues.example.org/mcp", "https://issues.example.org/mcp"}, {"issues", "issues"}},
		[]string{"a\nb"},
	},
	"auth.requiredScopes": {
		func(c *config.Config) any { return c.Auth.RequiredScopes },
		[]sample{{"team", []string{"team"}}, {"team, issues:read", []string{"team", "issues:read"}}},
		[]string{"\"", ","},
	},
	"wagtail.baseUrl": {
		func(c *config.Config) any { return c.Wagtail.BaseURL },
		[]sample{{"https://cms.example.org", "https://cms.example.org"}, {"http://localhost:8000/site", "http://localhost:8000/site"}},
		[]string{"cms.example.org", "ftp://x", "https://", "https://user:hunter2@x.org", "https://x.org/?a=b", "http://[::1", "https://x.org/#a", "https://x.org:65536", "https://x.org?"},
	},
	"wagtail.frontendUrl": {
		func(c *config.Config) any { return c.Wagtail.FrontendURL },
		[]sample{{"https://www.example.org", "https://www.example.org"}},
		[]string{"www.example.org", "https://user:hunter2@x.org", "https://x.org/?a=b"},
	},
	"wagtail.apiPath": {
		func(c *config.Config) any { return c.Wagtail.APIPath },
		[]sample{{"/api/v2/", "/api/v2/"}, {"/cms/api", "/cms/api/"}, {"api/v2", "/api/v2/"}},
		[]string{"https://other.host/api/", "//other.host/api", "/api?x", "/a#b"},
	},
	"wagtail.apiKey": {
		func(c *config.Config) any { return c.Wagtail.APIKey.Reveal() },
		[]sample{{"hunter2", "hunter2"}, {"1234", "1234"}},
		[]string{"hunter2 hunter2", "hünter2", strings.Repeat("hunter2", 1000)},
	},
	"wagtail.authScheme": {
		func(c *config.Config) any { return c.Wagtail.AuthScheme },
		[]sample{{"Token", "Token"}, {"bearer", "Bearer"}},
		[]string{"Basic", "Token x"},
	},
	"wagtail.enableStdio": {
		func(c *config.Config) any { return c.Wagtail.EnableStdio },
		[]sample{{"false", false}, {"true", true}},
		[]string{"nope"},
	},
	"pdpp.providerUrl": {
		func(c *config.Config) any { return c.PDPP.ProviderURL },
		[]sample{{"https://rs.example.org", "https://rs.example.org"}},
		[]string{"rs", "file:///etc/passwd", "https://user:hunter2@rs.org"},
	},
	"pdpp.cacheRoot": {
		func(c *config.Config) any { return c.PDPP.CacheRoot },
		[]sample{{"/var/tmp/pdpp", "/var/tmp/pdpp"}},
		[]string{"\x00"},
	},
	"team.url": {
		func(c *config.Config) any { return c.Team.URLs },
		[]sample{{"nats://127.0.0.1:4222", []string{"nats://127.0.0.1:4222"}}, {"tls://a.example.org, wss://b.example.org/", []string{"tls://a.example.org", "wss://b.example.org/"}}},
		[]string{"a.example.org:4222", "https://a.example.org", "nats://user:hunter2@a", "nats://a?x=y", "nats://"},
	},
	"team.workspace": {
		func(c *config.Config) any { return c.Team.Workspace },
		[]sample{{"api", "api"}, {"web-2", "web-2"}},
		[]string{"API", "a.b", "a@b", "a/b", strings.Repeat("a", 65)},
	},
	"team.line": {
		func(c *config.Config) any { return c.Team.Line },
		[]sample{{"auto", config.LineAuto}, {"main", "main"}, {"mac-7k2q", "mac-7k2q"}},
		[]string{"feature/x", "*"},
	},
	"team.publish": {
		func(c *config.Config) any { return c.Team.Publish },
		[]sample{{"off", config.PublishOff}, {"Main", config.PublishMain}},
		[]string{"all"},
	},
	"team.claims": {
		func(c *config.Config) any { return c.Team.Claims },
		[]sample{{"cluster", config.ClaimsCluster}, {"off", config.ClaimsOff}},
		[]string{"local"},
	},
	"team.timeout": {
		func(c *config.Config) any { return c.Team.Timeout },
		[]sample{{"100ms", 100 * time.Millisecond}, {"1m", time.Minute}},
		[]string{"0s", "2m"},
	},
	"team.credentials": {
		func(c *config.Config) any { return c.Team.Credentials },
		[]sample{{"/etc/issues/credentials", "/etc/issues/credentials"}},
		[]string{"\x00"},
	},
	"team.caFile": {
		func(c *config.Config) any { return c.Team.CAFile },
		[]sample{{"/etc/issues/caFile", "/etc/issues/caFile"}},
		[]string{"\x00"},
	},
	"team.certFile": {
		func(c *config.Config) any { return c.Team.CertFile },
		[]sample{{"/etc/issues/certFile", "/etc/issues/certFile"}},
		[]string{"\x00"},
	},
	"team.keyFile": {
		func(c *config.Config) any { return c.Team.KeyFile },
		[]sample{{"/etc/issues/keyFile", "/etc/issues/keyFile"}},
		[]string{"\x00"},
	},
	"hub.dir": {
		func(c *config.Config) any { return c.Hub.Dir },
		[]sample{{"/var/lib/hub", "/var/lib/hub"}},
		[]string{"\x00"},
	},
	"hub.workspaces": {
		func(c *config.Config) any { return c.Hub.Workspaces },
		[]sample{{"api", []string{"api"}}, {"api, web", []string{"api", "web"}}},
		[]string{",", "api@mac"},
	},
	"hub.lines": {
		func(c *config.Config) any { return c.Hub.Lines },
		[]sample{{"all", []string{config.AllLines}}, {"main,mac-7k2q", []string{"main", "mac-7k2q"}}},
		[]string{"*"},
	},
	"hub.freshWait": {
		func(c *config.Config) any { return c.Hub.FreshWait },
		[]sample{{"0s", time.Duration(0)}, {"5s", 5 * time.Second}},
		[]string{"2m"},
	},
	"tools.rows.pagination": {
		func(c *config.Config) any { return flagsOf(c).Pagination },
		[]sample{{"false", false}, {"on", true}}, []string{"auto"},
	},
	"tools.rows.summarization": {
		func(c *config.Config) any { return flagsOf(c).Summarization },
		[]sample{{"no", false}, {"yes", true}}, []string{"auto"},
	},
	"tools.rows.chunking": {
		func(c *config.Config) any { return flagsOf(c).Chunking },
		[]sample{{"off", false}, {"true", true}}, []string{"auto"},
	},
}

// flagsOf returns what the guard makes of the flags of the tool called rows.
func flagsOf(c *config.Config) answer.Flags { return c.Settings().Budget("rows", 0).Flags }

// theTools are the tools of these tests.
var theTools = []string{"rows", "text"}

func TestEveryKeyHasSamples(t *testing.T) {
	names := map[string]string{}
	for _, k := range programKeys() {
		if _, ok := samples[k.Name]; !ok {
			t.Errorf("%s has no samples", k.Name)
		}
		if k.Doc == "" || k.Allowed == "" || len(k.Env) == 0 {
			t.Errorf("%s lacks words or a variable: %+v", k.Name, k)
		}
		for _, name := range append(k.Env, "--"+k.Flag) {
			if other, taken := names[name]; taken && name != "--" {
				t.Errorf("%s and %s share %s", k.Name, other, name)
			}
			names[name] = k.Name
		}
	}
	if len(samples) != len(programKeys()) {
		t.Errorf("%d samples for %d keys", len(samples), len(programKeys()))
	}
}

// programKeys are all keys that every layer of the user may set: not those that describe the
// workspace, and not the names of workspaces.
func programKeys() []*config.Key {
	elsewhere := func(k *config.Key) bool { return len(k.Env) == 0 }
	return slices.DeleteFunc(config.Keys([]string{"rows"}), elsewhere)
}

func TestEveryKeyInEveryLayer(t *testing.T) {
	for _, k := range programKeys() {
		s := samples[k.Name]
		layers := map[string]func(t *testing.T, text string) (*config.Config, error){
			"yaml": func(t *testing.T, text string) (*config.Config, error) {
				return loadFile(t, "c.yaml", asYAML(k.Name, text))
			},
			"environment": func(_ *testing.T, text string) (*config.Config, error) { return loadEnv(k.Env[len(k.Env)-1], text) },
			"flag": func(_ *testing.T, text string) (*config.Config, error) {
				return config.Load(config.Options{Flags: map[string]string{k.Name: text}, Tools: theTools})
			},
		}
		for layer, load := range layers {
			t.Run(k.Name+" by "+layer, func(t *testing.T) {
				for _, v := range s.valid {
					c, err := load(t, v.text)
					if err != nil {
						t.Errorf("%q is refused: %v", v.text, err)
					} else if got := s.get(c); !reflect.DeepEqual(got, v.want) {
						t.Errorf("%q became %#v, want %#v", v.text, got, v.want)
					}
				}
				for _, text := range s.invalid {
					_, err := load(t, text)
					checkRefusal(t, k, layer, text, err)
				}
			})
		}
	}
}

// checkRefusal wants one problem, with its place and what is allowed.
func checkRefusal(t *testing.T, k *config.Key, layer, text string, err error) {
	t.Helper()
	var problems config.Problems
	if !errors.As(err, &problems) || len(problems) != 1 {
		t.Errorf("%q: %v, want one problem", text, err)
		return
	}
	p := problems[0]
	if strings.Contains(p.Message, "not valid YAML: ") {
		return // a text that cannot be in a file at all
	}
	atMost := k.Name == "chunkSize" || k.Name == "tokenBudgetThreshold"
	if !strings.Contains(p.Message, "must be "+k.Allowed) && !(atMost && strings.Contains(p.Message, "must be at most")) {
		t.Errorf("%q: %s does not say what is allowed: %s", text, p, k.Allowed)
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a secret is in %v", err)
	}
	if layer == "yaml" && (p.Line != strings.Count(k.Name, ".")+2 || p.Key != k.Name) {
		t.Errorf("%q: placed at line %d, key %s", text, p.Line, p.Key)
	}
	if layer == "environment" && !strings.Contains(p.Message, k.Env[len(k.Env)-1]) {
		t.Errorf("%q: %s does not name the variable", text, p)
	}
}

// asYAML puts a value below a comment, so that its line is that of its key.
func asYAML(name, text string) string {
	if strings.ContainsAny(text, ":#\x00,") || strings.HasPrefix(text, "-") && len(text) == 1 {
		text = fmt.Sprintf("%q", text)
	}
	lines := "# a comment\n"
	steps := strings.Split(name, ".")
	for i, step := range steps {
		lines += strings.Repeat("  ", i) + step + ":"
		if i < len(steps)-1 {
			lines += "\n"
		}
	}
	return lines + " " + text + "\n"
}

// loadFile loads a file that is named by hand.
func loadFile(t *testing.T, name, contents string) (*config.Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(contents), 0o644); err != nil {
		t.Fatal(err)
	}
	return config.Load(config.Options{File: path, Tools: theTools})
}

// loadEnv loads with these variables: a name, its value, a name, its value.
func loadEnv(pairs ...string) (*config.Config, error) {
	return config.Load(config.Options{Getenv: environment(pairs...), Tools: theTools})
}

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// The flags of a command are made from keys at each start of the program.
func TestKeysAreMadeOnce(t *testing.T) {
	config.KeyNamed("output")
	if n := testing.AllocsPerRun(10, func() { config.KeyNamed("telemetry.path") }); n > 0 {
		t.Errorf("finding a key allocates %v times", n)
	}
}
