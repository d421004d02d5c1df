package auth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/index/claims"
	"issues-index/tools/auth/authtest"

	"github.com/go-jose/go-jose/v4"
)

func TestAccessTokensOfAnIssuer(t *testing.T) {
	p := authtest.NewProvider(t)
	key := p.RSAKey("one")
	elliptical, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	curve := p.Tell("curve", elliptical, "ES256")
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	asOne := jose.JSONWebKey{Key: stranger, KeyID: "one"}
	public, err := x509.MarshalPKIXPublicKey(key.Public().Key)
	if err != nil {
		t.Fatal(err)
	}
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	payload, err := json.Marshal(p.Claims(nil))
	if err != nil {
		t.Fatal(err)
	}
	good := p.Sign(key, jose.RS256, p.Claims(nil))
	parts := strings.Split(good, ".")
	issuer := &Issuer{URL: p.URL, Audience: authtest.Audience}
	signed := func(changes map[string]any) string { return p.Sign(key, jose.RS256, p.Claims(changes)) }
	old := time.Now().Add(-time.Hour).Unix()

	for why, c := range map[string]struct {
		token  string
		scopes []Scope
	}{
		"one":                            {good, []Scope{Read}},
		"one of another key":             {p.Sign(curve, jose.ES256, p.Claims(nil)), []Scope{Read}},
		"one for several audiences":      {signed(map[string]any{"aud": []string{"https://other.example", authtest.Audience}}), []Scope{Read}},
		"scopes in a list":               {signed(map[string]any{"scope": nil, "scp": []string{"write", "issues:delete"}}), []Scope{Write, Delete}},
		"scopes under their other name":  {signed(map[string]any{"scope": nil, "scp": "write write"}), []Scope{Write}},
		"scopes that are none of ours":   {signed(map[string]any{"scope": "email issues:everything"}), nil},
		"no scopes":                      {signed(map[string]any{"scope": nil}), nil},
		"a begin that is a moment ahead": {signed(map[string]any{"nbf": time.Now().Add(time.Second).Unix()}), []Scope{Read}},
	} {
		t.Run(why, func(t *testing.T) {
			s, err := issuer.Verify(t.Context(), c.token)
			if err != nil {
				t.Fatal(err)
			}
			if s.Name != "issuer/ann" || !slices.Equal(s.Scopes, c.scopes) || s.Workspaces != nil || s.Expires.IsZero() {
				t.Errorf("%+v", s)
			}
		})
	}
	for why, token := range map[string]string{
		"none":                              "",
		"no JWT":                            "abc",
		"another audience":                  signed(map[string]any{"aud": "https://other.example/mcp"}),
		"no audience":                       signed(map[string]any{"aud": nil}),
		"an audience that ours begins":      signed(map[string]any{"aud": authtest.Audience + "/more"}),
		"another issuer":                    signed(map[string]any{"iss": "https://evil.example"}),
		"no issuer":                         signed(map[string]any{"iss": nil}),
		"expired":                           signed(map[string]any{"exp": old}),
		"no end":                            signed(map[string]any{"exp": nil}),
		"not yet valid":                     signed(map[string]any{"nbf": time.Now().Add(time.Hour).Unix()}),
		"no subject":                        signed(map[string]any{"sub": nil}),
		"a subject without a name":          signed(map[string]any{"sub": ""}),
		"scopes that are no text":           signed(map[string]any{"scope": 7}),
		"a stranger's key with our name":    p.Sign(asOne, jose.RS256, p.Claims(nil)),
		"no signature":                      part(`{"alg":"none"}`) + "." + part(string(payload)) + ".",
		"no signature, and our key's name":  part(`{"alg":"none","kid":"one"}`) + "." + part(string(payload)) + ".",
		"the public key as a shared secret": p.Sign(jose.JSONWebKey{Key: public, KeyID: "one"}, jose.HS256, p.Claims(nil)),
		"other claims under our signature":  parts[0] + "." + part(strings.Replace(string(payload), "issues:read", "issues:write", 1)) + "." + parts[2],
		"the signature cut":                 good[:len(good)-4],
		"a key that comes along":            part(`{"alg":"RS256","jwk":{"kty":"RSA"}}`) + "." + part(string(payload)) + "." + parts[2],
	} {
		t.Run("refused: "+why, func(t *testing.T) {
			s, err := issuer.Verify(t.Context(), token)
			if invalid := (*CredentialError)(nil); !errors.As(err, &invalid) || s != nil {
				t.Fatalf("%+v, %v", s, err)
			}
			if token != "" && strings.Contains(err.Error(), token) {
				t.Errorf("the error has the token: %v", err)
			}
		})
	}
}

