package pdpp

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"issues-index/tools"
	"issues-index/tools/pdpp/pdpptest"
)

func parsed(t interface{ Fatal(...any) }, address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestCanonicalAddress(t *testing.T) {
	for address, want := range map[string]string{
		"https://rs.example.org":           "https://rs.example.org",
		"https://rs.example.org/":          "https://rs.example.org",
		"HTTPS://RS.Example.ORG:443":       "https://rs.example.org",
		"https://rs.example.org:":          "https://rs.example.org",
		"https://rs.example.org:80":        "https://rs.example.org:80",
		"http://rs.example.org:80/base/":   "http://rs.example.org/base",
		"http://rs.example.org:443":        "http://rs.example.org:443",
		"https://bücher.example":           "https://xn--bcher-kva.example",
		"https://[::1]:443/":               "https://[::1]",
		"http://[::1]:8080":                "http://[::1]:8080",
		"https://under_score.example:8443": "https://under_score.example:8443",
	} {
		if got := canonical(parsed(t, address)).String(); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		address := rapid.StringMatching(`(https?|HTTP)://[a-zA-Z0-9.-]{1,12}(:[0-9]{0,4})?(/[a-z]{0,3}){0,2}/?`).Draw(t, "address")
		once := canonical(parsed(t, address))
		if again := canonical(parsed(t, once.String())); again.String() != once.String() {
			t.Errorf("%s: %s, and again %s", address, once, again)
		}
	})
}

// A credential goes to the address that it was got for, and in particular not in clear
// text to the one that it was got for with TLS.
func TestACredentialStaysWithItsAddress(t *testing.T) {
	for name, test := range map[string]struct {
		got, address string
		refused      bool
	}{
		"the same":                        {"https://rs.example.org", "https://rs.example.org", false},
		"the same in another form":        {"https://RS.example.org:443/base/", "https://rs.example.org", false},
		"without TLS":                     {"https://rs.example.org", "http://rs.example.org", true},
		"got without TLS":                 {"http://rs.example.org", "http://rs.example.org", false},
		"got without TLS, asked with it":  {"http://rs.example.org", "https://rs.example.org", true},
		"another port":                    {"https://rs.example.org:8443", "https://rs.example.org", true},
		"another host":                    {"https://other.example.org", "https://rs.example.org", true},
		"another scheme on this machine":  {"https://localhost:7663", "http://localhost:7663", true},
		"another port of this machine":    {"http://localhost:7662", "http://localhost:7663", true},
		"unsaid, with TLS":                {"", "https://rs.example.org", false},
		"unsaid, without TLS":             {"", "http://rs.example.org", false},
		"unsaid, on this machine":         {"", "http://127.0.0.1:7663", false},
		"unsaid, on this machine by IPv6": {"", "http://[::1]:7663", false},
	} {
		t.Run(name, func(t *testing.T) {
			c := kept(t, `{"provider_url":"`+test.got+`","credential":{"access_token":"secret-1"}}`)
			c.address, c.provider = parsed(t, test.address), test.address
			token, err := c.token()
			if !test.refused {
				if err != nil || token != "secret-1" {
					t.Errorf("%q, %v", token, err)
				}
				return
			}
			var refused *tools.Error
			if !errors.As(err, &refused) || refused.Code != codeOtherAddress || token != "" {
				t.Fatalf("%q, %v", token, err)
			}
			if !strings.Contains(refused.Remediation, "`pdpp connect "+test.address+"`") || !strings.Contains(refused.Remediation, "PDPP_PROVIDER_URL") {
				t.Errorf("the remedy is %q", refused.Remediation)
			}
			if atStart := c.unusableAtStart(err); atStart.Exit != ExitConfig || atStart.Hint == "" {
				t.Errorf("at the start: %#v", atStart)
			}
		})
	}
	t.Run("an address that is none", func(t *testing.T) {
		for _, address := range []string{"rs.example.org", "https://", "%"} {
			_, err := kept(t, `{"provider_url":"`+address+`","credential":{"access_token":"secret-1"}}`).token()
			if err == nil || !strings.Contains(err.Error(), string(codeCredentialInvalid)) {
				t.Errorf("%s: %v", address, err)
			}
		}
	})
}

