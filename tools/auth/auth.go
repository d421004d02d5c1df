// Package auth decides who sends a request over HTTP, and what that subject may do: by tokens
// that this program has made, by access tokens of an OpenID Connect issuer, and for the pages
// by a cookie that stands for one of these.
//
// It knows nothing about MCP messages, tools or documents. Its invariants:
//
//   - where tokens or an issuer are configured, a request without a valid credential reaches
//     nothing but what is public, and whatever goes wrong refuses it;
//   - a token is kept as its digest only, in a file of the user's that nobody else may read, and
//     is compared in constant time;
//   - a credential is asked about anew for each request, and while one lasts: what is revoked
//     or has expired ends;
//   - neither a token nor a cookie is ever part of a log, an error or an address, and a token is
//     sent nowhere.
package auth

import (
	"context"
	"slices"
	"strings"
	"time"
)

// A Scope is one kind of thing that a subject may do.
type Scope string

// The scopes. Whoever may write or delete may read.
const (
	Read   Scope = "read"
	Write  Scope = "write"
	Delete Scope = "delete"
)

// Scopes are all of them.
func Scopes() []Scope { return []Scope{Read, Write, Delete} }

// scopePrefix begins the names of the scopes outside this program, where other programs' scopes
// stand beside them. In what is read it may be left out.
const scopePrefix = "issues:"

// String returns the name of a scope outside this program, as in issues:read.
func (s Scope) String() string { return scopePrefix + string(s) }

// ParseScope returns the scope with a name, such as read or issues:read.
func ParseScope(name string) (s Scope, ok bool) {
	s = Scope(strings.TrimPrefix(name, scopePrefix))
	return s, slices.Contains(Scopes(), s)
}

// A Principal is whoever a credential stands for.
type Principal struct {
	Name   string
	Scopes []Scope
	// Workspaces are those that it may use, names of the user's or paths; nil for all that are
	// served.
	Workspaces []string
	Expires    time.Time // zero for never

	digest string // of its token, as the file of tokens has it; "" for one of an issuer
}

// May reports whether the subject may do something. A nil Principal may: nobody is asked for
// a credential then.
func (s *Principal) May(scope Scope) bool {
	return s == nil || slices.Contains(s.Scopes, scope) || scope == Read && len(s.Scopes) > 0
}

// Only returns the workspaces that the subject may use, nil for all.
func (s *Principal) Only() []string {
	if s == nil {
		return nil
	}
	return s.Workspaces
}

type principalKey struct{}

// With returns the context of a request of a subject.
func With(ctx context.Context, s *Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, s)
}

// PrincipalOf returns whose request this is, nil where nobody is asked for a credential.
func PrincipalOf(ctx context.Context) *Principal {
	s, _ := ctx.Value(principalKey{}).(*Principal)
	return s
}
