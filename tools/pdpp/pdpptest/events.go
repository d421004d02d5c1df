package pdpptest

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Secret is how the secret of every subscription begins.
const Secret = "whsec_"

// A blob is bytes of a media type.
type blob struct {
	mediaType string
	content   []byte
}

// AddBlob adds a blob.
func (s *Server) AddBlob(id, mediaType string, content []byte) {
	s.set(func() { s.blobs[id] = blob{mediaType, content} })
}

// ServeRanges makes the server answer a range of a blob with status 206. The recorded one
// answers with the whole.
func (s *Server) ServeRanges() { s.set(func() { s.ranges = true }) }

func (s *Server) blob(a asked) httpReply {
	b, ok := s.blobs[a.PathValue("id")]
	if !ok {
		panic(refused(http.StatusNotFound, "blob_missing"))
	}
	return httpReply{blob: &b}
}

// WithoutEvents makes the metadata advertise no event subscriptions.
func (s *Server) WithoutEvents() {
	s.Put(WellKnown, Override{Body: strings.Replace(Recorded("wellknown"), `"client_event_subscriptions"`, `"other_subscriptions"`, 1)})
}

// Revoke ends the grant of a subscription.
func (s *Server) Revoke(id string) {
	s.set(func() {
		for _, sub := range s.subscriptions {
			if sub["subscription_id"] == id {
				sub["status"] = "disabled_revoked"
			}
		}
	})
}

func (s *Server) subscribe(a asked) httpReply {
	var given struct {
		CallbackURL string `json:"callback_url"`
	}
	if json.Unmarshal(a.body, &given) != nil || given.CallbackURL == "" {
		panic(invalid(http.StatusBadRequest, "invalid_request", "callback_url is required").about("callback_url"))
	}
	sub := recorded("letters/event_sub_get")
	sub["subscription_id"], sub["callback_url"] = s.nextID("sub_"), given.CallbackURL
	s.subscriptions = append(s.subscriptions, sub)
	made := recorded("letters/event_sub_create")
	made["subscription_id"], made["callback_url"], made["secret"] = sub["subscription_id"], given.CallbackURL, s.nextID(Secret)
	return httpReply{status: http.StatusCreated, body: made}
}

func (s *Server) listSubscriptions(asked) httpReply {
	return httpReply{body: jsonObject{"data": append([]jsonObject{}, s.subscriptions...)}}
}

// named returns the subscription of the path.
func (s *Server) named(a asked) jsonObject {
	for _, sub := range s.subscriptions {
		if sub["subscription_id"] == a.PathValue("id") {
			return sub
		}
	}
	panic(invalid(http.StatusNotFound, "not_found", "Subscription not found"))
}

func (s *Server) subscription(a asked) httpReply {
	return httpReply{body: s.named(a)}
}

func (s *Server) resubscribe(a asked) httpReply {
	sub := s.named(a)
	var given struct {
		Enabled      *bool `json:"enabled"`
		RotateSecret bool  `json:"rotate_secret"`
	}
	if json.Unmarshal(a.body, &given) != nil {
		panic(invalid(http.StatusBadRequest, "invalid_request", "The body must be JSON"))
	}
	if sub["status"] == "disabled_revoked" {
		panic(invalid(http.StatusConflict, "grant_revoked", "The subscription's grant was revoked"))
	}
	if given.Enabled != nil {
		sub["status"] = map[bool]string{true: "active", false: "disabled"}[*given.Enabled]
	}
	body := jsonObject{"subscription": maps.Clone(sub)}
	if given.RotateSecret {
		body["secret"] = s.nextID(Secret)
	}
	return httpReply{body: body}
}

func (s *Server) unsubscribe(a asked) httpReply {
	sub := s.named(a)
	s.subscriptions = slices.DeleteFunc(s.subscriptions, func(o jsonObject) bool { return o["subscription_id"] == sub["subscription_id"] })
	return httpReply{status: http.StatusNoContent}
}

func (s *Server) testEvent(a asked) httpReply {
	sub := s.named(a)
	if sub["status"] != "active" && sub["status"] != "pending_verification" {
		panic(invalid(http.StatusConflict, "subscription_not_active", "The subscription is not active"))
	}
	return httpReply{status: http.StatusAccepted, body: jsonObject{"event_id": s.nextID("evt_"), "subscription_id": sub["subscription_id"]}}
}