// A link in a stranger's folder would have the credential of another host read, and sent
// to the stranger's.
func TestLinkToAnotherCredentialIsNotFollowed(t *testing.T) {
	c := kept(t, `{}`)
	elsewhere := filepath.Join(t.TempDir(), "rs.other.example.json")
	if err := os.WriteFile(elsewhere, []byte(`{"credential":{"access_token":"secret-1"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(c.root, c.file)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, file); err != nil {
		t.Skip("there are no links here")
	}
	if token, err := c.token(); err == nil || !strings.Contains(err.Error(), string(codeCredentialInvalid)) {
		t.Errorf("got %q, %v", token, err)
	}
	t.Run("one within the folder is followed", func(t *testing.T) {
		if err := errors.Join(os.Remove(file), os.Rename(elsewhere, filepath.Join(c.root, "kept.json")), os.Symlink(filepath.Join("..", "kept.json"), file)); err != nil {
			t.Fatal(err)
		}
		if token, err := c.token(); token != "secret-1" {
			t.Errorf("got %q, %v", token, err)
		}
	})
}

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
		"with an end in seconds":          {`{"credential":{"access_token":"secret-1","expires_at":1769947201}}`, codeCredentialInvalid},
		"with an empty end":               {`{"credential":{"access_token":"secret-1","expires_at":""}}`, ""},
		"an end without a zone":           {`{"credential":{"access_token":"secret-1","expires_at":"2026-02-01 12:00:00"}}`, codeCredentialInvalid},
		"a token that no header takes":    {`{"credential":{"access_token":"` + strings.Repeat("x", maxToken+1) + `"}}`, codeCredentialInvalid},
		"expired this moment":             {`{"credential":{"access_token":"secret-1","expires_at":"2026-02-01T13:00:00+01:00"}}`, codeCredentialExpired},
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

func TestCredentialFile(t *testing.T) {
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

// stopped returns why a client does not start.
func stopped(t *testing.T, o Options) *StartError {
	t.Helper()
	_, err := New(o)
	var stop *StartError
	if !errors.As(err, &stop) {
		t.Fatalf("it starts: %v", err)
	}
	return stop
}

func TestStartNeedsACredentialOfAGrant(t *testing.T) {
	f := open(t)
	environment := func(name string) func(string) string {
		return func(asked string) string { return map[string]string{name: "owner-value-9b1f"}[asked] }
	}
	root := func(c pdpptest.Credential) string {
		root := t.TempDir()
		f.rs.WriteCredential(t, root, c)
		return root
	}
	file := func(content string) string {
		root := t.TempDir()
		name := f.rs.WriteCredential(t, root, pdpptest.Credential{})
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return root
	}
	for name, c := range map[string]struct {
		change func(*Options)
		exit   int
		says   string
	}{
		"no address":                {func(o *Options) { o.ProviderURL = "" }, 64, "no address"},
		"an address that is none":   {func(o *Options) { o.ProviderURL = "ftp://x" }, 64, "address"},
		"a password in the address": {func(o *Options) { o.ProviderURL = "https://u:secret-9b1f@example.org" }, 64, "address"},
		"no credential":             {func(o *Options) { o.CacheRoot = t.TempDir() }, 78, "No credential"},
		"an expired one":            {func(o *Options) { o.CacheRoot = root(pdpptest.Credential{Token: "token-9b1f", Expires: noon}) }, 78, "expired"},
		"no JSON":                   {func(o *Options) { o.CacheRoot = file("token-9b1f") }, 78, "malformed"},
		"JSON without one":          {func(o *Options) { o.CacheRoot = file(`{"access_token":"token-9b1f"}`) }, 78, "malformed"},
		"no token in it":            {func(o *Options) { o.CacheRoot = file(`{"credential":{"refresh_token":"token-9b1f"}}`) }, 78, "no access token"},
		"a token of two lines":      {func(o *Options) { o.CacheRoot = file(`{"credential":{"access_token":"token-9b1f\nX: y"}}`) }, 78, "no access token"},
		"an expiry that is none": {func(o *Options) {
			o.CacheRoot = file(`{"credential":{"access_token":"token-9b1f","expires_at":"soon"}}`)
		}, 78, "expires"},
		"the owner's":              {func(o *Options) { o.CacheRoot = root(pdpptest.Credential{Token: "token-9b1f", Kind: "owner"}) }, 77, "owner"},
		"the owner's, at the top":  {func(o *Options) { o.CacheRoot = file(`{"kind":"Owner","credential":{"access_token":"token-9b1f"}}`) }, 77, "owner"},
		"an owner's token around":  {func(o *Options) { o.Getenv = environment("PDPP_OWNER_TOKEN") }, 77, "PDPP_OWNER_TOKEN"},
		"an owner's cookie around": {func(o *Options) { o.Getenv = environment("PDPP_OWNER_SESSION_COOKIE") }, 77, "PDPP_OWNER_SESSION_COOKIE"},
	} {
		t.Run(name, func(t *testing.T) {
			options := f.options
			c.change(&options)
			stop := stopped(t, options)
			if stop.Exit != c.exit || !strings.Contains(stop.Message, c.says) || stop.Hint == "" {
				t.Errorf("exit %d: %s (%s)", stop.Exit, stop.Message, stop.Hint)
			}
			if stop.Exit == 78 && !strings.Contains(stop.Hint, "pdpp connect "+f.rs.URL) {
				t.Errorf("the remedy is not named: %s", stop.Hint)
			}
			if strings.Contains(stop.Message+stop.Hint, "9b1f") {
				t.Errorf("a secret is told: %s (%s)", stop.Message, stop.Hint)
			}
		})
	}
	if f.rs.Count() != 0 {
		t.Error("the resource server was asked at the start")
	}
	t.Run("the file is named after the host", func(t *testing.T) {
		address, err := url.Parse(f.rs.URL)
		if err != nil {
			t.Fatal(err)
		}
		want := filepath.Join(f.options.CacheRoot, "clients", "127.0.0.1_"+address.Port()+".json")
		if _, err := os.Stat(want); err != nil {
			t.Error(err)
		}
	})
}

func TestRenewedCredentialNeedsNoRestart(t *testing.T) {
	now := noon
	f := open(t, func(f *fixture) { f.options.Now = func() time.Time { return now } })
	f.must(t, "list_streams", nil)
	now = noon.Add(599 * time.Second)
	f.untouched(t, func() {
		answer := f.refused(t, codeCredentialExpired, "list_streams", nil, "pdpp connect "+f.rs.URL)
		if !strings.Contains(answer.Meta.Error.Remediation, "pdpp connect") {
			t.Errorf("%+v", answer.Meta.Error)
		}
	})
	t.Run("a renewed one is taken without a restart", func(t *testing.T) {
		f.rs.WriteCredential(t, f.options.CacheRoot, pdpptest.Credential{Token: pdpptest.ClientToken, Expires: now.Add(599 * time.Second)})
		f.must(t, "list_streams", nil)
	})
	t.Run("one that has become the owner's is not", func(t *testing.T) {
		f.rs.WriteCredential(t, f.options.CacheRoot, pdpptest.Credential{Token: pdpptest.OwnerToken, Kind: "owner"})
		f.untouched(t, func() { f.refused(t, codeOwnerRefused, "list_streams", nil) })
	})
}
