package tools

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
)

// A Conn is how the client of one message is reached while the message is answered. Standard
// input and output implement it, and HTTP.
type Conn interface {
	// Client is what is known of the client.
	Client() *Client
	// Notify sends a notification before the answer. After the answer it does nothing.
	Notify(method string, params any)
	// Ask sends a request and does not wait. The result arrives in the channel, which is closed
	// without one when the client refuses, when ctx ends, or when there can be none any more.
	// Without parameters params is nil.
	Ask(ctx context.Context, method string, params any) <-chan json.RawMessage
}

// A Client is what a server knows of one client, from one message to the next where the
// transport has connections. A transport sets the exported fields before the first message.
type Client struct {
	// Shared says that other clients share the transport. Nothing is remembered of such a client:
	// what the server has to know of it comes with each message.
	Shared bool
	// Session tells the clients of a shared transport apart. Claims are held under it.
	Session string
	// Info is who the client says it is. A request that says so itself goes before it.
	Info mcp.Implementation
	// Elicits says that the client shows its user forms: see [Config.Elicit].
	Elicits bool
	// Notify sends a notification that belongs to no message, until Life ends. It may wait for the
	// client. It is nil for a client that cannot be told of changes.
	Notify func(method string, params any)
	Life   context.Context

	mu          sync.Mutex
	sentSchemas bool // it has no name, and was told output schemas
	roots       clientRoots
	subscribed  *subscriber  // nil before the first resources/subscribe
	listens     atomic.Int64 // open requests of subscriptions/listen
}

// introduce notes what a handshake says of a client.
func (c *Client) introduce(p mcp.InitializeParams) {
	c.mu.Lock()
	c.Info, c.Elicits = p.ClientInfo, showsForms(p.Capabilities)
	c.mu.Unlock()
	if !c.Shared {
		c.roots.begin(p.Capabilities.Roots != nil)
	}
}

// said returns what the handshake has said.
func (c *Client) said() (info mcp.Implementation, elicits bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Info, c.Elicits
}

// subscriptions are those by resources/subscribe.
func (c *Client) subscriptions() *subscriber {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.subscribed == nil {
		c.subscribed = newSubscriber(c.Life, func(uri string) {
			c.Notify(mcp.MethodNotificationResourceUpdated, map[string]any{"uri": uri})
		})
	}
	return c.subscribed
}

// showsForms reports whether a client shows its user a form.
func showsForms(c mcp.ClientCapabilities) bool {
	e := c.Elicitation
	return e != nil && (e.Form != nil || e.URL == nil)
}
