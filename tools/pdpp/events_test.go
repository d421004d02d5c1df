package pdpp

import (
	"fmt"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/pdpp/pdpptest"
)

func TestReceiversOnThisMachineNeedNoTLS(t *testing.T) {
	f := open(t)
	for _, address := range []string{"http://localhost:8765/hook", "http://127.0.0.1:8765/hook", "http://[::1]:8765/hook"} {
		if _, answer := f.must(t, "create_event_subscription", arguments{"callback_url": address}); !strings.Contains(answer.Text(), address) {
			t.Errorf("%s: %s", address, answer.Text())
		}
	}
}

// The answer that changes a subscription has it in a member of its own.
func TestAChangedSubscriptionIsShownWithItsStatusAndSecret(t *testing.T) {
	f := open(t)
	made, _ := f.must(t, "create_event_subscription", arguments{"callback_url": "https://example.org/hook"})
	id := made["subscription_id"]
	_, answer := f.must(t, "update_event_subscription", arguments{"subscription_id": id, "enabled": false})
	if !strings.Contains(answer.Text(), "\nstatus: disabled") || strings.Contains(answer.Text(), "secret:") {
		t.Errorf("got %s", answer.Text())
	}
	_, answer = f.must(t, "update_event_subscription", arguments{"subscription_id": id, "enabled": true, "rotate_secret": true})
	if !strings.Contains(answer.Text(), "\nstatus: active") || strings.Count(answer.Text(), "secret: "+pdpptest.Secret) != 1 {
		t.Errorf("got %s", answer.Text())
	}
}

func TestIgnoredConnectionOfASubscriptionIsNoted(t *testing.T) {
	f := open(t)
	_, answer := f.must(t, "create_event_subscription", arguments{"callback_url": "https://example.org/hook", "connection_id": pdpptest.ConnectionID})
	if !strings.Contains(answer.Text(), "may be of all connections of the grant") || !strings.Contains(noteOf(t, answer), "all connections") {
		t.Errorf("got %s", answer.Text())
	}
	if _, answer = f.must(t, "create_event_subscription", arguments{"callback_url": "https://example.org/hook"}); strings.Contains(answer.Text(), "all connections") {
		t.Errorf("got %s", answer.Text())
	}
	f.rs.Put(pdpptest.Subscribe, pdpptest.Override{Status: 201, Body: `{"subscription_id":"sub_1","status":"active","connection_id":"cin_a"}`})
	if _, answer = f.must(t, "create_event_subscription", arguments{"callback_url": "https://example.org/hook", "connection_id": "cin_a"}); strings.Contains(answer.Text(), "all connections") {
		t.Errorf("got %s", answer.Text())
	}
}

func TestLeftOutMetadataIsNoted(t *testing.T) {
	f := open(t)
	f.rs.Put(pdpptest.WellKnown, pdpptest.Override{Body: `{"resource":"` + strings.Repeat("long ", 4000) + `","capabilities":{"client_event_subscriptions":{"supported":true}}}`})
	_, answer := f.must(t, "discover_event_subscription_capabilities", nil)
	within(t, answer)
	if !strings.Contains(answer.Text(), "only what concerns events is here") || !strings.Contains(noteOf(t, answer), "only what concerns events is here") {
		t.Errorf("got %s", answer.Text())
	}
}

func TestManySubscriptionsAreAllNamed(t *testing.T) {
	var rows []string
	for i := range 150 {
		rows = append(rows, fmt.Sprintf(`{"subscription_id":"sub_%d","status":"active","callback_url":"https://example.org/%s"}`, i, strings.Repeat("x", 300)))
	}
	f := answering(t, 200, `{"data":[`+strings.Join(rows, ",")+`]}`)
	data, answer := f.must(t, "list_event_subscriptions", nil)
	if list, _ := data["data"].([]any); len(list) != 150 || !strings.Contains(answer.Text(), "sub_149 status=active") || !strings.Contains(answer.Text(), "Left out to fit: callback_url. get_event_subscription reads one whole.") {
		t.Errorf("%d: %s", len(list), answer.Text())
	}
}

