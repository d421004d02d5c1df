package pdpptest

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// wellKnownBody is the metadata of the recorded server, as it sent it.
//
//go:embed recorded/wellknown.json
var wellKnownBody string

// Secret is how the secret of every subscription begins.
const Secret = "whsec_"

type subscription struct {
	id, callback, status, created string
	streams                       []string
}

func (s *Server) wellKnown(asked) (reply, *refusal) {
	return reply{kind: "application/json; charset=utf-8", content: []byte(wellKnownBody)}, nil
}

// WithoutEvents has the metadata advertise no event subscriptions.
func (s *Server) WithoutEvents() {
	s.Put(WellKnown, Answer{Body: strings.Replace(wellKnownBody, `"client_event_subscriptions"`, `"other_subscriptions"`, 1)})
}

// row is what the answer has that makes a subscription.
func (sub *subscription) row() object {
	return object{"subscription_id": sub.id, "status": sub.status, "callback_url": sub.callback, "created_at": sub.created}
}

// described is the subscription as other answers have it.
func (s *Server) described(sub *subscription) object {
	row := sub.row()
	c := s.connections[0]
	streams := []object{}
	for _, st := range c.streams {
		streams = append(streams, object{"name": st.name, "instance_ids": []string{c.id}})
	}
	row["authority_kind"], row["client_id"], row["grant_id"] = "client_grant", "client_1", "grt_1"
	row["disabled_reason"], row["updated_at"] = nil, sub.created
	row["scope"] = object{"source": object{"id": sourceID(asked{}, c), "kind": "connector", "connector_id": c.connector}, "streams": streams}
	return row
}

func (s *Server) subscribe(a asked) (reply, *refusal) {
	var given struct {
		CallbackURL  string `json:"callback_url"`
		ConnectionID string `json:"connection_id"`
		Filters      struct {
			Streams []string `json:"streams"`
		} `json:"filters"`
	}
	if json.Unmarshal(a.body, &given) != nil {
		return reply{}, invalid("The body must be JSON", "")
	}
	address, err := url.Parse(given.CallbackURL)
	if err != nil || address.Scheme != "https" && (address.Scheme != "http" || !slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, address.Hostname())) {
		return reply{}, invalid("callback_url must be https", "callback_url")
	}
	for _, name := range given.Filters.Streams {
		if !s.holds(name) {
			return reply{}, invalid("filters.streams names a stream outside the grant: "+name, "filters.streams")
		}
	}
	sub := &subscription{s.nextID("sub_"), given.CallbackURL, "pending_verification", day(30), given.Filters.Streams}
	s.subscriptions = append(s.subscriptions, sub)
	row := sub.row()
	row["secret"] = s.nextID(Secret)
	return reply{status: http.StatusCreated, body: row}, nil
}

func (s *Server) listSubscriptions(asked) (reply, *refusal) {
	data := []object{}
	for _, sub := range s.subscriptions {
		data = append(data, s.described(sub))
	}
	return reply{body: object{"data": data}}, nil
}

func (s *Server) named(a asked) (*subscription, *refusal) {
	for _, sub := range s.subscriptions {
		if sub.id == a.PathValue("id") {
			return sub, nil
		}
	}
	return nil, refuse(http.StatusNotFound, "not_found", "Subscription not found")
}

func (s *Server) subscription(a asked) (reply, *refusal) {
	sub, wrong := s.named(a)
	if wrong != nil {
		return reply{}, wrong
	}
	return reply{body: s.described(sub)}, nil
}

// Revoke has a subscription's grant end.
func (s *Server) Revoke(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sub := range s.subscriptions {
		if sub.id == id {
			sub.status = "disabled_revoked"
		}
	}
}

func (s *Server) resubscribe(a asked) (reply, *refusal) {
	sub, wrong := s.named(a)
	if wrong != nil {
		return reply{}, wrong
	}
	var given struct {
		Enabled      *bool `json:"enabled"`
		RotateSecret bool  `json:"rotate_secret"`
	}
	if json.Unmarshal(a.body, &given) != nil {
		return reply{}, invalid("The body must be JSON", "")
	}
	if sub.status == "disabled_revoked" {
		return reply{}, refuse(http.StatusConflict, "grant_revoked", "The subscription's grant was revoked")
	}
	if given.Enabled != nil {
		sub.status = map[bool]string{true: "active", false: "disabled"}[*given.Enabled]
	}
	body := object{"subscription": s.described(sub)}
	if given.RotateSecret {
		body["secret"] = s.nextID(Secret)
	}
	return reply{body: body}, nil
}

func (s *Server) unsubscribe(a asked) (reply, *refusal) {
	sub, wrong := s.named(a)
	if wrong != nil {
		return reply{}, wrong
	}
	s.subscriptions = slices.DeleteFunc(s.subscriptions, func(other *subscription) bool { return other == sub })
	return reply{status: http.StatusNoContent}, nil
}

func (s *Server) testEvent(a asked) (reply, *refusal) {
	sub, wrong := s.named(a)
	if wrong != nil {
		return reply{}, wrong
	}
	if sub.status != "active" && sub.status != "pending_verification" {
		return reply{}, refuse(http.StatusConflict, "subscription_not_active", "The subscription is "+sub.status)
	}
	return reply{status: http.StatusAccepted, body: object{"event_id": s.nextID("evt_"), "subscription_id": sub.id}}, nil
}
