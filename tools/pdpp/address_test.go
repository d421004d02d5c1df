package pdpp

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/tools"
)

func parsed(t interface{ Fatal(...any) }, address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestAnAddressHasOneForm(t *testing.T) {
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
		"the same":                          {"https://rs.example.org", "https://rs.example.org", false},
		"the same in another form":          {"https://RS.example.org:443/base/", "https://rs.example.org", false},
		"without TLS":                       {"https://rs.example.org", "http://rs.example.org", true},
		"got without TLS":                   {"http://rs.example.org", "http://rs.example.org", false},
		"got without TLS, asked with it":    {"http://rs.example.org", "https://rs.example.org", true},
		"another port":                      {"https://rs.example.org:8443", "https://rs.example.org", true},
		"another host":                      {"https://other.example.org", "https://rs.example.org", true},
		"this machine, whatever the scheme": {"https://localhost:7663", "http://localhost:7663", false},
		"another port of this machine":      {"http://localhost:7662", "http://localhost:7663", true},
		"unsaid, with TLS":                  {"", "https://rs.example.org", false},
		"unsaid, without TLS":               {"", "http://rs.example.org", false},
		"unsaid, on this machine":           {"", "http://127.0.0.1:7663", false},
		"unsaid, on this machine by IPv6":   {"", "http://[::1]:7663", false},
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
func TestALinkDoesNotLeadToAnotherCredential(t *testing.T) {
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
