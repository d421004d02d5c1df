package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// A provider is an OpenID Connect provider on this machine, with real keys.
type provider struct {
	testing.TB
	*httptest.Server
	mu      sync.Mutex
	keys    []jose.JSONWebKey
	fetched atomic.Int64 // how often its keys were asked for
}

const audience = "https://issues.example.org/mcp"

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{TB: t}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{
			"issuer": p.URL, "jwks_uri": p.URL + "/keys", "authorization_endpoint": p.URL + "/auth", "token_endpoint": p.URL + "/token",
			"id_token_signing_alg_values_supported": []string{"RS256", "none", "HS256"},
		})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		p.fetched.Add(1)
		p.mu.Lock()
		defer p.mu.Unlock()
		public := jose.JSONWebKeySet{}
		for _, key := range p.keys {
			public.Keys = append(public.Keys, key.Public())
		}
		_ = json.NewEncoder(w).Encode(public)
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

// rsaKey adds a key to those that the provider tells of.
func (p *provider) rsaKey(id string) jose.JSONWebKey {
	p.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		p.Fatal(err)
	}
	return p.tell(id, key, "RS256")
}

func (p *provider) tell(id string, key crypto.Signer, algorithm string) jose.JSONWebKey {
	made := jose.JSONWebKey{Key: key, KeyID: id, Algorithm: algorithm, Use: "sig"}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = append(p.keys, made)
	return made
}

// claims are those of a good token, with changes; nil takes one out.
func (p *provider) claims(changes map[string]any) map[string]any {
	now := time.Now()
	all := map[string]any{
		"iss": p.URL, "sub": "ann", "aud": audience, "scope": "openid issues:read",
		"iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
	maps.Copy(all, changes)
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	return all
}

func (p *provider) sign(key jose.JSONWebKey, algorithm jose.SignatureAlgorithm, claims map[string]any) string {
	p.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, nil)
	if err != nil {
		p.Fatal(err)
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		p.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		p.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		p.Fatal(err)
	}
	return token
}

func TestAccessTokensOfAnIssuer(t *testing.T) {
	p := newProvider(t)
	key := p.rsaKey("one")
	elliptical, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	curve := p.tell("curve", elliptical, "ES256")
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
	payload, err := json.Marshal(p.claims(nil))
	if err != nil {
		t.Fatal(err)
	}
	good := p.sign(key, jose.RS256, p.claims(nil))
	parts := strings.Split(good, ".")
	issuer := &Issuer{URL: p.URL, Audience: audience}
	signed := func(changes map[string]any) string { return p.sign(key, jose.RS256, p.claims(changes)) }
	old := time.Now().Add(-time.Hour).Unix()

	for why, c := range map[string]struct {
		token  string
		scopes []Scope
	}{
		"one":                            {good, []Scope{Read}},
		"one of another key":             {p.sign(curve, jose.ES256, p.claims(nil)), []Scope{Read}},
		"one for several audiences":      {signed(map[string]any{"aud": []string{"https://other.example", audience}}), []Scope{Read}},
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
			if s.Name != "ann" || !slices.Equal(s.Scopes, c.scopes) || s.Workspaces != nil || s.Expires.IsZero() {
				t.Errorf("%+v", s)
			}
		})
	}
	for why, token := range map[string]string{
		"none":                              "",
		"no JWT":                            "abc",
		"another audience":                  signed(map[string]any{"aud": "https://other.example/mcp"}),
		"no audience":                       signed(map[string]any{"aud": nil}),
		"an audience that ours begins":      signed(map[string]any{"aud": audience + "/more"}),
		"another issuer":                    signed(map[string]any{"iss": "https://evil.example"}),
		"no issuer":                         signed(map[string]any{"iss": nil}),
		"expired":                           signed(map[string]any{"exp": old}),
		"no end":                            signed(map[string]any{"exp": nil}),
		"not yet valid":                     signed(map[string]any{"nbf": time.Now().Add(time.Hour).Unix()}),
		"no subject":                        signed(map[string]any{"sub": nil}),
		"a subject without a name":          signed(map[string]any{"sub": ""}),
		"scopes that are no text":           signed(map[string]any{"scope": 7}),
		"a stranger's key with our name":    p.sign(asOne, jose.RS256, p.claims(nil)),
		"no signature":                      part(`{"alg":"none"}`) + "." + part(string(payload)) + ".",
		"no signature, and our key's name":  part(`{"alg":"none","kid":"one"}`) + "." + part(string(payload)) + ".",
		"the public key as a shared secret": p.sign(jose.JSONWebKey{Key: public, KeyID: "one"}, jose.HS256, p.claims(nil)),
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
	p := newProvider(t)
	key := p.rsaKey("one")
	issuer := &Issuer{URL: p.URL, Audience: audience, Required: []string{"team", "issues:read"}}
	_, err := issuer.Verify(t.Context(), p.sign(key, jose.RS256, p.claims(nil)))
	if lacks := (*ScopeError)(nil); !errors.As(err, &lacks) || !slices.Equal(lacks.Needed, issuer.Required) {
		t.Errorf("without one of them: %v", err)
	}
	s, err := issuer.Verify(t.Context(), p.sign(key, jose.RS256, p.claims(map[string]any{"scope": "team issues:read"})))
	if err != nil || !s.May(Read) {
		t.Errorf("with them: %+v, %v", s, err)
	}
}

// A provider that is not there yet refuses nobody for good, and is asked again.
func TestAnIssuerThatCannotBeAsked(t *testing.T) {
	p := newProvider(t)
	key := p.rsaKey("one")
	f := fence(t, &Issuer{URL: "http://127.0.0.1:1", Audience: audience})
	w := f.ask("POST", MCPPath, bearer(p.sign(key, jose.RS256, p.claims(nil))))
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
	p := newProvider(t)
	key := p.rsaKey("one")
	issuer := &Issuer{URL: p.URL, Audience: audience}
	if _, err := issuer.Verify(t.Context(), p.sign(key, jose.RS256, p.claims(nil))); err != nil {
		t.Fatal(err)
	}
	unknown, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "b", "c", "d"} {
		if s, err := issuer.Verify(t.Context(), p.sign(jose.JSONWebKey{Key: unknown, KeyID: id}, jose.RS256, p.claims(nil))); err == nil {
			t.Errorf("%+v", s)
		}
	}
	if n := p.fetched.Load(); n != 1 {
		t.Errorf("the keys were asked for %d times", n)
	}
}

// A new key of the provider is found, and one that it tells of no more is good no longer
// than that of the tokens themselves.
func TestANewKeyIsFound(t *testing.T) {
	p := newProvider(t)
	first := p.rsaKey("one")
	issuer := &Issuer{URL: p.URL, Audience: audience}
	if _, err := issuer.Verify(t.Context(), p.sign(first, jose.RS256, p.claims(nil))); err != nil {
		t.Fatal(err)
	}
	second := p.rsaKey("two")
	transport, ok := issuer.client.Transport.(*pacedTransport)
	if !ok {
		t.Fatalf("the transport is a %T", issuer.client.Transport)
	}
	transport.mu.Lock()
	for address := range transport.asked { // as if issuerPause had passed
		transport.asked[address] = time.Now().Add(-issuerPause)
	}
	transport.mu.Unlock()
	if _, err := issuer.Verify(t.Context(), p.sign(second, jose.RS256, p.claims(nil))); err != nil {
		t.Error(err)
	}
	if n := p.fetched.Load(); n != 2 {
		t.Errorf("the keys were asked for %d times", n)
	}
}
