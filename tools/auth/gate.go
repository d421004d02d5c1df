package auth

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
)

const (
	// MCPPath is where MCP is served, which takes no cookies.
	MCPPath = "/mcp"
	// metadataPath is where clients find the metadata of RFC 9728; MCPPath may follow it.
	metadataPath = "/.well-known/oauth-protected-resource"
)

// Options say who may pass a [Gate].
type Options struct {
	Tokens *TokenFile
	Issuer *Issuer // nil for none
	// Base returns the address of the server as the sender of a request knows it, without a
	// slash at its end.
	Base func(*http.Request) string
	// Public are the paths that need no credential. Their subject then has no scope.
	Public []string
	Log    *slog.Logger
}

// A Gate lets requests with a valid credential through.
type Gate struct {
	Options
	next     http.Handler
	signedIn *signedIn
	running  runningRequests
	closed   bool // a credential was needed at the start
}

// NewGate returns a handler before another one.
func NewGate(o Options, next http.Handler) *Gate {
	g := &Gate{Options: o, next: next, signedIn: newSignedIn(),
		running: runningRequests{tokens: o.Tokens, all: map[*runningRequest]bool{}}}
	g.closed = g.IsClosed()
	return g
}

// IsClosed reports whether a request needs a credential: there is an issuer or a file of
// tokens, or was one when the server began.
func (g *Gate) IsClosed() bool { return g.closed || g.Issuer != nil || g.Tokens.Exists() }

// ServeHTTP answers a request, or refuses it.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !g.IsClosed() {
		g.next.ServeHTTP(w, r)
		return
	}
	switch path := r.URL.Path; {
	case path == metadataPath || path == metadataPath+MCPPath:
		g.metadata(w, r)
		return
	case strings.HasPrefix(path, "/.well-known/"):
		http.NotFound(w, r)
		return
	case path == signInPath && r.Method == http.MethodPost:
		g.signIn(w, r)
		return
	case path == signInPath:
		g.writeSignIn(w, http.StatusOK, "/", "")
		return
	case path == signOutPath && r.Method == http.MethodPost:
		g.signOut(w, r)
		return
	}
	credential, err := g.credential(r)
	var s *Principal
	if err == nil {
		s, err = g.verify(r.Context(), credential)
	}
	if slices.Contains(g.Public, r.URL.Path) {
		if err != nil {
			s = &Principal{}
		}
		g.next.ServeHTTP(w, r.WithContext(With(r.Context(), s)))
		return
	}
	if err == nil {
		err = mayPass(s, r)
	}
	if err != nil {
		g.refuse(w, r, err)
		return
	}
	ctx, end := g.running.begin(r.Context(), s)
	defer end()
	ctx = context.WithValue(With(ctx, s), metadataKey{}, g.metadataOf(r))
	g.next.ServeHTTP(w, r.WithContext(ctx))
}

// mayPass returns an error for a request that goes beyond the scopes of its subject. What a
// message of MCP needs besides reading is decided where it is read.
func mayPass(s *Principal, r *http.Request) error {
	scope := Read
	if r.URL.Path != MCPPath && r.Method != http.MethodGet && r.Method != http.MethodHead {
		scope = Write
	}
	if s.May(scope) {
		return nil
	}
	return &ScopeError{Needed: namesFor(scope)}
}

// errNoCredential is returned for a request without one.
var errNoCredential = errors.New("a credential is needed")

// credential returns the token that a request has in its header, or that its cookie stands
// for. A token in an address would be in histories and logs, and is not looked at.
func (g *Gate) credential(r *http.Request) (string, error) {
	headers := r.Header.Values("Authorization")
	if len(headers) > 1 {
		return "", &CredentialError{"there are several Authorization headers"}
	}
	if len(headers) == 1 {
		scheme, token, _ := strings.Cut(headers[0], " ")
		token = strings.TrimSpace(token)
		if !strings.EqualFold(scheme, "Bearer") || token == "" {
			return "", errNoCredential
		}
		return token, nil
	}
	if r.URL.Path != MCPPath {
		if token, ok := g.signedIn.token(r); ok {
			return token, nil
		}
	}
	return "", errNoCredential
}

