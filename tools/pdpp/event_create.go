package pdpp

import (
	"bytes"
	"context"
	"net/http"

	"issues-index/tools"
)

// A newSubscription is what is posted to make one.
type newSubscription struct {
	CallbackURL  string        `json:"callback_url"`
	ConnectionID string        `json:"connection_id,omitempty"`
	Filters      *eventFilters `json:"filters,omitempty"`
}

// eventFilters narrow a subscription to streams of the grant.
type eventFilters struct {
	Streams []string `json:"streams"`
}

func createEventSubscription(c *Client) tools.Tool {
	return tools.Tool{
		Name: "create_event_subscription",
		Description: "Create a subscription that tells callback_url of changes in the granted streams: POST /v1/event-subscriptions. Writes. " +
			"The answer has its secret, this once. Call discover_event_subscription_capabilities before.",
		Input: tools.ObjectSchema(`"callback_url":`+anyText+`,"connection_id":`+anyText+`,"filters":`+
			`{"type":"object","properties":{"streams":`+anyTexts+`}}`, "callback_url"),
		Output: answered(),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			wanted := newSubscription{CallbackURL: readCallback(args), ConnectionID: givenName(args, "connection_id")}
			if wanted.ConnectionID != "" {
				checkName(args, "connection_id", wanted.ConnectionID)
			}
			if args.Has("filters") {
				wanted.Filters = &eventFilters{}
				for _, stream := range args.Object("filters", "streams").Strings("streams") {
					wanted.Filters.Streams = append(wanted.Filters.Streams, unescaped(stream))
				}
				if len(wanted.Filters.Streams) == 0 {
					args.Fail(tools.Errorf(tools.CodeValidation, "The filters name no stream.").On("filters").
						Try(`Pass filters: {"streams": [...]} with names of list_streams, or leave filters out for all streams of the grant.`))
				}
			}
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			a, err := c.send(ctx, http.MethodPost, subscriptionsPath, wanted)
			if err != nil {
				return tools.Result{}, err
			}
			if wanted.ConnectionID != "" && !bytes.Contains(a.Body, []byte(wanted.ConnectionID)) {
				args.Note("the answer does not name the connection_id, so the subscription may be of all connections of the grant: get_event_subscription tells its scope")
			}
			return c.subscribed(a, "", "Created an event subscription. It is active once the receiver has answered the verification; send_test_event tries it."), nil
		},
	}
}
