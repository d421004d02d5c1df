package pdpp

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"issues-index/tools"
	"issues-index/tools/upstream"
)

// Endpoints of event subscriptions: where a resource server says what it can do, to anyone,
// and the subscriptions.
const (
	metadataPath      = "/.well-known/oauth-protected-resource"
	subscriptionsPath = "/v1/event-subscriptions"
	subscriptionPath  = subscriptionsPath + "/{subscription_id}"
)

// What the discovery tool says beside what the RS advertises: how a receiver is to
// take events. No other tool says it.
const (
	howToReceive = "A receiver keeps the secret, checks the signature of each delivery with it before anything else, " +
		"answers at once, and takes repeats of an id for one. " +
		"Events carry no records: read what changed with query_records and the event's changes_since. "
	howToPoll = "Where nothing can receive requests, poll query_records with changes_since."
)

// discoverEvents tells what the metadata of the RS says of event subscriptions: with all of the
// metadata or, where that does not fit, without the rest of it.
func discoverEvents(ctx context.Context, c *call) (tools.Result, error) {
	r, err := c.json(ctx, upstream.Request{Path: metadataPath}, false)
	if err != nil {
		return tools.Result{}, err
	}
	var found struct {
		Supported bool `json:"supported"`
		envelope
	}
	events := members(members(members(r.Body).Get("capabilities")).Get("client_event_subscriptions"))
	read(events.Get("supported"), &found.Supported)
	note := "This resource server offers no event subscriptions. " + howToPoll
	if found.Supported {
		note = "This resource server offers event subscriptions. " + howToReceive + howToPoll
	}
	return c.args.Smaller(1, func(level int) tools.Result {
		found.envelope = c.envelope(r, note)
		if level > 0 {
			found.Note += " Of the server's metadata (" + metadataPath + ") only what concerns events is here, to fit."
			found.Data = encode(map[string]any{"capabilities": map[string]any{"client_event_subscriptions": events}})
		}
		return showDocument(found, []string{found.Note}, events)
	}), nil
}

// subscribed shows the answer about a subscription.
func (c *call) subscribed(r *rsResponse, heading string) tools.Result {
	e := c.envelope(r)
	if members(r.Body).Get("secret") != nil {
		e.Note = "The secret is shown this once: hand it to the receiver now, and keep it out of files and chats."
	}
	data := members(r.Body)
	if changed := members(data.Get("subscription")); changed != nil {
		data.Delete("subscription")
		data = append(data, changed...)
	}
	return showDocument(e, []string{strings.TrimSpace(heading + " " + e.Note)}, data)
}

// onSubscription returns the answer of a tool that asks about one subscription by its method,
// with a body or nil, and says what was done.
func onSubscription(done string, body any) func(context.Context, *call) (tools.Result, error) {
	return func(ctx context.Context, c *call) (tools.Result, error) {
		r, err := c.send(ctx, body)
		if err != nil {
			return tools.Result{}, err
		}
		return c.subscribed(r, fmt.Sprintf(done, shown(c.names["subscription_id"]))), nil
	}
}

func createSubscription(ctx context.Context, c *call) (tools.Result, error) {
	wanted := struct {
		CallbackURL  string              `json:"callback_url"`
		ConnectionID string              `json:"connection_id,omitempty"`
		Filters      map[string][]string `json:"filters,omitempty"`
	}{CallbackURL: strings.TrimSpace(c.args.Required("callback_url")), ConnectionID: c.names["connection_id"]}
	if c.args.Has("filters") {
		streams := c.args.Object("filters", "streams").Strings("streams")
		for i := range streams {
			streams[i] = unquoted(streams[i])
		}
		wanted.Filters = map[string][]string{"streams": streams}
		if len(streams) == 0 {
			c.refuse(tools.CodeValidation, "filters",
				`Pass filters: {"streams": [...]} with names of list_streams, or leave filters out for all streams of the grant.`,
				"The filters name no stream.")
		}
	}
	if err := c.args.Err(); err != nil {
		return tools.Result{}, err
	}
	r, err := c.send(ctx, wanted)
	if err != nil {
		return tools.Result{}, err
	}
	if !bytes.Contains(r.Body, []byte(wanted.ConnectionID)) {
		c.args.Note("the answer does not name the connection_id, so the subscription may be of all connections of the grant")
	}
	return c.subscribed(r, "Created an event subscription. It is active once the receiver has answered the verification; "+
		"send_test_event tries it."), nil
}

func updateSubscription(ctx context.Context, c *call) (tools.Result, error) {
	wanted := map[string]bool{} // what is absent stays
	var done []string
	if given := strings.Trim(string(c.args.JSON("enabled")), `" `); c.args.Has("enabled") && given != "" {
		wanted["enabled"] = c.args.Bool("enabled")
		done = append(done, map[bool]string{true: "enabled", false: "disabled"}[wanted["enabled"]])
	}
	if c.args.Bool("rotate_secret") {
		wanted["rotate_secret"] = true
		done = append(done, "given a new secret, and the old one no longer signs")
	}
	if len(done) == 0 {
		c.refuse(tools.CodeMissingField, "enabled", "Pass enabled: true or false, or rotate_secret: true.",
			"There is nothing to update.")
	}
	if err := c.args.Err(); err != nil {
		return tools.Result{}, err
	}
	return onSubscription("Event subscription %s was "+strings.Join(done, " and ")+".", wanted)(ctx, c)
}
