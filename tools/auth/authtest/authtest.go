// Package authtest is an OpenID Connect provider for tests: discovery, keys and signed tokens.
//
// It knows nothing of what its tokens are for.
package authtest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Audience is what the tokens of a Provider are for.
const Audience = "https://issues.example.org/mcp"

// A Provider is an OpenID Connect provider on this machine, with real keys.
type Provider struct {
	testing.TB
	*httptest.Server
	Fetched atomic.Int64 // how often its keys were asked for

	mu   sync.Mutex
	keys []jose.JSONWebKey
}

// NewProvider returns a provider without keys, which ends with the test.
func NewProvider(t *testing.T) *Provider {
	t.Helper()
	p := &Provider{TB: t}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{
			"issuer": p.URL, "jwks_uri": p.URL + "/keys", "authorization_endpoint": p.URL + "/auth", "token_endpoint": p.URL + "/token",
			"id_token_signing_alg_values_supported": []string{"RS256", "none", "HS256"},
		})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		p.Fetched.Add(1)
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

// RSAKey makes a key, and adds it to those that the provider tells of.
func (p *Provider) RSAKey(id string) jose.JSONWebKey {
	p.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		p.Fatal(err)
	}
	return p.Tell(id, key, "RS256")
}

// Tell adds a key to those that the provider tells of.
func (p *Provider) Tell(id string, key crypto.Signer, algorithm string) jose.JSONWebKey {
	made := jose.JSONWebKey{Key: key, KeyID: id, Algorithm: algorithm, Use: "sig"}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = append(p.keys, made)
	return made
}

// Claims are those of a good token, with changes; nil takes one out.
func (p *Provider) Claims(changes map[string]any) map[string]any {
	now := time.Now()
	all := map[string]any{
		"iss": p.URL, "sub": "ann", "aud": Audience, "scope": "openid issues:read",
		"iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
	maps.Copy(all, changes)
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	return all
}

// Sign returns the token with these claims.
func (p *Provider) Sign(key jose.JSONWebKey, algorithm jose.SignatureAlgorithm, claims map[string]any) string {
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
