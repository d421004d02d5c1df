package auth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// A fenced server is a handler behind a gate, which says who its requests are of.
type fenced struct {
	*Gate
	tokens *TokenFile
	clock  *time.Time
	log    bytes.Buffer
}

const base = "https://issues.example.org"

func fence(t *testing.T, issuer *Issuer) *fenced {
	t.Helper()
	f := &fenced{}
	f.tokens, f.clock = tokens(t)
	f.Gate = NewGate(Options{
		Tokens: f.tokens, Issuer: issuer, Base: func(*http.Request) string { return base },
		Public: []string{"/healthz"}, Log: slog.New(slog.NewTextHandler(&f.log, nil)),
	}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := PrincipalOf(r.Context())
		if s == nil {
			fmt.Fprint(w, "nobody is asked")
			return
		}
		fmt.Fprintf(w, "%q may %v", s.Name, s.Scopes)
	}))
	return f
}

// ask sends a request with headers, each written as Name: value.
func (f *fenced) ask(method, target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, http.NoBody)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return w
}

func bearer(token string) string { return "Authorization: Bearer " + token }

func TestWithoutTokensNobodyIsAsked(t *testing.T) {
	f := fence(t, nil)
	for _, path := range []string{"/", MCPPath, "/healthz", metadataPath} {
		if w := f.ask("GET", path); w.Body.String() != "nobody is asked" {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

// The first token closes a server that runs, and no loss of the file opens it again.
func TestTheFirstTokenClosesTheGate(t *testing.T) {
	f := fence(t, nil)
	mustNew(t, f.tokens, TokenEntry{Name: "ann", Scopes: []Scope{Read}})
	if w := f.ask("GET", "/"); w.Code != http.StatusUnauthorized {
		t.Errorf("with a token: %d %s", w.Code, w.Body)
	}
	if _, err := f.tokens.Revoke("ann"); err != nil {
		t.Fatal(err)
	}
	if w := f.ask("GET", "/"); w.Code != http.StatusUnauthorized {
		t.Errorf("after the last one was revoked: %d %s", w.Code, w.Body)
	}
	again := NewGate(f.Options, f.next)
	if err := os.Remove(f.tokens.Path); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	again.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", http.NoBody))
	if w.Code != http.StatusUnauthorized {
		t.Errorf("after the file was deleted under a server that needs it: %d %s", w.Code, w.Body)
	}
}

func TestCredentials(t *testing.T) {
	f := fence(t, nil)
	reads := mustNew(t, f.tokens, TokenEntry{Name: "reads", Scopes: []Scope{Read}})
	writes := mustNew(t, f.tokens, TokenEntry{Name: "writes", Scopes: []Scope{Write}})
	nothing := mustNew(t, f.tokens, TokenEntry{Name: "nothing"})
	expired := mustNew(t, f.tokens, TokenEntry{Name: "expired", Scopes: []Scope{Read}, Expires: f.clock.Add(-time.Second)})
	challenged := func(code string) string {
		return `Bearer ` + code + `scope="issues:read", resource_metadata="` + base + `/.well-known/oauth-protected-resource/mcp"`
	}
	unknown := challenged(`error="invalid_token", error_description="the token is not known; it may have been revoked", `)
	for _, c := range []struct {
		why, method, target string
		headers             []string
		status              int
		challenge           string // in WWW-Authenticate
	}{
		{"a token", "POST", MCPPath, []string{bearer(reads)}, 200, ""},
		{"a token for a page", "GET", "/list", []string{bearer(reads)}, 200, ""},
		{"its scheme in another case", "POST", MCPPath, []string{"Authorization: bEARER " + reads}, 200, ""},
		{"one that writes, to read", "GET", "/list", []string{bearer(writes)}, 200, ""},
		{"one that writes, to send a form", "POST", "/save", []string{bearer(writes)}, 200, ""},
		{"none", "POST", MCPPath, nil, 401, challenged("")},
		{"none, for a page", "GET", "/list", nil, 401, challenged("")},
		{"none, for metrics", "GET", "/metrics", nil, 401, challenged("")},
		{"none, by another method", "OPTIONS", "/list", nil, 401, challenged("")},
		{"none, and a path that leads back", "GET", "/healthz/../list", nil, 401, challenged("")},
		{"an empty one", "POST", MCPPath, []string{"Authorization: Bearer "}, 401, challenged("")},
		{"another scheme", "POST", MCPPath, []string{"Authorization: Basic " + reads}, 401, challenged("")},
		{"no scheme", "POST", MCPPath, []string{"Authorization: " + reads}, 401, challenged("")},
		{"a token in the address", "GET", "/list?access_token=" + reads, nil, 401, challenged("")},
		{"a token in the address, beside none", "POST", MCPPath + "?access_token=" + reads, nil, 401, challenged("")},
		{"a token as a cookie", "GET", "/list", []string{"Cookie: issues-index-=" + reads}, 401, challenged("")},
		{"one that is not known", "POST", MCPPath, []string{bearer(tokenPrefix + "abcdefghijklmnopqrstuvwxyz")}, 401, unknown},
		{"one of somebody else's", "POST", MCPPath, []string{bearer("eyJhbGciOiJub25lIn0.e30.")}, 401, unknown},
		{"one that is too long", "POST", MCPPath, []string{bearer(strings.Repeat("a", 9000))}, 401, "the token is too long"},
		{"an expired one", "POST", MCPPath, []string{bearer(expired)}, 401, `error="invalid_token", error_description="the token has expired"`},
		{"two headers, one of them good", "POST", MCPPath, []string{bearer(reads), bearer(reads)}, 401, "several"},
		{"one that reads, to send a form", "POST", "/save", []string{bearer(reads)}, 403, ""},
		{"one without scopes", "POST", MCPPath, []string{bearer(nothing)}, 403, `error="insufficient_scope", error_description="it needs the scope issues:read", scope="issues:read"`},
	} {
		t.Run(c.why, func(t *testing.T) {
			w := f.ask(c.method, c.target, c.headers...)
			got := w.Header().Get("WWW-Authenticate")
			if w.Code != c.status || !strings.Contains(got, c.challenge) || c.challenge == "" && got != "" {
				t.Errorf("%d %q\n%s", w.Code, got, w.Body)
			}
			if c.status != 200 && strings.Contains(w.Body.String(), "may [") {
				t.Errorf("the request passed: %s", w.Body)
			}
			for _, token := range []string{reads, writes, nothing, expired} {
				if strings.Contains(w.Body.String()+got+f.log.String(), token) {
					t.Error("a token is in the answer or in the log")
				}
			}
		})
	}
}

func TestAMessageThatIsRefusedIsAnsweredInJSONRPC(t *testing.T) {
	f := fence(t, nil)
	mustNew(t, f.tokens, TokenEntry{Name: "ann", Scopes: []Scope{Read}})
	var answer struct {
		JSONRPC string
		Error   struct {
			Code    int
			Message string
		}
	}
	w := f.ask("POST", MCPPath, "Accept: application/json, text/event-stream, text/html")
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.JSONRPC != "2.0" || answer.Error.Code == 0 || !strings.Contains(answer.Error.Message, "issues-index token new") {
		t.Errorf("%v: %s", err, w.Body)
	}
}

func TestMetadataSayWhereTokensComeFrom(t *testing.T) {
	f := fence(t, &Issuer{URL: "https://id.example.org", Audience: "x", Required: []string{"team"}})
	for _, path := range []string{metadataPath, metadataPath + MCPPath} {
		w := f.ask("GET", path)
		const want = `{"resource":"https://issues.example.org/mcp","authorization_servers":["https://id.example.org"],` +
			`"scopes_supported":["issues:read","issues:write","issues:delete","team"],"bearer_methods_supported":["header"],"resource_name":"issues-index"}`
		if w.Code != 200 || strings.TrimSpace(w.Body.String()) != want || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := f.ask("GET", "/.well-known/oauth-authorization-server"); w.Code != 404 {
		t.Errorf("metadata of an authorization server: %d", w.Code)
	}
}

func TestWhatIsPublicKnowsNoSubject(t *testing.T) {
	f := fence(t, nil)
	token := mustNew(t, f.tokens, TokenEntry{Name: "ann", Scopes: []Scope{Read}})
	for header, want := range map[string]string{"": `"" may []`, bearer("wrong"): `"" may []`, bearer(token): `"ann" may [issues:read]`} {
		if w := f.ask("GET", "/healthz", header); w.Code != 200 || w.Body.String() != want {
			t.Errorf("%q: %d %s", header, w.Code, w.Body)
		}
	}
}

func TestAPersonSignsInOnce(t *testing.T) {
	f := fence(t, nil)
	token := mustNew(t, f.tokens, TokenEntry{Name: "ann", Scopes: []Scope{Read}})
	w := f.ask("GET", "/list?status=open", "Accept: text/html")
	if w.Code != 401 || !strings.Contains(w.Body.String(), `name="to" value="/list?status=open"`) {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	signIn := func(token, to string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, signInPath, strings.NewReader(url.Values{"token": {token}, "to": {to}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		return w
	}
	if w := signIn("wrong", "/list"); w.Code != 401 || len(w.Result().Cookies()) > 0 || !strings.Contains(w.Body.String(), "not known") {
		t.Errorf("with a wrong token: %d %v %s", w.Code, w.Result().Cookies(), w.Body)
	}
	w = signIn(" "+token+"\n", "/list?status=open")
	cookies := w.Result().Cookies()
	if w.Code != 303 || w.Header().Get("Location") != "/list?status=open" || len(cookies) != 1 {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	c := cookies[0]
	if !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || strings.Contains(c.String(), token) {
		t.Errorf("the cookie is %v", c)
	}
	cookie := "Cookie: " + c.Name + "=" + c.Value
	if w := f.ask("GET", "/list", cookie); w.Code != 200 || w.Body.String() != `"ann" may [issues:read]` {
		t.Errorf("with the cookie: %d %s", w.Code, w.Body)
	}
	if w := f.ask("POST", "/save", cookie); w.Code != 403 {
		t.Errorf("a form of one who may read: %d", w.Code)
	}
	if w := f.ask("POST", MCPPath, cookie); w.Code != 401 {
		t.Errorf("MCP with the cookie: %d", w.Code)
	}
	if w := f.ask("GET", "/list", "Cookie: "+c.Name+"=x"+c.Value[1:]); w.Code != 401 {
		t.Errorf("with another cookie: %d", w.Code)
	}
	for _, elsewhere := range []string{"https://evil.example", "//evil.example", `/\evil.example`, "", "list", "/a\nb", "javascript:alert(1)"} {
		if w := signIn(token, elsewhere); w.Header().Get("Location") != "/" {
			t.Errorf("%q led to %q", elsewhere, w.Header().Get("Location"))
		}
	}

	t.Run("and out", func(t *testing.T) {
		w := signIn(token, "/")
		other := w.Result().Cookies()[0]
		header := "Cookie: " + other.Name + "=" + other.Value
		if w := f.ask("POST", signOutPath, header); w.Code != 303 || w.Result().Cookies()[0].MaxAge >= 0 {
			t.Errorf("%d %v", w.Code, w.Header())
		}
		if w := f.ask("GET", "/list", header); w.Code != 401 {
			t.Errorf("afterwards: %d", w.Code)
		}
	})
	t.Run("until the token is revoked", func(t *testing.T) {
		if _, err := f.tokens.Revoke("ann"); err != nil {
			t.Fatal(err)
		}
		if w := f.ask("GET", "/list", cookie); w.Code != 401 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}

func TestWhoSignsInIsRememberedInBoundedMemory(t *testing.T) {
	s, now := newSignedIn(), time.Now()
	var values []string
	for i := range maxSignedIn + 10 {
		values = append(values, s.add("token", now.Add(time.Duration(i)*time.Second)))
	}
	if len(s.all) != maxSignedIn {
		t.Errorf("%d are remembered", len(s.all))
	}
	known := func(value string) bool {
		r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		r.AddCookie(&http.Cookie{Name: cookieName(r), Value: value})
		_, ok := s.token(r)
		return ok
	}
	if known(values[9]) || !known(values[10]) || !known(values[len(values)-1]) {
		t.Error("not the first ones were forgotten")
	}
	if s.add("token", now.Add(24*time.Hour)); len(s.all) != 1 {
		t.Errorf("%d are remembered for longer than they may", len(s.all))
	}
}

func TestScopes(t *testing.T) {
	for name, want := range map[string]Scope{"read": Read, "issues:write": Write, "delete": Delete} {
		if got, ok := ParseScope(name); !ok || got != want {
			t.Errorf("%s: %s, %v", name, got, ok)
		}
	}
	for _, name := range []string{"", "issues:", "READ", "issues:issues:read", "admin"} {
		if got, ok := ParseScope(name); ok {
			t.Errorf("%q is %s", name, got)
		}
	}
	var nobody *Principal
	for _, s := range Scopes() {
		if !nobody.May(s) || (&Principal{}).May(s) {
			t.Errorf("%s: without authentication %v, without scopes %v", s, nobody.May(s), (&Principal{}).May(s))
		}
		if !(&Principal{Scopes: []Scope{s}}).May(Read) {
			t.Errorf("%s does not include read", s)
		}
	}
}
