package main

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"

	"issues-index/tools/auth"
	"issues-index/tools/config"
	"issues-index/tools/transport"
)

// publicPaths are answered without a token, with what everybody may know.
var publicPaths = []string{"/healthz", "/style.css", "/icon.svg"}

// authorized returns what stands before everything that is served over HTTP: it asks who sends a
// request, as far as tokens or an issuer are configured.
func (p *program) authorized(c *config.Config, log *slog.Logger, next http.Handler) (*auth.Gate, error) {
	o := auth.Options{Tokens: p.tokenFile(c), Base: transport.OriginOf, Public: publicPaths, Log: log}
	if _, err := o.Tokens.List(); err != nil {
		return nil, tokenError(o.Tokens, "", err)
	}
	if c.Auth.Issuer != "" {
		switch {
		case c.Auth.Audience == "":
			return nil, failed(
				"auth.issuer is set, but auth.audience is not",
				"name what the issuer's tokens for this server are for, as https://issues.example.org/mcp: tokens for other "+
					"servers are refused",
			)
		case !isPrivate(c.Auth.Issuer):
			return nil, failed(
				"auth.issuer "+c.Auth.Issuer+" is not https", "anybody on the way could make tokens; use its https address",
			)
		}
		o.Issuer = &auth.Issuer{URL: c.Auth.Issuer, Audience: c.Auth.Audience, Required: c.Auth.RequiredScopes}
	}
	return auth.NewGate(o, next), nil
}

// isPrivate reports whether nobody can listen in between this program and an address.
func isPrivate(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || isThisMachine(u.Hostname()))
}

// isThisMachine reports whether a host is this machine as only its own programs reach it.
func isThisMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// listenOptions returns where the server listens, and how others reach it.
func listenOptions(c *config.Config, gate *auth.Gate, log *slog.Logger) (transport.ListenOptions, error) {
	o := transport.ListenOptions{Address: c.HTTPAddr, TrustProxy: c.HTTPTrustProxy, Authenticated: gate.IsClosed()}
	if c.HTTPBaseURL != "" {
		base, err := url.Parse(c.HTTPBaseURL)
		if err != nil {
			return o, err
		}
		o.Base = base
	}
	// The address has a host: the configuration puts that of this machine where there is none.
	host, _, err := net.SplitHostPort(c.HTTPAddr)
	if err == nil && o.Authenticated && !isThisMachine(host) && !isPrivate(c.HTTPBaseURL) {
		log.Warn(
			"tokens cross the network unencrypted; put a proxy that speaks TLS before the server, and name its address " +
				"with --base-url https://…",
		)
	}
	return o, nil
}

// forTheirs refuses the pages of the workspace that is served to those who may not use it. They
// see of it what everybody sees.
func forTheirs(pool *workspacePool, pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s := auth.PrincipalOf(r.Context()); s != nil && s.Name != "" && !pool.Permits(s.Only()) {
			if !slices.Contains(publicPaths, r.URL.Path) {
				http.Error(w, "Your token is not for this workspace. Ask for a token that allows it.", http.StatusForbidden)
				return
			}
			r = r.WithContext(auth.With(r.Context(), &auth.Principal{}))
		}
		pages.ServeHTTP(w, r)
	})
}
