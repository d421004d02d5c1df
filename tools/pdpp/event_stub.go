package pdpp

import (
	"context"

	"issues-index/tools"
)

func discoverEventSubscriptionCapabilities(*Client) tools.Tool {
	return pending("discover_event_subscription_capabilities")
}

func createEventSubscription(*Client) tools.Tool { return pending("create_event_subscription") }

func listEventSubscriptions(*Client) tools.Tool { return pending("list_event_subscriptions") }

func getEventSubscription(*Client) tools.Tool { return pending("get_event_subscription") }

func updateEventSubscription(*Client) tools.Tool { return pending("update_event_subscription") }

func deleteEventSubscription(*Client) tools.Tool { return pending("delete_event_subscription") }

func sendTestEvent(*Client) tools.Tool { return pending("send_test_event") }

func pending(name string) tools.Tool {
	return reading(tools.Tool{
		Name: name, Description: "Not served yet. Read-only.", Input: schema(""), Output: answered(),
		Handle: func(context.Context, *tools.Args) (tools.Result, error) {
			return tools.Result{}, tools.Errorf(tools.CodeNotFound, "%s is not served yet.", name)
		},
	})
}
