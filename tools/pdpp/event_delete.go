package pdpp

import (
	"context"
	"net/http"

	"issues-index/tools"
)

func deleteEventSubscription(c *Client) tools.Tool {
	return tools.Tool{
		Name: "delete_event_subscription",
		Description: "Delete an event subscription and drop what it has still to deliver: DELETE /v1/event-subscriptions/{id}. Writes, and cannot be undone. " +
			"See discover_event_subscription_capabilities.",
		Destructive: true,
		Idempotent:  true,
		Input:       tools.ObjectSchema(subscriptionInput, "subscription_id"),
		// The RS answers without a body.
		Output: tools.ObjectSchema(`"data":{"type":["object","null"]},"provider_url":`+anyText+`,"request_id":{"type":["string","null"]},"note":`+anyText,
			"data", "provider_url", "request_id"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			id := givenName(args, "subscription_id")
			path := readSubscription(args)
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			a, err := c.send(ctx, http.MethodDelete, path, nil)
			if err != nil {
				return tools.Result{}, onSubscription(err)
			}
			e := c.envelope(a)
			e.Note = "Deleted event subscription " + escaped(id) + "."
			return tools.Result{Text: e.Note, Structured: e, Items: 1}, nil
		},
	}
}
