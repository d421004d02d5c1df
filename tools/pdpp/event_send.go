package pdpp

import (
	"context"
	"encoding/json"
	"net/http"

	"issues-index/tools"
)

func sendTestEvent(c *Client) tools.Tool {
	return tools.Tool{
		Name: "send_test_event",
		Description: "Send a test event to the receiver of a subscription: POST /v1/event-subscriptions/{id}/test-event. Writes: each call sends another. " +
			"See discover_event_subscription_capabilities.",
		Input:  tools.ObjectSchema(subscriptionInput, "subscription_id"),
		Output: answered(),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			path := readSubscription(args)
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			a, err := c.send(ctx, http.MethodPost, path+"/test-event", struct{}{})
			if err != nil {
				return tools.Result{}, onSubscription(err)
			}
			var sent struct {
				EventID string `json:"event_id"`
			}
			text := "The test event is queued; whether it arrived, the receiver knows."
			if json.Unmarshal(a.Body, &sent) == nil && sent.EventID != "" {
				text += " event_id=" + escaped(sent.EventID)
			}
			return tools.Result{Text: text, Structured: c.envelope(a), Items: 1}, nil
		},
	}
}
