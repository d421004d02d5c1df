package streamable

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"issues-index/tools"
)

const (
	maxName       = 60 // bytes of a client's name in the id of its session
	maxSessionID  = 200
	sessionLength = 10 // characters that tell sessions apart, of 32 each
)

type senderKey struct{}

// callerOf returns who sends a request: the session that it names, else whoever is at that
// address. Nothing proves either of them; they keep well-meaning clients apart.
func callerOf(r *http.Request) tools.Caller {
	if caller, err := parseSession(r.Header.Get(server.HeaderKeySessionID)); err == nil {
		return caller
	}
	return tools.Caller{Session: hostOf(r)}
}

// parseSession reads the id of a session: random characters, a dot and the client's name.
func parseSession(id string) (tools.Caller, error) {
	session, encoded, ok := strings.Cut(id, ".")
	name, err := base64.RawURLEncoding.DecodeString(encoded)
	if !ok || err != nil || len(session) != sessionLength || len(id) > maxSessionID {
		return tools.Caller{}, errUnknownSession
	}
	return tools.Caller{Client: mcp.Implementation{Name: string(name)}, Session: session}, nil
}

var errUnknownSession = errors.New("the id is of no session of this server; initialize again")

// A sessionIDResolver gives out ids that are all there is of a session.
type sessionIDResolver struct{}

// ResolveSessionIdManager returns the manager for a request.
func (sessionIDResolver) ResolveSessionIdManager(r *http.Request) server.SessionIdManager { //nolint:revive // as mcp-go names it
	if r == nil {
		return sessionIDs{}
	}
	caller, _ := r.Context().Value(senderKey{}).(tools.Caller)
	return sessionIDs{name: caller.Client.Name}
}

// sessionIDs makes and checks the ids for one request.
type sessionIDs struct{ name string }

// Generate returns the id for a client that begins.
func (s sessionIDs) Generate() string {
	name := s.name[:min(len(s.name), maxName)]
	return strings.ToLower(rand.Text()[:sessionLength]) + "." + base64.RawURLEncoding.EncodeToString([]byte(name))
}

// Validate takes every id that this server may have given out, and none at all: a client
// need not have a session.
func (sessionIDs) Validate(id string) (isTerminated bool, err error) {
	if id != "" {
		_, err = parseSession(id)
	}
	return false, err
}

// Terminate has nothing to end.
func (sessionIDs) Terminate(string) (isNotAllowed bool, err error) { return false, nil }