func TestChangeWithoutAnAnswerIsSaid(t *testing.T) {
	_, answer := answering(t, 200, "").must(t, "update_event_subscription", arguments{"subscription_id": "sub_9", "enabled": true})
	if !strings.Contains(answer.Text(), "subscription sub_9 was enabled.") {
		t.Error(answer.Text())
	}
}

// A filter without a stream would have become a subscription to all of them.
func TestASubscriptionToNoStreamIsRefused(t *testing.T) {
	f := open(t)
	for _, filters := range []any{arguments{}, arguments{"streams": []string{}}, arguments{"streams": ""}} {
		f.untouched(t, func() {
			f.refused(t, tools.CodeValidation, "create_event_subscription", arguments{"callback_url": "https://example.org/", "filters": filters}, "name no stream", "list_streams")
		})
	}
}

func TestDiscoveryToolExplainsDelivery(t *testing.T) {
	f := open(t)
	_, answer := f.must(t, "discover_event_subscription_capabilities", nil)
	for _, fact := range []string{"standard-webhooks", "HMAC-SHA256", "webhook-signature", "30,120,600,3600,21600,86400", "cloudevents", `"https_required":true`, "pdpp.records.changed", "changes_since", `"callback_url_max_bytes":2048`} {
		if !strings.Contains(answer.Text(), fact) {
			t.Errorf("the answer does not say %s:\n%s", fact, answer.Text())
		}
	}
	if f.rs.Count() != f.rs.Count(pdpptest.WellKnown) {
		t.Error("more was asked than the metadata")
	}
	if sent := f.rs.Last(t, pdpptest.WellKnown).Header.Get("Authorization"); sent != "" {
		t.Error("the metadata is for everyone, yet a token was sent")
	}
	f.rs.WithoutEvents()
	_, answer = f.must(t, "discover_event_subscription_capabilities", nil)
	if !strings.Contains(string(answer.Structured), `"supported":false`) || !strings.Contains(answer.Text(), "poll query_records") {
		t.Errorf("%s\n%s", answer.Text(), answer.Structured)
	}
}

