package pdpp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"issues-index/tools"
)

// subscriptionsPath is the endpoint of all that has to do with them.
const subscriptionsPath = "/v1/event-subscriptions"

// A subscription is what the RS tells of one. The secret is in the answer that
// makes it alone.
type subscription struct {
	ID          string `json:"subscription_id"`
	Status      string `json:"status"`
	CallbackURL string `json:"callback_url,omitempty"`
	CreatedAt   string `json:"created_at,omitempty"`
	Secret      string `json:"secret,omitempty"`
}

// maxAddress bounds an address in a text, in bytes.
const maxAddress = 200

// line is the subscription without its secret.
func (s subscription) line() string {
	parts := []string{"subscription_id=" + escaped(s.ID), escaped(s.Status), shorten(tools.Line(s.CallbackURL), maxAddress)}
	if s.CreatedAt != "" {
		parts = append(parts, "created "+escaped(s.CreatedAt))
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// subscriptionInput is the schema of the tools that take one subscription.
const subscriptionInput = `"subscription_id":` + anyText

// readSubscription reads the id of a subscription, and returns its path.
func readSubscription(args *tools.Args) string {
	return subscriptionsPath + "/" + segment(args, "subscription_id", unescaped(args.Required("subscription_id")))
}

// subscriptionOf reads a subscription. One that was changed stands in a member of its
// own, beside its new secret; some servers wrap every one in data.
func subscriptionOf(body json.RawMessage) subscription {
	var said struct {
		subscription
		Changed subscription `json:"subscription"`
		Data    subscription `json:"data"`
	}
	read(body, &said)
	for _, within := range []subscription{said.Changed, said.Data} {
		if within != (subscription{}) {
			within.Secret = cmp.Or(within.Secret, said.Secret)
			return within
		}
	}
	return said.subscription
}

// subscribed is the answer that shows one subscription, of this id if there is one. A
// secret stands on a line of its own, since it is shown this once.
func (c *Client) subscribed(a *response, id, heading string) tools.Result {
	s := subscriptionOf(a.Body)
	s.ID = cmp.Or(s.ID, id)
	lines := []string{heading, s.line()}
	if s.ID == "" {
		lines[1] = "The answer does not tell its id; list_event_subscriptions does."
	}
	e := c.envelope(a)
	if s.Secret != "" {
		e.Note = "The secret is shown this once: hand it to the receiver now, and keep it out of files and chats."
		lines = append(lines, "secret="+escaped(s.Secret), e.Note)
	}
	return tools.Result{Text: strings.Join(lines, "\n"), Structured: e, Items: 1}
}

// onSubscription says of an error what helps where subscriptions are concerned.
func onSubscription(err error) error {
	var e *tools.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code {
	case "not_found":
		return e.On("subscription_id").Try("list_event_subscriptions names those of this grant; a deleted one is gone.")
	case "grant_revoked":
		return e.Try("%s A subscription of the old grant stays disabled: create another then with create_event_subscription.", e.Remediation)
	case "invalid_state", "subscription_not_active":
		return e.Try("get_event_subscription tells its status; update_event_subscription with enabled: true brings it back.")
	}
	return err
}

// one is the handler of a tool that asks about one subscription and shows it.
func (c *Client) one(ctx context.Context, args *tools.Args, method, below string, body any, heading func(id string) string) (tools.Result, error) {
	id := givenName(args, "subscription_id")
	path := readSubscription(args)
	if err := args.Err(); err != nil {
		return tools.Result{}, err
	}
	a, err := c.send(ctx, method, path+below, body)
	if err != nil {
		return tools.Result{}, onSubscription(err)
	}
	return c.subscribed(a, id, heading(escaped(id))), nil
}

// maxCallback bounds the address of a receiver, in bytes, as the RS does.
const maxCallback = 2048

// localHosts are those to which the RS delivers without TLS.
var localHosts = []string{"localhost", "127.0.0.1", "::1"}

// readCallback reads the address of a receiver: https, or http on this machine.
func readCallback(args *tools.Args) string {
	text := strings.TrimSpace(args.Required("callback_url"))
	wrong := func(reason string) string {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid callback_url %s: %s.", quote(text), reason).On("callback_url").
			Try("Pass an https address that the resource server can reach; http is for localhost, 127.0.0.1 and [::1] alone."))
		return ""
	}
	address, err := url.Parse(text)
	switch {
	case text == "":
		return ""
	case len(text) > maxCallback:
		return wrong(fmt.Sprintf("it is longer than %d bytes", maxCallback))
	case err != nil || address.Host == "" || address.Hostname() == "":
		return wrong("it is no address of a host")
	case address.User != nil:
		return wrong("it has a user in it")
	case address.Scheme == "https", address.Scheme == "http" && slices.Contains(localHosts, address.Hostname()):
		return text
	}
	return wrong("it is neither https nor http on localhost")
}
