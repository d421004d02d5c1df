package tools

import (
	"cmp"
	"context"
	"strings"

	"issues-index/index/claims"
	"issues-index/tools/auth"
)

// unnamedClient stands for a client that does not say its name.
const unnamedClient = "agent"

// holder is the name under which a client claims documents: its own and that of its
// session, so that agents of one program are told apart. Where it had to say who it is, it is
// the subject, whatever it calls itself. joins is the client's own name when its session is
// one that this process serves: in each workspace it has the name that join gives it.
func (s *Server) holder(ctx context.Context, r *request) (name, joins string) {
	if subject := auth.PrincipalOf(ctx); subject != nil {
		return claims.HolderName(subject.Name), ""
	}
	program := cmp.Or(foldClient(r.client().Name), unnamedClient)
	if client := r.conn.Client(); client.Shared {
		return claims.HolderName(program, client.Session), ""
	}
	if s.session != "" {
		return claims.HolderName(program, s.session), ""
	}
	return claims.HolderName(program, s.token), program
}

// HolderNames are what the names under which a client claims begin with, by the name of the client
// on the record: whole is that of a subject, and program that of a program, whose version the
// record has, too. The record says neither which it is nor the session: it does not tell agents of
// one program apart.
func HolderNames(recorded string) (whole, program string) {
	name := recorded
	if i := strings.LastIndexByte(name, ' '); i > 0 {
		name = name[:i]
	}
	return claims.HolderName(recorded), claims.HolderName(cmp.Or(foldClient(name), unnamedClient))
}

// join returns the session in which a client claims in the workspace of some leases. It is
// chosen with the first call and stays: a session that ends later is not this one's.
func (s *Server) join(ctx context.Context, leases *claims.Leases, client string) claims.HolderSession {
	s.joining.Lock()
	defer s.joining.Unlock()
	key := [2]string{client, leases.Root()}
	if joined, ok := s.joined[key]; ok {
		return joined
	}
	session := claims.HolderSession{
		Client: client, Given: ProfileOf(client).Session(s.getenv), Token: s.token, Process: claims.ThisProcess(),
		Parent: claims.ParentProcess(),
	}
	joined, err := leases.Join(ctx, session)
	if err != nil { // claims say why; the next call tries again
		return session
	}
	s.joined[key] = joined
	return joined
}
