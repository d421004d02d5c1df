package pdpp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"issues-index/store/words"
	"issues-index/tools"
)

// subscriptionsPath is the endpoint of all event subscriptions.
const subscriptionsPath = "/v1/event-subscriptions"

// A subscription is what the RS tells of one. Only the answers that create it or rotate
// its secret have the secret.
type subscription struct {
	ID          string `json:"subscription_id"`
	Status      string `json:"status"`
	CallbackURL string `json:"callback_url,omitempty"`
	CreatedAt   string `json:"created_at,omitempty"`
	Secret      string `json:"secret,omitempty"`
}

// line returns the subscription, without its secret, as a text has it.
func (s subscription) line() string {
	parts := []string{"subscription_id=" + escaped(s.ID), escaped(s.Status), words.CutBytes(tools.Line(s.CallbackURL), 200)}
	if s.CreatedAt != "" {
		parts = append(parts, "created "+escaped(s.CreatedAt))
	}
	return words.OneLine(strings.Join(parts, " "))
}

// subscriptionOf reads a subscription. After a change it stands in a member of its own,
// beside its new secret; some servers wrap every subscription in data.
func subscriptionOf(body json.RawMessage) subscription {
	var said struct {
		subscription
		Changed subscription `json:"subscription"`
		Data    subscription `json:"data"`
	}
	read(body, &said)
	for _, inner := range []subscription{said.Changed, said.Data} {
		if inner != (subscription{}) {
			inner.Secret = cmp.Or(inner.Secret, said.Secret)
			return inner
		}
	}
	return said.subscription
}

// subscribed shows one subscription, of this id unless the answer names another. A secret
// stands on a line of its own, since it is shown only once.
func (c *Client) subscribed(r *rsResponse, id, heading string) tools.Result {
	s := subscriptionOf(r.Body)
	s.ID = cmp.Or(s.ID, id)
	lines := []string{heading, s.line()}
	if s.ID == "" {
		lines[1] = "The answer does not tell its id; list_event_subscriptions does."
	}
	e := c.envelope(r)
	if s.Secret != "" {
		e.Note = "The secret is shown this once: hand it to the receiver now, and keep it out of files and chats."
		lines = append(lines, "secret="+escaped(s.Secret), e.Note)
	}
	return tools.Result{Text: strings.Join(lines, "\n"), Structured: e, Items: 1}
}

// subscriptionInput is the schema of the tools that take one subscription.
const subscriptionInput = `"subscription_id":` + anyText

// onSubscription asks about the subscription that the arguments name. It returns the id as
// a text shows it.
func (c *Client) onSubscription(ctx context.Context, args *tools.Args, method, below string, body any) (r *rsResponse, id string, err error) {
	id = unescaped(args.Required("subscription_id"))
	path := subscriptionsPath + "/" + segment(args, "subscription_id", id) + below
	if err := args.Err(); err != nil {
		return nil, "", err
	}
	r, err = c.send(ctx, method, path, body)
	var e *tools.Error
	if errors.As(err, &e) {
		switch e.Code {
		case "not_found":
			err = e.On("subscription_id").Try("list_event_subscriptions names those of this grant; a deleted one is gone.")
		case "grant_revoked":
			err = e.Try("%s A subscription of the old grant stays disabled: create another then with create_event_subscription.", e.Remediation)
		case "invalid_state", "subscription_not_active":
			err = e.Try("get_event_subscription tells its status; update_event_subscription with enabled: true brings it back.")
		}
	}
	return r, escaped(id), err
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
			var wanted struct {
				CallbackURL  string              `json:"callback_url"`
				ConnectionID string              `json:"connection_id,omitempty"`
				Filters      map[string][]string `json:"filters,omitempty"`
			}
			wanted.CallbackURL, wanted.ConnectionID = readCallback(args), readConnection(args, url.Values{})
			if args.Has("filters") {
				streams := args.Object("filters", "streams").Strings("streams")
				for i := range streams {
					streams[i] = unescaped(streams[i])
				}
				wanted.Filters = map[string][]string{"streams": streams}
				if len(streams) == 0 {
					args.Fail(tools.Errorf(tools.CodeValidation, "The filters name no stream.").On("filters").
						Try(`Pass filters: {"streams": [...]} with names of list_streams, or leave filters out for all streams of the grant.`))
				}
			}
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			r, err := c.send(ctx, http.MethodPost, subscriptionsPath, wanted)
			if err != nil {
				return tools.Result{}, err
			}
			if !bytes.Contains(r.Body, []byte(wanted.ConnectionID)) {
				args.Note("the answer does not name the connection_id, so the subscription may be of all connections of the grant: get_event_subscription tells its scope")
			}
			return c.subscribed(r, "", "Created an event subscription. It is active once the receiver has answered the verification; send_test_event tries it."), nil
		},
	}
}

