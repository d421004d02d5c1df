package tools

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
)

// errNoConnection is for a client of which nothing is remembered from one request to the next.
var errNoConnection = Errorf(CodeConfiguration, "This client has no session, or too many clients are told of changes "+
	"already, so that no subscription is remembered.").
	Try("Send the Mcp-Session-Id of the handshake, use subscriptions/listen of revision 2026-07-28, " +
		"or read the resource again.")

// maxListens is how many requests of subscriptions/listen one connection may have open: each
// is a request that is not answered yet.
const maxListens = 32

// subscribe has a client up to 2025-11-25 told of the changes of a resource for as long as its
// connection lasts.
func (s *Server) subscribe(ctx context.Context, r *request) (any, error) {
	var p mcp.SubscribeParams
	if err := r.read(&p); err != nil {
		return nil, err
	}
	err := error(errNoConnection)
	if client := r.conn.Client(); client.Notify != nil {
		err = client.subscriptions().add(ctx, s.resourceRequest(r, p.URI))
	}
	if err != nil {
		return nil, s.fault(r, p.URI, err)
	}
	return struct{}{}, nil
}

func (s *Server) unsubscribe(_ context.Context, r *request) (any, error) {
	var p mcp.UnsubscribeParams
	if err := r.read(&p); err != nil {
		return nil, err
	}
	if client := r.conn.Client(); client.Notify != nil {
		client.subscriptions().remove(p.URI)
	}
	return struct{}{}, nil
}

// listen tells a client of 2026-07-28 of changes until its request ends. The acknowledgement says
// which resources can be subscribed to.
func (s *Server) listen(ctx context.Context, r *request) (any, error) {
	if s.resources == nil {
		return nil, &ProtocolError{Code: mcp.METHOD_NOT_FOUND, Message: "This server sends no notifications to listen for."}
	}
	var p mcp.SubscriptionsListenParams
	if err := r.read(&p); err != nil {
		return nil, err
	}
	asked := p.Notifications.ResourceSubscriptions
	client := r.conn.Client()
	defer client.listens.Add(-1)
	if client.listens.Add(1) > maxListens {
		asked = nil
	}
	meta := map[string]any{mcp.MetaKeySubscriptionID: r.id}
	acknowledged := make(chan struct{})
	to := newSubscriber(ctx, func(uri string) {
		select {
		case <-acknowledged:
			r.conn.Notify(mcp.MethodNotificationResourceUpdated, map[string]any{"_meta": meta, "uri": uri})
		case <-ctx.Done():
		}
	})
	var taken mcp.SubscriptionFilter
	for _, uri := range asked {
		if err := to.add(ctx, s.resourceRequest(r, uri)); err != nil {
			s.log.Debug("no subscription", "uri", Plain(uri), "error", err)
			continue
		}
		taken.ResourceSubscriptions = append(taken.ResourceSubscriptions, uri)
	}
	r.conn.Notify(mcp.MethodNotificationSubscriptionsAcknowledged, map[string]any{"_meta": meta, "notifications": taken})
	close(acknowledged)
	if !taken.IsEmpty() {
		<-ctx.Done()
	}
	result := &mcp.SubscriptionsListenResult{}
	result.EnsureResultMeta().SetSubscriptionID(r.id)
	return result, nil
}
