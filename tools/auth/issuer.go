package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// An Issuer verifies the access tokens of an OpenID Connect provider, which are JWTs.
type Issuer struct {
	URL      string
	Audience string   // which every token must be for
	Required []string // scopes, as the provider calls them, that every token must have

	once   sync.Once
	client *http.Client
	mu     sync.Mutex
	verify *oidc.IDTokenVerifier // nil until the provider has answered
}

const (
	issuerTime = 10 * time.Second // for an answer of the provider
	// issuerPause is at least how long a provider is not asked the same again, whatever tokens
	// come: an unknown key is looked for at each of them.
	issuerPause = 5 * time.Second
)

// signatures are the algorithms of tokens: none with a shared secret, and not "none".
var signatures = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
}

// issuerPrefix begins the names of subjects of an issuer, so that none of them is that of a
// token of this program: a token's name has no slash.
const issuerPrefix = "issuer/"

// errNoIssuer is returned while the provider cannot be asked.
var errNoIssuer = errors.New("the issuer cannot be reached")

// verifier returns the verifier of the provider's tokens. The provider is asked for its keys
// when the first token comes: it may start later than this server.
func (i *Issuer) verifier() (*oidc.IDTokenVerifier, error) {
	i.once.Do(func() {
		i.client = &http.Client{Timeout: issuerTime, Transport: &pacedTransport{asked: map[string]time.Time{}}}
	})
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.verify != nil {
		return i.verify, nil
	}
	// The provider keeps this context for as long as it looks for keys.
	provider, err := oidc.NewProvider(oidc.ClientContext(context.Background(), i.client), i.URL)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoIssuer, err)
	}
	i.verify = provider.Verifier(&oidc.Config{ClientID: i.Audience, SupportedSigningAlgs: signatures})
	return i.verify, nil
}

// Verify returns the subject of an access token. Errors: *CredentialError, *ScopeError and, when
// the provider cannot be asked, errNoIssuer.
func (i *Issuer) Verify(ctx context.Context, token string) (*Principal, error) {
	verifier, err := i.verifier()
	if err != nil {
		return nil, err
	}
	verified, err := verifier.Verify(ctx, token)
	if expired := (*oidc.TokenExpiredError)(nil); errors.As(err, &expired) {
		return nil, &CredentialError{"the token has expired"}
	}
	if err != nil {
		return nil, &CredentialError{"the token is not a valid one of the issuer for this server"}
	}
	var claims struct {
		Scope scopeList `json:"scope"`
		SCP   scopeList `json:"scp"` // as some providers call it
	}
	if err := verified.Claims(&claims); err != nil {
		return nil, &CredentialError{"the token's scopes cannot be read"}
	}
	if verified.Subject == "" {
		return nil, &CredentialError{"the token names no subject"}
	}
	granted := slices.Concat(claims.Scope, claims.SCP)
	for _, required := range i.Required {
		if !slices.Contains(granted, required) {
			return nil, &ScopeError{Needed: i.Required}
		}
	}
	s := &Principal{Name: issuerPrefix + verified.Subject, Expires: verified.Expiry}
	for _, name := range granted {
		if scope, ok := ParseScope(name); ok && !slices.Contains(s.Scopes, scope) {
			s.Scopes = append(s.Scopes, scope)
		}
	}
	return s, nil
}

// A scopeList is scopes with spaces between them, or a list.
type scopeList []string

// UnmarshalJSON reads either form.
func (l *scopeList) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err == nil {
		*l = strings.Fields(text)
		return nil
	}
	return json.Unmarshal(data, (*[]string)(l))
}

// A pacedTransport asks for the same address at most once in issuerPause.
type pacedTransport struct {
	mu    sync.Mutex
	asked map[string]time.Time
}

var errPaced = errors.New("it was asked a moment ago")

// RoundTrip sends a request.
func (p *pacedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	address, now := r.URL.String(), time.Now()
	p.mu.Lock()
	last, before := p.asked[address]
	paced := before && now.Sub(last) < issuerPause
	if !paced {
		p.asked[address] = now // the provider names few addresses
	}
	p.mu.Unlock()
	if paced {
		return nil, errPaced
	}
	return http.DefaultTransport.RoundTrip(r)
}