func TestEventSubscriptionsFromBeginningToEnd(t *testing.T) {
	f := open(t)
	made, answer := f.must(t, "create_event_subscription", arguments{"callback_url": "https://example.org/hook", "filters": arguments{"streams": []string{"issues"}}, "connection_id": pdpptest.ConnectionID})
	id, secret := made["subscription_id"].(string), made["secret"].(string)
	if sent := f.rs.Last(t, pdpptest.Subscribe).Body; sent != `{"callback_url":"https://example.org/hook","connection_id":"`+pdpptest.ConnectionID+`","filters":{"streams":["issues"]}}` {
		t.Error(sent)
	}
	if !strings.Contains(answer.Text(), "secret: "+secret) || !strings.Contains(answer.Text(), "subscription_id: "+id) || !strings.Contains(answer.Text(), "this once") {
		t.Error(answer.Text())
	}
	t.Run("the secret is in no other answer", func(t *testing.T) {
		for _, call := range []next{
			{"list_event_subscriptions", nil}, {"get_event_subscription", arguments{"subscription_id": id}},
			{"update_event_subscription", arguments{"subscription_id": id, "enabled": false}}, {"update_event_subscription", arguments{"subscription_id": id, "enabled": true}},
			{"send_test_event", arguments{"subscription_id": id}},
		} {
			_, answer := f.must(t, call.tool, call.args)
			if strings.Contains(answer.Text()+string(answer.Structured), pdpptest.Secret) {
				t.Errorf("%s: %s", call.tool, answer.Text())
			}
			if !strings.Contains(answer.Text(), id) && call.tool != "send_test_event" {
				t.Errorf("%s does not name the subscription: %s", call.tool, answer.Text())
			}
		}
	})
	t.Run("a new secret is shown once, too", func(t *testing.T) {
		changed, answer := f.must(t, "update_event_subscription", arguments{"subscription_id": id, "rotate_secret": true})
		if changed["secret"] == secret || !strings.Contains(answer.Text(), "secret: "+changed["secret"].(string)) {
			t.Error(answer.Text())
		}
		if sent := f.rs.Last(t, pdpptest.Resubscribe).Body; sent != `{"rotate_secret":true}` {
			t.Error(sent)
		}
	})
	t.Run("only what was asked for is changed", func(t *testing.T) {
		f.must(t, "update_event_subscription", arguments{"subscription_id": id, "enabled": false, "rotate_secret": false})
		if sent := f.rs.Last(t, pdpptest.Resubscribe).Body; sent != `{"enabled":false}` {
			t.Error(sent)
		}
		f.refused(t, "subscription_not_active", "send_test_event", arguments{"subscription_id": id}, "enabled: true")
		f.untouched(t, func() {
			for _, args := range []arguments{{}, {"enabled": nil}, {"enabled": ""}, {"rotate_secret": false}} {
				args["subscription_id"] = id
				f.refused(t, tools.CodeMissingField, "update_event_subscription", args, "enabled: true or false")
			}
		})
	})
	t.Run("one whose grant has ended", func(t *testing.T) {
		f.rs.Revoke(id)
		f.refused(t, "grant_revoked", "update_event_subscription", arguments{"subscription_id": id, "enabled": true}, "pdpp connect")
	})
	t.Run("deleted is deleted", func(t *testing.T) {
		answer := f.Call(t, "delete_event_subscription", arguments{"subscription_id": id})
		if answer.IsError || !strings.Contains(answer.Text(), id) || !strings.Contains(string(answer.Structured), `"data":null`) {
			t.Errorf("%s %s", answer.Text(), answer.Structured)
		}
		for _, tool := range []string{"get_event_subscription", "delete_event_subscription", "send_test_event"} {
			f.refused(t, "not_found", tool, arguments{"subscription_id": id}, "list_event_subscriptions")
		}
		if _, answer := f.must(t, "list_event_subscriptions", nil); !strings.Contains(answer.Text(), "0 event subscriptions. create_event_subscription makes one.") {
			t.Error(answer.Text())
		}
	})
	t.Run("a callback that the server refuses", func(t *testing.T) {
		f.untouched(t, func() {
			f.refused(t, tools.CodeMissingField, "create_event_subscription", arguments{"callback_url": " "})
		})
		f.rs.Put(pdpptest.Subscribe, pdpptest.Override{Status: 400, Body: `{"error":{"code":"invalid_request","message":"callback_url must be HTTPS"}}`})
		f.refused(t, "invalid_request", "create_event_subscription", arguments{"callback_url": "http://example.org"}, "must be HTTPS", "tells the rules for callback_url")
	})
	t.Run("more of them than fit", func(t *testing.T) {
		var rows []string
		for range 300 {
			rows = append(rows, strings.Replace(pdpptest.Recorded("event_sub_create"), `"secret":"whsec_REDACTED",`, "", 1))
		}
		f.rs.Put(pdpptest.Subscriptions, pdpptest.Override{Body: `{"data":[` + strings.Join(rows, ",") + `]}`})
		data, answer := f.must(t, "list_event_subscriptions", nil)
		if shown := len(data["data"].([]any)); shown < 10 || shown == 300 || !strings.Contains(answer.Text(), fmt.Sprintf("%d more rows of this answer are left out", 300-shown)) || !strings.Contains(noteOf(t, answer), "more rows") {
			t.Errorf("%d shown: %.200s", shown, answer.Text())
		}
	})
	t.Run("metadata that does not fit", func(t *testing.T) {
		metadata := `{"padding":"` + strings.Repeat("x", 20_000) + `","capabilities":{"other":1,"client_event_subscriptions":{"supported":true,"event_types":["a.b"]}}}`
		f.rs.Put(pdpptest.WellKnown, pdpptest.Override{Body: metadata})
		data, answer := f.must(t, "discover_event_subscription_capabilities", nil)
		if data["padding"] != nil || !strings.Contains(answer.Text(), `event_types: ["a.b"]`) || !strings.Contains(string(answer.Structured), "a.b") {
			t.Errorf("%.300s", answer.Text())
		}
	})
}
