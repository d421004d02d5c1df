package pdpp

import (
	"context"
	"net/http"

	"issues-index/tools"
)

func getEventSubscription(c *Client) tools.Tool {
	return reading(tools.Tool{
		Name: "get_event_subscription",
		Description: "Read the status of one event subscription: GET /v1/event-subscriptions/{id}. Read-only. " +
			"Without its secret. See discover_event_subscription_capabilities.",
		Input:  tools.ObjectSchema(subscriptionInput, "subscription_id"),
		Output: answered(),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			return c.one(ctx, args, http.MethodGet, "", nil, func(id string) string { return "Event subscription " + id + "." })
		},
	})
}
