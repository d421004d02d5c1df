package transport

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/tools"
	"issues-index/tools/auth"
)

const (
	maxName       = 60 // bytes of a client's name in the id of its session
	maxSessionID  = 200
	sessionLength = 10      // characters that tell sessions apart, of 32 each
	showsForms    = ".form" // the end of the id of a client that shows its user forms
)

// sessionID returns the id of a client that has shaken hands. It is all there is of a session:
// random characters, the client's name, and whether its user can be asked.
func sessionID(client *tools.Client) string {
	name := client.Info.Name[:min(len(client.Info.Name), maxName)]
	id := strings.ToLower(rand.Text()[:sessionLength]) + "." + base64.RawURLEncoding.EncodeToString([]byte(name))
	if client.Elicits {
		id += showsForms
	}
	return id
}

// clientOf returns the client whose session has an id, and false where no session of this server can
// have it. Nothing proves who sends it: an id keeps well-meaning clients apart.
func clientOf(id string) (*tools.Client, bool) {
	plain, elicits := strings.CutSuffix(id, showsForms)
	session, encoded, ok := strings.Cut(plain, ".")
	name, err := base64.RawURLEncoding.DecodeString(encoded)
	if !ok || err != nil || len(session) != sessionLength || len(id) > maxSessionID {
		return nil, false
	}
	info := mcp.Implementation{Name: string(name)}
	return &tools.Client{Shared: true, Session: session, Info: info, Elicits: elicits}, true
}

// sessionOf returns the id of a request's session, "" for none: a revision from 2026-07-28 on has no
// sessions.
func sessionOf(r *http.Request) string {
	if mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)) {
		return ""
	}
	return r.Header.Get(mcp.HeaderSessionID)
}

// sessionKey tells the sessions of requests apart, "" for a request that has none. A caller who has
// learned the id of another's session has another key.
func sessionKey(r *http.Request) string {
	id := sessionOf(r)
	if _, ok := clientOf(id); !ok {
		return ""
	}
	if s := auth.PrincipalOf(r.Context()); s != nil {
		return id + " " + s.Name
	}
	return id
}
