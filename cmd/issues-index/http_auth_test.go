//go:build !windows

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"issues-index/tools/auth/authtest"
	"issues-index/tools/config"
)

// newTokenFile has the program keep its tokens in a file of the test's, and returns its path.
func newTokenFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens.json")
	t.Setenv("ISSUES_INDEX_TOKENS", path)
	return path
}

// newToken makes a token with the program.
func newToken(t *testing.T, args ...string) string {
	t.Helper()
	got := runWith(t, os.Getenv, t.TempDir(), append([]string{"token", "new"}, args...)...)
	if got.code != 0 {
		t.Fatal(got.errOut)
	}
	return strings.TrimSpace(got.out)
}

// listedTools returns the names of the tools that an agent sees.
func listedTools(t *testing.T, a *httpAgent) (names []string) {
	t.Helper()
	got, err := a.send("tools/list", map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Result struct{ Tools []struct{ Name string } }
	}
	if err := json.Unmarshal(got.body, &list); err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Result.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// status sends one request as it is and returns the status of the answer, and its challenge.
func (a *httpAgent) status(t *testing.T, method string, params any) (int, string) {
	t.Helper()
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": a.last.Add(1), "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	got, err := a.served.post(a.headers, message)
	if err != nil {
		t.Fatal(err)
	}
	return got.status, got.header.Get("WWW-Authenticate")
}

func TestScopesDecideWhatIsListedAndCalled(t *testing.T) {
	newTokenFile(t)
	root := sampleCopy(t)
	reads, writes, deletes := newToken(t, "reads"), newToken(t, "writes", "--scopes", "write"), newToken(t, "deletes", "--scopes", "issues:delete,read")
	served := serveOverHTTP(t, root)
	calls := []struct {
		tool      string
		arguments map[string]any
		needs     string
	}{
		{"issues_list", map[string]any{"limit": 1}, "read"},
		{"issues_get", map[string]any{"id": "ISS-000041"}, "read"},
		{"issues_update", map[string]any{"id": "ISS-000041", "priority": "low"}, "write"},
		{"issues_create", map[string]any{"title": "Over HTTP", "description": "x"}, "write"},
		{"issues_claim", map[string]any{"operation": "claim", "id": "ISS-000041"}, "write"},
		{"session_start", map[string]any{"specFile": ".wrangler/specifications/SPEC-000039-tool-search-deferred-loading.md"}, "write"},
		{"issues_delete", map[string]any{"id": "ISS-000045", "confirm": true}, "delete"},
	}
	for _, c := range []struct {
		name, token string
		may         []string
	}{{"reads", reads, []string{"read"}}, {"writes", writes, []string{"read", "write"}}, {"deletes", deletes, []string{"read", "delete"}}} {
		t.Run(c.name, func(t *testing.T) {
			a := served.agent(t, "test", c.token)
			listed := listedTools(t, a)
			for _, call := range calls {
				may := slices.Contains(c.may, call.needs)
				if slices.Contains(listed, call.tool) != may {
					t.Errorf("%s is listed: %v", call.tool, !may)
				}
				before := documentBytes(t, root)
				status, challenge := a.status(t, "tools/call", map[string]any{"name": call.tool, "arguments": call.arguments})
				if may && status != http.StatusOK {
					t.Errorf("%s: %d", call.tool, status)
				}
				if want := `error="insufficient_scope", error_description="the tool needs the scope issues:` + call.needs + `", scope="issues:read issues:` + call.needs + `"`; !may &&
					(status != http.StatusForbidden || !strings.Contains(challenge, want) || documentBytes(t, root) != before) {
					t.Errorf("%s: %d %q", call.tool, status, challenge)
				}
			}
		})
	}
	// Two members of one name are one tool to the server, whichever of them it read.
	a := served.agent(t, "test", reads)
	before := documentBytes(t, root)
	got, err := served.post(a.headers, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"issues_delete","Name":"issues_list","arguments":{"id":"ISS-000041","confirm":true}}}`))
	if err != nil || strings.Contains(string(got.body), "Deleted") || documentBytes(t, root) != before {
		t.Errorf("%v %s", err, got.body)
	}
}

// documentBytes is the state of the documents below a folder.
func documentBytes(t *testing.T, root string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&all, "%s %q\n", path, data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// A token that is revoked is refused by the next call, and what is being answered ends.
func TestARevokedTokenIsGoodForNothingMore(t *testing.T) {
	newTokenFile(t)
	root := sampleCopy(t)
	token, other := newToken(t, "ann"), newToken(t, "bob")
	served := serveOverHTTP(t, root)
	a, b := served.agent(t, "test", token), served.agent(t, "test", other)
	listen, err := http.NewRequestWithContext(t.Context(), http.MethodGet, served.at("/events"), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	listen.Header.Set("Authorization", "Bearer "+token)
	answer, err := (&http.Client{}).Do(listen)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("the changes: %d", answer.StatusCode)
	}
	if _, err := a.call("issues_list", map[string]any{"limit": 1}); err != nil {
		t.Fatal(err)
	}
	if got := runWith(t, os.Getenv, root, "token", "revoke", "ann"); got.code != 0 {
		t.Fatal(got.errOut)
	}
	if status, challenge := a.status(t, "tools/call", map[string]any{"name": "issues_list"}); status != http.StatusUnauthorized || !strings.Contains(challenge, `error="invalid_token"`) {
		t.Errorf("%d %s", status, challenge)
	}
	if _, err := b.call("issues_list", map[string]any{"limit": 1}); err != nil {
		t.Errorf("another token: %v", err)
	}
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
	} // until the server ends it
}

// The token is the holder of the claims, whatever its client calls itself, and whichever
// session it names.
func TestTheTokenHoldsTheClaims(t *testing.T) {
	newTokenFile(t)
	root := sampleCopy(t)
	ann, bob := newToken(t, "ann", "--scopes", "write"), newToken(t, "bob", "--scopes", "write")
	served := serveOverHTTP(t, root)
	first, again, second := served.agent(t, "claude-code", ann), served.agent(t, "codex", ann), served.agent(t, "claude-code", bob)
	second.headers["Mcp-Session-Id"] = first.headers["Mcp-Session-Id"] // as one that was overheard
	claim := func(a *httpAgent) string {
		t.Helper()
		got, err := a.call("issues_claim", map[string]any{"operation": "claim", "id": "ISS-000041"})
		if err != nil {
			t.Fatal(err)
		}
		return got.Content[0].Text
	}
	if text := claim(first); !strings.Contains(text, "claimed") && !strings.Contains(text, "Claimed") {
		t.Fatal(text)
	}
	if text := claim(again); strings.HasPrefix(text, "Error") {
		t.Errorf("the same token from another client: %s", text)
	}
	if text := claim(second); !strings.HasPrefix(text, "Error") || !strings.Contains(text, "ann") || strings.Contains(text, "ann/") {
		t.Errorf("another token: %s", text)
	}
	served.end(t)
	if got := runIn(t, root, "telemetry", "--by", "client", "--json"); got.code != 0 || !strings.Contains(got.out, `"ann"`) || !strings.Contains(got.out, `"bob"`) || strings.Contains(got.out, "codex") {
		t.Errorf("telemetry: %s%s", got.out, got.errOut)
	}
}

func TestATokenForSomeWorkspaces(t *testing.T) {
	newTokenFile(t)
	base := realTempDir(t)
	for _, name := range []string{"start", "web", "secret"} {
		if err := copySample(filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
		runIn(t, filepath.Join(base, name), "new", "Only in "+name)
	}
	own := filepath.Join(base, "own.yaml")
	if err := os.WriteFile(own, fmt.Appendf(nil, "workspaces:\n  web: %q\n  secret: %q\n", filepath.Join(base, "web"), filepath.Join(base, "secret")), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(config.UserFileVariable, own)
	web := newToken(t, "web", "--allowed-workspaces", "web")
	both := newToken(t, "both", "--allowed-workspaces", "web,"+filepath.Join(base, "start"))
	served := serveOverHTTP(t, filepath.Join(base, "start"))
	list := func(a *httpAgent, workspace string) string {
		t.Helper()
		arguments := map[string]any{"limit": 100}
		if workspace != "" {
			arguments["workspace"] = workspace
		}
		got, err := a.call("issues_list", arguments)
		if err != nil {
			t.Fatal(err)
		}
		return got.Content[0].Text
	}
	a := served.agent(t, "test", web)
	for workspace, want := range map[string]string{"": "Only in web", "web": "Only in web", "secret": "PERMISSION_DENIED", filepath.Join(base, "start"): "PERMISSION_DENIED", "../secret": "PERMISSION_DENIED"} {
		if text := list(a, workspace); !strings.Contains(text, want) || strings.Contains(text, "Only in secret") || strings.Contains(text, "Only in start") {
			t.Errorf("%q: %s", workspace, text)
		}
	}
	if text := list(a, "nowhere"); strings.Contains(text, "secret") || strings.Contains(text, "start") {
		t.Errorf("a refusal names what the token is not for: %s", text)
	}
	ask := func(path, token string) (status int, text string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, served.at(path), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		answer, err := (&http.Client{}).Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(body)
	}
	if got, _ := ask("/", web); got != http.StatusForbidden {
		t.Errorf("the pages of the start workspace: %d", got)
	}
	if got, _ := ask("/", both); got != http.StatusOK {
		t.Errorf("the pages of the start workspace, allowed: %d", got)
	}
	if _, everybody := ask("/healthz", "iix_nobody"); everybody == "" {
		t.Error("whether all is well is not told to everybody")
	} else if got, text := ask("/healthz", web); got != http.StatusOK || text != everybody {
		t.Errorf("whether all is well, with a token for another workspace: %d, %s, others get %s", got, text, everybody)
	}
	if text := list(served.agent(t, "test", both), ""); !strings.Contains(text, "Only in start") {
		t.Errorf("the usual one: %s", text)
	}
	resources, err := a.send("resources/list", map[string]any{})
	if err != nil || !strings.Contains(string(resources.body), "Only in web") || strings.Contains(string(resources.body), "Only in start") {
		t.Errorf("resources: %v %s", err, resources.body)
	}
	got, err := served.post(a.headers, []byte(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"issues://secret/ISS-000041"}}`))
	if err != nil || strings.Contains(string(got.body), `"contents"`) {
		t.Errorf("a resource of another workspace: %v %s", err, got.body)
	}
	completed, err := a.send("completion/complete", map[string]any{"ref": map[string]any{"type": "ref/resource", "uri": "issues://{workspace}/{id}"}, "argument": map[string]any{"name": "workspace", "value": ""}})
	if err == nil && strings.Contains(string(completed.body), "secret") {
		t.Errorf("a completion names what the token is not for: %s", completed.body)
	}
}