// maxCallback bounds the address of a receiver, in bytes, as the RS does.
const maxCallback = 2048

// localHosts are the hosts to which the RS delivers without TLS.
var localHosts = []string{"localhost", "127.0.0.1", "::1"}

// readCallback reads the address of a receiver: https, or http on this machine.
func readCallback(args *tools.Args) string {
	text := strings.TrimSpace(args.Required("callback_url"))
	address, err := url.Parse(text)
	wrong := ""
	switch {
	case text == "":
	case len(text) > maxCallback:
		wrong = fmt.Sprintf("it is longer than %d bytes", maxCallback)
	case err != nil || address.Hostname() == "":
		wrong = "it has no host"
	case address.User != nil:
		wrong = "it has a user in it"
	case address.Scheme != "https" && (address.Scheme != "http" || !slices.Contains(localHosts, address.Hostname())):
		wrong = "it is neither https nor http on localhost"
	}
	if wrong != "" {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid callback_url %s: %s.", quote(text), wrong).On("callback_url").
			Try("Pass an https address that the resource server can reach; http works only for localhost, 127.0.0.1 and [::1]."))
	}
	return text
}

func listEventSubscriptions(c *Client) tools.Tool {
	return reading(tools.Tool{
		Name: "list_event_subscriptions",
		Description: "List the event subscriptions of this grant with status and callback_url: GET /v1/event-subscriptions. Read-only. " +
			"Without secrets. See discover_event_subscription_capabilities.",
		Input:  tools.ObjectSchema(""),
		Output: answered(),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			p, err := c.list(ctx, subscriptionsPath, nil)
			if err != nil {
				return tools.Result{}, err
			}
			return unpaged(args, len(p.Rows), func(shown int, short bool) tools.Result { return c.subscriptions(p, shown, short) }), nil
		},
	})
}

// subscriptions shows the first subscriptions or, in short, their ids and states.
func (c *Client) subscriptions(p *listPage, shown int, short bool) tools.Result {
	e := c.envelope(p.response)
	lines := []string{words.Count(len(p.Rows), "event subscription") + "."}
	if len(p.Rows) == 0 {
		lines[0] = "No event subscriptions. create_event_subscription makes one."
	}
	if short {
		e.Note = "Only ids and states are here, to fit; get_event_subscription reads one."
		if shown < len(p.Rows) {
			e.Note += fmt.Sprintf(" They are the first %d of %d.", shown, len(p.Rows))
		}
		lines = append(lines, e.Note)
	}
	rows := make([]json.RawMessage, shown)
	for i, raw := range p.Rows[:shown] {
		var s subscription
		if !read(raw, &s) {
			lines, rows[i] = append(lines, preview{"", brief(raw, 200)}.line()), raw
			continue
		}
		if short {
			s = subscription{ID: s.ID, Status: s.Status}
		}
		lines, rows[i] = append(lines, s.line()), only(raw, "subscription_id", "status")
	}
	if short {
		e.Data = withRows(p.response.Body, rows...)
	}
	return tools.Result{Text: strings.Join(lines, "\n"), Structured: e, Items: shown}
}

