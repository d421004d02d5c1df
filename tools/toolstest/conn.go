package toolstest

import (
	"context"
	"encoding/json"

	"issues-index/tools"
)

// A Conn is a client without a transport. Its zero value has the server to itself, and can neither
// be told of changes nor asked.
type Conn struct {
	Known    tools.Client
	Notified func(method string, params any)                        // nil for a client that reads nothing
	Asked    func(method string, params any) <-chan json.RawMessage // nil for one that refuses
}

// Client implements [tools.Conn].
func (c *Conn) Client() *tools.Client { return &c.Known }

// Notify implements [tools.Conn].
func (c *Conn) Notify(method string, params any) {
	if c.Notified != nil {
		c.Notified(method, params)
	}
}

// Ask implements [tools.Conn].
func (c *Conn) Ask(_ context.Context, method string, params any) <-chan json.RawMessage {
	if c.Asked == nil {
		refused := make(chan json.RawMessage)
		close(refused)
		return refused
	}
	return c.Asked(method, params)
}

// Send sends a message to a server and returns the response, nil for a notification.
func (c *Conn) Send(ctx context.Context, server *tools.Server, message []byte) *tools.Response {
	m, problem := tools.ParseMessage(message)
	if problem != nil {
		return tools.Refuse(m.ID, problem)
	}
	return server.Handle(ctx, c, m)
}

// Send sends a message of a client that says nothing else.
func Send(ctx context.Context, server *tools.Server, message []byte) *tools.Response {
	return new(Conn).Send(ctx, server, message)
}