// maxCredential is the longest token that is looked at, in bytes.
const maxCredential = 8 << 10

// verify returns the subject of a token.
func (g *Gate) verify(ctx context.Context, token string) (*Principal, error) {
	switch {
	case len(token) > maxCredential:
		return nil, &CredentialError{"the token is too long"}
	case g.Issuer == nil || strings.HasPrefix(token, tokenPrefix):
		return g.Tokens.Verify(token)
	}
	return g.Issuer.Verify(ctx, token)
}

// refuse answers a request that may not pass.
func (g *Gate) refuse(w http.ResponseWriter, r *http.Request, err error) {
	c := challenge{Metadata: g.metadataOf(r), Scopes: []string{Read.String()}}
	status, text := http.StatusUnauthorized,
		"This server needs a token: send Authorization: Bearer TOKEN. The user makes one with issues-index token new NAME."
	var invalid *CredentialError
	var scope *ScopeError
	switch {
	case errors.As(err, &scope):
		status, c.Code, c.Reason, c.Scopes = http.StatusForbidden, "insufficient_scope", scope.Error(), scope.Needed
		text = "The token does not go far enough: " + scope.Error() + ". Ask for a token with it."
	case errors.As(err, &invalid):
		c.Code, c.Reason = "invalid_token", invalid.Reason
		text = "The token is refused: " + invalid.Reason + ". Ask for a new one."
	case errors.Is(err, errNoIssuer):
		g.Log.Error("ask the issuer of tokens", "error", err)
		w.Header().Set("Retry-After", "5")
		http.Error(w, "The issuer of tokens cannot be asked now. Try again in some seconds.", http.StatusServiceUnavailable)
		return
	case !errors.Is(err, errNoCredential):
		g.Log.Error("no request is let in over HTTP", "error", err)
		http.Error(w, "The server cannot read its tokens; its log says why.", http.StatusServiceUnavailable)
		return
	}
	g.Log.Warn("refused over HTTP", "reason", err.Error(), "method", r.Method, "path", shortPath(r), "from", r.RemoteAddr)
	if status == http.StatusUnauthorized || r.URL.Path == MCPPath {
		c.set(w.Header())
	}
	if wantsPage(r) {
		if c.Code == "" { // nothing is wrong yet
			text = ""
		}
		g.signInPage(w, r, status, text)
		return
	}
	if r.URL.Path == MCPPath {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{ // the client may have gone
			"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": invalidRequest, "message": text},
		})
		return
	}
	http.Error(w, text, status)
}

// invalidRequest is the code of JSON-RPC for a message that is not answered.
const invalidRequest = -32600

// shortPath bounds what the log has of a path, which the sender chooses.
func shortPath(r *http.Request) string {
	const most = 200 // bytes
	return strings.ToValidUTF8(r.URL.Path[:min(len(r.URL.Path), most)], "")
}

// metadataOf returns the address of the metadata for the sender of a request.
func (g *Gate) metadataOf(r *http.Request) string { return g.Base(r) + metadataPath + MCPPath }

// metadata tells clients where to get a token: RFC 9728, section 3.2.
func (g *Gate) metadata(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Metadata can only be read.", http.StatusMethodNotAllowed)
		return
	}
	about := struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers,omitempty"`
		Scopes   []string `json:"scopes_supported"`
		Methods  []string `json:"bearer_methods_supported"`
		Name     string   `json:"resource_name"`
	}{Resource: g.Base(r) + MCPPath, Methods: []string{"header"}, Name: "issues-index"}
	for _, s := range Scopes() {
		about.Scopes = append(about.Scopes, s.String())
	}
	if g.Issuer != nil {
		about.Servers = []string{g.Issuer.URL}
		for _, name := range g.Issuer.Required {
			if !slices.Contains(about.Scopes, name) {
				about.Scopes = append(about.Scopes, name)
			}
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(about) // a client that has gone needs no answer
}
