package pdpp

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"issues-index/tools"
	"issues-index/tools/pdpp/pdpptest"
)

// kept makes the credentials of https://rs.example.org out of what a file holds.
func kept(t *testing.T, content string) *credentials {
	t.Helper()
	root := t.TempDir()
	file := filepath.Join(root, credentialFile("rs.example.org"))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	const provider = "https://rs.example.org"
	address, err := url.Parse(provider)
	if err != nil {
		t.Fatal(err)
	}
	return &credentials{
		address: address, provider: provider, root: root, file: credentialFile(address.Host),
		now: func() time.Time { return noon },
	}
}

func TestToken(t *testing.T) {
	for name, test := range map[string]struct {
		content string
		code    tools.Code // of the refusal, "" when the token is used
	}{
		"of a grant":                      {`{"credential":{"access_token":"secret-1","token_kind":"client","expires_at":"2026-02-01T12:00:01Z"}}`, ""},
		"without an end":                  {`{"credential":{"access_token":"secret-1"}}`, ""},
		"with an end in seconds":          {`{"credential":{"access_token":"secret-1","expires_at":1769947201}}`, ""},
		"with an end in milliseconds":     {`{"credential":{"access_token":"secret-1","expires_at":1769947200001}}`, ""},
		"with an empty end":               {`{"credential":{"access_token":"secret-1","expires_at":""}}`, ""},
		"with an end without a zone":      {`{"credential":{"access_token":"secret-1","expires_at":"2026-02-01T12:00:01"}}`, ""},
		"with a date for an end":          {`{"credential":{"access_token":"secret-1","expires_at":"2026-02-02"}}`, ""},
		"expired without a zone":          {`{"credential":{"access_token":"secret-1","expires_at":"2026-02-01 12:00:00"}}`, codeCredentialExpired},
		"an end after all dates":          {`{"credential":{"access_token":"secret-1","expires_at":1e300}}`, codeCredentialInvalid},
		"an end before all dates":         {`{"credential":{"access_token":"secret-1","expires_at":-1e300}}`, codeCredentialInvalid},
		"a token that no header takes":    {`{"credential":{"access_token":"` + strings.Repeat("x", maxToken+1) + `"}}`, codeCredentialInvalid},
		"expired this moment":             {`{"credential":{"access_token":"secret-1","expires_at":"2026-02-01T13:00:00+01:00"}}`, codeCredentialExpired},
		"expired in seconds":              {`{"credential":{"access_token":"secret-1","expires_at":1769947200}}`, codeCredentialExpired},
		"an end that is no time":          {`{"credential":{"access_token":"secret-1","expires_at":"soon"}}`, codeCredentialInvalid},
		"an end that is an object":        {`{"credential":{"access_token":"secret-1","expires_at":{}}}`, codeCredentialInvalid},
		"no JSON":                         {`secret-1`, codeCredentialInvalid},
		"no credential":                   {`{"access_token":"secret-1"}`, codeCredentialInvalid},
		"no token":                        {`{"credential":{"access_token":" "}}`, codeCredentialInvalid},
		"a token with a line break":       {`{"credential":{"access_token":"secret-1\nHost: x"}}`, codeCredentialInvalid},
		"the owner's by pdpp_token_kind":  {`{"credential":{"access_token":"secret-1","pdpp_token_kind":"owner"}}`, codeOwnerRefused},
		"the owner's by token_kind":       {`{"credential":{"access_token":"secret-1","token_kind":"Owner"}}`, codeOwnerRefused},
		"the owner's by kind":             {`{"credential":{"access_token":"secret-1","kind":"owner "}}`, codeOwnerRefused},
		"the owner's by role":             {`{"credential":{"access_token":"secret-1","role":"OWNER"}}`, codeOwnerRefused},
		"the owner's among kinds":         {`{"credential":{"access_token":"secret-1","kind":["client","owner"]}}`, codeOwnerRefused},
		"an owner's agent":                {`{"credential":{"access_token":"secret-1","kind":"trusted_owner_agent"}}`, codeOwnerRefused},
		"a kind that sounds like it":      {`{"credential":{"access_token":"secret-1","kind":"homeowner"}}`, ""},
		"the owner's, said beside it":     {`{"kind":"owner","credential":{"access_token":"secret-1"}}`, codeOwnerRefused},
		"the owner's, however it expired": {`{"credential":{"access_token":"secret-1","kind":"owner","expires_at":1}}`, codeOwnerRefused},
	} {
		t.Run(name, func(t *testing.T) {
			token, err := kept(t, test.content).token()
			if test.code == "" {
				if err != nil || token != "secret-1" {
					t.Fatalf("got %q, %v", token, err)
				}
				return
			}
			var refused *tools.Error
			if !errors.As(err, &refused) || refused.Code != test.code {
				t.Fatalf("got %q, %v, want %s", token, err, test.code)
			}
			if strings.Contains(err.Error(), "secret-1") {
				t.Errorf("the token is in the error: %v", err)
			}
			if !strings.Contains(refused.Remediation, "`pdpp connect https://rs.example.org`") {
				t.Errorf("the remedy is %q", refused.Remediation)
			}
		})
	}
	t.Run("nothing is kept", func(t *testing.T) {
		c := kept(t, "{}")
		c.file += ".other"
		if _, err := c.token(); !strings.Contains(err.Error(), string(codeNotConnected)) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("what is kept cannot be read", func(t *testing.T) {
		c := kept(t, "{}")
		c.file = filepath.Dir(c.file)
		if _, err := c.token(); !strings.Contains(err.Error(), string(codeCredentialInvalid)) {
			t.Errorf("got %v", err)
		}
	})
}

func TestTheFileOfACredentialIsNamedAfterItsHost(t *testing.T) {
	for host, want := range map[string]string{
		"rs.example.org":      "rs.example.org.json",
		"127.0.0.1:17663":     "127.0.0.1_17663.json",
		"[::1]:8080":          "___1__8080.json",
		"../../etc/passwd:80": ".._.._etc_passwd_80.json",
	} {
		if got := credentialFile(host); got != filepath.Join("clients", want) {
			t.Errorf("%s: %s", host, got)
		}
	}
}

func TestARenewedCredentialNeedsNoRestart(t *testing.T) {
	now := noon
	f := open(t, func(f *fixture) { f.options.Now = func() time.Time { return now } })
	f.must(t, "list_streams", nil)

	now = noon.Add(599 * time.Second)
	f.untouched(t, func() {
		f.refused(t, codeCredentialExpired, "list_streams", nil, "`pdpp connect "+f.rs.URL+"`", "no restart")
	})
	f.rs.WriteCredential(t, f.options.CacheRoot, pdpptest.Credential{Token: pdpptest.ClientToken, Expires: now.Add(time.Minute)})
	f.must(t, "list_streams", nil)

	f.rs.WriteCredential(t, f.options.CacheRoot, pdpptest.Credential{Token: pdpptest.OwnerToken, Kind: "owner", Expires: now.Add(time.Minute)})
	f.untouched(t, func() { f.refused(t, codeOwnerRefused, "list_streams", nil) })
}

func TestNew(t *testing.T) {
	rs := pdpptest.Start(t)
	for name, test := range map[string]struct {
		change func(*Options)
		exit   int
		says   string
	}{
		"no address":                {func(o *Options) { o.ProviderURL = "" }, ExitUsage, "no address"},
		"an address that is none":   {func(o *Options) { o.ProviderURL = "rs.example.org" }, ExitUsage, "invalid"},
		"nothing kept":              {func(o *Options) { o.CacheRoot += "/other" }, ExitConfig, "No credential is kept"},
		"expired":                   {func(o *Options) { o.Now = func() time.Time { return noon.Add(time.Hour) } }, ExitConfig, "expired"},
		"the owner's token is set":  {owners("PDPP_OWNER_TOKEN"), ExitPermission, "PDPP_OWNER_TOKEN is set"},
		"the owner's cookie is set": {owners("PDPP_OWNER_SESSION_COOKIE"), ExitPermission, "PDPP_OWNER_SESSION_COOKIE is set"},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{
				ProviderURL: rs.URL, CacheRoot: t.TempDir(),
				Getenv: func(string) string { return "" }, Now: func() time.Time { return noon },
			}
			rs.WriteCredential(t, o.CacheRoot, pdpptest.Credential{Token: pdpptest.ClientToken, Expires: noon.Add(time.Minute)})
			test.change(&o)
			_, err := New(o)
			var refused *StartError
			if !errors.As(err, &refused) || refused.Exit != test.exit || !strings.Contains(refused.Error(), test.says) || refused.Hint == "" {
				t.Errorf("got %#v", err)
			}
			if strings.Contains(err.Error(), "owner-secret") || strings.Contains(err.Error(), pdpptest.ClientToken) {
				t.Errorf("a secret is in %v", err)
			}
		})
	}
	t.Run("the owner's is kept", func(t *testing.T) {
		o := Options{ProviderURL: rs.URL, CacheRoot: t.TempDir()}
		rs.WriteCredential(t, o.CacheRoot, pdpptest.Credential{Token: pdpptest.OwnerToken, Kind: "owner", Expires: time.Now().Add(time.Hour)})
		t.Setenv("PDPP_OWNER_TOKEN", "")
		t.Setenv("PDPP_OWNER_SESSION_COOKIE", "")
		_, err := New(o)
		var refused *StartError
		if !errors.As(err, &refused) || refused.Exit != ExitPermission {
			t.Errorf("got %v", err)
		}
	})
}

// owners puts a credential of the owner into the environment.
func owners(variable string) func(*Options) {
	return func(o *Options) {
		o.Getenv = func(name string) string {
			if name == variable {
				return "owner-secret"
			}
			return ""
		}
	}
}
