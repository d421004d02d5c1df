package auth

import (
	"net/http"
	"strings"
)

// An CredentialError says why a credential is refused. It never has the credential.
type CredentialError struct{ Reason string }

func (e *CredentialError) Error() string { return e.Reason }

// A ScopeError says that a valid credential does not go far enough.
type ScopeError struct {
	Needed []string // all scopes that would do, as they are called outside
}

func (e *ScopeError) Error() string { return "it needs the scope " + strings.Join(e.Needed, " ") }

// A challenge is the header that says what credential a request needs: RFC 6750, section 3,
// with the address of the metadata of RFC 9728, section 5.1.
type challenge struct {
	Metadata string
	Code     string // "" where there was no credential
	Reason   string
	Scopes   []string
}

// set writes the header. None of its texts has a quote or a control character: they are ours,
// or scopes and addresses that were checked.
func (c challenge) set(h http.Header) {
	var parts []string
	for _, p := range []struct{ name, value string }{
		{"error", c.Code}, {"error_description", c.Reason}, {"scope", strings.Join(c.Scopes, " ")},
		{"resource_metadata", c.Metadata},
	} {
		if p.value != "" {
			parts = append(parts, p.name+`="`+p.value+`"`)
		}
	}
	h.Set("WWW-Authenticate", "Bearer "+strings.Join(parts, ", "))
}

// Forbid sets the header of an answer 403 to a request whose subject lacks a scope.
func Forbid(w http.ResponseWriter, r *http.Request, needed Scope, reason string) {
	metadata, _ := r.Context().Value(metadataKey{}).(string)
	challenge{Metadata: metadata, Code: "insufficient_scope", Reason: reason, Scopes: namesFor(needed)}.set(w.Header())
}

// namesFor returns all scopes that something takes, since a client asks for them at once.
func namesFor(needed Scope) []string {
	if needed == Read {
		return []string{Read.String()}
	}
	return []string{Read.String(), needed.String()}
}

type metadataKey struct{}
