package pdpp

import (
	"context"
	"encoding/json"
	"strings"

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
			a, err := c.public(ctx, metadataPath)
			if err != nil {
				return tools.Result{}, err
			}
			r := c.advertised(a, a.Body)
			if whole := r.Size(); !args.Fits(r) {
				r = c.advertised(a, eventsOnly(a.Body), "Of the server's metadata ("+metadataPath+") only what concerns events is here, to fit.")
				r.Outcome, r.Original = tools.OutcomeSummarized, whole
			}
			return r, nil
		},
	})
}

// advertised shows the capability that is in the RS's metadata, and notes on what is left
// out of that.
func (c *Client) advertised(a *response, data json.RawMessage, notes ...string) tools.Result {
	capability := eventCapability(a.Body)
	var flag struct {
		Supported bool `json:"supported"`
	}
	found := capabilities{envelope: c.envelope(a)}
	found.Data = data
	found.Supported = read(capability, &flag) && flag.Supported
	if !found.Supported {
		found.Note = sentences(append([]string{"This resource server offers no event subscriptions. " + howToPoll}, notes...))
		return tools.Result{Text: found.Note, Structured: found}
	}
	found.Note = sentences(append([]string{howToReceive, howToPoll}, notes...))
	lines := []string{"This resource server offers event subscriptions.", found.Note}
	for _, m := range members(capability) {
		if text := flat(m.value); text != "" {
			lines = append(lines, escaped(m.name)+": "+shorten(text, maxCapability))
		}
	}
	return tools.Result{Text: strings.Join(lines, "\n"), Structured: found, Items: 1}
}

// maxCapability bounds what is said of one member of the capability, in bytes.
const maxCapability = 600

// eventCapability is what the metadata says of event subscriptions, nil when it says
// nothing.
func eventCapability(metadata json.RawMessage) json.RawMessage {
	var said struct {
		Capabilities struct {
			Events json.RawMessage `json:"client_event_subscriptions"`
		} `json:"capabilities"`
	}
	read(metadata, &said)
	return said.Capabilities.Events
}

// eventsOnly is the metadata without all the rest, in its own form.
func eventsOnly(metadata json.RawMessage) json.RawMessage {
	var inner []member
	if capability := eventCapability(metadata); capability != nil {
		inner = []member{{"client_event_subscriptions", capability}}
	}
	return object([]member{{"capabilities", object(inner)}})
}

// flat is a JSON value on one line: the members of objects as name=value, nested ones
// with their path.
func flat(raw json.RawMessage) string {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		texts := make([]string, len(list))
		for i, item := range list {
			texts[i] = flat(item)
		}
		return strings.Join(texts, ",")
	}
	inner := members(raw)
	if inner == nil {
		return brief(raw, maxCapability)
	}
	var texts []string
	for _, m := range inner {
		if members(m.value) == nil {
			texts = append(texts, escaped(m.name)+"="+flat(m.value))
			continue
		}
		for _, deeper := range members(m.value) {
			texts = append(texts, escaped(m.name)+"."+escaped(deeper.name)+"="+flat(deeper.value))
		}
	}
	return strings.Join(texts, " ")
}
