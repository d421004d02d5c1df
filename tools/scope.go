package tools

import (
	"cmp"
	"context"

	"issues-index/tools/auth"
)

// scope is what a caller must be allowed to call the tool.
func (t Tool) scope() auth.Scope {
	switch {
	case t.ReadOnly:
		return auth.Read
	case t.Destructive:
		return auth.Delete
	}
	return auth.Write
}

// ScopeOf returns what a caller must be allowed to call the tool with a name.
func (s *Server) ScopeOf(tool string) auth.Scope { return cmp.Or(s.scopes[tool], auth.Read) }

// permitted returns an error where the caller may not call a tool.
func permitted(ctx context.Context, t Tool) error {
	if auth.PrincipalOf(ctx).May(t.scope()) {
		return nil
	}
	return Errorf(CodePermissionDenied, "%s needs the scope %s, which your token does not have.", t.Name, t.scope()).
		Try("Ask the user for a token with it.")
}