func TestRequiredScopes(t *testing.T) {
	p := authtest.NewProvider(t)
	key := p.RSAKey("one")
	issuer := &Issuer{URL: p.URL, Audience: authtest.Audience, Required: []string{"team", "issues:read"}}
	_, err := issuer.Verify(t.Context(), p.Sign(key, jose.RS256, p.Claims(nil)))
	if lacks := (*ScopeError)(nil); !errors.As(err, &lacks) || !slices.Equal(lacks.Needed, issuer.Required) {
		t.Errorf("without one of them: %v", err)
	}
	s, err := issuer.Verify(t.Context(), p.Sign(key, jose.RS256, p.Claims(map[string]any{"scope": "team issues:read"})))
	if err != nil || !s.May(Read) {
		t.Errorf("with them: %+v, %v", s, err)
	}
}

// A provider that is not there yet refuses nobody for good, and is asked again.
func TestAnIssuerThatCannotBeAsked(t *testing.T) {
	p := authtest.NewProvider(t)
	key := p.RSAKey("one")
	f := fence(t, &Issuer{URL: "http://127.0.0.1:1", Audience: authtest.Audience})
	w := f.ask("POST", MCPPath, bearer(p.Sign(key, jose.RS256, p.Claims(nil))))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	own := mustNew(t, f.tokens, TokenEntry{Name: "bob", Scopes: []Scope{Read}})
	if w := f.ask("POST", MCPPath, bearer(own)); w.Code != http.StatusOK {
		t.Errorf("a token of this program's: %d %s", w.Code, w.Body)
	}
}

// Tokens with keys that nobody has told of do not make the server flood the provider.
func TestUnknownKeysAreLookedForNowAndThen(t *testing.T) {
	p := authtest.NewProvider(t)
	key := p.RSAKey("one")
	issuer := &Issuer{URL: p.URL, Audience: authtest.Audience}
	if _, err := issuer.Verify(t.Context(), p.Sign(key, jose.RS256, p.Claims(nil))); err != nil {
		t.Fatal(err)
	}
	unknown, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "b", "c", "d"} {
		if s, err := issuer.Verify(t.Context(), p.Sign(jose.JSONWebKey{Key: unknown, KeyID: id}, jose.RS256, p.Claims(nil))); err == nil {
			t.Errorf("%+v", s)
		}
	}
	if n := p.Fetched.Load(); n != 1 {
		t.Errorf("the keys were asked for %d times", n)
	}
}

// A new key of the provider is found, and one that it tells of no more is good no longer
// than that of the tokens themselves.
func TestANewKeyIsFound(t *testing.T) {
	p := authtest.NewProvider(t)
	first := p.RSAKey("one")
	issuer := &Issuer{URL: p.URL, Audience: authtest.Audience}
	if _, err := issuer.Verify(t.Context(), p.Sign(first, jose.RS256, p.Claims(nil))); err != nil {
		t.Fatal(err)
	}
	second := p.RSAKey("two")
	transport, ok := issuer.client.Transport.(*pacedTransport)
	if !ok {
		t.Fatalf("the transport is a %T", issuer.client.Transport)
	}
	transport.mu.Lock()
	for address := range transport.asked { // as if issuerPause had passed
		transport.asked[address] = time.Now().Add(-issuerPause)
	}
	transport.mu.Unlock()
	if _, err := issuer.Verify(t.Context(), p.Sign(second, jose.RS256, p.Claims(nil))); err != nil {
		t.Error(err)
	}
	if n := p.Fetched.Load(); n != 2 {
		t.Errorf("the keys were asked for %d times", n)
	}
}

// Who has a token of this program, and who has one of an issuer, are never taken for each other:
// neither holds the claims nor reads the streams of the other.
func TestNoSubjectOfAnIssuerHasTheNameOfAToken(t *testing.T) {
	p := authtest.NewProvider(t)
	key := p.RSAKey("one")
	f := fence(t, &Issuer{URL: p.URL, Audience: authtest.Audience})
	for _, name := range []string{"ann", "ann@example.org", "a-b", "issuer-ann", "0"} {
		own, err := f.verify(t.Context(), mustNew(t, f.tokens, TokenEntry{Name: name, Scopes: []Scope{Read}}))
		if err != nil || own.Name != name {
			t.Fatalf("%+v, %v", own, err)
		}
		for _, sub := range []string{name, strings.ToUpper(name), "issuer/" + name, "|" + name} {
			theirs, err := f.verify(t.Context(), p.Sign(key, jose.RS256, p.Claims(map[string]any{"sub": sub})))
			if err != nil || claims.HolderName(theirs.Name) == claims.HolderName(own.Name) || theirs.Name == own.Name {
				t.Errorf("the token %s and the subject %s: %+v, %v", name, sub, theirs, err)
			}
		}
	}
}