func getEventSubscription(c *Client) tools.Tool {
	return reading(tools.Tool{
		Name: "get_event_subscription",
		Description: "Read the status of one event subscription: GET /v1/event-subscriptions/{id}. Read-only. " +
			"Without its secret. See discover_event_subscription_capabilities.",
		Input:  tools.ObjectSchema(subscriptionInput, "subscription_id"),
		Output: answered(),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			r, id, err := c.onSubscription(ctx, args, http.MethodGet, "", nil)
			if err != nil {
				return tools.Result{}, err
			}
			return c.subscribed(r, id, "Event subscription "+id+"."), nil
		},
	})
}

func updateEventSubscription(c *Client) tools.Tool {
	return tools.Tool{
		Name: "update_event_subscription",
		Description: "Disable or enable an event subscription, or rotate its secret: PATCH /v1/event-subscriptions/{id}. Writes. " +
			"A new secret is shown this once. See discover_event_subscription_capabilities.",
		Input:  tools.ObjectSchema(subscriptionInput+`,"enabled":{"type":"boolean"},"rotate_secret":{"type":"boolean"}`, "subscription_id"),
		Output: answered(),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			var wanted struct { // what is absent stays
				Enabled      *bool `json:"enabled,omitempty"`
				RotateSecret bool  `json:"rotate_secret,omitempty"`
			}
			var done []string
			if given := strings.Trim(string(args.JSON("enabled")), `" `); args.Has("enabled") && given != "" {
				enabled := args.Bool("enabled")
				wanted.Enabled = &enabled
				done = append(done, map[bool]string{true: "enabled", false: "disabled"}[enabled])
			}
			if wanted.RotateSecret = args.Bool("rotate_secret"); wanted.RotateSecret {
				done = append(done, "given a new secret, and the old one no longer signs")
			}
			if len(done) == 0 {
				args.Fail(tools.Errorf(tools.CodeMissingField, "There is nothing to update.").On("enabled").
					Try("Pass enabled: true or false, or rotate_secret: true."))
			}
			r, id, err := c.onSubscription(ctx, args, http.MethodPatch, "", wanted)
			if err != nil {
				return tools.Result{}, err
			}
			return c.subscribed(r, id, "Event subscription "+id+" was "+strings.Join(done, " and ")+"."), nil
		},
	}
}

func deleteEventSubscription(c *Client) tools.Tool {
	return tools.Tool{
		Name: "delete_event_subscription",
		Description: "Delete an event subscription and drop what it has still to deliver: DELETE /v1/event-subscriptions/{id}. Writes, and cannot be undone. " +
			"See discover_event_subscription_capabilities.",
		Destructive: true,
		Idempotent:  true,
		Input:       tools.ObjectSchema(subscriptionInput, "subscription_id"),
		// The RS answers without a body.
		Output: envelopeSchema(`{"type":["object","null"]}`),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			r, id, err := c.onSubscription(ctx, args, http.MethodDelete, "", nil)
			if err != nil {
				return tools.Result{}, err
			}
			e := c.envelope(r)
			e.Note = "Deleted event subscription " + id + "."
			return tools.Result{Text: e.Note, Structured: e, Items: 1}, nil
		},
	}
}

func sendTestEvent(c *Client) tools.Tool {
	return tools.Tool{
		Name: "send_test_event",
		Description: "Send a test event to the receiver of a subscription: POST /v1/event-subscriptions/{id}/test-event. Writes: each call sends another. " +
			"See discover_event_subscription_capabilities.",
		Input:  tools.ObjectSchema(subscriptionInput, "subscription_id"),
		Output: answered(),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			r, _, err := c.onSubscription(ctx, args, http.MethodPost, "/test-event", struct{}{})
			if err != nil {
				return tools.Result{}, err
			}
			var sent struct {
				EventID string `json:"event_id"`
			}
			text := "The test event is queued; the receiver knows whether it arrived."
			if read(r.Body, &sent) && sent.EventID != "" {
				text += " event_id=" + escaped(sent.EventID)
			}
			return tools.Result{Text: text, Structured: c.envelope(r), Items: 1}, nil
		},
	}
}