// A client finds the issuer by the metadata that the refusal names, and its token is good for what
// its scopes say.
func TestAccessTokensOfAnIssuerOverHTTP(t *testing.T) {
	provider := authtest.NewProvider(t)
	key := provider.RSAKey("one")
	newTokenFile(t)
	t.Setenv("ISSUES_INDEX_AUTH_ISSUER", provider.URL)
	t.Setenv("ISSUES_INDEX_AUTH_AUDIENCE", authtest.Audience)
	t.Setenv("ISSUES_INDEX_AUTH_REQUIRED_SCOPES", "team")
	served := serveOverHTTP(t, sampleCopy(t), "--base-url", "https://issues.example.org")
	agent := func(claims map[string]any) *httpAgent {
		return &httpAgent{served: served, headers: map[string]string{"Authorization": "Bearer " + provider.Sign(key, "RS256", provider.Claims(claims))}}
	}

	nobody := &httpAgent{served: served}
	status, challenge := nobody.status(t, "tools/list", map[string]any{})
	const metadata = "https://issues.example.org/.well-known/oauth-protected-resource/mcp"
	if status != http.StatusUnauthorized || !strings.Contains(challenge, `resource_metadata="`+metadata+`"`) {
		t.Errorf("without a token: %d %s", status, challenge)
	}
	answer, err := (&http.Client{}).Get(served.at(strings.TrimPrefix(metadata, "https://issues.example.org")))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var found struct {
		Resource string
		Servers  []string `json:"authorization_servers"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&found); err != nil || found.Resource != authtest.Audience || !slices.Equal(found.Servers, []string{provider.URL}) {
		t.Errorf("the metadata: %v %+v", err, found)
	}

	reads := agent(map[string]any{"scope": "team issues:read"})
	if listed := listedTools(t, reads); !slices.Contains(listed, "issues_list") || slices.Contains(listed, "issues_update") {
		t.Errorf("one that reads sees %q", listed)
	}
	if status, challenge := reads.status(t, "tools/call", map[string]any{"name": "issues_update", "arguments": map[string]any{"id": "ISS-000041", "priority": "low"}}); status != http.StatusForbidden || !strings.Contains(challenge, `scope="issues:read issues:write"`) {
		t.Errorf("one that reads and would write: %d %s", status, challenge)
	}
	got, err := agent(map[string]any{"scope": "team issues:write", "sub": "auth0|ann"}).call("issues_claim", map[string]any{"operation": "claim", "id": "ISS-000041"})
	if err != nil || got.IsError {
		t.Errorf("one that writes: %v %+v", err, got)
	}
	if got, err := agent(map[string]any{"scope": "team write", "sub": "bob"}).call("issues_claim", map[string]any{"operation": "claim", "id": "ISS-000041"}); err != nil || !got.IsError || !strings.Contains(got.Content[0].Text, "issuer/auth0-ann") {
		t.Errorf("the subject is the holder: %v %+v", err, got)
	}
	for why, c := range map[string]struct {
		claims map[string]any
		status int
	}{
		"another audience":         {map[string]any{"scope": "team issues:read", "aud": "https://other.example"}, http.StatusUnauthorized},
		"expired":                  {map[string]any{"scope": "team issues:read", "exp": 1_700_000_000}, http.StatusUnauthorized},
		"without a required scope": {map[string]any{"scope": "issues:read"}, http.StatusForbidden},
		"without a scope of ours":  {map[string]any{"scope": "team"}, http.StatusForbidden},
	} {
		if status, challenge := agent(c.claims).status(t, "tools/list", map[string]any{}); status != c.status || challenge == "" {
			t.Errorf("%s: %d %s", why, status, challenge)
		}
	}
}
