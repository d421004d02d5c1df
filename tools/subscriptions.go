package tools

import (
	"context"
	"maps"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// errNoConnection is for a client of which nothing is remembered from one request to the next.
var errNoConnection = Errorf(CodeConfiguration, "This client has no session, or too many clients are told of changes already, so that no subscription is remembered.").
	Try("Send the Mcp-Session-Id of the handshake, use subscriptions/listen of revision 2026-07-28, or read the resource again.")

// maxListens is how many requests of subscriptions/listen one connection may have open: each
// is a request that is not answered yet.
const maxListens = 32

// serveSubscriptions tells clients of changes of the resources that they have subscribed to:
// up to 2025-11-25 by resources/subscribe on a connection, from 2026-07-28 on by
// subscriptions/listen. mcp-go answers the requests; it knows no resource whose changes it
// could tell of.
func (s *Server) serveSubscriptions(set *ResourceSet, hooks *server.Hooks) {
	all := new(atomic.Int64)
	hooks.AddBeforeSubscriptionsListen(func(ctx context.Context, id any, request *mcp.SubscriptionsListenRequest) {
		s.listen(ctx, set, all, request)
	})
	hooks.AddAfterSubscriptionsListen(func(ctx context.Context, _ any, _ *mcp.SubscriptionsListenRequest, result *mcp.SubscriptionsListenResult) {
		if of := sessionOf(ctx); of != nil {
			<-of.acknowledged // which comes before the result
			result.EnsureResultMeta().SetSubscriptionID(of.wire.ID)
		} else if answer := answerOf(ctx); answer != nil {
			select { // mcp-go could lose the acknowledgement where the result follows at once
			case <-answer.told:
			case <-ctx.Done():
			}
		}
	})
	if set == nil {
		return
	}
	hooks.AddBeforeSubscribe(func(ctx context.Context, _ any, request *mcp.SubscribeRequest) {
		uri := request.Params.URI
		err := error(errNoConnection)
		if of := connectionOf(ctx); of != nil {
			err = of.subscriptions().add(ctx, set, s.resourceRequest(uri), all)
		}
		if err != nil {
			_ = s.fail(ctx, uri, err)
		}
	})
	hooks.AddBeforeUnsubscribe(func(ctx context.Context, _ any, request *mcp.UnsubscribeRequest) {
		if of := connectionOf(ctx); of != nil {
			of.subscriptions().remove(request.Params.URI)
		}
	})
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, _ *mcp.InitializeRequest, result *mcp.InitializeResult) {
		if _, shared := callerOf(ctx); result.Capabilities.Resources != nil && connectionOf(ctx) == nil && !shared {
			result.Capabilities.Resources.Subscribe = false
		}
	})
}

func (s *Server) resourceRequest(uri string) *ResourceRequest {
	return &ResourceRequest{URI: uri, server: s}
}

// listen begins to tell the client of a request of changes, until the request ends. What
// cannot be subscribed to is taken out of the request, so that mcp-go's acknowledgement says
// what is left.
func (s *Server) listen(ctx context.Context, set *ResourceSet, all *atomic.Int64, request *mcp.SubscriptionsListenRequest) {
	session := server.ClientSessionFromContext(ctx)
	if session == nil {
		return
	}
	asked := request.Params.Notifications.ResourceSubscriptions
	request.Params.Notifications.ResourceSubscriptions = nil
	send := func(uri string) { sendOver(ctx, session, uri) }
	if of := sessionOf(ctx); of != nil {
		of.acknowledged = make(chan struct{})
		go of.acknowledge(ctx)
		send = func(uri string) {
			select {
			case <-of.acknowledged:
				of.wire.Notify(mcp.MethodNotificationResourceUpdated, updated(uri, of.wire.ID))
			case <-ctx.Done():
			}
		}
		if of.listens.Add(1); of.listens.Load() > maxListens {
			asked = nil
		}
		context.AfterFunc(ctx, func() { of.listens.Add(-1) })
	}
	if set == nil {
		return
	}
	to := newSubscriber(ctx, send)
	for _, uri := range asked {
		if err := to.add(ctx, set, s.resourceRequest(uri), all); err != nil {
			s.log.Debug("no subscription", "uri", Plain(uri), "error", err)
			continue
		}
		request.Params.Notifications.ResourceSubscriptions = append(request.Params.Notifications.ResourceSubscriptions, uri)
	}
}

// sendOver sends a notification over a session of mcp-go's own transport, which names the
// subscription itself.
func sendOver(ctx context.Context, session server.ClientSession, uri string) {
	select {
	case session.NotificationChannel() <- mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{
		Method: mcp.MethodNotificationResourceUpdated, Params: mcp.NotificationParams{AdditionalFields: updated(uri, nil)},
	}}:
	case <-ctx.Done():
	}
}

// acknowledge passes on what mcp-go acknowledges, under the id that the client has given.
func (s *clientSession) acknowledge(ctx context.Context) {
	defer close(s.acknowledged)
	var ack mcp.JSONRPCNotification
	select {
	case ack = <-s.acks:
	case <-ctx.Done():
		select {
		case ack = <-s.acks:
		default:
			return // the request has failed
		}
	}
	params := map[string]any{"_meta": map[string]any{mcp.MetaKeySubscriptionID: s.wire.ID}}
	maps.Copy(params, ack.Params.AdditionalFields)
	s.wire.Notify(ack.Method, params)
}

// updated is the notification that a resource has changed. A subscription by
// subscriptions/listen is named in it.
func updated(uri string, subscription any) map[string]any {
	params := map[string]any{"uri": uri}
	if subscription != nil {
		params["_meta"] = map[string]any{mcp.MetaKeySubscriptionID: subscription}
	}
	return params
}

// subscriptions are those of the connection by resources/subscribe.
func (s *clientSession) subscriptions() *subscriber {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.subscribed == nil {
		notify := s.wire.Notify // which is that of the connection
		s.subscribed = newSubscriber(s.life, func(uri string) { notify(mcp.MethodNotificationResourceUpdated, updated(uri, nil)) })
	}
	return s.subscribed
}
