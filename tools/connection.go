package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// A ClientConnection is what a server remembers of one client from one message to the next, over a
// transport that has connections: what the client has said in its handshake, and what it has
// subscribed to. It is safe for concurrent use.
type ClientConnection struct {
	mu           sync.Mutex
	ready        bool
	client       mcp.Implementation
	capabilities mcp.ClientCapabilities
	version      string       // of the protocol, as the handshake has agreed on it
	subscribed   *subscriber  // nil before the first resources/subscribe
	listens      atomic.Int64 // open requests of subscriptions/listen

	life context.Context
}

// NewClientConnection returns a connection that begins. It ends with the context: the client is told
// of no further changes then.
func NewClientConnection(ctx context.Context) *ClientConnection {
	return &ClientConnection{life: ctx}
}

// A Wire is how the client of one message is reached.
type Wire struct {
	// ID is that of the message as the client has written it, nil for a notification.
	ID      json.RawMessage
	Request Requester
	Notify  Notifier // works while the connection lasts, also after the message is answered
}

type connectionKey struct{}

// With returns the context of a message of the connection.
func (c *ClientConnection) With(ctx context.Context, wire Wire) context.Context {
	return context.WithValue(ctx, connectionKey{}, &clientSession{ClientConnection: c, wire: wire})
}

// A clientSession is what mcp-go sees of a connection in one message.
type clientSession struct {
	*ClientConnection
	wire Wire

	acks         chan mcp.JSONRPCNotification // that mcp-go writes for subscriptions/listen
	acknowledged chan struct{}                // closed once that is passed on
}

// sessionOf returns the session of a message, nil where its transport has no connections.
func sessionOf(ctx context.Context) *clientSession {
	s, _ := server.ClientSessionFromContext(ctx).(*clientSession)
	return s
}

// connectionOf returns the connection of a message, with what the message is reached by, nil
// where nothing is remembered of its client.
func connectionOf(ctx context.Context) *clientSession {
	of, _ := ctx.Value(connectionKey{}).(*clientSession)
	return of
}

// inSession returns a context in which mcp-go sees the session of a message.
func (s *Server) inSession(ctx context.Context) context.Context {
	of := connectionOf(ctx)
	if of == nil {
		return ctx
	}
	of.acks = make(chan mcp.JSONRPCNotification, 1)
	return s.mcp.WithContext(ctx, of)
}

// SessionID implements server.ClientSession. Connections are not told apart by it: mcp-go
// knows no session beyond its message.
func (s *clientSession) SessionID() string { return "connection" }

// NotificationChannel implements server.ClientSession.
func (s *clientSession) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.acks }

// Initialize implements server.ClientSession.
func (s *clientSession) Initialize() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = true
}

// Initialized implements server.ClientSession.
func (s *clientSession) Initialized() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready
}

// GetClientInfo implements server.SessionWithClientInfo.
func (s *clientSession) GetClientInfo() mcp.Implementation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client
}

// SetClientInfo implements server.SessionWithClientInfo.
func (s *clientSession) SetClientInfo(client mcp.Implementation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client = client
}

// GetClientCapabilities implements server.SessionWithClientInfo.
func (s *clientSession) GetClientCapabilities() mcp.ClientCapabilities {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.capabilities
}

// SetClientCapabilities implements server.SessionWithClientInfo.
func (s *clientSession) SetClientCapabilities(capabilities mcp.ClientCapabilities) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.capabilities = capabilities
}

// ProtocolVersion implements server.SessionWithProtocolVersion.
func (s *clientSession) ProtocolVersion() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// SetProtocolVersion has mcp-go note what the handshake has agreed on.
func (s *clientSession) SetProtocolVersion(version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version = version
}

// errNoAnswer is for a client that refuses to ask its user, or goes away.
var errNoAnswer = errors.New("the client gives no answer")

// RequestElicitation implements server.SessionWithElicitation.
func (s *clientSession) RequestElicitation(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	select {
	case answer, ok := <-s.wire.Request(string(mcp.MethodElicitationCreate), request.Params):
		var result mcp.ElicitationResult
		if !ok {
			return nil, errNoAnswer
		}
		if err := json.Unmarshal(answer, &result); err != nil {
			return nil, fmt.Errorf("read the client's answer: %w", err)
		}
		return &result, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
