package pdpp

import (
	"strings"
	"testing"

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
	if !strings.Contains(answer.Text(), " disabled https://example.org/hook") || strings.Contains(answer.Text(), "secret=") {
		t.Errorf("got %s", answer.Text())
	}
	_, answer = f.must(t, "update_event_subscription", arguments{"subscription_id": id, "enabled": true, "rotate_secret": true})
	if !strings.Contains(answer.Text(), " active https://example.org/hook") || strings.Count(answer.Text(), "secret="+pdpptest.Secret) != 1 {
		t.Errorf("got %s", answer.Text())
	}
}

func TestAConnectionThatASubscriptionDoesNotKeepIsSaid(t *testing.T) {
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

func TestMetadataThatIsLeftOutIsSaid(t *testing.T) {
	f := open(t)
	f.rs.Put(pdpptest.WellKnown, pdpptest.Override{Body: `{"resource":"` + strings.Repeat("long ", 4000) + `","capabilities":{"client_event_subscriptions":{"supported":true}}}`})
	_, answer := f.must(t, "discover_event_subscription_capabilities", nil)
	within(t, answer)
	if !strings.Contains(answer.Text(), "only what concerns events is here") || !strings.Contains(noteOf(t, answer), "only what concerns events is here") {
		t.Errorf("got %s", answer.Text())
	}
}

func TestViewsStandInTheIndexOfASchema(t *testing.T) {
	f := open(t)
	const row = `{"name":"issues","views":[{"name":"basic","fields":["id"]},"wide",{"id":"third"}],"field_capabilities":{"a":"declared"},"schema":{"description":"`
	f.rs.Put(pdpptest.Schema, pdpptest.Override{Body: `{"object":"schema","connectors":[{"streams":[` + row + strings.Repeat("long ", 4000) + `"}}]}]}`})
	_, answer := f.must(t, "schema", arguments{"stream": "issues", "detail": "full"})
	if !strings.Contains(answer.Text(), ", views basic, wide, third") || !strings.Contains(string(answer.Structured), `"views":["basic","wide","third"]`) {
		t.Errorf("%s\n%s", answer.Text(), answer.Structured)
	}
}
