// Package transport carries MCP messages over standard input and output and over HTTP, and listens
// for HTTP. It reads a message, hands it to a [Handler], and writes what that answers.
//
// It knows nothing about single tools or documents, and nothing about what else is served over
// HTTP. Its invariants:
//
//   - each request is answered exactly once, with the id that it came with, unless the client cancels
//     it or goes away; whatever else comes gets an error in the form of JSON-RPC that says what to do,
//     and the next message is read;
//   - what is kept of clients is bounded, whatever they send: a line, a body, requests that wait,
//     streams, questions. Neither a client that sends slowly nor one that reads slowly takes a place
//     from those that do not, or holds a connection for ever;
//   - over standard input, initialize is handled before anything after it, and everything else at
//     once; at the end of the input the requests that were read are answered, as long as the client
//     reads the answers;
//   - over HTTP, what tells a client apart is in the id of its session, which it sends with each of
//     its requests: only its subscriptions are kept between them. A client that goes away ends its
//     call. After Drain has begun, requests in progress are answered and others refused;
//   - an address without a host is that of this machine only, and so is every other one unless its
//     requests are authenticated. Requests that name another host, or come from another origin, are
//     refused, and no page can be shown in a frame or load anything from elsewhere.
package transport

import (
	"context"

	"issues-index/tools"
)

// A Handler answers one message: a request with a response, a notification with nil. It is called
// concurrently, and its context is cancelled when the client cancels.
type Handler func(ctx context.Context, conn tools.Conn, m tools.Message) *tools.Response
