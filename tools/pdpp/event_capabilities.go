package pdpp

import (
	"context"
	"encoding/json"
	"strings"

	"issues-index/store/orderedjson"
	"issues-index/store/words"
	"issues-index/tools"
)

// metadataPath is where a resource server says what it can do, to anyone.
const metadataPath = "/.well-known/oauth-protected-resource"

// What the discovery tool says beside what the RS advertises: how a receiver is to
// take events. No other tool says it.
const (
	howToReceive = "A receiver keeps the secret, checks the signature of each delivery with it before anything else, answers at once, and takes repeats of an id for one. " +
		"Events carry no records: read what changed with query_records and the event's changes_since."
	howToPoll = "Where nothing can receive requests, poll query_records with changes_since."
)

// capabilities answer discover_event_subscription_capabilities.
type capabilities struct {
	Supported bool `json:"supported"`
	envelope
}

func discoverEventSubscriptionCapabilities(c *Client) tools.Tool {
	return reading(tools.Tool{
		Name: "discover_event_subscription_capabilities",
		Description: "Tell how event subscriptions work here: event types, callback rules, verification, retries and Standard Webhooks signing, from GET " + metadataPath + ". Read-only. " +
			"Call it before create_event_subscription; to poll, use query_records with changes_since.",
		Input:  tools.ObjectSchema(""),
		Output: answered(`"supported":{"type":"boolean"}`),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			r, err := c.public(ctx, metadataPath)
			if err != nil {
				return tools.Result{}, err
			}
			return args.Smaller(1, func(level int) tools.Result { return c.eventCapabilities(r, level) }), nil
		},
	})
}

// eventCapabilities shows what the metadata of the RS says of event subscriptions: with
// all of the metadata at level 0, without the rest of it at level 1.
func (c *Client) eventCapabilities(r *rsResponse, level int) tools.Result {
	events := members(members(r.Body).Get("capabilities")).Get("client_event_subscriptions")
	found := capabilities{envelope: c.envelope(r)}
	read(members(events).Get("supported"), &found.Supported)
	lines := []string{"This resource server offers event subscriptions.", howToReceive + " " + howToPoll}
	if !found.Supported {
		lines = []string{"This resource server offers no event subscriptions. " + howToPoll}
	}
	found.Note = lines[len(lines)-1]
	if level > 0 {
		const less = " Of the server's metadata (" + metadataPath + ") only what concerns events is here, to fit."
		lines[len(lines)-1] += less
		found.Note += less
		var kept, data orderedjson.Object
		if events != nil {
			kept.Put("client_event_subscriptions", events)
		}
		data.Put("capabilities", encode(kept))
		found.Data = encode(data)
	}
	if !found.Supported {
		return tools.Result{Text: lines[0], Structured: found}
	}
	for _, m := range members(events) {
		if text := flat(m.Value); text != "" {
			lines = append(lines, escaped(m.Name)+": "+words.CutBytes(text, maxCapability))
		}
	}
	return tools.Result{Text: strings.Join(lines, "\n"), Structured: found, Items: 1}
}

// maxCapability bounds the line of one member of the capability, in bytes.
const maxCapability = 600

// flat returns a JSON value on one line: members as name=value, those within them with
// their path.
func flat(raw json.RawMessage) string {
	var texts []string
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		for _, item := range list {
			texts = append(texts, flat(item))
		}
		return strings.Join(texts, ",")
	}
	object := members(raw)
	if object == nil {
		return brief(raw, maxCapability)
	}
	for _, m := range object {
		inner := members(m.Value)
		if inner == nil {
			texts = append(texts, escaped(m.Name)+"="+flat(m.Value))
		}
		for _, deeper := range inner {
			texts = append(texts, escaped(m.Name)+"."+escaped(deeper.Name)+"="+flat(deeper.Value))
		}
	}
	return strings.Join(texts, " ")
}
